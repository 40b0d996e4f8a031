// The sandbox of the tool execute_code: the QuickJS interpreter in a Worker's bundle, or Dynamic Workers where the operator chose them.
// Used by the Session.
import quickjs from "#wasm/quickjs.wasm";
import type { Clock } from "../core/ports.ts";
import type { CodeSandbox } from "../core/sandbox/code-sandbox.ts";
import { createQuickJsSandbox } from "../core/sandbox/quickjs-code.ts";
import type { Settings } from "../core/schemas/settings.ts";
import { isHeavyRunActive } from "../core/tools/shell/heavy-run.ts";
import { createDynamicSandbox } from "./dynamic-worker.ts";

export interface LoaderBinding {
  /** Loads Dynamic Workers, where the operator adds it. */
  LOADER?: WorkerLoader;
}

/** A Dynamic Worker needs the setting and the binding. `report` gets what is wrong, such as the one without the other. */
export function openSandbox(
  { LOADER: loader }: LoaderBinding,
  { code }: Pick<Settings, "code">,
  clock: Clock,
  report: (problem: string) => void,
): CodeSandbox {
  if (code.sandbox === "dynamic" && loader) return createDynamicSandbox({ loader, clock, report });
  if (code.sandbox === "dynamic")
    report("code.sandbox is dynamic, but there is no binding LOADER: code runs in QuickJS");
  return createQuickJsSandbox({ module: quickjs, clock, isBlocked: () => isHeavyRunActive(clock.now()) });
}
