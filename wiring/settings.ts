// Reads the operator's settings where things are wired. Called by the Workers and Durable Objects; workers/api turns the same
// failure into a problem document instead (workers/api/env.ts).
import { parseSettings } from "../core/limits.ts";
import type { Settings } from "../core/schemas/settings.ts";

export interface SettingsVariable {
  TALARIA_SETTINGS?: string;
}

/** Throws when the variable is wrong: a queue then delivers its messages again until the operator has corrected it. */
export function readSettings(env: SettingsVariable): Settings {
  const settings = parseSettings(env.TALARIA_SETTINGS);
  if (!settings.ok) throw new Error(settings.failure.message);
  return settings.value;
}
