// Numbers as text.

const NONE = "–";

function fixed(value, digits = 3) {
  return value === null || value === undefined || Number.isNaN(value) ? NONE : value.toFixed(digits);
}

function signed(value, digits = 3) {
  if (value === null || value === undefined) return NONE;
  const text = Math.abs(value).toFixed(digits);
  return (value < 0 && Number(text) !== 0 ? "−" : "+") + text;
}

// Thousands are separated by narrow spaces.
function whole(value) {
  return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}

function percent(share, digits = 1) {
  return `${(100 * share).toFixed(digits)} %`;
}

function seconds(value) {
  if (value < 0.001) return `${(1e6 * value).toFixed(0)} µs`;
  if (value < 1) return `${(1e3 * value).toFixed(1)} ms`;
  return value < 120 ? `${value.toFixed(2)} s` : `${(value / 60).toFixed(1)} min`;
}

// The name of a variant in a figure: without the stages of its parameters.
function shortName(name) {
  return name.replace(/\b[a-z]+\.(?=[a-z])/g, "");
}

// Three digits, however large or small the number is.
function short(value) {
  if (value === null || value === undefined) return NONE;
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) return value.toExponential(2).replace("e+", "e");
  return String(Number(value.toPrecision(3)));
}

function probability(p) {
  return p < 0.001 ? "< 0.001" : p.toFixed(3);
}
