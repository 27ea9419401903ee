//! Item and cluster consensus.

use std::io::{self, Write};

use enclust::ca::Eac;
use enclust::core::{Ca, Ctx, Ensemble, Evidence, Microclusters, Question, Shape, Similarity};
use enclust::registry::Precision;
use enclust_stability::{ItemConsensus, Membership, membership};

use super::Cut;
use crate::csv_table::{cell, write_csv};
use crate::failure::Failure;

/// The consensus of every cut, based on the shares of base clusterings that join samples or,
/// without base clusterings, on the similarity that was clustered.
pub fn memberships<S: Precision>(
    ensemble: Option<&Ensemble>,
    clustered: &Evidence<S>,
    cuts: &[Cut],
    ctx: &Ctx<'_, S>,
) -> Result<Vec<Membership>, Failure> {
    let built;
    let similarity = match ensemble {
        Some(ensemble) => {
            built = co_association(ensemble, ctx)?;
            &built
        }
        None => clustered.similarity_for("item consensus")?,
    };
    Ok(cuts.iter().map(|cut| membership(similarity, &cut.partition)).collect::<Result<_, _>>()?)
}

fn co_association<S: Precision>(
    ensemble: &Ensemble,
    ctx: &Ctx<'_, S>,
) -> Result<Similarity<S>, Failure> {
    let microclusters = Microclusters::of(ensemble);
    let needed = Ca::<S>::footprint(&Eac, &Shape::of::<S>(&microclusters)).total();
    let size = format!("n' = {}", microclusters.len());
    ctx.require("item consensus", needed, &size, "leave out --membership")?;
    match ctx.install(|ctx| Eac.build(&microclusters, &Question::default(), ctx))??.evidence {
        Evidence::Similarity(similarity) => Ok(similarity),
        other => Err(other
            .similarity_for("item consensus")
            .err()
            .map_or(Failure::NoInput, Failure::from)),
    }
}

/// Writes one row per sample and cut.
pub fn write(
    out: &mut dyn Write,
    cuts: &[Cut],
    memberships: &[Membership],
    ids: Option<&[String]>,
) -> io::Result<()> {
    const HEAD: [&str; 9] = [
        "k",
        "sample",
        "label",
        "item_consensus",
        "other_cluster",
        "other_consensus",
        "margin",
        "cluster_consensus",
        "entropy",
    ];
    let most = memberships.iter().map(|found| found.clusters.len()).max().unwrap_or(0);
    let head = HEAD.map(String::from).into_iter().chain((0..most).map(|c| format!("member_{c}")));
    let rows = cuts.iter().zip(memberships).flat_map(|(cut, found)| {
        let (k, entropies) = (cut.k, found.entropies());
        cut.partition.labels().iter().enumerate().map(move |(sample, &label)| {
            let item: ItemConsensus = found.items[sample];
            let name = ids.map_or_else(|| (sample + 1).to_string(), |ids| ids[sample].clone());
            let soft = (0..most).map(|c| cell(found.soft[sample].get(c).copied()));
            let row = [
                k.to_string(),
                name,
                label.to_string(),
                cell(item.own),
                item.other.map_or(String::new(), |(cluster, _)| cluster.to_string()),
                cell(item.other.map(|(_, mean)| mean)),
                cell(item.margin()),
                cell(found.clusters[label]),
                entropies[sample].to_string(),
            ];
            row.into_iter().chain(soft).collect::<Vec<_>>()
        })
    });
    write_csv(out, head, rows)
}
