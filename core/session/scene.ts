// Where a session's skills are met: its tools, its channel, what the operator switched off. Asked by everything in a session
// that lists or loads skills, so that a skill hidden in one place is hidden in all.
import type { Scene } from "../skills/conditions.ts";
import type { EngineContext } from "./context.ts";

/** All that comes to a session comes through the API; the terminal client is one of its callers. */
const CHANNELS = ["api", "cli"];

/** `tools`: names of those that are offered; without them, as they were when the prompt was made. */
export function sceneOf({ host, log }: Pick<EngineContext, "host" | "log">, tools?: () => readonly string[]): Scene {
  const known = tools ?? namesInPrompt(log);
  return {
    ...(known && { tools: known }),
    channels: CHANNELS,
    environments: [],
    disabled: host.settings.skills.disabled,
    ...(host.isSet && { isSet: host.isSet }),
  };
}

function namesInPrompt(log: EngineContext["log"]): (() => readonly string[]) | undefined {
  const names = log.meta<{ names?: string[] }>("prompt")?.names;
  return names && (() => names);
}
