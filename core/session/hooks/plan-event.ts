// Events of a session that the profile's webhooks want, as jobs of its outbox: a row is written in the transaction that makes the event
// true, and leaves when the profile's Account has taken the event. Without a hook for the type there is no row and no request.
import { toHookEvent } from "../../hooks/hook-event.ts";
import type { JsonObject } from "../../schemas/entry.ts";
import type { HookEventType } from "../../schemas/profile/hooks.ts";
import type { EngineContext } from "../context.ts";
import type { Job, JobRow } from "../jobs.ts";
import { profileSettings } from "../prompt/profile-settings.ts";

export interface PlannedEvent {
  type: HookEventType;
  /** What makes the event this one. The same `about` is the same event, also when another session reports it. */
  about: string;
  /** Ids and small facts; the session is added. */
  data: JsonObject;
}

type PlanContext = Pick<EngineContext, "host" | "log" | "jobs">;

/** `settingsRev`: a revision of the profile's settings that the session may not have read yet. */
export function isWanted(
  { host, log }: Pick<PlanContext, "host" | "log">,
  type: HookEventType,
  settingsRev = 0,
): boolean {
  if (!host.hooks) return false;
  const { rev, sections } = profileSettings({ log });
  // Unknown settings: the Account decides.
  if (settingsRev > rev) return true;
  return Object.values(sections.hooks).some(
    ({ events, disabledAt }) => disabledAt === undefined && events.includes(type),
  );
}

/** Inside the caller's transaction. */
export function planEvent(context: PlanContext, { type, about, data }: PlannedEvent, settingsRev?: number): void {
  if (!isWanted(context, type, settingsRev)) return;
  const { host, jobs, log } = context;
  const { kind, parent } = log.meta<{ kind?: string; parent?: string }>("session") ?? {};
  const of = { profile: host.profile, session: host.session, at: host.clock.now(), type, about };
  const event = toHookEvent({ ...of, data: { ...(kind && { kind }), ...(parent && { parent }), ...data } });
  jobs.put(`hook:${event.id}`, host.clock.now(), { kind: "hook", event });
}

/** Carries out the job: the Account stores the event before it answers. */
export async function carryEvent(
  { host, jobs }: PlanContext,
  row: JobRow,
  { event }: Extract<Job, { kind: "hook" }>,
): Promise<void> {
  await host.hooks?.take(event);
  jobs.delete(row.id);
}
