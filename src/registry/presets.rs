//! Methods as pipelines: published ones, and one composition that no paper has.

use enclust_core::{Part, PipelineSpec, Preset, Real, Registry};

/// The largest share of the samples that a component of the confident pairs may hold in `ec-cms`.
/// Shares from 0.5 to 0.8 gave similar scores. On pools where one component holds nearly all
/// samples, the published rule (1) joins them into one cluster.
const GIANT: f64 = 0.7;

/// Adds every method.
pub fn register<S: Real>(registry: &mut Registry<S>) {
    let once = |consensus: &str| Part::named(consensus).set("weighting", "groups");
    let plain = |ca: &str, consensus: Part| PipelineSpec::plain(Part::named(ca), consensus);
    let enhanced = |confidence: Part, enhancer: &str| {
        plain("lwca", Part::named("average")).enhanced(confidence, Part::named(enhancer))
    };
    let guarded = Part::named("threshold").set("giant", GIANT);
    let published = Part::named("threshold").set("giant", 1);
    let mut spectral = enhanced(published.clone(), "exact");
    spectral.consensus = Part::named("spectral");
    let methods = [
        (
            "eac",
            "evidence accumulation with average link",
            "A simple baseline with a dendrogram; ties make it depend on details.",
            plain("eac", Part::named("average")),
        ),
        (
            "lwea",
            "locally weighted evidence accumulation",
            "The default: fast, with a dendrogram; memory grows with the square of the distinct label rows.",
            plain("lwca", Part::named("average")),
        ),
        (
            "pta-al",
            "probability trajectories with average link",
            "Worth a try if many base clusterings are poor; slow to build above some thousand distinct label rows.",
            plain("pts", once("average")),
        ),
        (
            "pta-cl",
            "probability trajectories with complete link",
            "Like pta-al, with complete link; rarely better.",
            plain("pts", once("complete")),
        ),
        (
            "pta-sl",
            "probability trajectories with single link",
            "Like pta-al, with single link; chains of samples may join everything.",
            plain("pts", once("single")),
        ),
        (
            "lwgp",
            "locally weighted graph partitioning",
            "The choice for large data: time and memory grow linearly with the samples.",
            plain("lwb", Part::named("tcut")),
        ),
        (
            "hbgf",
            "hybrid bipartite graph partitioning",
            "Like lwgp, with all base clusters weighted alike; for any size.",
            plain("incidence", Part::named("tcut")),
        ),
        (
            "ptgp",
            "probability trajectory graph partitioning",
            "Like pta-al with clusters of similar sizes.",
            plain("ptb", once("tcut")),
        ),
        (
            "ecpcs-hc",
            "cluster-wise similarities with average link",
            "Good if base clusterings are fine-grained; has a dendrogram.",
            plain("eca", Part::named("average")),
        ),
        (
            "ecpcs-mc",
            "meta-clusters of cluster-wise similarities",
            "Fast and linear in the samples; takes a minute with four thousand base clusters.",
            plain("pcs", Part::named("metaclusters")),
        ),
        (
            "drec",
            "dense representations with spectral clustering",
            "For comparisons with the paper; at its defaults it often finds little in k-means pools.",
            plain("drec", once("spectral").set("replicates", 100)),
        ),
        (
            "rsec-h",
            "robust spectral ensemble clustering, k-means of its embedding",
            "For comparisons; minutes on thousands of distinct label rows.",
            plain("rsec-h", Part::named("kmeans")),
        ),
        (
            "rsec-z",
            "robust spectral ensemble clustering, spectral clustering of its affinity",
            "For comparisons; minutes on thousands of distinct label rows.",
            plain("rsec-z", Part::named("spectral")),
        ),
        (
            "spce",
            "self-paced clustering ensemble, the components of a learned graph",
            "For comparisons; learns a graph for one k and may return another number of clusters.",
            plain("spce", Part::named("components")),
        ),
        (
            "trce",
            "tri-level robust clustering ensemble, the components of a learned graph",
            "For comparisons; learns a graph for one k and may return another number of clusters.",
            plain("trce", Part::named("components")),
        ),
        (
            "ec-cms",
            "co-association matrix self-enhancement, the certified optimum",
            "The method of the paper with a guard against collapse; has a dendrogram and a certificate.",
            enhanced(guarded, "exact"),
        ),
        (
            "ec-cms-spectral",
            "co-association matrix self-enhancement, finished by spectral clustering",
            "The best mean rank in docs/methods.md: better than lwea on open data, level on the pools of the paper; no dendrogram.",
            spectral,
        ),
        (
            "ec-cms-admm",
            "co-association matrix self-enhancement, the paper's early-stopped ADMM",
            "To reproduce the paper to the last digit; slower than ec-cms, and without its guard.",
            enhanced(published, "admm"),
        ),
        (
            "weac",
            "weighted evidence accumulation with average link",
            "Like eac, with unrelated base clusterings down-weighted; few ties.",
            plain("weac", Part::named("average")),
        ),
        (
            "cts",
            "connected triples of base clusters with average link",
            "Like ecpcs-hc with links of one step; good if base clusterings are fine-grained.",
            plain("cts", Part::named("average")),
        ),
        (
            "asrs",
            "approximate SimRank of base clusters with average link",
            "For comparisons; compares all pairs of base clusterings.",
            plain("asrs", Part::named("average")),
        ),
        (
            "lce",
            "link-based cluster ensemble, a bipartite graph with links to similar clusters",
            "For comparisons; cts, the same links with average link, often scores higher.",
            plain("lce", Part::named("tcut")),
        ),
        (
            "kcc",
            "k-means-based consensus clustering, k-means of the label rows",
            "For any size: neither a matrix of samples nor one of base clusters.",
            plain("incidence", Part::named("kcc")),
        ),
        (
            "sec",
            "spectral ensemble clustering, weighted k-means of the label rows",
            "For any size, like kcc; prefers clusters of similar sizes.",
            plain("incidence", Part::named("sec")),
        ),
        (
            "gp-mgla",
            "graph partitioning with multi-granularity link analysis",
            "Like lwgp, with links between base clusters; holds a matrix of the base clusters.",
            plain("mgla", Part::named("tcut")),
        ),
        (
            "mcla",
            "meta-clustering algorithm, groups of overlapping base clusters",
            "Like ecpcs-mc without a random walk; also for missing labels.",
            plain("jaccard", Part::named("metaclusters")),
        ),
        (
            "cspa",
            "cluster-based similarity partitioning, spectral clustering into clusters of similar sizes",
            "For comparisons, and if the clusters must have similar sizes; not METIS, which it was published with.",
            plain("eac", Part::named("balanced")),
        ),
        (
            "nwca",
            "normalised weighted co-association with average link",
            "Like lwea, with a reliability that does not depend on the number of base clusters.",
            plain("nwca", Part::named("average")),
        ),
        (
            "sdgca",
            "similarity and dissimilarity guided co-association with average link",
            "A later method of the authors of ec-cms; not convex, no certificate, cubic in the distinct label rows.",
            plain("nwca", Part::named("average"))
                .enhanced(Part::named("guided"), Part::named("sdgca")),
        ),
        (
            "nmf",
            "non-negative factors of the co-association",
            "For any size; a stationary point, no optimum, and possibly fewer clusters than requested.",
            plain("incidence", Part::named("nmf")),
        ),
    ];
    for (name, summary, advice, spec) in methods {
        registry.add_preset(Preset::new(name, summary, spec).with_advice(advice));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The settings of the papers or, if they are not stated, of the authors' programs. Without
    /// this test, a lost weighting or number of replicates would go unnoticed.
    #[test]
    fn methods_are_made_of_these_parts() {
        let mut registry = Registry::<f64>::new();
        register(&mut registry);
        let written = |preset: &Preset| {
            let parts = preset.spec.parts();
            let used = parts.iter().filter(|(_, part)| part.name != "none");
            let used: Vec<String> = used.map(|(_, part)| part.to_string()).collect();
            format!("{}: {}", preset.name, used.join(" + "))
        };
        for preset in registry.presets() {
            assert!(preset.advice.ends_with('.'), "{} has no advice", preset.name);
        }
        let methods: Vec<String> = registry.presets().iter().map(written).collect();
        assert_eq!(
            methods,
            [
                "eac: eac + average",
                "lwea: lwca + average",
                "pta-al: pts + average(weighting=groups)",
                "pta-cl: pts + complete(weighting=groups)",
                "pta-sl: pts + single(weighting=groups)",
                "lwgp: lwb + tcut",
                "hbgf: incidence + tcut",
                "ptgp: ptb + tcut(weighting=groups)",
                "ecpcs-hc: eca + average",
                "ecpcs-mc: pcs + metaclusters",
                "drec: drec + spectral(replicates=100, weighting=groups)",
                "rsec-h: rsec-h + kmeans",
                "rsec-z: rsec-z + spectral",
                "spce: spce + components",
                "trce: trce + components",
                "ec-cms: lwca + threshold(giant=0.7) + exact + average",
                "ec-cms-spectral: lwca + threshold(giant=1) + exact + spectral",
                "ec-cms-admm: lwca + threshold(giant=1) + admm + average",
                "weac: weac + average",
                "cts: cts + average",
                "asrs: asrs + average",
                "lce: lce + tcut",
                "kcc: incidence + kcc",
                "sec: incidence + sec",
                "gp-mgla: mgla + tcut",
                "mcla: jaccard + metaclusters",
                "cspa: eac + balanced",
                "nwca: nwca + average",
                "sdgca: nwca + guided + sdgca + average",
                "nmf: incidence + nmf",
            ]
        );
    }
}
