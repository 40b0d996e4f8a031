// The lines of a check-up: how one is made, and what a check that hangs or throws becomes. Used by every check of this folder.
import { messageOf } from "../../../core/errors.ts";
import { redactText } from "../../../core/redact.ts";
import type { DoctorLine } from "../../../core/schemas/doctor.ts";

export function good(check: string, found: string): DoctorLine {
  return { check, state: "ok", found };
}

export function warn(check: string, found: string, fix: string): DoctorLine {
  return { check, state: "warn", found, fix };
}

export function bad(check: string, found: string, fix: string): DoctorLine {
  return { check, state: "fail", found, fix };
}

/** What `fix` is for, when the check itself fails: it throws, or has no result after `ms`. */
export interface Guard {
  check: string;
  fix: string;
  ms: number;
}

/** Runs a check that may throw or hang. The signal is aborted when its time is over. */
export async function guard(
  { check, fix, ms }: Guard,
  run: (signal: AbortSignal) => Promise<DoctorLine | DoctorLine[]>,
): Promise<DoctorLine[]> {
  const signal = AbortSignal.timeout(ms);
  const late = Promise.withResolvers<never>();
  late.promise.catch(() => {}); // the check may have ended before
  signal.addEventListener("abort", () => late.reject(new Error(`no answer within ${ms / 1_000} seconds`)));
  try {
    return [await Promise.race([run(signal), late.promise])].flat();
  } catch (error) {
    return [bad(check, tell(messageOf(error)), fix)];
  }
}

const MAX_CHARS = 300;

/** A text from elsewhere on one line, without anything that looks like a secret. */
export function tell(text: string): string {
  return redactText(text).replace(/\s+/g, " ").trim().slice(0, MAX_CHARS);
}
