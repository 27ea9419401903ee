// Tables that are sorted by a click on a heading and saved as files.
//
// A column is { key, title, show }: `key` names it in CSV, and `show` writes a number. A column without
// `show` is text. A row is a list of values in the order of the columns.

function shownCell(column, value) {
  if (column.show) return value === null || value === undefined ? NONE : column.show(value);
  return value === null || value === undefined ? "" : String(value);
}

function table({ name, caption, columns, rows, best, tall = rows.length > 24 }) {
  const order = { column: -1, ascending: true };
  const body = make("tbody");
  const heads = columns.map((column, at) => {
    const button = make("button", { type: "button", click: () => sortBy(at) }, column.title);
    return make("th", { scope: "col", class: column.show ? "number" : null }, button);
  });

  function sortBy(at) {
    order.ascending = order.column === at ? !order.ascending : true;
    order.column = at;
    heads.forEach((head, other) => head.removeAttribute("aria-sort"));
    heads[at].setAttribute("aria-sort", order.ascending ? "ascending" : "descending");
    write();
  }

  function sorted() {
    if (order.column < 0) return rows;
    const sign = order.ascending ? 1 : -1;
    const is = (value) => value !== null && value !== undefined;
    return [...rows].sort((a, b) => {
      const [x, y] = [a, b].map((row) => row[order.column]?.mean ?? row[order.column]);
      if (!is(x) || !is(y)) return is(y) - is(x);
      return sign * (typeof x === "number" ? x - y : String(x).localeCompare(String(y), "en", { numeric: true }));
    });
  }

  function write() {
    body.replaceChildren(
      ...sorted().map((row) =>
        make(
          "tr",
          {},
          columns.map((column, at) => {
            const text = shownCell(column, row[at]);
            if (at === 0) return make("th", { scope: "row", class: column.show ? "number" : null }, text);
            const kind = [column.show ? "number" : "", best?.(row, at) ? "best" : ""].join(" ").trim();
            return make("td", { class: kind || null }, text);
          }),
        ),
      ),
    );
  }

  write();
  const saves = FORMATS.map(({ name: format, ending, type, text }) =>
    make(
      "button",
      { type: "button", "aria-label": `Save as ${format}: ${caption}`, click: () => saveText(`${name}.${ending}`, type, text(columns, sorted())) },
      format,
    ),
  );
  const content = make("table", { "data-table": name }, make("caption", {}, make("span", {}, caption)), make("thead", {}, make("tr", {}, heads)), body);
  const frame = make("div", { class: tall ? "scroll tall" : "scroll", tabindex: "0", role: "region", "aria-label": caption }, content);
  return make("div", { class: "table" }, frame, make("div", { class: "tools" }, make("span", { class: "note" }, "Save as"), saves));
}

// The values of a chart, for those who cannot see it and for files.
function valuesOf(spec) {
  return make("details", {}, make("summary", {}, "The values as a table"), table(spec));
}
