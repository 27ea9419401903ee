// Tables as files: CSV with all digits, LaTeX and Markdown as shown.

const FORMATS = [
  { name: "CSV", ending: "csv", type: "text/csv", text: asCsv },
  { name: "LaTeX", ending: "tex", type: "application/x-tex", text: asLatex },
  { name: "Markdown", ending: "md", type: "text/markdown", text: asMarkdown },
];

function asCsv(columns, rows) {
  const cell = (value) => {
    const text = value === null || value === undefined ? "" : String(value);
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  // A mean with its standard deviation takes two columns.
  const head = columns.flatMap(({ key, pair }) => (pair ? [`${key}_mean`, `${key}_std`] : [key]).map(cell));
  const values = (column, value) => (column.pair ? [value?.mean, value?.std] : [value]).map(cell);
  const lines = rows.map((row) => columns.flatMap((column, at) => values(column, row[at])));
  return [head, ...lines].map((line) => `${line.join(",")}\n`).join("");
}

function asLatex(columns, rows) {
  const special = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}" };
  const cell = (text) =>
    text
      .replace(/[\\~^]|[&%$#_{}]/g, (sign) => special[sign] ?? `\\${sign}`)
      .replaceAll("±", "$\\pm$")
      .replaceAll("−", "$-$")
      .replaceAll("\u202f", "\\,")
      .replaceAll("α", "$\\alpha$")
      .replaceAll("λ", "$\\lambda$")
      .replaceAll(NONE, "--");
  const line = (cells) => `${cells.map(cell).join(" & ")} \\\\`;
  const layout = columns.map((column) => (column.show ? "r" : "l")).join("");
  const body = rows.map((row) => line(columns.map((column, at) => shownCell(column, row[at]))));
  return [
    `\\begin{tabular}{${layout}}`,
    "\\toprule",
    line(columns.map((column) => column.title)),
    "\\midrule",
    ...body,
    "\\bottomrule",
    "\\end{tabular}",
    "",
  ].join("\n");
}

function asMarkdown(columns, rows) {
  const line = (cells) => `| ${cells.map((text) => text.replaceAll("|", "\\|")).join(" | ")} |`;
  const rule = columns.map((column) => (column.show ? "---:" : "---"));
  const body = rows.map((row) => line(columns.map((column, at) => shownCell(column, row[at]))));
  return [line(columns.map((column) => column.title)), line(rule), ...body, ""].join("\n");
}

function saveText(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
