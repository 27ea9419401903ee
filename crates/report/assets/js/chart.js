// Charts: lines, points, bars and histograms, in SVG.

const DASHES = ["", "7 4", "2 3", "9 3 2 3", "", "7 4", "2 3", "9 3 2 3"];
const MARKERS = ["circle", "square", "triangle", "diamond"];

function seriesColour(at) {
  return `var(--s${(at % 8) + 1})`;
}

function marker(at, x, y, size = 3.5) {
  const paint = { fill: seriesColour(at) };
  const shape = MARKERS[at % 4];
  if (shape === "circle") return draw("circle", { cx: x, cy: y, r: size, ...paint });
  if (shape === "square") return draw("rect", { x: x - size, y: y - size, width: 2 * size, height: 2 * size, ...paint });
  const up = 1.3 * size;
  const points =
    shape === "triangle" ? [[0, -up], [up, size], [-up, size]] : [[0, -up], [up, 0], [0, up], [-up, 0]];
  return draw("polygon", { points: points.map(([dx, dy]) => `${x + dx},${y + dy}`).join(" "), ...paint });
}

function legend(names) {
  const entry = (name, at) =>
    make(
      "li",
      {},
      draw(
        "svg",
        { viewBox: "0 0 26 12", "aria-hidden": "true" },
        draw("line", { x1: 1, x2: 25, y1: 6, y2: 6, stroke: seriesColour(at), "stroke-width": 2, "stroke-dasharray": DASHES[at % 8] }),
        marker(at, 13, 6),
      ),
      name,
    );
  return names.length > 1 ? make("ul", { class: "legend" }, names.map(entry)) : null;
}

// Round numbers that cover an interval.
function ticksOf(from, to, wanted = 5) {
  const raw = (to - from) / wanted || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((m) => m * power).find((s) => s >= raw) ?? 10 * power;
  const ticks = [];
  for (let at = Math.ceil(from / step - 1e-9); at * step <= to + 1e-9 * step; at += 1) ticks.push(at * step);
  return ticks;
}

function decades(from, to) {
  const [low, high] = [Math.floor(Math.log10(from)), Math.ceil(Math.log10(to))];
  const step = Math.max(1, Math.ceil((high - low) / 6));
  const ticks = [];
  for (let power = low; power <= high; power += step) ticks.push(10 ** power);
  return ticks;
}

// A scale from values to pixels: { from, to, log, at(value), ticks }.
function scaleOf({ from, to, log }, start, end) {
  if (log) {
    const ticks = decades(from, to);
    const [low, high] = [Math.log10(ticks[0]), Math.log10(Math.max(to, ticks.at(-1)))];
    const span = high - low || 1;
    return { ticks, at: (v) => start + ((end - start) * (Math.log10(v) - low)) / span };
  }
  const span = to - from || 1;
  return { ticks: ticksOf(from, to), at: (v) => start + ((end - start) * (v - from)) / span };
}

function extent(values, { log, from, to } = {}) {
  const usable = values.filter((v) => Number.isFinite(v) && (!log || v > 0));
  const [low, high] = [from ?? Math.min(...usable), to ?? Math.max(...usable)];
  if (low === high && !log) return { from: low - 0.5, to: high + 0.5, log };
  const room = log || from !== undefined ? 0 : 0.05 * (high - low);
  return { from: low - room, to: high + (to === undefined && !log ? 0.05 * (high - low) : 0), log };
}

function tickText(value) {
  return Math.abs(value) >= 1e4 || (value !== 0 && Math.abs(value) < 1e-3) ? value.toExponential(0).replace("e+", "e") : String(Number(value.toPrecision(6)));
}

// Axes with grid lines and names; returns the group and both scales.
function frame(width, height, x, y) {
  const [left, right, top, bottom] = [52, width - 12, 10, height - 40];
  const [xs, ys] = [scaleOf(x, left, right), scaleOf(y, bottom, top)];
  const group = draw("g");
  for (const tick of ys.ticks) {
    group.append(
      draw("line", { class: "grid", x1: left, x2: right, y1: ys.at(tick), y2: ys.at(tick) }),
      draw("text", { x: left - 7, y: ys.at(tick) + 4, "text-anchor": "end" }, tickText(tick)),
    );
  }
  const room = Math.max(1, Math.floor((right - left) / 44));
  const shown = x.ticks ?? xs.ticks;
  const every = Math.ceil(shown.length / room);
  shown.forEach((tick, at) => {
    if (at % every === 0) group.append(draw("text", { x: xs.at(tick), y: bottom + 17, "text-anchor": "middle" }, tickText(tick)));
  });
  group.append(
    draw("line", { class: "axis", x1: left, x2: right, y1: bottom, y2: bottom }),
    draw("text", { class: "name", x: (left + right) / 2, y: height - 5, "text-anchor": "middle" }, x.name),
    draw("text", { class: "name", transform: `translate(13 ${(top + bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, y.name),
  );
  return { group, xs, ys, left, right, top, bottom };
}

// series: [{ name, points: [[x, y, spread]] }]; marks: [{ axis: "x" | "y", value, name }].
function lineChart({ label, series, x, y, marks = [], height = 300, dots = true, steps = false }) {
  return (width) => {
    const all = series.flatMap(({ points }) => points);
    const xValues = all.map(([a]) => a).concat(marks.filter((m) => m.axis === "x").map((m) => m.value));
    const yValues = all.flatMap(([, b, s]) => (s ? [b - s, b + s] : [b])).concat(marks.filter((m) => m.axis === "y").map((m) => m.value));
    const area = frame(width, height, { ...x, ...extent(xValues, { from: undefined, ...x }) }, { ...y, ...extent(yValues, y) });
    const { group, xs, ys } = area;
    for (const { axis, value, name } of marks) {
      const at = axis === "x" ? xs.at(value) : ys.at(value);
      const ends = axis === "x" ? { x1: at, x2: at, y1: area.top, y2: area.bottom } : { x1: area.left, x2: area.right, y1: at, y2: at };
      group.append(draw("line", { class: "mark", ...ends }));
      const place = axis === "x" ? { x: at + 5, y: area.top + 11 } : { x: area.right, y: at - 5, "text-anchor": "end" };
      group.append(draw("text", place, name));
    }
    series.forEach(({ points, dash, at: colourAt }, index) => {
      const at = colourAt ?? index;
      const usable = points.filter(([a, b]) => Number.isFinite(b) && (!y.log || b > 0) && (!x.log || a > 0));
      for (const [a, b, spread] of usable) {
        if (spread) group.append(draw("line", { x1: xs.at(a), x2: xs.at(a), y1: ys.at(b - spread), y2: ys.at(b + spread), stroke: seriesColour(at), "stroke-opacity": 0.45, "stroke-width": 1.5 }));
      }
      const path = usable.map(([a, b], i) => {
        const step = steps && i > 0 ? `L${xs.at(a)} ${ys.at(usable[i - 1][1])}` : "";
        return `${step}${i ? "L" : "M"}${xs.at(a)} ${ys.at(b)}`;
      });
      group.append(draw("path", { class: "line", d: path.join(""), stroke: seriesColour(at), "stroke-dasharray": dash ?? DASHES[at % 8] }));
      if (dots && usable.length <= 60) usable.forEach(([a, b]) => group.append(marker(at, xs.at(a), ys.at(b))));
    });
    return draw("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label }, group);
  };
}

// points: [{ x, y, name, at }].
function scatterChart({ label, points, x, y, height = 340 }) {
  return (width) => {
    const area = frame(width, height, { ...x, ...extent(points.map((p) => p.x), x) }, { ...y, ...extent(points.map((p) => p.y), y) });
    points.forEach((point) => {
      const [a, b] = [area.xs.at(point.x), area.ys.at(point.y)];
      const end = a > 0.7 * width;
      area.group.append(marker(point.at, a, b, 5), draw("text", { class: "name", x: end ? a - 9 : a + 9, y: b + 4, "text-anchor": end ? "end" : "start" }, point.name));
    });
    return draw("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label }, area.group);
  };
}

// groups: [{ name, bars: [{ value, text, at }] }], horizontal, from 0 or from `from`.
function barChart({ label, groups, to, from = 0 }) {
  return (width) => {
    const longest = Math.max(...groups.map(({ name }) => name.length));
    const left = Math.min(0.45 * width, 12 + 7 * longest);
    const right = width - 64;
    const bars = groups.flatMap((group) => group.bars);
    const [low, high] = [Math.min(from, ...bars.map((b) => b.value)), to ?? Math.max(...bars.map((b) => b.value))];
    const at = (value) => left + ((right - left) * (value - low)) / (high - low || 1);
    const drawing = draw("g");
    let top = 4;
    for (const { name, bars: own } of groups) {
      const thick = own.length > 1 ? 9 : 14;
      const middle = top + (own.length * (thick + 2)) / 2;
      drawing.append(draw("text", { class: "name", x: left - 8, y: middle + 3, "text-anchor": "end" }, name));
      for (const bar of own) {
        const [a, b] = [at(Math.min(0, bar.value)), at(Math.max(0, bar.value))];
        drawing.append(
          draw("rect", { class: bar.other ? "bar other" : "bar", x: a, y: top, width: Math.max(1, b - a), height: thick, rx: 1.5 }),
          draw("text", { x: b + 6, y: top + thick - 1 }, bar.text),
        );
        top += thick + 2;
      }
      top += 7;
    }
    return draw("svg", { viewBox: `0 0 ${width} ${top}`, width, height: top, role: "img", "aria-label": label }, drawing);
  };
}

// A histogram { from, to, counts }.
function histogramChart({ label, histogram, name, height = 220, mark }) {
  return (width) => {
    const { from, to, counts } = histogram;
    const area = frame(width, height, { name, from, to }, { name: "samples", from: 0, to: Math.max(...counts, 1) });
    const wide = (area.xs.at(to) - area.xs.at(from)) / counts.length;
    counts.forEach((count, at) => {
      const y = area.ys.at(count);
      if (count > 0) area.group.append(draw("rect", { class: "bar", x: area.xs.at(from) + at * wide + 0.5, y, width: Math.max(1, wide - 1), height: area.bottom - y }));
    });
    if (mark !== undefined) area.group.append(draw("line", { class: "mark", x1: area.xs.at(mark), x2: area.xs.at(mark), y1: area.top, y2: area.bottom }));
    return draw("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label }, area.group);
  };
}
