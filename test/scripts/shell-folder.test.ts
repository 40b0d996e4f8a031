// Which folders `npm start -- --shell` serves.
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { chooseShellFolder } from "../../scripts/stack/shell-folder.ts";
import { createTempFolders } from "../support/temp-folders.ts";

const tempFolder = createTempFolders();

it("serves a folder relative to where the command was typed, by its real path", () => {
  const from = realpathSync(tempFolder());
  mkdirSync(join(from, "work"));
  symlinkSync("work", join(from, "link"));
  expect(chooseShellFolder("link", from, join(from, ".talaria"))).toBe(join(from, "work"));
});

it("refuses the state, what holds it and what is in it, also when the state is a link", () => {
  const from = realpathSync(tempFolder());
  mkdirSync(join(from, "disk/state"), { recursive: true });
  mkdirSync(join(from, "checkout"));
  symlinkSync("../disk", join(from, "checkout/.talaria"));
  const home = join(from, "checkout/.talaria");
  for (const given of [".", "disk", "disk/state", "checkout/.talaria", "checkout/.talaria/state"]) {
    expect(() => chooseShellFolder(given, from, home), given).toThrow("holds Talaria's own state");
  }
  expect(() => chooseShellFolder(".", from, join(from, "not-yet-there"))).toThrow("holds Talaria's own state");
});

it("refuses what is no folder, the whole file system, and the home folder with what holds it", () => {
  const from = tempFolder();
  writeFileSync(join(from, "file"), "");
  for (const [given, why] of [
    ["absent", "does not exist"],
    ["file", "is not a folder"],
    ["/", "is the whole file system"],
    [homedir(), "is or holds your home folder"],
    [dirname(homedir()), dirname(homedir()) === "/" ? "is the whole file system" : "is or holds your home folder"],
  ] as const) {
    expect(() => chooseShellFolder(given, from, join(from, ".talaria")), given).toThrow(why);
  }
});
