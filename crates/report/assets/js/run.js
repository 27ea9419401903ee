// The page of a run.

// How to ask for something: an option of the command, or a name of the Python package.
const isPython = Boolean(DATA.record.versions?.python);
const ASK = {
  truth: isPython ? "The argument truth gives them." : "--truth FILE gives them.",
  all: isPython ? "the attribute entropy_ has all of them" : "--membership FILE.csv writes all of them",
  without: isPython ? "The method ranking() does it." : "--ranking FILE.csv does it.",
};

const SCORE_NAMES = { ari: "ARI", nmi: "NMI", f1: "F", accuracy: "accuracy", purity: "purity", precision: "precision", recall: "recall" };

function resultSection() {
  const { record, sentences } = DATA;
  const spent = sum(record.timings.map((timing) => timing.seconds));
  const rows = record.reduction ? record.reduction.from : record.groups;
  const columns = record.ensemble?.columns.length;
  fill(
    "facts",
    facts([
      ["samples", whole(record.samples)],
      columns !== undefined && ["base clusterings", whole(columns), columns < record.ensemble.pool ? `of ${record.ensemble.pool}` : ""],
      ["distinct label rows", whole(rows), record.reduction && record.reduction.to < rows ? `reduced to ${whole(record.reduction.to)}` : ""],
      ["clusters", record.results.map((result) => result.clusters).join(", ")],
      ["time", seconds(spent)],
    ]),
  );
  fill("scores", scoresTable(record));
  const several = record.results.length > 1;
  const warning = ({ k, message }) => make("p", { class: "warning" }, make("strong", {}, several && k ? `Warning, k = ${k}: ` : "Warning: "), `${message}.`);
  fill("warnings", record.warnings.length ? record.warnings.map(warning) : paragraph("There are no warnings about the base clusterings or the result.", "note"));
  fill("sentences", sentences.map((text) => paragraph(text)));
}

function scoresTable(record) {
  const scored = record.results.find((result) => result.scores);
  if (!scored) return paragraph(`There are no scores, because the true classes are not known. ${ASK.truth}`, "missing");
  const names = Object.keys(SCORE_NAMES).filter((name) => name in scored.scores);
  const columns = [{ key: "k", title: "k", show: String }, { key: "clusters", title: "found", show: String }, ...names.map((key) => ({ key, title: SCORE_NAMES[key], show: fixed }))];
  const rows = record.results.map((result) => [result.k, result.clusters, ...names.map((name) => result.scores?.[name] ?? null)]);
  return table({ name: "scores", caption: "Scores against the true classes; 1 is best", columns, rows });
}

function matricesSection() {
  part("heat", DATA.heat, (heat) => [new HeatMapFigure(heat, DATA.cuts).element]);
  byId("heat").append(paragraph(DATA.heat_notes.join(" "), "note"));
}

function convergenceSection() {
  part("convergence", DATA.convergence, (curves) =>
    curves.map((curve) => {
      const kinds = [["residual", "residual"], ["step", "largest step"], ["objective", "objective"]];
      const series = kinds
        .map(([key, name], at) => ({ key, name, at, points: curve.points.filter((p) => p[key] !== null).map((p) => [p.iteration, p[key]]) }))
        .filter(({ points }) => points.length);
      const inLogs = series.filter(({ key, points }) => key !== "objective" && points.some(([, v]) => v > 0));
      const marks = [["target_residual", "goal of the residual"], ["target_step", "goal of the step"]]
        .filter(([key]) => curve[key])
        .map(([key, name]) => ({ axis: "y", value: curve[key], name }));
      const columns = [{ key: "iteration", title: "iteration", show: String }, { key: "seconds", title: "seconds", show: short }, ...series.map(({ key, name }) => ({ key, title: name, show: short }))];
      const values = valuesOf({ name: `iterations-${curve.component}`, caption: `Iterations of ${curve.component}`, columns, rows: curve.points.map((p) => columns.map(({ key }) => p[key])) });
      if (!inLogs.length) return make("div", {}, paragraph(`${curve.component}: ${curve.points.length} iterations, of which nothing that can be drawn was computed.`), values);
      const chart = lineChart({ label: `Convergence of ${curve.component}`, series: inLogs, marks, x: { name: "iteration" }, y: { name: "relative size", log: true }, dots: curve.points.length <= 40 });
      return figure(curve.component, `${curve.points.at(-1).iteration} iterations`, chart, legend(inLogs.map(({ name }) => name)), values);
    }),
  );
}

function pairsSection() {
  part("pair-curves", DATA.pairs, (curves) =>
    make(
      "div",
      { class: "row" },
      curves.map((curve) => {
        const series = ["precision", "recall", "share"].map((key) => ({ name: key === "share" ? "share of all pairs" : key, points: curve.values.map((v, at) => [v, curve[key][at]]) }));
        const columns = ["value", "precision", "recall", "share"].map((key) => ({ key, title: key, show: key === "value" ? (v) => fixed(v, 2) : fixed }));
        const rows = curve.values.map((value, at) => [value, curve.precision[at], curve.recall[at], curve.share[at]]);
        return figure(
          MAP_WORDS[curve.key][0],
          MAP_WORDS[curve.key][1],
          lineChart({ label: `Precision and recall of pairs, ${curve.key}`, series, x: { name: "smallest value of the pairs", from: 0, to: 1 }, y: { name: "share", from: 0, to: 1 }, dots: false, height: 280 }),
          legend(series.map(({ name }) => name)),
          valuesOf({ name: `pairs-${curve.key}`, caption: `Precision and recall, ${curve.key}`, columns, rows }),
        );
      }),
    ),
  );
}

function clustersSection() {
  const several = DATA.cuts.length > 1;
  fill("sizes", DATA.cuts.flatMap((cut, at) => [several ? make("h3", {}, `k = ${cut.k}`) : null, sizesOf(cut, DATA.record.results[at])].flat()));
}

function sizesOf(cut, result) {
  const plain = isHere(cut.plain) ? cut.plain : null;
  const consensus = isHere(cut.certainty) ? cut.certainty.clusters : null;
  const order = result.sizes.map((_, label) => label).sort((a, b) => result.sizes[b] - result.sizes[a] || a - b);
  const largest = Math.max(...result.sizes, ...(plain?.sizes ?? []));
  const MOST = 30;
  const groups = (sizes, labels) => labels.slice(0, MOST).map((label) => ({ name: labels === order ? `cluster ${label}` : `${label + 1}.`, bars: [{ value: sizes[label], text: whole(sizes[label]), other: labels !== order }] }));
  const cutOff = result.sizes.length > MOST ? `The ${MOST} largest of ${result.sizes.length} clusters` : "Largest first";
  const charts = [figure(plain ? "Enhanced" : "Sizes", cutOff, barChart({ label: "Sizes of the clusters", groups: groups(result.sizes, order), to: largest }))];
  if (plain) {
    const sorted = [...plain.sizes].sort((a, b) => b - a);
    charts.push(figure("Without enhancement", "Largest first; the clusters are not the same ones", barChart({ label: "Sizes of the clusters without enhancement", groups: groups(sorted, sorted.map((_, at) => at)), to: largest })));
  }
  const columns = [{ key: "cluster", title: "cluster", show: String }, { key: "samples", title: "samples", show: whole }, { key: "share", title: "share", show: (v) => percent(v) }];
  if (consensus) columns.push({ key: "cluster_consensus", title: "cluster consensus", show: fixed });
  const rows = order.map((label) => [label, result.sizes[label], result.sizes[label] / sum(result.sizes), ...(consensus ? [consensus[label]] : [])]);
  return [
    make("div", { class: "row" }, charts),
    table({ name: `clusters-${cut.k}`, caption: consensus ? "Clusters; the cluster consensus is the mean co-association of the pairs in a cluster" : "Clusters", columns, rows }),
    secondOpinion(cut, result, plain),
  ];
}

function secondOpinion(cut, result, plain) {
  if (!plain) return paragraph(cut.plain.missing, "missing");
  const opinion = result.second_opinion;
  const scores = plain.scores && result.scores ? Object.keys(SCORE_NAMES).filter((name) => name in plain.scores) : [];
  const columns = [{ key: "measure", title: "measure" }, { key: "enhanced", title: "enhanced", show: fixed }, { key: "plain", title: "without enhancement", show: fixed }];
  const rows = [["share of the largest cluster", opinion.largest, opinion.plain_largest], ...scores.map((name) => [SCORE_NAMES[name], result.scores[name], plain.scores[name]])];
  return make("div", {}, paragraph(`The two results have an ARI of ${fixed(opinion.agreement)} with each other.`), table({ name: `second-opinion-${cut.k}`, caption: "With and without enhancement", columns, rows }));
}

function certaintySection() {
  const several = DATA.cuts.length > 1;
  const parts = DATA.cuts.flatMap((cut) => {
    if (!isHere(cut.certainty)) return [paragraph(cut.certainty.missing, "missing")];
    return [several ? make("h3", {}, `k = ${cut.k}`) : null, ...certaintyOf(cut)];
  });
  // One reason is enough.
  const texts = parts.map((element) => element?.className === "missing" && element.textContent);
  fill("consensus", parts.filter((element, at) => !texts[at] || texts.indexOf(texts[at]) === at));
}

function certaintyOf(cut) {
  const found = cut.certainty;
  const chart = (title, caption, key, mark) => figure(title, caption, histogramChart({ label: `${title} of the samples`, histogram: found[key], name: title.toLowerCase(), mark }));
  const names = found.soft?.map((_, label) => label);
  const columns = [
    { key: "sample", title: "sample" },
    { key: "label", title: "cluster", show: String },
    { key: "item_consensus", title: "item consensus", show: fixed },
    { key: "other_cluster", title: "next cluster", show: String },
    { key: "margin", title: "margin", show: signed },
    { key: "entropy", title: "entropy", show: fixed },
  ];
  const misplaced = found.misplaced === 0 ? "No sample is more similar to another cluster than to its own." : `${whole(found.misplaced)} of ${whole(DATA.record.samples)} samples are more similar to another cluster than to their own.`;
  return [
    paragraph(misplaced),
    make("div", { class: "row" }, chart("Item consensus", "Right is sure", "item"), chart("Margin", "Left of the dashed line, another cluster fits better", "margin", 0), chart("Entropy", "Left is sure", "entropy")),
    names && names.length > 1 ? softTable(found.soft, cut.k) : null,
    table({ name: `least-certain-${cut.k}`, caption: `The ${found.least.length} samples with the highest entropy; ${ASK.all}`, columns, rows: found.least.map((s) => [s.name, s.label, s.own, s.other, s.margin, s.entropy]) }),
  ];
}

// The mean soft membership of the samples of each cluster in each cluster.
function softTable(soft, k) {
  const columns = [{ key: "cluster", title: "cluster", show: String }, ...soft.map((_, label) => ({ key: `member_${label}`, title: String(label), show: (v) => fixed(v, 2) }))];
  const made = table({ name: `soft-membership-${k}`, caption: "Mean soft membership: the samples of the cluster on the left, shared out over all clusters. Large values off the diagonal are clusters that are confused.", columns, rows: soft.map((row, label) => [label, ...row]), tall: false });
  const paint = () => made.querySelectorAll("td").forEach((cell) => {
    const value = Number(cell.textContent);
    cell.setAttribute("style", swatch(anchors(false), value));
  });
  paint();
  made.addEventListener("click", () => setTimeout(paint));
  onTheme(paint);
  return make("div", {}, make("h3", {}, "Which clusters are confused"), made);
}

function clusteringsSection() {
  const several = DATA.cuts.length > 1;
  fill("ranking", DATA.cuts.flatMap((cut) => [several ? make("h3", {}, `k = ${cut.k}`) : null, rankingOf(cut)]));
}

function rankingOf(cut) {
  if (!isHere(cut.clusterings)) return paragraph(cut.clusterings.missing, "missing");
  const rows = cut.clusterings;
  const sorted = [...rows].sort((a, b) => a.rank - b.rank || a.clustering - b.clustering);
  const MOST = 40;
  const name = (row) => row.name ?? `clustering ${row.clustering}`;
  const groups = sorted.slice(0, MOST).map((row) => ({ name: name(row).slice(0, 24), bars: [{ value: row.ari, text: fixed(row.ari) }] }));
  const tested = rows.some((row) => row.ari_without !== null);
  const columns = [
    { key: "clustering", title: "clustering", show: String },
    { key: "name", title: "name" },
    { key: "clusters", title: "clusters", show: String },
    { key: "ari", title: "ARI with the result", show: fixed },
    { key: "rank", title: "rank", show: String },
  ];
  if (tested) columns.push({ key: "ari_without", title: "ARI without it", show: fixed });
  const used = columns.filter(({ key }) => key !== "name" || rows.some((row) => row.name));
  const remark = tested
    ? paragraph("The last column is the ARI of the result with the result that is found without this clustering: 1 means that leaving it out changes nothing.", "note")
    : paragraph(`What leaving each clustering out would change was not computed, because it takes one more run for each. ${ASK.without}`, "missing");
  return make(
    "div",
    {},
    figure("Agreement with the result", rows.length > MOST ? `The best ${MOST} of ${rows.length}` : "Best first", barChart({ label: "ARI of each base clustering with the result", groups, to: 1 })),
    table({ name: `ranking-${cut.k}`, caption: "Base clusterings", columns: used, rows: sorted.map((row) => used.map(({ key }) => row[key])) }),
    remark,
  );
}

heading();
resultSection();
matricesSection();
part("tree", DATA.tree, (tree) => treeFigure(tree, DATA.cuts));
convergenceSection();
pairsSection();
clustersSection();
certaintySection();
clusteringsSection();
part("stability-figures", DATA.stability, stabilityFigures);
fill("provenance", provenance(DATA.record, DATA.repeat));
redrawAll();
