// Selects the control group: the share of sessions that work without learned skills, for comparison. The session's id
// decides, so the answer never changes. Called wherever a session shows skills or learns about them. Pure.
import { sha256Hex } from "../../schemas/learning/digest.ts";
import type { SessionHost } from "../context.ts";

const DRAW_DIGITS = 8;

export function isHeldOut({ session, settings }: Pick<SessionHost, "session" | "settings">): boolean {
  const { holdOut } = settings.learning;
  if (holdOut === 0) return false;
  return parseInt(sha256Hex(session).slice(0, DRAW_DIGITS), 16) / 16 ** DRAW_DIGITS < holdOut;
}
