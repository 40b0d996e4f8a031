// Which kinds of session work for a person: they know what the profile remembers, and are learned from. Pure.
import type { SessionKind } from "../schemas/sessions/session-kind.ts";

/** A chat, which is the kind that is absent, and the runs of a card. The others work for a program or for another session. */
export function isOfPerson(kind: SessionKind | undefined): boolean {
  return kind === undefined || kind === "chat" || kind === "card";
}
