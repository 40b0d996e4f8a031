// The scene that decides which skills a session shows: its tools, its channels, the skills that the operator disabled.
// Everything in a session that lists or loads skills uses it, so that a hidden skill is hidden everywhere.
import type { Tool } from "../../agent/contract.ts";
import { toToolSpecs } from "../../agent/tool-specs.ts";
import type { Scene } from "../../skills/format/conditions.ts";
import { type ToolFingerprints, fingerprintOf } from "../../skills/format/contract.ts";
import type { EngineContext } from "../context.ts";

/** The offered tools. The list of skills and the remarks about a skill depend on them. */
export interface OfferedTools {
  names: string[];
  prints: ToolFingerprints;
}

export function describeOfferedTools(tools: Tool[]): OfferedTools {
  const prints = toToolSpecs(tools).map(({ name, parameters }) => [name, fingerprintOf(parameters)] as const);
  return { names: tools.map((tool) => tool.name), prints: Object.fromEntries(prints) };
}

/** Every message reaches a session through the API; the terminal is one of its clients. */
const CHANNELS = ["api", "cli"];

/** `offered` may be filled in after this returns. Without it, the tools of the frozen prompt count. */
export function readScene({ host, log }: Pick<EngineContext, "host" | "log">, offered?: OfferedTools): Scene {
  const known: Partial<OfferedTools> = offered ?? offeredInPrompt(log);
  return {
    ...(known.names && { tools: () => known.names ?? [] }),
    ...(known.prints && { fingerprints: () => known.prints ?? {} }),
    channels: CHANNELS,
    environments: [],
    disabled: host.settings.skills.disabled,
    ...(host.isSet && { isSet: host.isSet }),
    now: () => host.clock.now(),
  };
}

/** Empty before the first prompt. A prompt that an older version stored has no fingerprints. */
export function offeredInPrompt(log: EngineContext["log"]): Partial<OfferedTools> {
  const { names, prints } = log.meta<Partial<OfferedTools>>("prompt") ?? {};
  return { names, prints };
}
