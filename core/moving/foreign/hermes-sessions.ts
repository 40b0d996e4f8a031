// Makes conversations of the rows of Hermes's state.db. The rows may hold anything. Pure.
import { isObject } from "../../unknown-object.ts";
import type { ForeignConversation, MoveNote } from "./foreign-home.ts";
import { toText } from "./read-text.ts";
import { type Call, type RawMessage, toCall, toConversation, toPlainText } from "./transcripts.ts";

export type HermesRow = Readonly<Record<string, unknown>>;

/** Rows of the tables `sessions` and `messages`, as they are. */
export interface HermesRows {
  /** Oldest first. */
  sessions(): Iterable<HermesRow>;
  /** Of one session, in order. */
  messages(session: string): Iterable<HermesRow>;
}

/** Sources of sessions that worked for others: what they found is in those. */
const INNER = ["subagent", "tool"];
/** Before content that is no text: the rest is JSON. */
const JSON_PREFIX = "\u0000json:";

export function* readHermesConversations(
  rows: HermesRows,
  note: (note: MoveNote) => void,
): Generator<ForeignConversation> {
  let inner = 0;
  for (const session of rows.sessions()) {
    const id = toText(session.id);
    if (id === "") continue;
    if (INNER.includes(toText(session.source))) {
      inner += 1;
      continue;
    }
    const model = toText(session.model);
    const kept = withoutCopies([...rows.messages(id)].filter(isThere));
    const messages = kept.flatMap((row) => toMessage(row, model) ?? []);
    const title = toText(session.title);
    const conversation = toConversation({ id, title, createdAt: toMs(session.started_at), messages }, note);
    if (conversation) yield conversation;
  }
  if (inner > 0) {
    note({
      kind: "left_out",
      what: `${inner} conversations of agents with agents`,
      why: "their results are in the conversations that began them",
    });
  }
}

/** A message that was taken back is neither active nor compacted. */
function isThere({ active, compacted }: HermesRow): boolean {
  return active === undefined || active === null || Number(active) !== 0 || Number(compacted) === 1;
}

/** [hermes] Seconds: rows of one compaction are a microsecond apart, others at least a write to the disk. */
const AT_ONCE = 5e-6;

/** A compaction keeps every message as compacted and writes those that stay in view a second time: these are left out. */
function withoutCopies(rows: HermesRow[]): HermesRow[] {
  if (!rows.some(({ compacted }) => Number(compacted) === 1)) return rows;
  const times = new Map<string, Set<unknown>>();
  return rows.filter((row, at) => {
    const { role, content, tool_call_id: callId, tool_calls: calls, timestamp } = row;
    const key = JSON.stringify([role, content, callId, calls]);
    const before = times.get(key);
    if (!before) times.set(key, new Set([timestamp]));
    if (!before || before.has(timestamp)) return !before;
    before.add(timestamp);
    return ![rows[at - 1], rows[at + 1]].some(
      (other) => other && Math.abs(Number(other.timestamp) - Number(timestamp)) < AT_ONCE,
    );
  });
}

/** `null`: it is no message of the conversation. */
function toMessage(row: HermesRow, model: string): RawMessage | null {
  const { role } = row;
  if (role !== "user" && role !== "assistant" && role !== "tool") return null;
  const [text, at] = [toContent(row.content), toMs(row.timestamp)];
  if (role === "user") return { role, text, at };
  if (role === "tool") return { role, text, at, callId: toText(row.tool_call_id), name: toText(row.tool_name) };
  const calls = readCalls(row.tool_calls);
  return { role, text, at, model, ...(calls.length > 0 && { calls }) };
}

function toContent(content: unknown): string {
  const text = toText(content);
  if (!text.startsWith(JSON_PREFIX)) return text;
  try {
    return toPlainText(JSON.parse(text.slice(JSON_PREFIX.length)));
  } catch {
    return text.slice(JSON_PREFIX.length);
  }
}

function readCalls(json: unknown): Call[] {
  let list: unknown;
  try {
    list = JSON.parse(toText(json) || "[]");
  } catch {
    return [];
  }
  if (!Array.isArray(list)) return [];
  return list.flatMap((call: unknown) => {
    if (!isObject(call)) return [];
    const named = isObject(call.function) ? call.function : call;
    return toCall(call.id, named.name, named.arguments) ?? [];
  });
}

/** Seconds since 1970 with fractions. */
function toMs(seconds: unknown): number | null {
  const ms = typeof seconds === "number" ? Math.round(seconds * 1_000) : Number.NaN;
  return Number.isSafeInteger(ms) && ms >= 0 && ms < 2 ** 48 ? ms : null;
}
