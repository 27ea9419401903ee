// The browser, and pages that are watched: whatever they ask of the network or complain about is a
// failure.

import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const OPTIONS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export async function launch(executablePath) {
  return chromium.launch({ executablePath, args: OPTIONS });
}

export async function open(browser, file, { width = 1280, height = 900, dark = false, scale = 1 } = {}) {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: dark ? "dark" : "light",
    deviceScaleFactor: scale,
    acceptDownloads: true,
  });
  const page = await context.newPage();
  const address = pathToFileURL(file).href;
  const problems = [];
  page.on("request", (request) => {
    const url = request.url();
    if (url !== address && !url.startsWith("blob:")) problems.push(`a request to ${url}`);
  });
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  await page.goto(address);
  await drawn(page);
  return { page, problems, close: () => context.close() };
}

// Waits until figures have been drawn at their width.
export async function drawn(page) {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 60)))));
}

export async function dataOf(page) {
  return page.evaluate(() => JSON.parse(document.getElementById("data").textContent));
}
