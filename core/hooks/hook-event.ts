// Makes the events that webhooks send. Called by sessions and by the profile's Account, where an event happens. Pure.
import type { JsonObject } from "../schemas/entry.ts";
import { sha256Hex } from "../schemas/learning/digest.ts";
import type { HookEvent } from "../schemas/profile/hooks.ts";

const ID_CHARS = 32;

/**
 * `about`: what makes the event this one, such as the id of a turn. The same profile, type and `about` give the same id. `data`: ids
 * and small facts, never a text of a message, a file or a fact.
 */
export function toHookEvent(of: {
  profile: string;
  type: HookEvent["type"];
  about: string;
  at: number;
  session?: string | undefined;
  data: JsonObject;
}): HookEvent {
  const { profile, type, about, at, session, data } = of;
  const named = { profile, ...(session !== undefined && { session }) };
  const body = JSON.stringify({ type, timestamp: new Date(at).toISOString(), data: { ...named, ...data } });
  const id = `msg_${sha256Hex(`${profile} ${type} ${about}`).slice(0, ID_CHARS)}`;
  return { id, type, at, ...(session !== undefined && { session }), body };
}

/** `skill.withdrawn`, as a session and as the Account report it: the same revision of a skill is the same event. */
export function toWithdrawn(data: { skill: string; state: string; rev: number; inPart: boolean }) {
  return { type: "skill.withdrawn" as const, about: `${data.skill} ${data.rev}`, data };
}
