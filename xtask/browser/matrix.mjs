// Values of a heat map, read from the data of the page independently of its scripts.

export function valuesOf(map) {
  const bytes = Buffer.from(map.mean, "base64");
  const count = bytes.length / 2;
  return Array.from({ length: count }, (_, at) => map.from + ((1 - map.from) * bytes.readUInt16LE(2 * at)) / 65535);
}

// The cell of the upper triangle, counted row by row.
export function cell(rows, row, column) {
  const [low, high] = row < column ? [row, column] : [column, row];
  let before = 0;
  for (let at = 0; at < low; at += 1) before += rows - at;
  return before + high - low;
}

// The row of the matrix at a share of the side of the whole figure.
export function rowAt(bins, share) {
  const total = bins.reduce((sum, size) => sum + size, 0);
  let end = 0;
  return bins.findIndex((size) => (end += size) > share * total);
}

// A value as the page shows it.
export function shown(map, value) {
  const digits = Math.abs(value).toFixed(3);
  if (map.from === 0) return digits;
  return (value < 0 && Number(digits) !== 0 ? "−" : "+") + digits;
}
