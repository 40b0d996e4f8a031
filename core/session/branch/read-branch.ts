// The session that is branched: says what is copied, and gives it page by page. Its log does not change up to a turn that has ended, and
// parts of files are named by their hash, so pages that are read at different times fit together. Called by the engine.
import { type Result, err, ok } from "../../errors.ts";
import { FIXED } from "../../limits.ts";
import { sha256Hex } from "../../schemas/learning/digest.ts";
import type { BranchNeed, BranchPage, BranchPlan } from "../../schemas/sessions/branch.ts";
import type { Origin } from "../../schemas/sessions/origin.ts";
import { guidanceText } from "../client/guidance.ts";
import type { EngineContext } from "../context.ts";
import { type TurnRow, isOpen } from "../log-turns.ts";
import { todosUpTo } from "../undo/todos-before.ts";
import { compactionsUpTo } from "../undo/undo.ts";
import { undoneTurns } from "../undo/undone.ts";

export interface BranchRequest {
  /** The last turn that is copied. Absent: the newest that has ended. */
  turn?: number | undefined;
  title?: string | undefined;
  /** `now`: the files as they are, not as they were after the turn. */
  files?: "then" | "now" | undefined;
  /** Idempotency key. */
  key?: string | undefined;
  /** The id and the time of a new branch. */
  session: string;
  at: number;
}

interface StoredBranch {
  asked: string;
  plan: BranchPlan;
}

const TURNS_A_PAGE = 1_000;
const ENTRIES_A_PAGE = 500;

/**
 * The same key gives the same plan. Failures: `turn_not_found`, `turn_not_ended`, `idempotency_conflict`, and `files_not_kept`: the
 * files can only be copied as they are now.
 */
export function planBranch(context: EngineContext, { key, session, at, ...asked }: BranchRequest): Result<BranchPlan> {
  const { host, log, storedMeta } = context;
  const name = key === undefined ? null : `branch:${sha256Hex(key)}`;
  const stored = name === null ? null : log.meta<StoredBranch>(name);
  const request = JSON.stringify([asked.turn, asked.title, asked.files]);
  if (stored && stored.asked !== request) {
    return err("idempotency_conflict", "This Idempotency-Key came with another body before. Use a new key.");
  }
  if (stored) return ok(stored.plan);
  const turn = findTurn(context, asked.turn);
  if (!turn.ok) return turn;
  const { n, final } = turn.value;
  const kept = asked.files === "now" ? ok(null) : checkpointAfter(context, n);
  if (!kept.ok) {
    const message = `The files as they were after turn ${n} are no longer kept. Name a later turn, or send "files":"now" for the present ones.`;
    return err("files_not_kept", message);
  }
  const { title, learning, backend, choice, tools, channel, branchedFrom = [] } = storedMeta();
  const plan: BranchPlan = {
    ...{ v: 1, session, createdAt: at, title: asked.title ?? title, learning },
    ...(backend && { backend }),
    ...(choice && { choice }),
    ...(tools && { tools }),
    ...(channel && { channel }),
    origins: originsUpTo(branchedFrom, { session: host.session, turn: n, entry: final! }),
    lastTurn: lastRow(context, n),
    ...(asked.files === "now" && { filesNow: true }),
  };
  if (name !== null) log.setMeta(name, { asked: request, plan } satisfies StoredBranch);
  return ok(plan);
}

/**
 * Of the files as they were after a turn, as `ofBeginning` names it. A branch has the files with which its own turns began, and none of the
 * turns before its last inherited one.
 */
function checkpointAfter({ workspace, storedMeta }: EngineContext, turn: number): Result<number | null> {
  const inherited = storedMeta().branchedFrom?.at(-1)?.turn ?? 0;
  if (turn < inherited) return err("checkpoint_not_found", `A branch has no files of turns before turn ${inherited}.`);
  return workspace.checkpoints.ofBeginning(turn + 1);
}

/**
 * Of turns up to the last one, which `own` names in the source. A source that is a branch itself gives nothing of its own up to its last
 * inherited turn, so the sessions before it stay named: searches and purges find the originals by them.
 */
function originsUpTo(inherited: Origin[], own: Origin): Origin[] {
  const whole = inherited.filter(({ turn }) => turn < own.turn);
  const holder = inherited[whole.length] ?? own;
  return [...whole, { ...own, session: holder.session }];
}

function findTurn({ log }: EngineContext, asked: number | undefined): Result<TurnRow> {
  let turn = asked === undefined ? log.lastTurn() : log.turn(asked);
  if (asked === undefined) while (turn && (isOpen(turn) || turn.state === "steered")) turn = log.turn(turn.n - 1);
  if (turn?.more.into !== undefined) turn = log.turn(turn.more.into);
  if (!turn) {
    return err("turn_not_found", asked === undefined ? "No turn has ended yet." : `This session has no turn ${asked}.`);
  }
  if (isOpen(turn) || turn.final === null) {
    return err("turn_not_ended", `Turn ${turn.n} has not ended. Try again when it has, or name an earlier one.`);
  }
  return ok(turn);
}

/** Rows of inputs that joined the turn, as long as they follow it directly: turns are numbered without a gap. */
function lastRow({ log }: EngineContext, n: number): number {
  let last = n;
  while (log.turn(last + 1)?.more.into === n) last++;
  return last;
}

/** Failure: `branch_outdated`, if a part of a file is gone. */
export function readBranch(context: EngineContext, plan: BranchPlan, need: BranchNeed): Result<BranchPage> {
  const { turn, entry } = plan.origins.at(-1)!;
  const { lastTurn, filesNow } = plan;
  return readRange(context, { turn, entry, lastTurn, ...(filesNow && { filesNow }) }, need);
}

/** What is copied: the session up to this turn and this entry, both 0 for nothing of it. `lastTurn`: see `BranchPlan`. */
export interface CopiedRange {
  turn: number;
  entry: number;
  lastTurn: number;
  filesNow?: true;
  /** The last entry whose images are copied. Absent: `entry`. */
  imagesTo?: number;
}

/** Failure: as `readBranch`. */
export function readRange(context: EngineContext, range: CopiedRange, need: BranchNeed): Result<BranchPage> {
  const { sql } = context.host;
  const { turn, entry } = range;
  switch (need.stage) {
    case "begin":
      return readBegin(context, range);
    case "turns": {
      const columns = "n, state, waiting, input, final, attempts, stats, started_at, ended_at, more";
      const query = `SELECT ${columns} FROM turn WHERE n > ? AND n <= ? ORDER BY n LIMIT ${TURNS_A_PAGE}`;
      return ok({ stage: "turns", rows: sql.run(query, need.after, range.lastTurn) });
    }
    case "entries": {
      const query = `SELECT n, octet_length(body) AS bytes FROM entry WHERE n > ? AND n <= ? ORDER BY n LIMIT ${ENTRIES_A_PAGE}`;
      const to = fit(sql.run<{ n: number; bytes: number }>(query, need.after, entry)).at(-1)?.n ?? need.after;
      const rows = "SELECT n, turn, body FROM entry WHERE n > ? AND n <= ? ORDER BY n";
      return ok({ stage: "entries", rows: sql.run(rows, need.after, to) });
    }
    case "parts": {
      const known = need.hashes.flatMap((hash) =>
        sql.run<{ hash: string; bytes: number }>(
          "SELECT hash, octet_length(data) AS bytes FROM file_part WHERE hash = ?",
          hash,
        ),
      );
      if (known.length < need.hashes.length) return outdated(turn);
      const parts = fit(known).map(({ hash }) => {
        const [row] = sql.run<{ data: Uint8Array | ArrayBuffer }>("SELECT data FROM file_part WHERE hash = ?", hash);
        return { hash, data: new Uint8Array(row!.data as ArrayBuffer) };
      });
      return ok({ stage: "parts", parts });
    }
    case "image": {
      const [row] = sql.run<Record<string, string | number | null>>(
        "SELECT * FROM image WHERE sha256 = ?",
        need.sha256,
      );
      return row ? ok({ stage: "image", row, data: [...context.images.parts(need.sha256)] }) : outdated(turn);
    }
    case "done":
      return outdated(turn);
  }
}

function outdated(turn: number): Result<never> {
  return err(
    "branch_outdated",
    `The files changed while turn ${turn} was branched. Send the request again with a new Idempotency-Key.`,
  );
}

/** As many as a call between objects should carry, but at least one. */
export function fit<Row extends { bytes: number }>(rows: Row[]): Row[] {
  let left: number = FIXED.pageBytes;
  return rows.filter((row, i) => (left -= row.bytes) >= 0 || i === 0);
}

function readBegin(context: EngineContext, range: CopiedRange): Result<BranchPage> {
  const { host, log, workspace, images } = context;
  const { turn, entry, filesNow, imagesTo = entry } = range;
  const kept = filesNow ? ok(null) : checkpointAfter(context, turn);
  if (!kept.ok) return outdated(turn);
  const undone = undoneTurns(log).filter(({ by }) => by <= turn);
  const guidance = guidanceText(log);
  const shown = host.sql.run<{ sha256: string }>(
    `SELECT DISTINCT json_extract(image.value, '$.sha256') AS sha256 FROM entry, json_each(entry.body, '$.images') AS image
      WHERE entry.n <= ?`,
    imagesTo,
  );
  return ok({
    stage: "begin",
    nodes: workspace.checkpoints.nodesAt(kept.value).map((node) => ({ ...node })),
    images: shown.map(({ sha256 }) => sha256).filter((sha256) => images.has(sha256)),
    todos: todosUpTo(log, entry),
    compactions: compactionsUpTo(host, entry, new Set(undone.map((one) => one.turn))),
    undone,
    ...(guidance !== "" && { guidance }),
  });
}
