// The module of QuickJS in Node, as a Worker's bundle brings it, and a runner of checks over it.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createCheckRunner } from "../../core/checks/run-checks.ts";

const path = createRequire(import.meta.url).resolve("#wasm/quickjs.wasm");

/** Its type is the one of workerd, which makes none. */
const Module = WebAssembly.Module as unknown as new (bytes: Uint8Array) => WebAssembly.Module;

export const runChecks = createCheckRunner(new Module(readFileSync(path)));
