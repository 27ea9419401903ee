// How stable each number of clusters is: PAC, agreement, delta area and the distribution of consensus.

function stabilityFigures(levels) {
  const ks = levels.map((level) => level.k);
  const of = (key) => levels.filter((level) => level[key] !== null).map((level) => [level.k, level[key]]);
  const x = { name: "number of clusters k", ticks: ks };
  const one = (title, caption, key, y) =>
    figure(title, caption, lineChart({ label: `${title} for each number of clusters`, series: [{ name: title, points: of(key) }], x, y, height: 240 }));
  const gaps = of("gap");
  const shown = spread(levels, 6);
  const cdf = figure(
    "Distribution of the consensus",
    "The share of pairs whose consensus is at most the value on the axis. A flat middle means that pairs are either always or never joined.",
    lineChart({
      label: "Cumulative distribution of the consensus values for several numbers of clusters",
      series: shown.map((level) => ({ name: `k = ${level.k}`, points: level.cdf })),
      x: { name: "consensus of a pair", from: 0, to: 1 },
      y: { name: "share of pairs", from: 0, to: 1 },
      dots: false,
      steps: true,
    }),
    legend(shown.map((level) => `k = ${level.k}`)),
  );
  const columns = [
    { key: "k", title: "k", show: String },
    { key: "pac", title: "PAC", show: fixed },
    { key: "agreement", title: "agreement", show: fixed },
    { key: "area", title: "area", show: fixed },
    { key: "delta_area", title: "delta area", show: fixed },
    { key: "cluster_consensus", title: "cluster consensus", show: fixed },
    { key: "gap", title: "gap", show: fixed },
  ];
  return [
    make(
      "div",
      { class: "row" },
      one("Ambiguous pairs (PAC)", "The share of pairs that some subsets join and others do not. Low is stable.", "pac", { name: "PAC", from: 0 }),
      one("Agreement", "How far the subsets agree beyond chance. High is stable.", "agreement", { name: "agreement" }),
      one("Delta area", "What one more cluster adds. It falls to nothing after the last useful one.", "delta_area", { name: "delta area" }),
      gaps.length ? one("Gap", "The rise in the dendrogram that this number of clusters cuts through. High is clear.", "gap", { name: "gap", from: 0 }) : null,
    ),
    cdf,
    table({ name: "stability", caption: "Stability of each number of clusters", columns, rows: levels.map((level) => columns.map(({ key }) => level[key])) }),
  ];
}

// At most so many entries, with the first and the last.
function spread(entries, most) {
  if (entries.length <= most) return entries;
  const at = Array.from({ length: most }, (_, i) => Math.round((i * (entries.length - 1)) / (most - 1)));
  return at.map((index) => entries[index]);
}
