// Sends the messages of finished turns to the profile's message index, once and in the order of turns. The end of a turn plans it; the
// outbox carries it out. An observed turn needs no job of its own: the job that observes it sends its messages as well. The log stays
// the original. See docs/decisions/0061.
import { renderParts } from "../agent/tool-result.ts";
import { redactText } from "../redact.ts";
import type { ArchivedMessage } from "../schemas/archived-message.ts";
import { type Entry, messageOf, spokenParts } from "../schemas/entry.ts";
import { withTimeout } from "../timeout.ts";
import { MAX_INDEXED_CHARS } from "../archive/messages/message-words.ts";
import { yearOf } from "../archive/messages/years.ts";
import type { EngineContext } from "./context.ts";
import type { Job, JobRow } from "./jobs.ts";
import { readTurnEntries } from "./learning/observations.ts";
import type { TurnRow } from "./log-turns.ts";

export type IndexRow = JobRow & { job: Extract<Job, { kind: "index" }> };

const INDEX_MS = 45_000;
/** Its results are messages of other sessions, which are in the index already and must leave it with their sessions. */
const SEARCH = "session_search";
/** Turns that one attempt of a job sends. Only turns from before the index existed are more than one. */
const TURNS_AN_ATTEMPT = 20;
/** [own] Characters of all tool results of a turn. With the texts of 500 steps it stays below the 32 MiB of a call [cf]. */
const MAX_RESULT_CHARS = 4_000_000;

/**
 * Call inside the transaction that ends a turn. `isObserved`: the job that observes the turn sends its messages. The first turn that ends
 * in a session of an earlier version also plans the turns before it.
 */
export function planIndexing(context: EngineContext, turn: number, isObserved: boolean): void {
  const { host } = context;
  if (!host.messages) return;
  const due = host.clock.now() + host.settings.turn.leaseMs; // the outbox is drained right after; this matters if the object dies first
  if (!context.meta().indexed) {
    context.markIndexed();
    if (turn > 1) putIndexJob(context, { from: 1, to: turn - 1, due });
  }
  if (!isObserved) putIndexJob(context, { from: turn, to: turn, due });
}

/** The turns of a branch that were copied are found in it too. Call inside the transaction that makes it. */
export function indexInherited(context: EngineContext, to: number): void {
  const { host } = context;
  if (host.messages) putIndexJob(context, { from: 1, to, due: host.clock.now() });
}

/** Sends an observed turn. False: it needs a job of its own, because an earlier turn waits or the index failed. Never rejects. */
export async function indexObservedTurn(context: EngineContext, turn: TurnRow): Promise<boolean> {
  const { host } = context;
  if (!host.messages) return true;
  const waiting = indexRows(context).filter(({ job }) => job.from <= turn.n);
  if (waiting.some(({ job }) => job.to >= turn.n)) return true; // that job sends it
  if (waiting.length > 0) return false;
  try {
    await sendTurn(context, turn);
    return true;
  } catch (error) {
    host.report(`messages of turn ${turn.n}`, error);
    return false;
  }
}

/** The messages of a turn could not be sent by the job that observed it. Call inside the transaction that ends that job. */
export function indexLater(context: EngineContext, turn: number): void {
  const { host } = context;
  if (host.messages) putIndexJob(context, { from: turn, to: turn, due: host.clock.now() });
}

/** Carries out a job. The index ignores a turn that it has, so a repetition does no harm. */
export async function carryIndexing(context: EngineContext, row: IndexRow): Promise<void> {
  const { log, jobs } = context;
  const { from, to } = row.job;
  const end = Math.min(from + TURNS_AN_ATTEMPT, to + 1);
  let next = from;
  try {
    for (; next < end; next++) {
      const turn = log.turn(next);
      if (turn) await sendTurn(context, turn);
    }
  } finally {
    // After a failure the job begins with the turn that failed, so that this one is given up and no other.
    if (next > from && jobs.get(row.id)) advance(context, row, next); // no row: another attempt was quicker
  }
}

/** Gives up the first turn of a job, which stays in the log alone, and continues after it. */
export function giveUpIndexing(context: EngineContext, row: IndexRow): void {
  context.host.report(`job ${row.id}`, `given up: the messages of turn ${row.job.from} are not found by searches`);
  advance(context, row, row.job.from + 1);
}

/** In the order of their turns. */
export function indexRows({ jobs }: Pick<EngineContext, "jobs">): IndexRow[] {
  const rows = jobs.all().flatMap((row) => (row.job.kind === "index" ? [{ ...row, job: row.job }] : []));
  return rows.toSorted((a, b) => a.job.from - b.job.from);
}

/** Reads the job again, because a turn that ended during the attempt may have joined it. */
function advance({ host, jobs }: EngineContext, { id }: IndexRow, next: number): void {
  const { job } = jobs.get(id) as IndexRow;
  const from = Math.max(job.from, next);
  if (from > job.to) jobs.delete(id);
  else jobs.put(id, host.clock.now(), { ...job, from });
}

/** A turn joins the job of the turn before it, so that an index which is out of reach for long leaves one row, not hundreds. */
function putIndexJob(context: EngineContext, { from, to, due }: { from: number; to: number; due: number }): void {
  const { jobs } = context;
  const before = indexRows(context).find(({ job }) => job.to === from - 1);
  if (before) jobs.put(before.id, before.due, { ...before.job, to }, before.tries);
  else jobs.put(`index:${to}`, due, { kind: "index", from, to });
}

async function sendTurn(context: EngineContext, turn: TurnRow): Promise<void> {
  const { host } = context;
  const messages = toMessages(readTurnEntries(context, turn));
  if (messages.length === 0) return;
  const { title, indexYear, branchedFrom: [origin] = [], createdAt } = context.meta();
  // A branch has no messages in the index of years before its own.
  const endedAt = Math.max(turn.endedAt ?? messages.at(-1)!.at, origin ? createdAt : 0);
  const named = { ...(title !== "" && { title }), ...(origin && { origin: origin.session }) };
  const archived = { session: host.session, turn: turn.n, messages, endedAt, ...named };
  const put = (to: number | null) => withTimeout(host.messages!.put(archived, to), INDEX_MS, host.clock);
  const elsewhere = await put(indexYear === yearOf(endedAt) ? indexYear : null);
  if (elsewhere === null) return;
  // Asked once a year: the first part has noted by now that this year has a part.
  context.setIndexYear(elsewhere);
  await put(elsewhere);
}

/** What people and the model said, and what tools returned. Secrets are redacted, because other sessions will read the texts. */
export function toMessages(entries: Entry[]): ArchivedMessage[] {
  const results = entries.filter((entry) => entry.kind === "tool" && entry.state === "done").length;
  const ofResult = Math.min(MAX_INDEXED_CHARS, Math.floor(MAX_RESULT_CHARS / Math.max(1, results)));
  return entries.flatMap((entry) => {
    const { n, at } = entry;
    switch (entry.kind) {
      case "user":
      case "assistant": {
        // Searches show what a `user` said as the person's words, and the task of a delegated session is a model's.
        const isPerson = entry.kind === "user" && spokenParts(entry).every(({ source }) => source === "principal");
        const role = isPerson ? "user" : "assistant";
        return toMessage({ n, at, role, text: cut(messageOf(entry), MAX_INDEXED_CHARS) });
      }
      case "tool":
        if (entry.state === "open" || entry.call.name === SEARCH) return [];
        return toMessage({
          ...{ n, at, role: entry.kind, speaker: entry.call.name },
          text: cut(renderParts(entry.parts), ofResult),
        });
      case "note":
      case "notice":
      case "compaction":
        return [];
    }
  });
}

function toMessage(message: ArchivedMessage): ArchivedMessage[] {
  return message.text.trim() === "" ? [] : [message];
}

/** Redacted before it is cut, because half a secret is not recognised. */
function cut(text: string, chars: number): string {
  return redactText(text).slice(0, chars).toWellFormed();
}
