// `npm run test:browser [-- vitest's arguments]`: runs the tests of the page in a real Chromium (test/browser), on a stack of their own
// with the rehearsal model, all of them: `npm test` runs a short form. Exit code 1, with a sentence, when there is no Chromium.
import { spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { findChromium } from "./chromium.ts";

const root = resolve(import.meta.dirname, "..");
const { missing } = findChromium();
if (missing !== undefined) {
  console.error(missing);
  process.exit(1);
}
const vitest = join(root, "node_modules/vitest/vitest.mjs");
const child = spawn(process.execPath, [vitest, "run", "--project", "browser", ...process.argv.slice(2)], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, TALARIA_THOROUGH: "1" },
});
child.once("close", (code) => (process.exitCode = code ?? 1));
