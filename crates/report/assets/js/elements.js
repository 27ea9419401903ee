// Elements: makes HTML and SVG, and finds places of the page.

function make(name, attributes = {}, ...children) {
  return dressed(document.createElement(name), attributes, children);
}

function draw(name, attributes = {}, ...children) {
  return dressed(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function dressed(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

function byId(id) {
  return document.getElementById(id);
}

// Replaces the content of a place.
function fill(id, ...children) {
  byId(id).replaceChildren(...children.flat().filter(Boolean));
}

function paragraph(text, kind) {
  return make("p", { class: kind }, text);
}

// A chart in its figure. `render(width)` is called again if the width changes.
function figure(title, caption, render, ...more) {
  const place = make("div", { class: "chart" });
  let last = 0;
  const again = () => {
    const width = Math.floor(place.clientWidth);
    if (width > 0 && width !== last) {
      last = width;
      place.replaceChildren(render(width));
    }
  };
  new ResizeObserver(again).observe(place);
  const words = make("figcaption", {}, make("strong", {}, title), caption ? `. ${caption}` : ".");
  return make("figure", {}, words, place, ...more);
}
