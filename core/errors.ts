// How failures are reported. Expected ones are a Result that the caller must check; bugs are an AssertionError. Pure.

import type * as z from "zod";

export type Result<T, F extends Failure = Failure> = { ok: true; value: T } | { ok: false; failure: F };

/** `code` is for programs. `message` is for a person or a model: what happened, then what to do. */
export interface Failure {
  code: string;
  message: string;
  /** Facts that belong to the code: a neighbour's name, the places of several matches. */
  facts?: Record<string, unknown>;
}

export function ok<T>(value: T): { ok: true; value: T } {
  return { ok: true, value };
}

export function err(code: string, message: string, facts?: Record<string, unknown>): { ok: false; failure: Failure } {
  return { ok: false, failure: facts ? { code, message, facts } : { code, message } };
}

/** A bug in our own code. Catch it only to record where it happened. */
export class AssertionError extends Error {
  override name = "AssertionError";
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionError(message);
}

export type DeletedCode = "profile_gone" | "session_not_found" | "skill_deleted" | "purged";

/** A store refused a write because a person deleted its target. Retrying cannot help. */
export class DeletedError extends Error {
  override name = "DeletedError";
  readonly code: DeletedCode;
  constructor(code: DeletedCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** A newer version of the program wrote this record. An older version must neither read nor write it. */
export class StateNewerError extends Error {
  override name = "StateNewerError";
  constructor(what: string, version: number, known: number) {
    super(
      `${STATE_NEWER}: ${what} was written by a newer version of Talaria (format ${version}; this one knows ${known}). ` +
        "Nothing was changed: run that version, or a newer one.",
    );
  }
}
const STATE_NEWER = "state_newer";

/** The message of a StateNewerError, which arrives from another object as a plain error; null for other errors. */
export function newerStateOf(thrown: unknown): string | null {
  const found = /(?:^|\b)state_newer: (.*)$/s.exec(messageOf(thrown));
  return found ? found[1]! : null;
}

/** One readable line for any thrown value. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

// ---- versions of stored records ----
// Records carry `v`, and readers accept every version up to their own. A record that fails because of its `v` comes from a
// newer program.

/** Throws `StateNewerError` when a record failed to parse because of its `v`. `what` begins the message. */
export function assertKnownVersion(what: string, raw: unknown, error: z.ZodError): void {
  const v = raw !== null && typeof raw === "object" && "v" in raw ? raw.v : undefined;
  if (typeof v !== "number" || !Number.isInteger(v) || v < 1) return;
  const known = knownVersion(error.issues);
  if (known !== null && v > known) throw new StateNewerError(what, v, known);
}

/** A stored record. Throws `StateNewerError` if a newer program wrote it, and a `ZodError` if it is damaged. `what` begins the message. */
export function parseStored<T>(schema: z.ZodType<T>, what: string, raw: unknown): T {
  const parsed = schema.safeParse(raw);
  if (parsed.success) return parsed.data;
  assertKnownVersion(what, raw, parsed.error);
  throw parsed.error;
}

/** Whether a newer program sent the queue message. The consumer then leaves the message for that program. */
export function isNewerMessage(body: unknown, known = 1): boolean {
  const v = body !== null && typeof body === "object" && "v" in body ? body.v : undefined;
  return typeof v === "number" && Number.isInteger(v) && v > known;
}

type Issue = z.core.$ZodIssue;

/** The highest `v` that the schema accepts; null when `v` was not the problem. */
function knownVersion(issues: Issue[]): number | null {
  const known = issues.flatMap((issue): number[] => {
    if (issue.code === "invalid_union" && issue.path.length === 0) {
      return issue.errors.flatMap((branch) => knownVersion(branch) ?? []);
    }
    if (issue.path.length !== 1 || issue.path[0] !== "v") return [];
    if (issue.code === "invalid_value") return issue.values.filter((value) => typeof value === "number");
    if (issue.code === "invalid_union") return issue.errors.flatMap((branch) => branch.flatMap(listLiterals));
    return [];
  });
  return known.length === 0 ? null : Math.max(...known);
}

function listLiterals(issue: Issue): number[] {
  return issue.code === "invalid_value" ? issue.values.filter((value) => typeof value === "number") : [];
}
