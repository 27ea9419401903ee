// Colours of values. Both maps have a steady lightness, so they can be read without seeing hues and
// in grey; no value looks like the page.

const SEQUENTIAL = ["#f8faf7", "#dcebe3", "#aed6cf", "#74b9bd", "#4596ab", "#2f7095", "#2a4a78", "#1b2447"];
const SEQUENTIAL_DARK = ["#171b22", "#1f2f4d", "#265079", "#2f7595", "#4a9cab", "#79c0bd", "#b4dcd1", "#f0f7ee"];
const DIVERGING = ["#7a3a04", "#b8651b", "#dfa066", "#f2d9bd", "#f8f8f5", "#c5dbe8", "#78abcb", "#33719f", "#173f66"];
const DIVERGING_DARK = ["#f7c58c", "#d98c3f", "#96581f", "#4c3320", "#1a1e25", "#20405a", "#2f6c98", "#62a3d0", "#b5dbf5"];

function anchors(signedValues) {
  if (signedValues) return isDark() ? DIVERGING_DARK : DIVERGING;
  return isDark() ? SEQUENTIAL_DARK : SEQUENTIAL;
}

function channels(colour) {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}

function between(colours, share) {
  const place = Math.min(1, Math.max(0, share)) * (colours.length - 1);
  const low = Math.min(colours.length - 2, Math.floor(place));
  const [a, b] = [channels(colours[low]), channels(colours[low + 1])];
  return a.map((value, i) => Math.round(value + (b[i] - value) * (place - low)));
}

// 256 colours as pixels, for a canvas.
function pixels(colours) {
  const view = new DataView(new ArrayBuffer(4));
  return Uint32Array.from({ length: 256 }, (_, at) => {
    const [red, green, blue] = between(colours, at / 255);
    [red, green, blue, 255].forEach((value, i) => view.setUint8(i, value));
    return new Uint32Array(view.buffer)[0];
  });
}

function gradient(colours) {
  return `linear-gradient(to right, ${colours.join(", ")})`;
}

// The colour of a cell of a table, and black or white ink, whichever stands out more.
function swatch(colours, share) {
  const [red, green, blue] = between(colours, share);
  const linear = (value) => (value <= 10 ? value / 3294 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  return `background: rgb(${red} ${green} ${blue}); color: ${luminance > 0.179 ? "#000" : "#fff"}`;
}
