// Light and dark: that of the system until the button is pressed.

const watchers = [];

function onTheme(redraw) {
  watchers.push(redraw);
}

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  if (printing) return false;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

let printing = false;

function redrawAll() {
  const button = byId("theme");
  button.textContent = isDark() ? "Light page" : "Dark page";
  watchers.forEach((redraw) => redraw());
}

byId("theme").addEventListener("click", () => {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  redrawAll();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawAll);
// Paper is light.
matchMedia("print").addEventListener("change", (event) => {
  printing = event.matches;
  redrawAll();
});
byId("theme").hidden = false;
