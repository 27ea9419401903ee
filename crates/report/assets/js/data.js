// The data of the page.

const DATA = JSON.parse(byId("data").textContent);

// Whether a part of the page is there; otherwise `part.missing` says why.
function isHere(part) {
  return !(part && typeof part === "object" && "missing" in part);
}

// Packed numbers: two bytes each, from the lowest value to 1.
function unpacked(text, from) {
  const bytes = atob(text);
  const values = new Float64Array(bytes.length / 2);
  for (let i = 0; i < values.length; i += 1) {
    const level = bytes.charCodeAt(2 * i) + 256 * bytes.charCodeAt(2 * i + 1);
    values[i] = from + ((1 - from) * level) / 65535;
  }
  return values;
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}
