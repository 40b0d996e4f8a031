// QuickJS's WebAssembly module in Node, as in a Worker's bundle, and a check runner over it.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createCheckRunner } from "../../core/checks/run-checks.ts";

const path = createRequire(import.meta.url).resolve("#wasm/quickjs.wasm");

/** The constructor is cast, because workerd's type declares that modules cannot be constructed. */
const Module = WebAssembly.Module as unknown as new (bytes: Uint8Array) => WebAssembly.Module;

export const quickjs = new Module(readFileSync(path));
export const runChecks = createCheckRunner(quickjs);
