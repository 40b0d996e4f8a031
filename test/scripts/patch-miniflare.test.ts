// The effect of scripts/patch-miniflare.mjs on an installed Miniflare. How a patch is applied: patch-just-bash.test.ts.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { createTempFolders } from "../support/temp-folders.ts";

const script = join(import.meta.dirname, "../../scripts/patch-miniflare.mjs");
const { patchMiniflare } = (await import(script)) as { patchMiniflare(modules: string): void };
const makeTempFolder = createTempFolders();
const FILE = "miniflare/dist/src/index.js";

test("this installation of Miniflare is patched: the buffer of a configuration doubles when it is full", () => {
  const installed = readFileSync(join(import.meta.dirname, "../../node_modules", FILE), "utf8");
  expect(installed).toMatch(/^\/\* patched [0-9a-f]{16} \*\/\n/);
  const source = /function allocate\$1\(minSize, segments, s\) \{[^]*?\n\}/.exec(installed)![0];
  const constants = "const MIN_SINGLE_SEGMENT_GROWTH = 4096, padToWord$1 = (size) => (size + 7) & ~7;";
  const result = "class ArenaAllocationResult { constructor(id, buffer) { Object.assign(this, { id, buffer }); } }";
  const allocate = new Function(`${constants}${result}return ${source}`)() as (
    minSize: number,
    segments: { buffer: ArrayBuffer }[],
    arena: { buffer: ArrayBuffer },
  ) => { buffer: ArrayBuffer };
  const buffer = Float64Array.from({ length: 1_000 }, (_, n) => n).buffer;
  const larger = allocate(8, [{ buffer }], { buffer }).buffer;
  expect(larger.byteLength).toBe(16_000);
  expect(new Float64Array(larger, 0, 1_000)).toEqual(new Float64Array(buffer));
  expect(allocate(9_001, [{ buffer }], { buffer }).buffer.byteLength).toBe(17_008);
});

test("another version of Miniflare is refused and left unchanged", () => {
  const path = join(makeTempFolder(), FILE);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "another version");
  expect(() => patchMiniflare(path.slice(0, -FILE.length))).toThrow(/miniflare has changed at a patched place/);
  expect(readFileSync(path, "utf8")).toBe("another version");
});
