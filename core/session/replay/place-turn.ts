// Fills a replay with what its source gives, page by page, and then begins the turn: its input, the notes that its model was told, and its row,
// in one transaction. Each page is a transaction, and what is there says what is needed next. Called by replay-engine.ts.
import type { ReplayOrder } from "../../experiments/ports.ts";
import { assert } from "../../errors.ts";
import { type Entry, NO_STATS } from "../../schemas/entry.ts";
import type { Sha256 } from "../../schemas/ids.ts";
import type { SessionChoice } from "../../schemas/sessions/session-choice.ts";
import type { ReplayBeginPage, ReplayNeed, ReplayPage } from "../../schemas/sessions/replay.ts";
import { joinPath } from "../../workspace/workspace-path.ts";
import { findMissing, insertRow, putRows } from "../branch/take-branch.ts";
import { putGuidance } from "../client/guidance.ts";
import type { EngineContext, SessionMeta } from "../context.ts";
import { TurnDetails, type TurnRow } from "../log-turns.ts";
import { type CompactionState, compactionState } from "../prompt/history.ts";
import { isEvent } from "./recording.ts";
import { renewLease } from "../turn/lease.ts";
import { type ReplayCopy, changeState, dropCopy, putCopy, readCopy } from "./replay-state.ts";

/** What is still missing; `null`: nothing. */
export function findReplayNeed(context: EngineContext, order: ReplayOrder): ReplayNeed | null {
  const { log, host } = context;
  const copy = readCopy(log);
  if (!copy) return { stage: "begin" };
  const { input, recordedTo } = copy.replay;
  const files = host.sql.run<{ content: string }>("SELECT content FROM recorded_file");
  const wanted = {
    lastTurn: order.source.turn - 1,
    entry: input - 1,
    images: copy.images,
    contents: files.map(({ content }) => content),
  };
  const missing = findMissing(context, wanted);
  if (missing) return missing;
  const recorded = host.sql.run<{ n: number | null }>("SELECT max(n) AS n FROM recorded")[0]?.n ?? 0;
  return recorded < recordedTo ? { stage: "recording", after: recorded } : null;
}

/** One transaction. Rows that are there stay. */
export function takePage(context: EngineContext, page: ReplayPage): void {
  const { sql } = context.host;
  sql.transaction(() => {
    if (page.stage === "begin") putBegin(context, page as ReplayBeginPage);
    else if (page.stage === "recording") for (const row of page.rows) insertRow(sql, "recorded", row);
    else putRows(context, page);
  });
}

function putBegin({ log, host }: EngineContext, page: ReplayBeginPage): void {
  if (readCopy(log)) return;
  const { stage: _, nodes, replay, ...rest } = page;
  const { spilled, ...beginning } = replay;
  for (const node of nodes) insertRow(host.sql, "file_node", node);
  for (const { parent, name, writer, content } of spilled) {
    const path = joinPath(String(parent), String(name));
    insertRow(host.sql, "recorded_file", { path, writer: writer!, content: content! });
  }
  putCopy(log, { ...rest, replay: beginning });
}

/**
 * The session exists from here on, and its turn runs. `recorded`: the entries of the turn, its input first. `setShift`: moves the clock to the time
 * at which the turn began.
 */
export function placeTurn(
  context: EngineContext,
  { order, text, recorded }: { order: ReplayOrder; text: Sha256 | null; recorded: Entry[] },
  setShift: (shiftMs: number) => void,
): void {
  const { host, log, jobs } = context;
  const copy = readCopy(log);
  assert(copy, "a turn is placed when all was copied");
  const isExact = order.arm === "recorded";
  const [input, ...after] = recorded;
  assert(input?.kind === "user", "the recording begins with the input");
  const notes = selectNotes(after, order).map((entry, i): Entry =>
    isExact ? entry : { ...entry, n: input.n + 1 + i },
  );
  const startedAt = Number(copy.replay.turn.started_at ?? input.at);
  const shiftMs = startedAt - host.clock.now();
  setShift(shiftMs);
  host.sql.transaction(() => {
    log.forget(); // rows were written past its caches
    putMeta(context, order, copy);
    for (const entry of [input, ...notes]) log.put(entry);
    log.putTurn(toBegunTurn(order, { input: input.n, startedAt, choice: chosenIn(copy) }));
    const to = notes.at(-1)?.n ?? input.n;
    changeState(log, { text, placed: { input: input.n, to, shiftMs } });
    dropCopy(log);
    jobs.delete("copy");
    renewLease(context);
  });
}

/**
 * What follows the input before the model was asked. Nothing is left out of an exact run. Else the notices of what happened to that run are, and
 * the notes that would show the tested text, or what else has changed in the library.
 */
function selectNotes(after: Entry[], { arm, skill, source }: ReplayOrder): Entry[] {
  const end = after.findIndex(
    (entry, i) => !(entry.kind === "note" || (entry.kind === "notice" && isEvent(entry, after[i + 1]))),
  );
  const before = end < 0 ? after : after.slice(0, end);
  if (arm === "recorded") return before;
  return before.filter(
    (entry) =>
      entry.kind === "note" &&
      entry.turn === source.turn &&
      entry.code !== "news" &&
      entry.skills?.some((loaded) => loaded.skill === skill) !== true,
  );
}

function storedMeta({ replay }: ReplayCopy): SessionMeta {
  const row = replay.meta.find(({ key }) => key === "session");
  assert(row, "a session has its meta row");
  return JSON.parse(row.value) as SessionMeta;
}

function putMeta({ log }: EngineContext, order: ReplayOrder, copy: ReplayCopy): void {
  const isExact = order.arm === "recorded";
  const { todos, compactions, undone, guidance } = copy;
  const { goal: _g, branchedFrom: _b, indexed: _i, indexYear: _y, undone: _u, ...kept } = storedMeta(copy);
  const { delegated } = kept;
  const created: SessionMeta = {
    ...kept,
    budget: order.budget,
    ...(delegated && { delegated: { ...delegated, budget: order.budget } }),
    ...(undone.length > 0 && { undone }),
    // The tested text is shown although the session did not learn.
    ...(!isExact && { learning: "on" as const }),
  };
  log.setMeta("session", created);
  for (const { key, value } of copy.replay.meta) {
    if (key === "profile" || (key === "prompt" && isExact)) log.setMeta(key, JSON.parse(value));
  }
  if (todos.length > 0) log.setMeta("todo", { v: 1, items: todos });
  if (compactions.length > 0) {
    log.setMeta("compaction", { ...compactionState(log), entries: compactions } satisfies CompactionState);
  }
  if (guidance !== undefined) putGuidance(log, guidance);
}

/** What the person had chosen for the session when the turn began. */
function chosenIn({ replay }: ReplayCopy): SessionChoice | undefined {
  const { more } = replay.turn;
  return typeof more === "string" ? TurnDetails.parse(JSON.parse(more)).choice : undefined;
}

function toBegunTurn(
  { source, arm, skill }: ReplayOrder,
  { input, startedAt, choice }: { input: number; startedAt: number; choice: SessionChoice | undefined },
): TurnRow {
  const isLoaded = arm === "with" || arm === "parent";
  return {
    ...{ n: source.turn, state: "running", waiting: null, input, final: null, attempts: 1, stats: NO_STATS },
    ...{ startedAt, endedAt: null },
    more: { ...(choice && { choice }), ...(isLoaded && { skills: [skill] }) },
  };
}
