// Where a session's skills are met: its tools, its channel, what the operator switched off. Asked by everything in a session
// that lists or loads skills, so that a skill hidden in one place is hidden in all.
import type { Tool } from "../../agent/contract.ts";
import { toToolSpecs } from "../../agent/tool-specs.ts";
import type { Scene } from "../../skills/format/conditions.ts";
import { type ToolFingerprints, fingerprintOf } from "../../skills/format/contract.ts";
import type { EngineContext } from "../context.ts";

/** The tools that are offered: which skills are shown depends on them, and what is said of one. */
export interface Offered {
  names: string[];
  prints: ToolFingerprints;
}

export function toOffered(tools: Tool[]): Offered {
  const prints = toToolSpecs(tools).map(({ name, parameters }) => [name, fingerprintOf(parameters)] as const);
  return { names: tools.map((tool) => tool.name), prints: Object.fromEntries(prints) };
}

/** All that comes to a session comes through the API; the terminal client is one of its callers. */
const CHANNELS = ["api", "cli"];

/** `offered` may still be filled in when this returns; without it, as it was when the prompt was made. */
export function sceneOf({ host, log }: Pick<EngineContext, "host" | "log">, offered?: Offered): Scene {
  const known: Partial<Offered> = offered ?? offeredInPrompt(log);
  return {
    ...(known.names && { tools: () => known.names ?? [] }),
    ...(known.prints && { fingerprints: () => known.prints ?? {} }),
    channels: CHANNELS,
    environments: [],
    disabled: host.settings.skills.disabled,
    ...(host.isSet && { isSet: host.isSet }),
  };
}

/** Empty before the first prompt; one of an older version has no prints. */
export function offeredInPrompt(log: EngineContext["log"]): Partial<Offered> {
  const { names, prints } = log.meta<Partial<Offered>>("prompt") ?? {};
  return { names, prints };
}
