// What a session is for. Stored with the session and with the profile's list of sessions; every layer may ask. Pure.
import * as z from "zod";

/** `chat`: a conversation with a person; the default, stored as absent. `delegated`: one task that another session gave. */
export const SessionKind = z.enum(["chat", "delegated"]);
export type SessionKind = z.infer<typeof SessionKind>;
