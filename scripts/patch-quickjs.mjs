// Gives the installed QuickJS module a meter (meter-wasm.mjs), by which core/sandbox/engine.ts limits what code may compute: see
// docs/decisions/0064-code-in-a-metered-interpreter.md. Called by scripts/run.mjs before every command. Idempotent. Needs no package.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { meterModule } from "./meter-wasm.mjs";

const FILE = "@jitl/quickjs-wasmfile-release-sync/dist/emscripten-module.wasm";

/** The name of a custom section, which engines ignore. Changes when the meter changes. */
const MARK = Buffer.from(
  `metered ${createHash("sha256")
    .update(String(readFileSync(new URL("meter-wasm.mjs", import.meta.url))))
    .digest("hex")
    .slice(0, 16)}`,
);
const ANY_MARK = /metered [0-9a-f]{16}$/;

/** `modules`: a node_modules folder. Throws if the module has changed so that it cannot be metered. */
export function meterQuickJs(modules) {
  const path = join(modules, FILE);
  if (!existsSync(path)) return; // not installed; the code that needs it will report that
  const installed = readFileSync(path);
  if (installed.subarray(-MARK.length).equals(MARK)) return;
  const isMetered = ANY_MARK.test(installed.subarray(-MARK.length).toString("latin1"));
  const original = isMetered ? readFileSync(`${path}.orig`) : installed;
  if (!isMetered) replaceFile(`${path}.orig`, original);
  const metered = meterModule(original);
  const section = Buffer.from([0, MARK.length + 1, MARK.length, ...MARK]);
  replaceFile(path, Buffer.concat([metered, section]));
}

/** Replaces the file instead of its contents: package managers hard-link files of their cache into node_modules. */
function replaceFile(path, bytes) {
  writeFileSync(`${path}.${process.pid}`, bytes);
  renameSync(`${path}.${process.pid}`, path);
}
