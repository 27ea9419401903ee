// The dendrogram, with the cut drawn in.

function treeFigure(tree, cuts) {
  const holder = make("div");
  const show = (at) => holder.replaceChildren(oneCut(tree, cuts[at]));
  show(0);
  if (cuts.length < 2) return [holder];
  const choice = make("select", { id: "tree-k", change: (event) => show(Number(event.target.value)) }, cuts.map((cut, at) => make("option", { value: at }, String(cut.k))));
  return [make("div", { class: "tools" }, make("label", { for: "tree-k" }, "Cut into k ="), choice), holder];
}

function oneCut(tree, cut) {
  const { leaves, merges } = tree;
  const isUndone = (merge) => merge.undone_at <= cut.k;
  const undone = merges.filter(isUndone).length;
  const words = tree.truncated ? `The upper part of the tree, with ${leaves.length} subtrees at its lower end` : `All ${leaves.length} samples`;
  const caption = undone < cut.k - 1 ? `${words}; the cut into ${cut.k} clusters lies below it` : words;
  const height = 340;
  return figure(`Cut into ${cut.k}`, `${caption}. The bands below it are the clusters.`, (width) => {
    const [left, right, top, bottom] = [52, width - 8, 10, height - 42];
    const total = sum(leaves);
    const heights = merges.map((merge) => merge.height);
    const [lowest, highest] = [Math.min(...heights, 1), Math.max(...heights, 1e-12)];
    // The axis begins below the lowest merge that is drawn: what lies below is not shown.
    const from = tree.truncated || lowest > 0.5 * highest ? Math.max(0, lowest - 0.08 * (highest - lowest || highest)) : 0;
    const y = (value) => bottom - ((bottom - top) * (Math.max(value, from) - from)) / (highest - from || 1);
    const x = (sample) => left + ((right - left) * sample) / total;
    const nodes = [];
    let before = 0;
    for (const size of leaves) nodes.push({ at: x(before + size / 2), height: from, from: before, to: (before += size) });
    const lines = { above: [], below: [] };
    const tops = [];
    merges.forEach((merge) => {
      const children = [nodes[merge.left], nodes[merge.right]];
      const [one, other] = children;
      nodes.push({ at: (one.at + other.at) / 2, height: merge.height, from: Math.min(one.from, other.from), to: Math.max(one.to, other.to), isUndone: isUndone(merge) });
      lines[isUndone(merge) ? "above" : "below"].push(`M${one.at} ${y(one.height)}V${y(merge.height)}H${other.at}V${y(other.height)}`);
      if (isUndone(merge)) tops.push(...children.filter((child) => !child.isUndone));
    });
    const drawing = draw("g");
    for (const tick of ticksOf(from, highest, 4)) {
      drawing.append(draw("line", { class: "grid", x1: left, x2: right, y1: y(tick), y2: y(tick) }), draw("text", { x: left - 6, y: y(tick) + 4, "text-anchor": "end" }, tickText(tick)));
    }
    const clusters = (tops.length ? tops : [nodes.at(-1)]).sort((a, b) => a.from - b.from);
    clusters.forEach(({ from: first, to }, at) => {
      drawing.append(draw("rect", { class: at % 2 ? "span odd" : "span", x: x(first), y: bottom + 4, width: Math.max(0.5, x(to) - x(first) - 1), height: 10 }));
    });
    drawing.append(draw("path", { class: "below", d: lines.below.join("") }), draw("path", { class: "above", d: lines.above.join("") }));
    const cutAt = Math.min(...merges.filter(isUndone).map((merge) => merge.height));
    const below = Math.max(from, ...merges.filter((merge) => !isUndone(merge) && merge.height <= cutAt).map((merge) => merge.height));
    if (undone === cut.k - 1 && undone) {
      const level = y((cutAt + below) / 2);
      drawing.append(draw("line", { class: "cut", x1: left, x2: right, y1: level, y2: level }));
    }
    drawing.append(
      draw("text", { class: "name", x: (left + right) / 2, y: height - 8, "text-anchor": "middle" }, `${whole(total)} samples`),
      draw("text", { class: "name", transform: `translate(12 ${(top + bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, "dissimilarity"),
    );
    const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `Dendrogram of ${total} samples, cut into ${clusters.length} clusters` }, drawing);
    svg.classList.add("tree");
    return svg;
  });
}
