// Parts of a page: what is there is drawn, and what is missing is explained.

function part(id, value, drawn) {
  if (isHere(value)) fill(id, drawn(value));
  else fill(id, paragraph(value.missing, "missing"));
}

function heading() {
  byId("title").textContent = DATA.title;
  byId("subtitle").textContent = DATA.subtitle;
  const entries = [...document.querySelectorAll("section")].map((section) =>
    make("li", {}, make("a", { href: `#${section.id}` }, section.querySelector("h2").textContent)),
  );
  fill("contents", entries);
}

// [name, value, remark] of each fact.
function facts(entries) {
  const fact = ([name, value, remark]) =>
    make("div", {}, make("dt", {}, name), make("dd", {}, value, remark ? make("small", {}, ` ${remark}`) : null));
  return make("dl", { class: "facts" }, entries.filter((entry) => entry && entry[1] !== undefined).map(fact));
}
