// The effect of scripts/patch-unpdf.mjs on an installed unpdf. How a patch is applied: patch-just-bash.test.ts.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { createTempFolders } from "../support/temp-folders.ts";

const script = join(import.meta.dirname, "../../scripts/patch-unpdf.mjs");
const { patchUnpdf } = (await import(script)) as { patchUnpdf(modules: string): void };
const makeTempFolder = createTempFolders();
const FILE = "unpdf/dist/pdfjs.mjs";

test("this installation of unpdf is patched", () => {
  const installed = readFileSync(join(import.meta.dirname, "../../node_modules", FILE), "utf8");
  expect(installed).toMatch(/^\/\* patched [0-9a-f]{16} \*\/\n/);
  expect(installed).toContain("export const pdfBudget=");
});

test("another version of unpdf is refused and left unchanged", () => {
  const path = join(makeTempFolder(), FILE);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "another version");
  expect(() => patchUnpdf(path.slice(0, -FILE.length))).toThrow(/unpdf has changed at a patched place/);
  expect(readFileSync(path, "utf8")).toBe("another version");
});
