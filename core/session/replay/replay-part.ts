// What the engine of a session asks of the replay that it carries out. Made by replay-engine.ts. Types only.
import type { Admission, GatedCall, Serving, ToolResult } from "../../agent/contract.ts";
import type { Failure } from "../../errors.ts";
import type { NoticeEntry } from "../../schemas/entry.ts";
import type { JobRow } from "../jobs.ts";

/** A session with this part runs one turn of another session again, and leaves nothing but a report. */
export interface ReplayPart {
  /** Nothing is changed: the turn must come out as it was recorded. */
  isExact: boolean;
  /** The last entry that was copied before the turn was driven. */
  placedTo(): number;
  /** The recorded notice of this number, if it is to be copied; `null`: the turn writes its own entry. */
  noticeAt(n: number): NoticeEntry | null;
  /** Of entry `n`, which is to be written: whether the recorded turn did not try to shorten its conversation there; `null`: nobody has to know. */
  staysWhole(n: number): boolean | null;
  /** Whether a person watched, so that a looping turn went on: its entry `n` was not its closing answer. `null`: nobody has to know. */
  isWatched(n: number): boolean | null;
  /** Whether the recorded call of entry `n` was cut off and ran again, and gave another result than this one. */
  ranAgain(n: number, result: ToolResult): boolean;
  serving: Serving;
  /** For one attempt at the turn: decides on calls whose gate asks. */
  openAdmission(): (request: GatedCall) => Promise<Admission>;
  /** Why no model may be asked any more. */
  findRefusal(): Failure | null;
  /** Carries out the job `copy`: pulls what is missing from the source, then begins the turn. */
  copy(row: JobRow): Promise<void>;
  /** Carries out the job `replayed`. */
  report(row: JobRow): Promise<void>;
}
