// The critical-difference diagram: mean ranks on an axis, and bars over variants that do not differ.

// Runs of variants, sorted by rank, whose ranks differ by less than the critical difference; a run
// inside another one is left out.
function cliques(ranks, critical) {
  const found = [];
  let furthest = 0;
  ranks.forEach((rank, from) => {
    let to = from;
    while (to + 1 < ranks.length && ranks[to + 1] - rank < critical) to += 1;
    if (to > from && to > furthest) found.push([from, to]);
    furthest = Math.max(furthest, to);
  });
  return found;
}

function rankDiagram(comparison) {
  const entries = comparison.variants.map((name, at) => ({ name, rank: comparison.ranks[at] })).sort((a, b) => a.rank - b.rank);
  const critical = comparison.critical_difference;
  return (width) => {
    const side = Math.min(230, 0.33 * width);
    const [left, right] = [side, width - side];
    const count = entries.length;
    const x = (rank) => left + ((right - left) * (rank - 1)) / Math.max(1, count - 1);
    const bars = critical ? cliques(entries.map((e) => e.rank), critical) : [];
    const axis = critical ? 52 : 26;
    const first = axis + 16 + 9 * bars.length;
    const half = Math.ceil(count / 2);
    const height = first + 20 * half + 12;
    const letters = Math.floor((side - 12) / 6.6);
    const label = (full, name = shortName(full)) => (name.length > letters ? `${name.slice(0, Math.max(1, letters - 1))}…` : name);
    const drawing = draw("g");
    if (critical) {
      const end = Math.min(x(1) + (x(2) - x(1)) * critical, width - 8);
      drawing.append(
        draw("path", { class: "line", stroke: "var(--ink)", "stroke-width": 1.5, d: `M${x(1)} 12v8M${x(1)} 16H${end}M${end} 12v8` }),
        draw("text", { x: x(1), y: 9 }, `critical difference ${fixed(critical, 2)}`),
      );
    }
    drawing.append(draw("line", { x1: left, x2: right, y1: axis, y2: axis, stroke: "var(--ink)" }));
    for (let rank = 1; rank <= count; rank += Math.ceil(count / 12)) {
      drawing.append(draw("line", { x1: x(rank), x2: x(rank), y1: axis - 5, y2: axis, stroke: "var(--ink)" }), draw("text", { x: x(rank), y: axis - 9, "text-anchor": "middle" }, String(rank)));
    }
    bars.forEach(([from, to], at) => {
      const y = axis + 9 + 9 * at;
      drawing.append(draw("line", { x1: x(entries[from].rank) - 3, x2: x(entries[to].rank) + 3, y1: y, y2: y, stroke: "var(--accent)", "stroke-width": 4.5, "stroke-linecap": "round" }));
    });
    entries.forEach(({ name, rank }, at) => {
      const onLeft = at < half;
      const y = first + 20 * (onLeft ? at : count - 1 - at) + 8;
      const end = onLeft ? left - 6 : right + 6;
      drawing.append(
        draw("path", { class: "axis", d: `M${x(rank)} ${axis}V${y}H${end}`, style: "stroke: var(--soft)" }),
        draw("text", { class: "name", x: onLeft ? end - 3 : end + 3, y: y + 4, "text-anchor": onLeft ? "end" : "start" }, label(name), draw("title", {}, `${name}: mean rank ${fixed(rank, 2)}`)),
      );
    });
    const told = entries.map(({ name, rank }) => `${name} ${fixed(rank, 2)}`).join(", ");
    return draw("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `Mean ranks: ${told}` }, drawing);
  };
}
