// Checks the report pages in a browser: node check.mjs CHROMIUM FOLDER [SCREENSHOTS]

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { dataOf, drawn, launch, open } from "./browser.mjs";
import { cell, rowAt, shown, valuesOf } from "./matrix.mjs";
import { screenshots } from "./screenshots.mjs";
import { csvOf, saved, sortsAndSaves } from "./tables.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const PAGES = ["run", "several", "bipartite", "study", "stability"];

const [chromium, folder, pictures] = process.argv.slice(2);
const browser = await launch(chromium);
let failed = 0;

async function check(name, file, options, test) {
  const opened = await open(browser, join(folder, `${file}.html`), options);
  try {
    await test(opened.page, await dataOf(opened.page));
    assert.deepEqual(opened.problems, []);
    console.log(`ok      ${file}: ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${file}: ${name}\n${error.stack}`);
  } finally {
    await opened.close();
  }
}

const readout = (page) => page.locator("#readout").textContent();

function expectCell(text, data, row, column) {
  const { bins, maps } = data.heat;
  const pairs = row === column ? (bins[row] * (bins[row] - 1)) / 2 : bins[row] * bins[column];
  assert.ok(text.startsWith(`Row ${row + 1}, column ${column + 1}, `), text);
  if (pairs > 1) assert.ok(text.replaceAll("\u202f", "").includes(`${pairs} pairs of samples`), text);
  for (const map of maps) {
    const value = valuesOf(map)[cell(bins.length, row, column)];
    assert.ok(text.includes(`${map.key} ${shown(map, value)}`), `${map.key} ${shown(map, value)} in: ${text}`);
  }
}

async function heatMapAnswersThePointer(page, data) {
  const canvas = page.locator('canvas[data-map="after"]');
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  for (const [x, y] of [[0.301, 0.303], [0.05, 0.9], [0.71, 0.7]]) {
    await page.mouse.move(box.x + x * box.width, box.y + y * box.height);
    expectCell(await readout(page), data, rowAt(data.heat.bins, y), rowAt(data.heat.bins, x));
    assert.deepEqual(await canvas.boundingBox(), box, "the words above do not push the figure");
  }
  // A double click halves what is shown and keeps the cell under the pointer.
  await page.mouse.move(box.x + 0.5 * box.width, box.y + 0.5 * box.height);
  const before = await readout(page);
  await page.mouse.dblclick(box.x + 0.5 * box.width, box.y + 0.5 * box.height);
  await drawn(page);
  assert.equal(await readout(page), before);
  await page.mouse.move(box.x + 0.75 * box.width, box.y + 0.25 * box.height);
  const [row, column] = (await readout(page)).match(/\d+/g).map((text) => Number(text) - 1);
  expectCell(await readout(page), data, row, column);
  const near = (found, share) => Math.abs(found - rowAt(data.heat.bins, share)) <= 1;
  assert.ok(near(row, 0.375) && near(column, 0.625), `row ${row}, column ${column}`);
}

async function heatMapAnswersKeys(page, data) {
  assert.equal(await page.locator("#readout").getAttribute("aria-live"), "polite");
  await page.locator(".maps").focus();
  expectCell(await readout(page), data, 0, 0);
  for (const key of ["ArrowRight", "ArrowRight", "ArrowDown"]) await page.keyboard.press(key);
  expectCell(await readout(page), data, 1, 2);
  await page.keyboard.press("Shift+ArrowRight");
  expectCell(await readout(page), data, 1, 12);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  expectCell(await readout(page), data, 0, 12);
  const picture = () => page.evaluate(() => document.querySelector("canvas").toDataURL());
  const settled = async () => {
    await drawn(page);
    return picture();
  };
  const whole = await settled();
  await page.keyboard.press("+");
  const near = await settled();
  assert.notEqual(near, whole, "+ changes the picture");
  expectCell(await readout(page), data, 0, 12);
  await page.keyboard.press("ArrowDown");
  expectCell(await readout(page), data, 1, 12);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Escape");
  assert.equal(await settled(), whole, "Escape shows everything again");
  await page.getByRole("button", { name: "Zoom in" }).click();
  await page.getByRole("button", { name: "Zoom out" }).click();
  assert.equal(await settled(), whole, "the buttons undo each other");
}

async function colours(page) {
  return page.evaluate(() => ({
    paper: getComputedStyle(document.body).backgroundColor,
    picture: document.querySelector("canvas")?.toDataURL(),
  }));
}

async function darkDiffers(page) {
  const light = await colours(page);
  await page.emulateMedia({ colorScheme: "dark" });
  await drawn(page);
  const dark = await colours(page);
  assert.notEqual(dark.paper, light.paper);
  if (light.picture) assert.notEqual(dark.picture, light.picture);
  await page.getByRole("button", { name: "Light page" }).press("Enter");
  await drawn(page);
  assert.deepEqual(await colours(page), light, "the button goes against the system");
}

async function fitsThePhone(page) {
  const widest = await page.evaluate(() => Math.max(document.documentElement.scrollWidth, document.body.scrollWidth));
  assert.ok(widest <= 390, `the page is ${widest} wide`);
}

async function prints(page) {
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  await drawn(page);
  const paper = await page.evaluate(() => ({
    nav: getComputedStyle(document.querySelector("nav")).display,
    button: getComputedStyle(document.getElementById("theme")).display,
    background: getComputedStyle(document.body).backgroundColor,
    hidden: [...document.querySelectorAll(".scroll")].filter((box) => getComputedStyle(box).overflowX !== "visible").length,
  }));
  assert.deepEqual(paper, { nav: "none", button: "none", background: "rgb(255, 255, 255)", hidden: 0 });
  assert.ok((await page.pdf({ format: "A4", printBackground: true })).length > 20_000);
}

async function isAccessible(page) {
  await page.evaluate(AXE);
  const { violations, passes } = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
  assert.ok(passes.length > 10, "axe looked at the page");
  const severe = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
  assert.deepEqual(severe.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => `${node.html} ${node.failureSummary}`).join(" | ")}`), []);
}

async function scoresAreThoseOfTheRecord(page, data) {
  const csv = csvOf(await saved(page, "scores", "CSV"));
  assert.deepEqual(csv.length, data.record.results.length + 1);
  const [head, row] = csv;
  const { k, scores } = data.record.results[0];
  assert.equal(Number(row[head.indexOf("k")]), k);
  for (const name of ["ari", "nmi", "f1", "accuracy", "purity"]) assert.equal(Number(row[head.indexOf(name)]), scores[name], name);
}

async function runsAreAllThere(page, data) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#save-runs").click()]);
  const csv = csvOf(readFileSync(await download.path(), "utf8"));
  assert.equal(csv.length, data.runs.value.length + 1);
  const file = csvOf(readFileSync(join(folder, "results", "runs.csv"), "utf8"));
  const asRead = ([pool, size, run, variant, k, metric, value]) => [pool, size, run, variant, k, metric, Number(value)].join();
  assert.deepEqual(csv.slice(1).map(asRead), file.slice(1).map(asRead));
}

async function metricCanBeChosen(page) {
  const caption = () => page.locator("#comparisons figcaption").first().textContent();
  const before = await caption();
  await page.locator("#metric").selectOption({ index: 1 });
  assert.notEqual(await caption(), before);
}

async function bordersFollowTheCut(page, data) {
  await page.locator(".maps").focus();
  await drawn(page);
  const picture = () => page.evaluate(() => document.querySelector("canvas").toDataURL());
  const first = await picture();
  await page.locator("#heat-k").selectOption({ index: data.cuts.length - 1 });
  await drawn(page);
  assert.notEqual(await picture(), first);
}

async function saysWhatIsMissing(page, data) {
  for (const [place, part] of [["heat", data.heat], ["tree", data.tree]]) {
    assert.equal(await page.locator(`#${place} .missing`).textContent(), part.missing);
    assert.match(part.missing, /--/, "an option that helps");
  }
}

for (const file of PAGES) {
  await check("dark differs from light", file, {}, darkDiffers);
  await check("fits a phone", file, { width: 390, height: 800 }, fitsThePhone);
  await check("prints", file, {}, prints);
  await check("accessible", file, {}, isAccessible);
  await check("accessible in the dark", file, { dark: true }, isAccessible);
  await check("tables are sorted and saved", file, {}, sortsAndSaves);
}
await check("heat map, pointer", "run", {}, heatMapAnswersThePointer);
await check("heat map, keys", "run", {}, heatMapAnswersKeys);
await check("scores of the record", "run", {}, scoresAreThoseOfTheRecord);
await check("borders of several cuts", "several", {}, bordersFollowTheCut);
await check("missing parts", "bipartite", {}, saysWhatIsMissing);
await check("runs.csv", "study", {}, runsAreAllThere);
await check("choice of the metric", "study", {}, metricCanBeChosen);

if (pictures) await screenshots(browser, folder, pictures);
await browser.close();
console.log(failed ? `${failed} checks failed` : "all checks of the pages passed");
process.exitCode = failed ? 1 : 0;
