// Reads the log of a session that the bench runs.
import type { Entry } from "../../../core/schemas/entry.ts";
import type { OpenSession } from "./platform.ts";

export function readEntries(session: Pick<OpenSession, "engine">): Entry[] {
  const entries = session.engine.entries(0);
  if (!entries.ok) throw new Error(entries.failure.message);
  return entries.value;
}
