// How failures travel. Expected ones are a Result the caller must look at; bugs are an AssertionError. Pure.

import type * as z from "zod";

export type Result<T, F extends Failure = Failure> = { ok: true; value: T } | { ok: false; failure: F };

/** `code` is for programs, `message` one sentence for a person or a model: what is wrong and what to do next. */
export interface Failure {
  code: string;
  message: string;
  /** Facts that go with the code: a neighbour's name, the places of several matches. */
  facts?: Record<string, unknown>;
}

export function ok<T>(value: T): { ok: true; value: T } {
  return { ok: true, value };
}

export function err(code: string, message: string, facts?: Record<string, unknown>): { ok: false; failure: Failure } {
  return { ok: false, failure: facts ? { code, message, facts } : { code, message } };
}

/** A bug in our own code: never caught to go on, only to record where it happened. */
export class AssertionError extends Error {
  override name = "AssertionError";
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionError(message);
}

export type DeletedCode = "profile_gone" | "session_not_found" | "skill_deleted" | "purged";

/** A store refused a write because a person deleted what it belongs to. Trying again cannot help. */
export class DeletedError extends Error {
  override name = "DeletedError";
  readonly code: DeletedCode;
  constructor(code: DeletedCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** A newer version of the program wrote this: it is read and written by none that is older. */
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

/** The sentence of a StateNewerError, which a call between objects brings as a plain error; null for any other. */
export function newerStateOf(thrown: unknown): string | null {
  const found = /(?:^|\b)state_newer: (.*)$/s.exec(messageOf(thrown));
  return found ? found[1]! : null;
}

/** One readable line of whatever was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

// ---- versions of stored records ----
// Records carry `v`, and readers accept every version up to their own: one that fails for its `v` is of a newer program.

/** Throws `StateNewerError` when a record did not parse because of its `v`. `what` begins the sentence. */
export function assertKnownVersion(what: string, raw: unknown, error: z.ZodError): void {
  const v = raw !== null && typeof raw === "object" && "v" in raw ? raw.v : undefined;
  if (typeof v !== "number" || !Number.isInteger(v) || v < 1) return;
  const known = knownVersion(error.issues);
  if (known !== null && v > known) throw new StateNewerError(what, v, known);
}

/** Of a queue's message, which is then left for a newer program. */
export function isNewerMessage(body: unknown, known = 1): boolean {
  const v = body !== null && typeof body === "object" && "v" in body ? body.v : undefined;
  return typeof v === "number" && Number.isInteger(v) && v > known;
}

type Issue = z.core.$ZodIssue;

/** The highest `v` that a schema would have taken; null when nothing was wrong with `v`. */
function knownVersion(issues: Issue[]): number | null {
  const known = issues.flatMap((issue): number[] => {
    if (issue.code === "invalid_union" && issue.path.length === 0) {
      return issue.errors.flatMap((branch) => knownVersion(branch) ?? []);
    }
    if (issue.path.length !== 1 || issue.path[0] !== "v") return [];
    if (issue.code === "invalid_value") return issue.values.filter((value) => typeof value === "number");
    if (issue.code === "invalid_union") return issue.errors.flatMap((branch) => branch.flatMap(literalsOf));
    return [];
  });
  return known.length === 0 ? null : Math.max(...known);
}

function literalsOf(issue: Issue): number[] {
  return issue.code === "invalid_value" ? issue.values.filter((value) => typeof value === "number") : [];
}
