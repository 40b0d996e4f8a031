import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findChromium } from "../../scripts/chromium.ts";
import { createTempFolders } from "../support/temp-folders.ts";

const makeFolder = createTempFolders();

function install(folder: string, name: string, mode = 0o755): string {
  const path = join(folder, name);
  writeFileSync(path, "#!/bin/sh\n");
  chmodSync(path, mode);
  return path;
}

describe("findChromium", () => {
  it("takes the program that TALARIA_CHROMIUM names before any other", () => {
    const PATH = makeFolder();
    install(PATH, "chromium");
    const path = install(makeFolder(), "my-browser");
    expect(findChromium({ TALARIA_CHROMIUM: path, PATH })).toEqual({ path });
  });

  it("looks for each name in every folder of PATH", () => {
    const [first, second] = [makeFolder(), makeFolder()];
    install(first, "google-chrome");
    install(first, "chromium", 0o644);
    const path = install(second, "chromium");
    expect(findChromium({ PATH: `${first}:${second}` })).toEqual({ path });
  });

  it("says what to do about a program that is not there, and finds none where none is wanted", () => {
    expect(findChromium({ TALARIA_CHROMIUM: "/nowhere/chromium" })).toEqual({
      missing: "TALARIA_CHROMIUM names /nowhere/chromium, which is not a program. Correct it or unset it.",
    });
    expect(findChromium({ TALARIA_CHROMIUM: "none" })).toEqual({
      missing: "TALARIA_CHROMIUM is `none`: no browser is used.",
    });
  });
});
