// Runs: work for a program that starts it, looks at it later and may stop, steer or approve it. A run is one turn of a session. The
// forms of /v1/runs, and what a Session says of one of its turns.
import * as z from "zod";
import { AskedQuestion, TurnState, TurnStats, WaitKind } from "./entry.ts";
import { SessionId, TurnId } from "./ids.ts";
import { NotReplayable } from "./learning/experiment.ts";
import { GivenImage } from "./media/image.ts";

/** A ULID: runs sort by the time they were asked for. */
export const RunId = z.string().regex(/^[0-9A-HJKMNP-TV-Z]{26}$/, "a run id is a ULID");
export type RunId = z.infer<typeof RunId>;

/** Absent `session`: a new one begins, with the given title and learning. */
export const PostRun = z
  .strictObject({
    /** May be empty if there are images. */
    input: z.string(),
    images: z.array(GivenImage).min(1).max(100).optional(),
    session: SessionId.optional(),
    title: z.string().trim().min(1).max(200).optional(),
    learning: z.enum(["on", "off"]).optional(),
  })
  .refine(
    ({ session, title, learning }) => session === undefined || (title === undefined && learning === undefined),
    "title and learning are for a new session: leave out session, or leave them out",
  );
export type PostRun = z.infer<typeof PostRun>;

/**
 * `queued`: other turns of the session come first. `waiting`: for what `waiting` says. The other states are those of a turn.
 */
export const RunState = z.enum(["queued", "running", "waiting", "done", "failed", "stopped"]);
export type RunState = z.infer<typeof RunState>;

/** `text`: the question in words, with how a person answers it. `until`: the wait ends then at the latest. */
export const RunWait = z.object({
  for: WaitKind,
  id: z.string(),
  since: z.int(),
  until: z.int(),
  text: z.string(),
  /** `null`: the log has it no more. */
  question: AskedQuestion.nullable(),
});
export type RunWait = z.infer<typeof RunWait>;

export const RunInfo = z.object({
  run: RunId,
  session: SessionId,
  /** `null` until the session has accepted the message. */
  turn: TurnId.nullable(),
  state: RunState,
  /** Of an ended run: `answer`, or why there is no whole answer, as of a turn. */
  reason: z.string().optional(),
  waiting: RunWait.optional(),
  /** The model's last text; `null` while the run has not ended, and in listings. */
  answer: z.string().nullable(),
  /** What the harness says of the end, such as why the answer is missing or cut. */
  notice: z.string().optional(),
  /** Of an ended run, or of one that waits: what it used so far. */
  stats: TurnStats.nullable(),
  events: z.string(),
  createdAt: z.int(),
  startedAt: z.int().nullable(),
  endedAt: z.int().nullable(),
});
export type RunInfo = z.infer<typeof RunInfo>;

/** Newest first. */
export const RunList = z.object({ runs: z.array(RunInfo), next: z.string().optional() });

export const SteerRun = z.strictObject({ text: z.string(), images: z.array(GivenImage).min(1).max(100).optional() });

/** The message was accepted: it joins the run ahead of its next model call. */
export const SteeredRun = z.object({ run: RunId, turn: TurnId });

/** What a Session says of one of its turns. `answer` and `notice`: once it has ended. */
export interface TurnReport {
  state: TurnState;
  reason?: string;
  waiting?: RunWait;
  answer: string | null;
  notice: string | null;
  stats: TurnStats;
  startedAt: number | null;
  endedAt: number | null;
}

/** One turn of a session. A message that joined another turn is shown as that turn. */
export const TurnInfo = z.object({
  turn: TurnId,
  state: TurnState,
  /** Of an ended turn: `answer`, or why there is no whole answer. */
  end: z.string().optional(),
  waiting: RunWait.optional(),
  /** The model's last text; `null` while the turn has not ended. */
  answer: z.string().nullable(),
  /** What the harness says of the end, such as why the answer is missing or cut. */
  notice: z.string().optional(),
  stats: TurnStats,
  startedAt: z.int().nullable(),
  endedAt: z.int().nullable(),
  /** Whether an experiment can run the turn again. If not, `reason` and `why` say so: a code, and a sentence for a person. */
  replayable: z.boolean(),
  reason: NotReplayable.optional(),
  why: z.string().optional(),
});
export type TurnInfo = z.infer<typeof TurnInfo>;

/** A run as the Account keeps it. `state`: `open` until it is known to have ended. */
export interface RunRow {
  run: RunId;
  session: SessionId;
  turn: number | null;
  state: "open" | "done" | "failed" | "stopped";
  at: number;
}
