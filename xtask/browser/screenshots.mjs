// Pictures of the pages for the documentation.

import { join } from "node:path";
import { drawn, open } from "./browser.mjs";

export async function screenshots(browser, folder, pictures) {
  const run = join(folder, "run.html");
  const study = join(folder, "study.html");
  await ofElement(browser, run, { width: 1280 }, ".maps", join(pictures, "run-light.png"));
  await ofTop(browser, run, { width: 1280, height: 1180, dark: true }, "#matrices", join(pictures, "run-dark.png"));
  await ofTop(browser, run, { width: 390, height: 844, scale: 2 }, "#matrices", join(pictures, "run-phone.png"));
  await ofTop(browser, study, { width: 1280, height: 1000 }, "#tests", join(pictures, "study-light.png"));
  await ofPrint(browser, run, join(pictures, "run-print.png"));
}

async function ofElement(browser, file, options, selector, path) {
  const { page, close } = await open(browser, file, options);
  const box = await page.locator(selector).boundingBox();
  // Narrow enough to leave out the words above and below.
  const [aside, above] = [16, 7];
  const clip = { x: box.x - aside, y: box.y - above, width: box.width + 2 * aside, height: box.height + 2 * above };
  await page.screenshot({ path, clip, fullPage: true });
  await close();
}

// What a window shows that is scrolled to an element.
async function ofTop(browser, file, options, selector, path) {
  const { page, close } = await open(browser, file, options);
  await page.evaluate((to) => document.querySelector(to).scrollIntoView({ behavior: "instant" }), selector);
  await drawn(page);
  await page.screenshot({ path });
  await close();
}

// The first page on paper of A4 format, at 96 dots per inch.
async function ofPrint(browser, file, path) {
  const { page, close } = await open(browser, file, { width: 680, height: 1000 });
  await page.emulateMedia({ media: "print" });
  await drawn(page);
  await page.screenshot({ path, clip: { x: 0, y: 0, width: 680, height: 1000 }, fullPage: true });
  await close();
}
