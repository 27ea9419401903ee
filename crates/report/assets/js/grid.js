// Results of a grid: a curve over one parameter, a table with colours over two.

// The mean of a metric over the pools for which all variants have one.
function meanOver(rows) {
  return rows.length ? sum(rows.map((row) => row.mean)) / rows.length : null;
}

function sweepFigure(sweep, chosen) {
  const values = sweep.variants.map((at) => DATA.variants[at]);
  const rowsOf = (variant) => DATA.summary.filter((row) => row.variant === variant.name && matches(row, chosen));
  if (sweep.parameters.length === 2) return gridTable(sweep, values, rowsOf, chosen);
  const [parameter] = sweep.parameters;
  const at = (variant) => variant.values[parameter];
  if (values.some((variant) => typeof at(variant) !== "number")) return partBars(parameter, values, rowsOf, chosen);
  const sorted = [...values].sort((a, b) => at(a) - at(b));
  const pools = DATA.protocol.pools.map((pool) => pool.name);
  const series = pools
    .map((pool) => ({
      name: pool,
      points: sorted.flatMap((variant) => rowsOf(variant).filter((row) => row.pool === pool).map((row) => [at(variant), row.mean, row.std])),
    }))
    .filter(({ points }) => points.length);
  const numbers = sorted.map(at);
  const log = numbers[0] > 0 && numbers.at(-1) / numbers[0] >= 50;
  return curves(`${sweep.recipe}: ${parameter}`, `${chosen.metric} over ${parameter}, with the standard deviation of the runs`, series, { name: parameter, log, ticks: log ? undefined : numbers }, chosen, parameter);
}

function curves(title, caption, series, x, chosen, key) {
  // More lines than colours are hard to tell apart.
  const shown = series.slice(0, 16);
  const columns = [{ key: "line", title: "line" }, { key, title: x.name, show: String }, { key: chosen.metric, title: chosen.metric, show: withStd, pair: true }];
  const rows = shown.flatMap(({ name, points }) => points.map(([a, mean, std]) => [name, a, { mean, std }]));
  const more = series.length > shown.length ? ` (the first ${shown.length} of ${series.length})` : "";
  return figure(
    title,
    caption + more,
    lineChart({ label: title, series: shown, x, y: { name: chosen.metric }, height: 320 }),
    legend(shown.map(({ name }) => shortName(name))),
    valuesOf({ name: `curve-${key}`, caption: title, columns, rows }),
  );
}

function gridTable(sweep, variants, rowsOf, chosen) {
  const [down, across] = sweep.parameters;
  const sorted = (parameter) => {
    const all = [...new Set(variants.map((variant) => variant.values[parameter]))];
    return all.sort((a, b) => (typeof a === "number" ? a - b : String(a).localeCompare(String(b))));
  };
  const [rowValues, columnValues] = [sorted(down), sorted(across)];
  const mean = (a, b) => {
    const variant = variants.find((v) => v.values[down] === a && v.values[across] === b);
    return variant ? meanOver(rowsOf(variant)) : null;
  };
  const cells = rowValues.map((a) => columnValues.map((b) => mean(a, b)));
  const known = cells.flat().filter((value) => value !== null);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const columns = [{ key: down, title: `${down} ↓  ${across} →` }, ...columnValues.map((value) => ({ key: `${across}=${value}`, title: String(value), show: fixed }))];
  const title = `${sweep.recipe}: ${chosen.metric}, mean over the pools`;
  const made = table({ name: `grid-${chosen.metric}`, caption: title, columns, rows: rowValues.map((a, i) => [a, ...cells[i]]), tall: false });
  const paint = () => made.querySelectorAll("td").forEach((cell) => {
    const value = Number(cell.textContent);
    if (Number.isFinite(value)) cell.setAttribute("style", swatch(anchors(false), high > low ? 0.08 + (0.84 * (value - low)) / (high - low) : 0.5));
  });
  paint();
  made.addEventListener("click", () => setTimeout(paint));
  onTheme(paint);
  return make("figure", {}, make("figcaption", {}, make("strong", {}, `${sweep.recipe}: ${down} and ${across}`), `. Mean ${chosen.metric} over the pools, from ${fixed(low)} to ${fixed(high)}; dark and light are the ends of the range.`), made);
}

function partBars(parameter, variants, rowsOf, chosen) {
  const groups = variants
    .map((variant) => ({ variant, value: meanOver(rowsOf(variant)) }))
    .filter(({ value }) => value !== null)
    .map(({ variant, value }) => ({ name: String(variant.values[parameter]), bars: [{ value, text: fixed(value) }] }));
  if (!groups.length) return null;
  return figure(`${variants[0].recipe}: ${parameter}`, `Mean ${chosen.metric} over the pools`, barChart({ label: `${chosen.metric} for each ${parameter}`, groups }));
}
