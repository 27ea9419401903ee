// Command, versions, inputs, parameters and times of a record.

function provenance(record, repeat) {
  const { versions, machine } = record;
  const inputs = record.inputs ?? [];
  return [
    repeat ? [make("h3", {}, "Command"), make("pre", { tabindex: "0" }, make("code", {}, repeat))] : null,
    make("h3", {}, "Versions and machine"),
    facts([
      versions && ["enclust", versions.enclust],
      versions && ["rustc", versions.rustc],
      versions && ["target", versions.target],
      versions && ["Python", versions.python],
      machine && ["threads", String(machine.threads), "do not change the result"],
      machine && ["precision", machine.precision],
      machine && ["backend", machine.backend],
      record.seed !== undefined && ["seed", String(record.seed)],
    ]),
    make("h3", {}, "Inputs"),
    inputs.length ? inputTable(inputs) : paragraph(record.no_inputs ?? "No file was read.", "missing"),
    record.method ? [make("h3", {}, "Parts and parameters"), partsTable(record.method)] : null,
    record.timings?.length ? [make("h3", {}, "Times"), timesFigure(record.timings)] : null,
    record.outputs && Object.keys(record.outputs).length ? [make("h3", {}, "Files that were written"), outputsTable(record.outputs)] : null,
  ].flat(2);
}

function inputTable(inputs) {
  const columns = [
    { key: "role", title: "role" },
    { key: "path", title: "file" },
    { key: "bytes", title: "bytes", show: whole },
    { key: "sha256", title: "SHA-256" },
  ];
  return table({ name: "inputs", caption: "Files that were read", columns, rows: inputs.map((input) => columns.map(({ key }) => input[key])) });
}

function partsTable(method) {
  const order = ["reduce", "ca", "confidence", "enhance", "stop", "consensus", "backend", "precision"];
  const rows = order.filter((stage) => method.parts[stage]).map((stage) => {
    const part = method.parts[stage];
    return [stage, partName(part), partValues(part)];
  });
  const columns = [{ key: "stage", title: "stage" }, { key: "part", title: "part" }, { key: "parameters", title: "parameters" }];
  return table({ name: "parts", caption: "All parts with all of their parameters, defaults included", columns, rows });
}

// A part is written as its name, or as an object with its name and its parameters.
function partName(part) {
  const combined = (part.of ?? []).map(partName);
  const name = typeof part === "string" ? part : part.name;
  return combined.length ? `${name}(${combined.join(", ")})` : name;
}

function partValues(part) {
  const own = Object.entries(part.parameters ?? {}).map(([key, value]) => `${key} = ${value}`);
  return [...own, ...(part.of ?? []).map((other) => `${partName(other)}: ${partValues(other)}`)].join(", ");
}

function timesFigure(timings) {
  const total = sum(timings.map((timing) => timing.seconds));
  const groups = timings.map(({ stage, seconds: time }) => ({ name: stage, bars: [{ value: time, text: seconds(time) }] }));
  return figure(
    `${seconds(total)} in all`,
    "The time of each stage",
    barChart({ label: "Time of each stage", groups }),
    valuesOf({ name: "timings", caption: "Seconds of each stage", columns: [{ key: "stage", title: "stage" }, { key: "seconds", title: "seconds", show: short }], rows: timings.map((t) => [t.stage, t.seconds]) }),
  );
}

function outputsTable(outputs) {
  return table({ name: "outputs", caption: "Files by their content", columns: [{ key: "content", title: "content" }, { key: "path", title: "file" }], rows: Object.entries(outputs) });
}
