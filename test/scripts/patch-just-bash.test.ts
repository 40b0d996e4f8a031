// The effect of scripts/patch-just-bash.mjs on an installed just-bash.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { createTempFolders } from "../support/temp-folders.ts";

const script = join(import.meta.dirname, "../../scripts/patch-just-bash.mjs");
const { patchJustBash } = (await import(script)) as { patchJustBash(modules: string): void };
const makeTempFolder = createTempFolders();

const FILE = "just-bash/dist/bundle/browser.js";
const installed = join(import.meta.dirname, "../../node_modules", FILE);

test("this installation of just-bash is patched, and patching it again changes nothing", () => {
  const before = readFileSync(installed, "utf8");
  expect(before).toMatch(/^\/\* patched [0-9a-f]{16} \*\/\n/);
  patchJustBash(join(import.meta.dirname, "../../node_modules"));
  expect(readFileSync(installed, "utf8")).toBe(before);
});

test("an installation with another patch is patched from the original file", () => {
  const modules = makeTempFolder();
  const path = join(modules, FILE);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.orig`, readFileSync(`${installed}.orig`));
  writeFileSync(path, "/* patched 0000000000000000 */\n");
  patchJustBash(modules);
  expect(readFileSync(path, "utf8")).toBe(readFileSync(installed, "utf8"));
});

test("another version of just-bash is refused and left unchanged", () => {
  const modules = makeTempFolder();
  const path = join(modules, FILE);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "another version");
  expect(() => patchJustBash(modules)).toThrow(/just-bash has changed at a patched place \(.*\)\. Update /);
  expect(readFileSync(path, "utf8")).toBe("another version");
});

test("nothing happens where just-bash is not installed", () => {
  patchJustBash(makeTempFolder());
});
