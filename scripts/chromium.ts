// Finds the Chromium for tests and benches that need a browser: TALARIA_CHROMIUM, else one of this machine. Used by vitest.config.ts,
// scripts/test-browser.ts, bench/page.ts and tests. Starts nothing.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** Debian, Ubuntu and Fedora, Google. */
const NAMES = ["chromium", "chromium-browser", "google-chrome"];

/** `missing`: a sentence that says why there is none, and what to do. */
export type FoundChromium = { path: string; missing?: undefined } | { path?: undefined; missing: string };

export function findChromium(env: NodeJS.ProcessEnv = process.env): FoundChromium {
  const { TALARIA_CHROMIUM: given = "", PATH = "" } = env;
  if (given === "none") return { missing: "TALARIA_CHROMIUM is `none`: no browser is used." };
  if (given !== "") {
    if (isProgram(given)) return { path: given };
    return { missing: `TALARIA_CHROMIUM names ${given}, which is not a program. Correct it or unset it.` };
  }
  const folders = new Set([...PATH.split(delimiter).filter((folder) => folder !== ""), "/usr/bin"]);
  const path = NAMES.flatMap((name) => [...folders].map((folder) => join(folder, name))).find(isProgram);
  if (path) return { path };
  return {
    missing:
      "There is no Chromium on this machine. On Debian, install it with `apt-get install chromium`; elsewhere, set TALARIA_CHROMIUM to its path.",
  };
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // not there, or not executable
  }
}
