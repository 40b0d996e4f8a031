// Timeouts of a model call: how long a model may send nothing. A timeout depends on three facts: whether the server is the
// operator's own, whether the answer has begun, and how often the call has timed out. Called by model-turn.ts. Pure.
import type { Settings } from "../schemas/settings.ts";
import type { Model } from "./contract.ts";

export type TimeLimits = Pick<Settings["turn"], "firstByteMs" | "idleStreamMs" | "ownFirstByteMs" | "ownIdleStreamMs">;

export interface TimeLimit {
  ms: number;
  /** The setting that the timeout comes from. */
  setting: keyof TimeLimits;
}

/** Each timeout makes the next limit longer: a server that was too slow once is likely to be too slow again. */
const BACKOFF_FACTOR = 1.5;

/** The settings for a server of the operator's own: before the first piece, and between two pieces. */
const OWN_SETTINGS = ["ownFirstByteMs", "ownIdleStreamMs"] as const;
const HOSTED_SETTINGS = ["firstByteMs", "idleStreamMs"] as const;

/**
 * `first`: before the first piece of the answer, while the model reads the prompt. `idle`: between two pieces. `stalls`: how often
 * the call has timed out.
 */
export function computeTimeLimit(
  phase: "first" | "idle",
  { isOwn = false }: Pick<Model, "isOwn">,
  { limits, stalls }: { limits: TimeLimits; stalls: number },
): TimeLimit {
  const [first, idle] = isOwn ? OWN_SETTINGS : HOSTED_SETTINGS;
  const setting = phase === "first" ? first : idle;
  return { ms: Math.round(limits[setting] * BACKOFF_FACTOR ** stalls), setting };
}

export function toLimitFailure({ name }: Pick<Model, "name">, { ms, setting }: TimeLimit): string {
  const seconds = Math.round(ms / 1_000);
  return `${name} sent nothing for ${seconds} seconds. If it needs longer, raise turn.${setting} in TALARIA_SETTINGS.`;
}
