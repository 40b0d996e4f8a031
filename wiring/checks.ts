// The runner of checks over the QuickJS interpreter. Used by the Session, the API, the review Worker and the curator Worker.
// The interpreter is compiled once an isolate.
import quickjs from "#wasm/quickjs.wasm";
import { createCheckRunner } from "../core/checks/run-checks.ts";

export const runChecks = createCheckRunner(quickjs);
