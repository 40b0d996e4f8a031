// The recording of a turn that is run again: what its calls gave, what a person decided, what the harness noted. Read from the table
// `recorded` once for each life of the object. Used by replay-engine.ts. See docs/decisions/0116.
import type { Admission, GatedCall, Serve, ServedCall, Serving, Tool, ToolResult } from "../../agent/contract.ts";
import { toGuardedCall } from "../../agent/guardrails.ts";
import { fail } from "../../agent/tool-result.ts";
import { wasDenied } from "../../learning/tool-facts.ts";
import type { Sql } from "../../ports.ts";
import { CLOSING_CODES, Entry, type NoticeEntry, type ToolCall, type ToolEntry, textOf } from "../../schemas/entry.ts";
import { isSilent } from "../prompt/notices.ts";
import { TOO_LONG } from "../turn/journal/too-long.ts";

export interface Recording {
  /** Calls of these tools run; all others are answered. */
  serving: Serving;
  openAdmission(isAllowed: (gate: GatedCall["gate"]) => Promise<boolean>): (request: GatedCall) => Promise<Admission>;
  noticeAt(n: number): NoticeEntry | null;
  staysWhole(n: number): boolean | null;
  isWatched(n: number): boolean | null;
  ranAgain(n: number, result: ToolResult): boolean;
  /** Entries of the turn itself, in order, its input first. */
  ofTurn(): Entry[];
}

export interface RecordingOptions {
  sql: Sql;
  turn: number;
  /** Nothing is changed: numbers, costs and the library are the recorded ones. */
  isExact: boolean;
  /** Notes the first call that nobody has recorded. */
  noteLeft(call: ToolCall): void;
  /** Puts the files that a result names into the workspace. */
  putFiles(result: ToolResult): void;
}

/** The code of a call that is not made in a repetition. */
export const NOT_IN_REPLAY = "not_in_replay";

const LIBRARY_TOOLS = new Set(["skills_list", "skill_view"]);

const LEFT = fail(
  "left_recording",
  "This work is being repeated, and nobody has recorded what this call gives. The run ends here.",
);
const REFUSED = fail(
  NOT_IN_REPLAY,
  "This work is being repeated, and nothing outside its workspace is done in a repetition. Go on without this call.",
);

export function openRecording(options: RecordingOptions): Recording {
  const { sql, turn, isExact } = options;
  let loaded: Loaded | null = null;
  const load = () => (loaded ??= readRecorded(sql, turn));
  const covers = (tool: Tool) => !tool.staysInside || (isExact && LIBRARY_TOOLS.has(tool.name));

  function open(): Serve {
    const next = createCounter();
    return (call, tool) => {
      if (!covers(tool)) return null;
      const found = pick(load(), call, next);
      if (found) return toServed(found, options);
      // Code may read a skill; only what the model itself read is recorded.
      if (tool.staysInside) return null;
      return { prepared: {}, take: () => refuse(call, tool, options) };
    };
  }

  return {
    serving: { covers, open },
    openAdmission(isAllowed) {
      const next = createCounter();
      return async ({ call, gate }) => {
        const found = pick(load(), call, next);
        if (found) return wasDenied(found) ? { state: "refused", result: toResult(found, isExact) } : { state: "run" };
        return (await isAllowed(gate)) ? { state: "run" } : { state: "refused", result: REFUSED };
      };
    },
    noticeAt(n) {
      if (!isExact) return null;
      const { entries } = load();
      const entry = entries.get(n);
      return entry?.kind === "notice" && isEvent(entry, entries.get(n + 1)) ? entry : null;
    },
    staysWhole(n) {
      if (!isExact) return null;
      const entry = load().entries.get(n);
      return entry?.kind !== "compaction" && !(entry?.kind === "notice" && entry.code === "compaction_failed");
    },
    isWatched(n) {
      if (!isExact) return null;
      const entries = [...load().entries.values()].filter((entry) => entry.turn === turn);
      const [next] = entries.filter((entry) => entry.kind === "assistant" && entry.n >= n);
      const isLast = next === entries.findLast(({ kind }) => kind === "assistant");
      return !(isLast && entries.some((entry) => entry.kind === "notice" && isClosing(entry.code)));
    },
    ranAgain(n, { parts }) {
      const { entries } = load();
      const entry = entries.get(n);
      if (!isExact || entry?.kind !== "tool" || JSON.stringify(entry.parts) === JSON.stringify(parts)) return false;
      const isCutOff = (other: Entry) => isResumed(other) && other.n > n && other.at <= entry.at;
      return [...entries.values()].some(isCutOff);
    },
    ofTurn: () => [...load().entries.values()],
  };
}

/**
 * A notice that the turn does not write again by itself. Of a failed summary and of a conversation that was too long, it does, unless it was cut
 * off before it had shortened that. `next`: the recorded entry after it.
 */
export function isEvent(notice: NoticeEntry, next: Entry | undefined): boolean {
  if (!isSilent(notice) || notice.code === "compaction_failed") return false;
  const isTooLong = notice.code === "model_retried" && textOf(notice) === TOO_LONG;
  return !isTooLong || (next !== undefined && isResumed(next));
}

function isResumed(entry: Entry): boolean {
  return entry.kind === "notice" && entry.code === "resumed";
}

function isClosing(code: string): boolean {
  return (CLOSING_CODES as readonly string[]).includes(code);
}

interface Loaded {
  /** Of the turn, by number. Those of other turns that were written meanwhile are among them. */
  entries: Map<number, Entry>;
  /** Finished calls by signature: those of the turn, and those of other turns. */
  own: Map<string, ToolEntry[]>;
  others: Map<string, ToolEntry[]>;
}

function readRecorded(sql: Sql, turn: number): Loaded {
  const entries = new Map<number, Entry>();
  const calls: ToolEntry[] = [];
  const rows = sql.run<{ body: string }>("SELECT body FROM recorded ORDER BY n").map(({ body }) => body);
  const all = rows.map((body) => Entry.parse(JSON.parse(body)));
  const own = all.filter((entry) => entry.turn === turn);
  const [first, last] = [own[0]?.n ?? 0, own.findLast(({ kind }) => kind !== "notice")?.n ?? 0];
  for (const entry of all) {
    if (entry.n >= first && (entry.n <= last || entry.turn === turn)) entries.set(entry.n, entry);
    if (entry.kind === "tool" && entry.state === "done") calls.push(entry);
  }
  return {
    entries,
    own: bySignature(calls.filter((call) => call.turn === turn)),
    others: bySignature(calls.filter((call) => call.turn !== turn)),
  };
}

function bySignature(calls: ToolEntry[]): Map<string, ToolEntry[]> {
  const grouped = new Map<string, ToolEntry[]>();
  for (const entry of calls) {
    const { signature } = toGuardedCall(entry.call, undefined);
    grouped.set(signature, [...(grouped.get(signature) ?? []), entry]);
  }
  return grouped;
}

type Counter = (signature: string) => number;

function createCounter(): Counter {
  const counts = new Map<string, number>();
  return (signature) => {
    const count = counts.get(signature) ?? 0;
    counts.set(signature, count + 1);
    return count;
  };
}

/** In the recorded order; after the last one, the last one again. */
function pick({ own, others }: Loaded, call: ToolCall, next: Counter): ToolEntry | null {
  const { signature } = toGuardedCall(call, undefined);
  const recorded = own.get(signature) ?? others.get(signature);
  return recorded ? recorded[Math.min(next(signature), recorded.length - 1)]! : null;
}

function toServed(entry: ToolEntry, { isExact, putFiles }: RecordingOptions): ServedCall {
  return {
    prepared: entry.prepared,
    take() {
      const result = toResult(entry, isExact);
      putFiles(result);
      return result;
    },
  };
}

/** What the call spent was paid once. It is kept where the entry must be the recorded one. */
function toResult({ failed, parts, print, spent, delegated }: ToolEntry, isExact: boolean): ToolResult {
  const paid = isExact && { ...(spent && { spent }), ...(delegated && { delegated }) };
  return { failed, parts, ...(print && { print }), ...paid };
}

function refuse(call: ToolCall, tool: Tool, { noteLeft }: RecordingOptions): ToolResult {
  if (tool.effect !== "read") return REFUSED;
  noteLeft(call);
  return LEFT;
}
