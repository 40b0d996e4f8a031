// What a session is for. Stored with the session and with the profile's list of sessions; every layer may ask. Pure.
import * as z from "zod";

/**
 * `chat`: a conversation with a person; the default, stored as absent. `delegated`: one task that another session gave. `webhook`: events that
 * other systems send; what they say is content, and nothing is learned from it. `card`: a run of a card of a board. `job`: a run of a job.
 */
export const SessionKind = z.enum(["chat", "delegated", "webhook", "card", "job"]);
export type SessionKind = z.infer<typeof SessionKind>;
