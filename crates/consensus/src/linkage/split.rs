//! Groups that cannot be treated as one object, split into their samples.

use std::borrow::Cow;
use std::sync::Arc;

use enclust_core::{Ctx, Grouping, Real, Result, Similarity, condensed_len};

use super::{memory, reserve, units::Units};

/// The same similarity of the same samples, grouped so that every group of
/// several samples is more similar within than to any other group.
///
/// Groups where this fails become single samples; equality fails too, because
/// then the tie rule may take an outsider first. No other group is affected by
/// that, so one pass is enough (T6 in `docs/theory.md`).
pub(super) fn split_loose_groups<'a, S: Real>(
    component: &str,
    similarity: &'a Similarity<S>,
    ctx: &Ctx<'_, S>,
) -> Result<Cow<'a, Similarity<S>>> {
    let loose = loose_groups(similarity);
    if !loose.contains(&true) {
        return Ok(Cow::Borrowed(similarity));
    }
    let finer = finer_grouping(similarity.grouping(), &loose)?;
    check_room::<S>(component, &finer, ctx)?;
    refine(component, similarity, finer).map(Cow::Owned)
}

/// The one thing linkage cannot say before it sees the similarity: how many groups
/// there will be.
fn check_room<S: Real>(component: &str, finer: &Grouping, ctx: &Ctx<'_, S>) -> Result<()> {
    let (samples, groups) = (finer.samples(), finer.len());
    let needed =
        memory::splitting::<S>(samples, groups) + memory::footprint(samples, groups).total();
    ctx.require(
        &format!("consensus ({component})"),
        needed,
        &format!("{groups} groups after splitting those less similar within than to others"),
        "let every group count once (weighting = groups), choose another consensus function",
    )
}

/// Whether a group has several samples that are no more similar to each other
/// than to some outsider.
fn loose_groups<S: Real>(similarity: &Similarity<S>) -> Vec<bool> {
    let sizes = similarity.grouping().sizes();
    if sizes.iter().all(|&r| r == 1) {
        return vec![false; sizes.len()];
    }
    let units = Units::of(similarity);
    let outside = strongest_outside(similarity);
    (0..sizes.len())
        .map(|p| {
            let within = units.count(similarity.within()[p]);
            sizes[p] > 1 && outside[p].is_some_and(|s| within <= units.count(s))
        })
        .collect()
}

/// The largest similarity of each group to another one, if there is another.
fn strongest_outside<S: Real>(similarity: &Similarity<S>) -> Vec<Option<S>> {
    let mut strongest = vec![None; similarity.len()];
    for p in 0..similarity.len() {
        for (q, &s) in (p + 1..).zip(similarity.row(p)) {
            for end in [p, q] {
                if strongest[end].is_none_or(|best| s > best) {
                    strongest[end] = Some(s);
                }
            }
        }
    }
    strongest
}

/// The grouping in which the samples of loose groups stand alone.
fn finer_grouping(grouping: &Grouping, loose: &[bool]) -> Result<Grouping> {
    let mut number: Vec<Option<u32>> = vec![None; grouping.len()];
    let mut next = 0;
    let mut fresh = || {
        next += 1;
        next - 1
    };
    let map = grouping.map().iter().map(|&p| match p as usize {
        p if loose[p] => fresh(),
        p => *number[p].get_or_insert_with(&mut fresh),
    });
    Grouping::from_map(map.collect())
}

/// The similarity over a finer grouping.
fn refine<S: Real>(
    component: &str,
    similarity: &Similarity<S>,
    finer: Grouping,
) -> Result<Similarity<S>> {
    let coarse = similarity.grouping().map();
    let parent: Vec<usize> = finer.first_members().iter().map(|&i| coarse[i] as usize).collect();
    let mut between = reserve(component, condensed_len(parent.len()))?;
    for (a, &p) in parent.iter().enumerate() {
        let value = |&q: &usize| match q {
            q if q == p => similarity.within()[p],
            q => similarity.between(p, q),
        };
        between.extend(parent[a + 1..].iter().map(value));
    }
    let inherit = |values: &[S]| parent.iter().map(|&p| values[p]).collect();
    let (within, own) = (inherit(similarity.within()), inherit(similarity.own()));
    let refined = Similarity::new(Arc::new(finer), between, within, own)?;
    match similarity.denominator() {
        Some(d) => refined.with_denominator(d),
        None => Ok(refined),
    }
}
