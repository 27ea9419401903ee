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
  const undone = Math.min(merges.length, cut.k - 1);
  const kept = merges.length - undone;
  const caption = [
    tree.truncated ? `The upper part of the tree: ${leaves.length} leaves, which stand for the subtrees below them` : `All ${leaves.length} samples`,
    undone < cut.k - 1 ? `; the cut into ${cut.k} clusters lies below this part.` : ".",
  ].join("");
  const height = 320;
  return figure(`Cut into ${cut.k}`, caption, (width) => {
    const [left, right, top, bottom] = [44, width - 8, 10, height - 40];
    const total = sum(leaves);
    const highest = Math.max(...merges.map((m) => m.height), 1e-12);
    const y = (value) => bottom - ((bottom - top) * value) / highest;
    // The place, the height and the ends of every node.
    const nodes = [];
    let before = 0;
    leaves.forEach((size) => {
      const at = left + ((right - left) * (before + size / 2)) / total;
      nodes.push({ at, height: 0, from: before, to: (before += size) });
    });
    const drawing = draw("g");
    for (const tick of ticksOf(0, highest, 4)) {
      drawing.append(draw("line", { class: "grid", x1: left, x2: right, y1: y(tick), y2: y(tick) }), draw("text", { x: left - 6, y: y(tick) + 4, "text-anchor": "end" }, tickText(tick)));
    }
    const lines = { above: [], below: [] };
    merges.forEach(({ left: a, right: b, height: value }, t) => {
      const [one, other] = [nodes[a], nodes[b]];
      nodes.push({ at: (one.at + other.at) / 2, height: value, from: Math.min(one.from, other.from), to: Math.max(one.to, other.to) });
      lines[t < kept ? "below" : "above"].push(`M${one.at} ${y(one.height)}V${y(value)}H${other.at}V${y(other.height)}`);
    });
    // A node is a cluster if it is joined by a merge that the cut undoes, and is not one itself.
    const tops = merges.slice(kept).flatMap(({ left: a, right: b }) => [a, b]).filter((node) => node < leaves.length + kept);
    const clusters = (undone ? tops : [nodes.length - 1]).map((node) => nodes[node]).sort((a, b) => a.from - b.from);
    const place = (sample) => left + ((right - left) * sample) / total;
    clusters.forEach(({ from, to }, at) => {
      drawing.append(draw("rect", { class: at % 2 ? "span odd" : "span", x: place(from), y: bottom + 3, width: Math.max(0.5, place(to) - place(from) - 0.5), height: 9 }));
    });
    drawing.append(draw("path", { class: "below", d: lines.below.join("") }), draw("path", { class: "above", d: lines.above.join("") }));
    if (undone) {
      const [high, low] = [merges[kept].height, kept ? merges[kept - 1].height : 0];
      const level = y((high + Math.min(low, high)) / 2);
      drawing.append(draw("line", { class: "cut", x1: left, x2: right, y1: level, y2: level }));
    }
    drawing.append(
      draw("text", { class: "name", x: (left + right) / 2, y: height - 6, "text-anchor": "middle" }, `${whole(total)} samples, the bands below the tree are the ${clusters.length} clusters`),
      draw("text", { class: "name", transform: `translate(11 ${(top + bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, "dissimilarity"),
    );
    const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `Dendrogram of ${total} samples, cut into ${cut.k} clusters` }, drawing);
    svg.classList.add("tree");
    return svg;
  });
}
