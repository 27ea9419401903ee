// Tables: whether headings sort, and whether files hold the figures of the page.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

// The rows of CSV text.
export function csvOf(text) {
  const rows = [[""]];
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const row = rows.at(-1);
    const sign = text[at];
    if (quoted && sign === '"' && text[at + 1] === '"') at += 1, (row[row.length - 1] += '"');
    else if (sign === '"') quoted = !quoted;
    else if (!quoted && sign === ",") row.push("");
    else if (!quoted && sign === "\n") rows.push([""]);
    else row[row.length - 1] += sign;
  }
  return rows.slice(0, -1);
}

// What a button below a table saves.
export async function saved(page, name, format) {
  const table = page.locator(".table", { has: page.locator(`table[data-table="${name}"]`) });
  const button = table.getByRole("button", { name: `Save as ${format}` });
  const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
  const ending = { CSV: ".csv", LaTeX: ".tex", Markdown: ".md" }[format];
  assert.ok(download.suggestedFilename().endsWith(ending), download.suggestedFilename());
  return readFileSync(await download.path(), "utf8");
}

const rowsOf = (page, name) =>
  page.evaluate((table) => {
    const rows = document.querySelectorAll(`table[data-table="${table}"] tbody tr`);
    return [...rows].map((row) => [...row.cells].map((cell) => cell.textContent));
  }, name);

// The number that a cell begins with, or NaN.
function number(text) {
  return Number.parseFloat(text.replaceAll("−", "-").replaceAll("\u202f", "").replace("< ", ""));
}

function ascends(values) {
  const known = values.filter((value) => !Number.isNaN(value));
  return known.every((value, at) => at === 0 || known[at - 1] <= value);
}

// Of every table in view: numbers are sorted up and down, and CSV, LaTeX and Markdown have its rows.
export async function sortsAndSaves(page) {
  const names = await page.evaluate(() =>
    [...document.querySelectorAll("table[data-table]")].filter((table) => table.checkVisibility()).map((table) => table.dataset.table),
  );
  assert.ok(names.length > 1, `${names}`);
  for (const name of names) await sorts(page, name);
  for (const name of [names[0], names.at(-1)]) await saves(page, name);
}

async function sorts(page, name) {
  const heads = page.locator(`table[data-table="${name}"] thead th`);
  const before = await rowsOf(page, name);
  for (let at = 0; at < (await heads.count()); at += 1) {
    const head = heads.nth(at);
    await head.getByRole("button").click();
    assert.equal(await head.getAttribute("aria-sort"), "ascending", name);
    const up = (await rowsOf(page, name)).map((row) => row[at]);
    assert.deepEqual([...up].sort(), before.map((row) => row[at]).sort(), `${name} has lost rows`);
    await head.getByRole("button").press("Enter");
    assert.equal(await head.getAttribute("aria-sort"), "descending", name);
    const down = (await rowsOf(page, name)).map((row) => row[at]);
    const isNumber = (await head.getAttribute("class"))?.includes("number");
    // A mean of zero digits or a p-value below its smallest one is not a number that can be compared.
    if (isNumber && !up.some((text) => text.includes("<") || /[a-zµ]/.test(text.replace(/e[-+]?\d/, "")))) {
      assert.ok(ascends(up.map(number)), `${name}: ${up}`);
      assert.ok(ascends(down.map(number).reverse()), `${name}: ${down}`);
    }
  }
  assert.equal(await page.locator(`table[data-table="${name}"] th[aria-sort]`).count(), 1, "one column is sorted");
}

async function saves(page, name) {
  const rows = await rowsOf(page, name);
  const csv = csvOf(await saved(page, name, "CSV"));
  assert.equal(csv.length, rows.length + 1, name);
  assert.ok(csv.every((row) => row.length === csv[0].length), name);
  const markdown = (await saved(page, name, "Markdown")).trimEnd().split("\n");
  assert.equal(markdown.length, rows.length + 2, name);
  rows.forEach((row, at) => assert.equal(markdown[at + 2], `| ${row.map((text) => text.replaceAll("|", "\\|")).join(" | ")} |`));
  const latex = await saved(page, name, "LaTeX");
  assert.equal(latex.split("\\\\\n").length, rows.length + 2, name);
}
