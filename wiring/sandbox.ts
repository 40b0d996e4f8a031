// The sandbox of the tool execute_code, over the QuickJS interpreter in a Worker's bundle. Used by the Session.
import quickjs from "#wasm/quickjs.wasm";
import type { Clock } from "../core/ports.ts";
import type { CodeSandbox } from "../core/sandbox/code-sandbox.ts";
import { createQuickJsSandbox } from "../core/sandbox/quickjs-code.ts";
import { isHeavyRunActive } from "../core/tools/shell/heavy-run.ts";

export function openSandbox(clock: Clock): CodeSandbox {
  return createQuickJsSandbox({ module: quickjs, clock, isBlocked: () => isHeavyRunActive(clock.now()) });
}
