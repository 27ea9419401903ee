// The page of a stability analysis.

function choicesTable(choices) {
  const columns = [{ key: "rule", title: "rule" }, { key: "k", title: "k", show: String }, { key: "clear", title: "clear" }, { key: "reason", title: "why" }];
  return table({ name: "choices", caption: "The number of clusters that each rule chooses", columns, rows: choices.map((c) => [c.rule, c.k, c.clear ? "yes" : "no", c.reason]) });
}

function judgementFigures(found) {
  const columns = [
    { key: "k", title: "k", show: String },
    { key: "agreement", title: "agreement", show: fixed },
    { key: "reference_agreement", title: "without clusters", show: fixed },
    { key: "eigengap", title: "eigengap", show: fixed },
    { key: "gap", title: "gap", show: fixed },
  ];
  const line = (name, key) => ({ name, points: found.levels.map((level) => [level.k, level[key]]) });
  const series = [line("the samples", "agreement"), line("data without clusters", "reference_agreement")];
  return [
    paragraph(`${found.structure ? `k = ${found.k}` : `No structure was found: one cluster, or at a guess k = ${found.guess}`}: ${found.reason}.`),
    figure("Agreement", "Higher than the references is structure", lineChart({ label: "Agreement of the samples and of data without clusters", series, x: { name: "number of clusters k" }, y: { name: "agreement" } }), legend(series.map(({ name }) => name))),
    table({ name: "references", caption: "The samples and data without clusters", columns, rows: found.levels.map((level) => columns.map(({ key }) => level[key])) }),
  ];
}

heading();
fill("chosen", choicesTable(DATA.record.choices));
fill("stability-figures", stabilityFigures(DATA.record.levels));
if (DATA.record.judgement) fill("judgement", judgementFigures(DATA.record.judgement));
else fill("judgement", paragraph("The features are not known, so there is nothing to compare with. --features FILE gives them, and a pool of enclust generate has them.", "missing"));
fill("provenance", provenance(DATA.record, DATA.repeat));
redrawAll();
