// What the person has chosen for a session, as its turns use it: the model, how much it reasons, the personality, the tools. A turn
// keeps what was chosen when it began. Read by the turn and by what builds its prompt.
import type { ModelChain } from "../../agent/contract.ts";
import { type Result, err } from "../../errors.ts";
import { readPreferences } from "../../preferences.ts";
import { PERSONALITIES, renderPersonality } from "../../prompts/personalities/index.ts";
import type { Personality } from "../../schemas/profile/personality.ts";
import type { SessionChoice } from "../../schemas/sessions/session-choice.ts";
import type { Effort } from "../../schemas/settings.ts";
import type { EngineContext } from "../context.ts";
import { hasBegun } from "../log-turns.ts";
import { profileSettings } from "../prompt/profile-settings.ts";

/** Of the running turn; else what the next turn begins with. What was not chosen is what the person prefers in every session. */
export function currentChoice({ host, log, meta }: Pick<EngineContext, "host" | "log" | "meta">): SessionChoice {
  const [open] = log.openTurns();
  const chosen = open && hasBegun(open) ? open.more.choice : meta().choice;
  const { model, personality } = readPreferences(profileSettings({ log }).sections.preferences);
  // The operator may have withdrawn the preferred model. Nobody chose it for this session, so the session works with the default.
  const isOffered = model !== undefined && (host.modelChoices?.() ?? []).includes(model);
  return { ...(isOffered && { model }), ...(personality && { personality }), ...chosen };
}

/** Failures: `model_not_configured`; `unknown_model` if the operator no longer offers the model that was chosen. */
export function turnModels(context: EngineContext): Result<ModelChain> {
  const { model } = currentChoice(context);
  const models = context.host.models("turn", model);
  if (models.ok || models.failure.code !== "unknown_model") return models;
  const message = `This session's model '${model}' is no longer offered. Choose another one with /model, or /model default.`;
  return err("unknown_model", message, models.failure.facts);
}

/** Absent: the model's default. */
export function turnEffort(context: EngineContext): Effort | undefined {
  return currentChoice(context).effort ?? context.host.settings.models.effort.turn;
}

/** The profile's own personalities, and those that ship, by name. An own one takes the place of a shipped one. */
export function listPersonalities(context: Pick<EngineContext, "log">): Record<string, Personality> {
  return { ...PERSONALITIES, ...profileSettings(context).sections.personalities };
}

/** The paragraph about the chosen personality; "" for none, and for one that no longer exists. */
export function personalityText(context: EngineContext): string {
  const { personality } = currentChoice(context);
  if (personality === undefined) return "";
  const all = listPersonalities(context);
  return Object.hasOwn(all, personality) ? renderPersonality(all[personality]!) : "";
}
