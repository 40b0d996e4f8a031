// Turns the log into the messages that a model reads. Called at the start of a turn. The same entries always give the same
// bytes, so that the provider's cache hits. Reads only the rows that are sent, however long the log is. Must never leave a
// call without a result.
import { applyCompaction, inForce } from "../../agent/compaction/compaction.ts";
import type { Message } from "../../agent/contract.ts";
import { fail, renderForModel } from "../../agent/tool-result.ts";
import { assert } from "../../errors.ts";
import { escapeTags } from "../../prompt-block.ts";
import { type AssistantEntry, type CompactionEntry, type Entry, type ToolEntry, textOf } from "../../schemas/entry.ts";
import type { EngineContext } from "../context.ts";
import type { TurnRow } from "../log-turns.ts";
import type { Log } from "../log.ts";
import { isSilent } from "./notices.ts";
import { withoutCommands } from "../turn/commands/without-commands.ts";
import { toSteerMessage, toUserMessage } from "../turn/journal/steer.ts";

/** Stored under the meta key `compaction`; written with each compaction and each failed attempt. */
export interface CompactionState {
  v: 1;
  /** Oldest first: the compactions in force when the turn of the newest one began, and all of that turn. */
  entries: Pick<CompactionEntry, "n" | "method">[];
  /** Failed attempts in a row. No automatic attempt is made before `retryAt`. */
  failures: number;
  retryAt: number;
  /** Compactions in a row that saved next to nothing. The next automatic one waits for `resumeAtTokens`. */
  weak: number;
  resumeAtTokens: number;
}

const NO_COMPACTION: CompactionState = { v: 1, entries: [], failures: 0, retryAt: 0, weak: 0, resumeAtTokens: 0 };

export function compactionState(log: Log): CompactionState {
  return log.meta<CompactionState>("compaction") ?? NO_COMPACTION;
}

/** The compactions that were in force when an entry was written, oldest first. */
export function compactionsBefore(log: Log, entry: number): CompactionEntry[] {
  return inForce(compactionState(log).entries.filter(({ n }) => n < entry)).map(({ n }) => readCompaction(log, n));
}

export function readCompaction(log: Log, n: number): CompactionEntry {
  const entry = log.entry(n);
  assert(entry?.kind === "compaction", `entry ${n} is not a compaction`);
  return entry;
}

/** The messages of a turn's first request: the earlier conversation, the input, and the notes after the input. */
export function readHistory({ log }: Pick<EngineContext, "log">, turn: Pick<TurnRow, "input">): Message[] {
  const chain = compactionsBefore(log, turn.input!);
  const messages = toMessages(shownEntries(log, turn.input!, chain));
  return chain.reduce((done, compaction, i) => applyCompaction(done, chain.slice(0, i), compaction), messages);
}

/** The entries up to an input and the notes after it that a model reads, before compactions are applied. */
export function shownEntries(log: Log, input: number, chain = compactionsBefore(log, input)): Entry[] {
  const newest = chain.at(-1);
  const entries = newest
    ? [
        ...(newest.head > 0 ? log.entries(1, newest.head) : []),
        ...(newest.method === "prune" ? [] : newest.kept.map((n) => log.entry(n)!)),
        ...log.entries(newest.tail, input),
      ]
    : log.entries(1, input);
  return withoutCommands([...entries, ...notesAfter(log, input)], log);
}

/** Notes follow the input directly. Only silent notices of a resumed turn may stand between them. */
function notesAfter(log: Log, input: number): Entry[] {
  const notes: Entry[] = [];
  for (let n = input + 1; ; n++) {
    const entry = log.entry(n);
    if (entry?.kind === "note") notes.push(entry);
    else if (entry?.kind !== "notice" || !isSilent(entry)) return notes;
  }
}

/**
 * Messages of entries in the log's order. A call whose turn ended before it had a result gets a result that says so:
 * every provider refuses a transcript with an open call.
 */
export function toMessages(entries: Entry[]): Message[] {
  const messages: Message[] = [];
  let open: { entry: AssistantEntry; results: Map<string, ToolEntry> } | null = null;

  const close = () => {
    if (!open) return;
    for (const call of open.entry.answer.calls) {
      const entry = open.results.get(call.id);
      const result =
        entry?.state === "done" ? entry : fail("turn_ended", "The turn ended before this call had a result.");
      messages.push({
        role: "tool",
        call: call.id,
        name: call.name,
        text: renderForModel(result.parts),
        failed: result.failed,
        entry: entry?.n ?? open.entry.n,
      });
    }
    open = null;
  };

  for (const entry of entries) {
    if (entry.kind === "tool") {
      open?.results.set(entry.call.id, entry);
      continue;
    }
    // A silent notice may stand between a call and its result. Compactions are applied later, to the messages.
    if (entry.kind === "compaction" || (entry.kind === "notice" && isSilent(entry))) continue;
    close();
    if (entry.kind === "assistant") {
      const { calls, native } = entry.answer;
      messages.push({ role: "assistant", text: textOf(entry), calls, native, entry: entry.n });
      open = { entry, results: new Map() };
    } else if (entry.kind === "user") {
      messages.push(entry.steer ? toSteerMessage(entry) : toUserMessage(entry, textOf(entry)));
    } else if (entry.kind === "note" && entry.skills && entry.code === "skills") {
      messages.push({ role: "user", text: textOf(entry), entry: entry.n });
    } else if (entry.kind === "note") {
      messages.push({ role: "user", text: `<note>\n${escapeTags(textOf(entry), "note")}\n</note>`, entry: entry.n });
    } else {
      messages.push({ role: "assistant", text: `[${textOf(entry)}]`, calls: [], entry: entry.n });
    }
  }
  close();
  return messages;
}
