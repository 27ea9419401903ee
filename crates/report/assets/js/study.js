// The page of a study.

const protocol = DATA.protocol;

function withStd({ mean, std }) {
  const digits = Math.abs(mean) < 10 ? 3 : 1;
  return `${fixed(mean, digits)} ± ${fixed(std, Math.abs(std) < 10 ? 3 : 1)}`;
}

// Tables, sizes of the ensembles and numbers of clusters, as far as the study has several.
function kOf(row) {
  return protocol.k.length ? row.k : null;
}

function keyOf(row) {
  return { metric: row.metric, size: row.size, k: kOf(row) };
}

function matches(row, key) {
  return row.metric === key.metric && row.size === key.size && kOf(row) === key.k;
}

function keysOf(rows) {
  const found = new Map();
  rows.forEach((row) => found.set(JSON.stringify(keyOf(row)), keyOf(row)));
  return [...found.values()];
}

const sizes = new Set(DATA.summary.map((row) => row.size));

function nameOf({ metric, size, k }) {
  const parts = [metric, sizes.size > 1 ? `${size} clusterings` : "", k !== null && protocol.k.length > 1 ? `k = ${k}` : ""];
  return parts.filter(Boolean).join(", ");
}

function summaryTable(key) {
  const rows = DATA.summary.filter((row) => matches(row, key));
  const pools = protocol.pools.map((pool) => pool.name).filter((pool) => rows.some((row) => row.pool === pool));
  const ranked = rows.some((row) => row.rank !== null);
  const of = (variant, pool) => rows.find((row) => row.variant === variant && row.pool === pool);
  const columns = [{ key: "variant", title: "variant" }, ...pools.map((pool) => ({ key: pool, title: pool, show: withStd, pair: true }))];
  if (ranked) columns.push({ key: "average_rank", title: "average rank", show: (v) => fixed(v, 2) });
  const lines = protocol.variants.map(({ name }) => {
    const cells = pools.map((pool) => {
      const row = of(name, pool);
      return row ? { mean: row.mean, std: row.std } : null;
    });
    return [name, ...cells, ...(ranked ? [rows.find((row) => row.variant === name)?.average_rank ?? null] : [])];
  });
  const isBest = (line, at) => {
    const pool = pools[at - 1];
    const row = pool && of(line[0], pool);
    return ranked && row && row.rank === Math.min(...rows.filter((r) => r.pool === pool).map((r) => r.rank));
  };
  return table({ name: `summary-${nameOf(key).replaceAll(/[^\w@.]+/g, "-")}`, caption: nameOf(key), columns, rows: lines, best: isBest });
}

function publishedTable() {
  const columns = [
    { key: "method", title: "method" },
    { key: "dataset", title: "data set" },
    { key: "metric", title: "metric" },
    { key: "here", title: "here", show: withMaybe, pair: true },
    { key: "published", title: "published", show: withMaybe, pair: true },
    { key: "difference", title: "difference", show: signed },
  ];
  const rows = DATA.published.map((row) => [
    row.method,
    row.dataset,
    row.metric,
    { mean: row.mean, std: row.std },
    row.published_mean === null ? null : { mean: row.published_mean, std: row.published_std },
    row.published_mean === null ? null : row.mean - row.published_mean,
  ]);
  return table({ name: "published", caption: "Here and in the paper", columns, rows });
}

function withMaybe({ mean, std }) {
  return std === null ? fixed(mean) : withStd({ mean, std });
}

function comparisonPart(key) {
  const found = DATA.comparisons.find((c) => c.metric === key.metric && (c.size === null || c.size === key.size) && (c.k === null || c.k === key.k));
  if (!found) return [paragraph("Nothing is compared: that takes two variants, two pools or runs, and a metric for which larger is better.", "missing")];
  const unit = found.unit === "pools" ? `${found.observations} pools` : `${found.observations} runs`;
  const sure = found.friedman_p === null ? "With two variants, there is one test; see the table." : `Friedman's test of any difference has p ${found.friedman_p < 0.001 ? "" : "= "}${probability(found.friedman_p)}.`;
  const columns = [
    { key: "variant", title: "variant" },
    { key: "against", title: "against" },
    ...["wins", "ties", "losses"].map((name) => ({ key: name, title: name, show: String })),
    { key: "difference", title: "difference", show: signed },
    { key: "wilcoxon_p", title: "Wilcoxon p", show: probability },
    { key: "holm_p", title: "Holm p", show: probability },
  ];
  if (found.critical_difference !== null) columns.push({ key: "nemenyi_p", title: "Nemenyi p", show: probability });
  return [
    figure(`Mean ranks by ${nameOf(key)}`, `Over ${unit}. ${sure}`, rankDiagram(found)),
    table({ name: `comparisons-${found.metric}`, caption: found.only_with === null ? `Every pair of variants by ${nameOf(key)}` : `Every variant against the best one by ${nameOf(key)}; comparisons.csv has all pairs`, columns, rows: found.pairs.map((pair) => columns.map((column) => pair[column.key])) }),
  ];
}

function ablationPart(key) {
  const rows = DATA.ablations.filter((row) => row.metric === key.metric && row.size === key.size && row.k === key.k);
  if (!rows.length) return [paragraph("There is nothing to subtract: that takes a second variant and a metric for which larger is better.", "missing")];
  const base = protocol.variants[0].name;
  const changed = (name) => DATA.variants.find((variant) => variant.name === name).changed.join("; ") || "nothing";
  const columns = [
    { key: "variant", title: "variant" },
    { key: "mean", title: "mean", show: signed },
    ...protocol.pools.map((pool) => ({ key: pool.name, title: pool.name, show: signed })),
    { key: "changed", title: "what was changed" },
  ];
  const groups = [...rows].sort((a, b) => b.mean - a.mean).map((row) => ({ name: shortName(row.variant).slice(0, 32), bars: [{ value: row.mean, text: signed(row.mean) }] }));
  return [
    figure(`Mean difference to ${base} by ${nameOf(key)}`, "Averaged over the pools, best first", barChart({ label: `Mean difference to ${base}`, groups, from: 0, to: Math.max(0, ...rows.map((row) => row.mean)) })),
    table({ name: `differences-${key.metric}`, caption: `Difference to ${base} by ${nameOf(key)}`, columns, rows: rows.map((row) => [row.variant, row.mean, ...row.differences, changed(row.variant)]) }),
  ];
}

function sweepPart(key) {
  const figures = DATA.sweeps.map((sweep) => sweepFigure(sweep, key));
  if (sizes.size > 1) figures.push(sizeFigure(key));
  return figures.filter(Boolean).length ? figures : [paragraph("No parameter was varied. A grid in the study, or several values of draws.size, varies one.", "missing")];
}

function sizeFigure(key) {
  // Of a grid, one variant is enough to see the trend.
  const many = protocol.variants.length > 8;
  const isFirst = ({ recipe }, at) => protocol.variants.findIndex((other) => other.recipe === recipe) === at;
  const series = protocol.variants.filter((variant, at) => !many || isFirst(variant, at)).map(({ name }) => {
    const points = [...sizes].sort((a, b) => a - b).map((size) => {
      const rows = DATA.summary.filter((row) => row.variant === name && matches(row, { ...key, size }));
      return [size, meanOver(rows)];
    });
    return { name, points: points.filter(([, mean]) => mean !== null) };
  });
  return curves("Size of the ensembles", `Mean ${key.metric} over the pools`, series, { name: "base clusterings", ticks: [...sizes] }, key, "size");
}

function costPart(key) {
  const points = protocol.variants.map(({ name }, at) => {
    const costs = DATA.costs.filter((cost) => cost.variant === name && cost.size === key.size);
    const quality = meanOver(DATA.summary.filter((row) => row.variant === name && matches(row, key)));
    return { name, at, x: costs.length ? sum(costs.map((cost) => cost.mean)) / costs.length : null, y: quality };
  });
  const known = points.filter(({ x, y }) => x > 0 && y !== null);
  if (!known.length) return [paragraph("The runs have no times.", "missing")];
  const columns = [{ key: "variant", title: "variant" }, { key: "seconds", title: "seconds", show: short }, { key: key.metric, title: key.metric, show: fixed }];
  // If there are many, those are named that no other one beats in both.
  const isBeaten = (p) => known.some((q) => q !== p && q.x <= p.x && q.y >= p.y && (q.x < p.x || q.y > p.y));
  const named = (p) => ({ ...p, name: known.length > 12 && isBeaten(p) ? "" : shortName(p.name) });
  return [
    figure(`Time against ${nameOf(key)}`, "Time on a logarithmic axis. Runs that share the machine take longer than alone, unless the study has one_at_a_time = true", scatterChart({ label: `Time against ${key.metric}`, points: known.map(named), x: { name: "seconds", log: true }, y: { name: key.metric } })),
    table({ name: "time-quality", caption: "Means over the pools", columns, rows: known.map(({ name, x, y }) => [name, x, y]) }),
  ];
}

function tunedTable() {
  const columns = [
    { key: "pool", title: "pool" },
    { key: "recipe", title: "recipe" },
    { key: "mode", title: "mode" },
    { key: "metric", title: "metric" },
    { key: "value", title: "mean ± std", show: withStd, pair: true },
    { key: "chosen", title: "chosen" },
  ];
  const rows = DATA.tuned.map((row) => [row.pool, row.recipe, row.mode, row.metric, { mean: row.mean, std: row.std }, row.chosen]);
  return table({ name: "tuned", caption: `Tuned by ${protocol.tuning.metric}`, columns, rows });
}

function runsPart(runs) {
  const columns = ["pool", "size", "run", "variant", "k", "metric", "value"].map((key) => ({ key, title: key }));
  const rows = runs.value.map((value, at) => [runs.pools[runs.pool[at]], runs.size[at], runs.run[at], runs.variants[runs.variant[at]], runs.k[at], runs.metrics[runs.metric[at]], value]);
  const button = make("button", { type: "button", id: "save-runs", click: () => saveText("runs.csv", "text/csv", asCsv(columns, rows)) }, "Save runs.csv");
  return make("div", {}, paragraph(`The page holds all ${whole(rows.length)} figures of the single runs.`), make("div", { class: "tools" }, button));
}

function studyProvenance() {
  const pools = [
    { key: "pool", title: "pool" },
    { key: "samples", title: "samples", show: whole },
    { key: "clusterings", title: "clusterings", show: whole },
    { key: "classes", title: "classes", show: String },
    { key: "sha256", title: "SHA-256" },
  ];
  const variants = [{ key: "variant", title: "variant" }, { key: "parts", title: "parts and parameters" }];
  const values = (variant) => Object.entries(variant.values).filter(([, value]) => value !== "none").map(([key, value]) => `${key} = ${value}`).join(", ");
  return [
    make("h3", {}, "Command"),
    make("pre", { tabindex: "0" }, make("code", {}, DATA.repeat)),
    make("h3", {}, "Study"),
    facts([["enclust", protocol.enclust], ["runs", String(protocol.runs)], ["seed of the methods", String(protocol.seed)], ["backend", protocol.backend], ["order of the samples", protocol.shuffle ? "permuted in each run" : "as in the file"]]),
    table({ name: "pools", caption: "Pools", columns: pools, rows: protocol.pools.map((p) => [p.name, p.samples, p.clusterings, p.classes, p.sha256]) }),
    make("h3", {}, "Variants"),
    table({ name: "variants", caption: "All variants with all of their parameters on the first pool", columns: variants, rows: DATA.variants.map((variant) => [variant.name, values(variant)]) }),
    make("h3", {}, "Single runs"),
    isHere(DATA.runs) ? runsPart(DATA.runs) : paragraph(DATA.runs.missing, "missing"),
  ];
}

// What follows the choice of a metric.
function showChosen(key) {
  fill("comparisons", comparisonPart(key));
  fill("ablations", ablationPart(key));
  fill("sweeps", sweepPart(key));
  fill("costs", costPart(key));
}

function removeSection(id) {
  byId(id).remove();
}

if (!DATA.published.length) removeSection("paper");
if (!DATA.tuned.length) removeSection("tuning");
heading();
const keys = keysOf(DATA.summary);
fill("summary", keys.length ? keys.map(summaryTable) : paragraph("No run is finished.", "missing"));
fill("remarks", DATA.remarks.map((text) => paragraph(text, "note")));
if (DATA.published.length) fill("published", publishedTable());
if (DATA.tuned.length) fill("tuned", tunedTable());
const scored = keysOf(DATA.summary.filter((row) => row.rank !== null));
const choices = scored.length ? scored : keys;
if (choices.length > 1) {
  const options = choices.map((key, at) => make("option", { value: at }, nameOf(key)));
  fill("choose", make("div", { class: "tools" }, make("label", { for: "metric" }, "From here on, show"), make("select", { id: "metric", change: (event) => showChosen(choices[Number(event.target.value)]) }, options)));
}
if (choices.length) showChosen(choices[0]);
fill("provenance", studyProvenance().flat());
redrawAll();
