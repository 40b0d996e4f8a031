// The effect of scripts/patch-quickjs.mjs on an installed QuickJS module.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { createTempFolders } from "../support/temp-folders.ts";

const scripts = join(import.meta.dirname, "../../scripts");
const { meterQuickJs } = (await import(join(scripts, "patch-quickjs.mjs"))) as { meterQuickJs(modules: string): void };
const { meterModule } = (await import(join(scripts, "meter-wasm.mjs"))) as {
  meterModule(source: Uint8Array): Uint8Array<ArrayBuffer>;
};
const makeTempFolder = createTempFolders();
interface Exports {
  fuel: { value: bigint };
  f(rounds: number): void;
  g(bytes: number): void;
}
const { Instance, Module } = WebAssembly as unknown as {
  Instance: new (module: WebAssembly.Module) => { exports: Exports };
  Module: new (bytes: Uint8Array) => WebAssembly.Module;
};

const FILE = "@jitl/quickjs-wasmfile-release-sync/dist/emscripten-module.wasm";
const installed = join(import.meta.dirname, "../../node_modules", FILE);

/** Two functions: `f(n)` loops n times, `g(n)` fills n bytes of memory. */
const SMALL = Uint8Array.from(
  [
    "0061736d01000000",
    "010501 60017f00", // types: (i32) -> ()
    "020100", // imports
    "0303020000", // functions
    "0503010001", // memory: one page
    "060100", // globals
    "070902 01660000 01670001", // exports
    "0a1c02 0e00 0340 2000 4101 6b 2200 0d00 0b 0b", // loop: n -= 1, again if n is not 0
    "0b00 4100 4100 2000 fc0b00 0b", // memory.fill
  ]
    .join("")
    .replaceAll(" ", "")
    .match(/../g)!,
  (byte) => Number.parseInt(byte, 16),
);

function start(fuel: bigint) {
  const { exports } = new Instance(new Module(meterModule(SMALL)));
  exports.fuel.value = fuel;
  return exports;
}

test("a function costs one unit and each round of its loop another", () => {
  const { f, fuel } = start(1_000n);
  f(100);
  expect(fuel.value).toBe(1_000n - 101n);
});

test("a bulk instruction costs a unit for sixteen bytes", () => {
  const { g, fuel } = start(10_000n);
  g(1_600);
  expect(fuel.value).toBe(10_000n - 101n);
});

test("without fuel a loop and a bulk instruction trap", () => {
  expect(() => start(50n).f(100)).toThrow("unreachable");
  expect(() => start(50n).g(1_600)).toThrow("unreachable");
});

test("an instruction that the meter does not know is refused", () => {
  const changed = SMALL.slice();
  changed[changed.lastIndexOf(0xfc)] = 0xfd;
  expect(() => meterModule(changed)).toThrow("unknown WebAssembly instruction 0xfd");
});

test("an installation with another meter is metered from the original", () => {
  const modules = makeTempFolder();
  const path = join(modules, FILE);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.orig`, readFileSync(`${installed}.orig`));
  writeFileSync(path, "something metered 0000000000000000");
  meterQuickJs(modules);
  expect(readFileSync(path).equals(readFileSync(installed))).toBe(true);
});

test("nothing happens where QuickJS is not installed", () => {
  meterQuickJs(makeTempFolder());
});

test("this installation of QuickJS is metered, and metering it again changes nothing", () => {
  const before = readFileSync(installed);
  expect(before.subarray(-24).toString()).toMatch(/^metered [0-9a-f]{16}$/);
  meterQuickJs(join(import.meta.dirname, "../../node_modules"));
  expect(readFileSync(installed).equals(before)).toBe(true);
});
