// Heat maps of matrices: linked, with zoom, values under the pointer, and a cell that keys move.

const MAP_WORDS = {
  before: ["Before", "The co-association of the base clusterings"],
  after: ["After", "The same, enhanced: what was clustered"],
  difference: ["Difference", "After minus before"],
  clustered: ["Clustered", "The similarity that was clustered"],
  ideal: ["Ideal", "The true classes: 1 within a class, 0 between"],
};

class HeatMapFigure {
  constructor(data, cuts) {
    this.data = data;
    this.cuts = cuts;
    this.cut = 0;
    this.ends = [];
    this.total = 0;
    for (const size of data.bins) this.ends.push((this.total += size));
    this.view = new View(this.total);
    this.cell = null;
    this.maps = data.maps.map((map) => this.prepared(map));
    // Similarities are drawn to a common scale.
    const similarities = this.maps.filter((map) => map.from === 0 && map.key !== "ideal");
    const common = roundUp(Math.max(...similarities.map((map) => this.nearlyHighest(map.mean))));
    similarities.forEach((map) => (map.limit = common));
    this.element = this.built();
    onTheme(() => this.redraw());
    new ResizeObserver(() => this.redraw()).observe(this.stage);
  }

  prepared(map) {
    const read = (text) => (text ? unpacked(text, map.from) : null);
    const [mean, low, high] = [read(map.mean), read(map.low), read(map.high)];
    const limit = map.from < 0 ? roundUp(this.nearlyHighest(mean)) : 1;
    return { ...map, mean, low, high, limit };
  }

  // A size that all but the highest thousandth of the area keeps below: single cells with high values
  // would make the rest pale.
  nearlyHighest(mean) {
    const cells = [];
    for (let a = 0; a < this.ends.length; a += 1) {
      for (let b = a; b < this.ends.length; b += 1) {
        cells.push([Math.abs(mean[this.index(a, b)]), (a === b ? 1 : 2) * this.data.bins[a] * this.data.bins[b]]);
      }
    }
    cells.sort(([v], [w]) => w - v);
    let area = 0;
    for (const [value, size] of cells) {
      area += size;
      if (area > 0.004 * this.total * this.total) return value;
    }
    return 1;
  }

  built() {
    this.stage = make(
      "div",
      {
        class: `maps ${["", "one", "two"][this.maps.length] ?? ""}`,
        tabindex: "0",
        role: "application",
        "aria-roledescription": "heat maps",
        "aria-label": "Heat maps of the co-association. Arrow keys move a cell, plus and minus zoom, Escape shows everything.",
        keydown: (event) => this.key(event),
        focus: () => this.cell ?? this.moveTo(0, 0),
      },
      this.maps.map((map) => this.panel(map)),
    );
    this.readout = make("p", { class: "readout", id: "readout", "aria-live": "polite" }, this.invitation());
    const button = (text, act) => make("button", { type: "button", click: act }, text);
    const choice =
      this.cuts.length > 1
        ? [
            make("label", { for: "heat-k" }, "Borders of k ="),
            make("select", { id: "heat-k", change: (event) => this.choose(Number(event.target.value)) }, this.cuts.map((cut, at) => make("option", { value: at }, String(cut.k)))),
          ]
        : [];
    const tools = make(
      "div",
      { class: "tools" },
      button("Zoom in", () => this.zoom(0.5)),
      button("Zoom out", () => this.zoom(2)),
      button("Show all", () => this.reset()),
      choice,
    );
    return make("div", {}, tools, this.readout, this.stage);
  }

  invitation() {
    return "Point at a cell, or move with the arrow keys, to read its values. Double-click or press + to zoom, drag to move, Escape shows everything.";
  }

  panel(map) {
    const [title, words] = MAP_WORDS[map.key];
    map.canvas = make("canvas", {
      role: "img",
      "aria-label": `${title}: ${words}`,
      "data-map": map.key,
      pointermove: (event) => this.pointer(event, map.canvas),
      pointerdown: (event) => this.grab(event, map.canvas),
      pointerup: () => (this.held = null),
      pointercancel: () => (this.held = null),
      dblclick: (event) => this.zoomAt(event, map.canvas),
    });
    map.canvas.addEventListener("wheel", (event) => this.wheel(event, map.canvas), { passive: false });
    map.bar = make("span", { class: "bar" });
    const end = String(map.limit);
    const more = map.mean.some((v) => v > map.limit + 5e-4) ? "≥ " : "";
    const less = map.mean.some((v) => v < -map.limit - 5e-4) ? "≤ " : "";
    const ends = map.from < 0 ? [`${less}−${end}`, `${more}+${end}`] : ["0", `${more}${end}`];
    const scale = make("div", { class: "scale" }, make("span", {}, ends[0]), map.bar, make("span", {}, ends[1]));
    return make("div", { class: "map" }, make("h3", {}, title), make("p", {}, words), map.canvas, scale);
  }

  // The bin that holds a sample.
  bin(sample) {
    let [low, high] = [0, this.ends.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.ends[middle] > sample) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  start(bin) {
    return bin ? this.ends[bin - 1] : 0;
  }

  index(a, b) {
    const [low, high] = a < b ? [a, b] : [b, a];
    return (low * (2 * this.ends.length - low + 1)) / 2 + high - low;
  }

  redraw() {
    cancelAnimationFrame(this.waiting);
    this.waiting = requestAnimationFrame(() => this.maps.forEach((map) => this.paint(map)));
  }

  paint(map) {
    const side = Math.round(map.canvas.clientWidth * Math.min(2, devicePixelRatio || 1));
    if (!side) return;
    if (map.canvas.width !== side) [map.canvas.width, map.canvas.height] = [side, side];
    const colours = anchors(map.from < 0);
    map.bar.style.background = gradient(colours);
    const table = pixels(colours);
    const level = Uint8Array.from(map.mean, (v) => colourOf(v, map));
    const columns = Int32Array.from({ length: side }, (_, i) => this.bin(this.view.column((i + 0.5) / side)));
    const rows = Int32Array.from({ length: side }, (_, i) => this.bin(this.view.row((i + 0.5) / side)));
    const context = map.canvas.getContext("2d");
    const image = context.createImageData(side, side);
    const target = new Uint32Array(image.data.buffer);
    for (let i = 0; i < side; i += 1) {
      if (i && rows[i] === rows[i - 1]) {
        target.copyWithin(i * side, (i - 1) * side, i * side);
        continue;
      }
      for (let j = 0; j < side; j += 1) target[i * side + j] = table[level[this.index(rows[i], columns[j])]];
    }
    context.putImageData(image, 0, 0);
    this.borders(context, side);
    this.frameCell(context, side);
  }

  borders(context, side) {
    const place = (sample, from) => Math.round((side * (sample - from)) / this.view.span) + 0.5;
    const segments = this.cuts[this.cut]?.segments ?? [];
    const lines = (strength, path) => {
      context.lineWidth = 1;
      context.strokeStyle = isDark() ? `rgba(255, 255, 255, ${strength})` : `rgba(20, 30, 45, ${strength})`;
      context.beginPath();
      path();
      context.stroke();
    };
    // Faint lines across the matrix, and a frame around each cluster.
    lines(0.1, () => {
      for (const { end } of segments.slice(0, -1)) {
        const [x, y] = [place(end, this.view.x), place(end, this.view.y)];
        context.moveTo(x, 0);
        context.lineTo(x, side);
        context.moveTo(0, y);
        context.lineTo(side, y);
      }
    });
    lines(0.5, () => {
      let start = 0;
      for (const { end } of segments) {
        const [x, y] = [place(start, this.view.x), place(start, this.view.y)];
        context.rect(x, y, place(end, this.view.x) - x, place(end, this.view.y) - y);
        start = end;
      }
    });
  }

  frameCell(context, side) {
    if (!this.cell) return;
    const { row, column } = this.cell;
    const scale = side / this.view.span;
    const x = (this.start(column) - this.view.x) * scale;
    const y = (this.start(row) - this.view.y) * scale;
    const width = Math.max(5, this.data.bins[column] * scale);
    const height = Math.max(5, this.data.bins[row] * scale);
    for (const [thick, colour] of [[4, isDark() ? "#000" : "#fff"], [2, isDark() ? "#ffb454" : "#c2410c"]]) {
      context.lineWidth = thick;
      context.strokeStyle = colour;
      context.strokeRect(x - 1, y - 1, width + 2, height + 2);
    }
  }

  shares(event, canvas) {
    const box = canvas.getBoundingClientRect();
    const share = (at, start, length) => Math.min(0.999999, Math.max(0, (at - start) / length));
    return [share(event.clientX, box.left, box.width), share(event.clientY, box.top, box.height), box.width];
  }

  pointer(event, canvas) {
    const [x, y, width] = this.shares(event, canvas);
    if (this.held && event.buttons) {
      const moved = [event.clientX - this.held[0], event.clientY - this.held[1]];
      this.held = [event.clientX, event.clientY];
      this.view.pan((-moved[0] / width) * this.view.span, (-moved[1] / width) * this.view.span);
    }
    this.moveTo(this.bin(this.view.row(y)), this.bin(this.view.column(x)));
  }

  grab(event, canvas) {
    this.held = this.view.isWhole ? null : [event.clientX, event.clientY];
    this.pointer(event, canvas);
  }

  zoomAt(event, canvas) {
    const [x, y] = this.shares(event, canvas);
    this.zoomTo(0.5, this.view.column(x), this.view.row(y));
  }

  // The wheel scrolls the page unless a key says that it is meant for the figure.
  wheel(event, canvas) {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const [x, y] = this.shares(event, canvas);
    this.zoomTo(event.deltaY < 0 ? 0.8 : 1.25, this.view.column(x), this.view.row(y));
  }

  zoom(factor) {
    const middle = (bin) => this.ends[bin] - this.data.bins[bin] / 2;
    const [column, row] = this.cell ? [middle(this.cell.column), middle(this.cell.row)] : [this.view.column(0.5), this.view.row(0.5)];
    this.zoomTo(factor, column, row);
  }

  zoomTo(factor, column, row) {
    this.view.zoom(factor, Math.min(this.total, (6 * this.total) / this.ends.length), column, row);
    this.redraw();
  }

  reset() {
    this.view.reset();
    this.redraw();
  }

  choose(cut) {
    this.cut = cut;
    this.redraw();
    if (this.cell) this.tell();
  }

  key(event) {
    const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const acts = { "+": () => this.zoom(0.5), "=": () => this.zoom(0.5), "-": () => this.zoom(2), Escape: () => this.reset() };
    const move = moves[event.key];
    if (move) {
      const { row, column } = this.cell ?? { row: 0, column: 0 };
      const far = event.shiftKey ? 10 : 1;
      const inside = (at) => Math.min(this.ends.length - 1, Math.max(0, at));
      this.moveTo(inside(row + far * move[0]), inside(column + far * move[1]));
      this.view.y = this.view.show(this.start(this.cell.row), this.ends[this.cell.row], this.view.y);
      this.view.x = this.view.show(this.start(this.cell.column), this.ends[this.cell.column], this.view.x);
    } else if (acts[event.key]) acts[event.key]();
    else return;
    event.preventDefault();
  }

  moveTo(row, column) {
    if (this.cell && this.cell.row === row && this.cell.column === column) return this.redraw();
    this.cell = { row, column };
    this.tell();
    this.redraw();
  }

  // The cluster of a bin in the cut that is shown.
  cluster(bin) {
    const segments = this.cuts[this.cut]?.segments;
    return segments?.find(({ end }) => end >= this.ends[bin])?.label;
  }

  tell() {
    const { row, column } = this.cell;
    const [a, b] = [this.data.bins[row], this.data.bins[column]];
    const pairs = row === column ? (a * (a - 1)) / 2 : a * b;
    const at = this.index(row, column);
    const clusters = [this.cluster(row), this.cluster(column)];
    const where = clusters[0] === undefined ? "" : clusters[0] === clusters[1] ? ` in cluster ${clusters[0]}` : ` between clusters ${clusters[0]} and ${clusters[1]}`;
    const what = pairs === 0 ? "one sample with itself" : pairs === 1 ? "one pair of samples" : `${whole(pairs)} pairs of samples`;
    const values = this.maps.map((map) => {
      const number = map.from < 0 ? signed : fixed;
      const range = map.low && pairs > 1 ? ` (from ${number(map.low[at])} to ${number(map.high[at])})` : "";
      return `${MAP_WORDS[map.key][0].toLowerCase()} ${number(map.mean[at])}${range}`;
    });
    this.readout.textContent = `Row ${row + 1}, column ${column + 1}, ${what}${where}: ${values.join(", ")}.`;
  }
}

// The colour of a value, from 0 to 255.
function colourOf(value, { from, limit }) {
  const share = from < 0 ? 0.5 + value / (2 * limit) : value / limit;
  return Math.round(255 * Math.min(1, Math.max(0, share)));
}

// A limit that is easy to read.
function roundUp(value) {
  if (value === 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const limit = [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((m) => m * power).find((l) => l >= value - 1e-9);
  return Math.min(1, Number(limit.toPrecision(2)));
}
