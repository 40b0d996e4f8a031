// Whether a session works without learned skills, for comparison: a share of the sessions, drawn by their ids, so that each
// stays what it is. Asked wherever a session shows skills or learns of them. Pure.
import { sha256Hex } from "../../schemas/learning/digest.ts";
import type { SessionHost } from "../context.ts";

const DRAW_DIGITS = 8;

export function isHeldOut({ session, settings }: Pick<SessionHost, "session" | "settings">): boolean {
  const { holdOut } = settings.learning;
  if (holdOut === 0) return false;
  return parseInt(sha256Hex(session).slice(0, DRAW_DIGITS), 16) / 16 ** DRAW_DIGITS < holdOut;
}
