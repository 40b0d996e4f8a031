// The rows of a session made from a transcript of another program. Anyone may have written it, so every word is `content`, as in an archive
// that nobody has signed (foreign-rows.ts). Every call gets a result, and every turn an input, so that a model can go on from it. Pure.
import { type Entry, NO_STATS, NO_USAGE, type ToolCall } from "../../schemas/entry.ts";
import type { SessionId } from "../../schemas/ids.ts";
import { sha256Hex } from "../../schemas/learning/digest.ts";
import type { MovedSessionRow } from "../../schemas/moving/lines.ts";
import type {
  ForeignSession,
  PostTranscript,
  TranscriptMessage,
  TranscriptPlace,
} from "../../schemas/sessions/transcript.ts";
import type { SessionMeta } from "../context.ts";
import { SCHEMA_VERSION } from "../schema.ts";

const SIGNS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const TIME_SIGNS = 10;
const HASH_SIGNS = 16;

/** The same for the same conversation of the same program, and in order of time like any session's id. */
export function toTranscriptSession({ program, id }: ForeignSession, createdAt: number): SessionId {
  const time = Array.from(
    { length: TIME_SIGNS },
    (_, at) => SIGNS[Math.floor(createdAt / 32 ** (TIME_SIGNS - 1 - at)) % 32]!,
  );
  const hash = sha256Hex(JSON.stringify([program, id.toWellFormed()]));
  const tail = Array.from(
    { length: HASH_SIGNS },
    (_, at) => SIGNS[Number.parseInt(hash.slice(at * 2, at * 2 + 2), 16) % 32]!,
  );
  return [...time, ...tail].join("");
}

/** Fill what a transcript lacks. The way out leaves them out (core/moving/foreign/hermes-rows.ts). */
export const NO_INPUT = "(The transcript has no message before this.)";

/** The same. */
export const NO_RESULT = "(The transcript has no result of this call.)";

const NO_ANSWER = "(The transcript has no answer to this.)";

/** `now`: no time of the transcript is later. */
export function toTranscriptRows(
  { from, title, createdAt, messages, place = { turn: 0, entry: 0 } }: PostTranscript,
  now: number,
): { rows: MovedSessionRow[]; place: TranscriptPlace } {
  const meta: SessionMeta = {
    ...{ v: 1, learning: "off", title: title.toWellFormed(), createdAt: Math.min(createdAt, now), from },
  };
  const writer = createWriter(place, now);
  for (const message of messages) writer.take(message);
  const written = writer.end();
  const first: MovedSessionRow[] = [
    { table: "meta", row: { key: "schema", value: JSON.stringify(SCHEMA_VERSION) } },
    { table: "meta", row: { key: "session", value: JSON.stringify(meta) } },
  ];
  return { rows: [...first, ...written.rows], place: written.place };
}

type Body<E> = E extends Entry ? Omit<E, "v" | "n" | "turn" | "at" | "parts"> : never;

function createWriter(begin: TranscriptPlace, now: number) {
  const rows: MovedSessionRow[] = [];
  let { turn, entry } = begin;
  let open: { input: number; startedAt: number; endedAt: number; final: number | null; step: number } | null = null;
  /** Calls that have no result yet. */
  const calls = new Map<string, ToolCall>();

  function put(body: Body<Entry>, text: string, at: number): number {
    entry += 1;
    const parts = text === "" && body.kind === "assistant" ? [] : [{ source: "content" as const, text }];
    const whole = { ...body, v: 1, n: entry, turn, at, parts } as Entry;
    rows.push({ table: "entry", row: { n: entry, turn, body: JSON.stringify(whole) } });
    return entry;
  }

  function putResult(call: ToolCall, text: string, { at, failed }: { at: number; failed: boolean }): void {
    calls.delete(call.id);
    const step = open!.step;
    put({ kind: "tool", state: "done", call, step, failed, prepared: {} }, JSON.stringify({ output: text }), at);
  }

  function fillCalls(at: number): void {
    for (const call of [...calls.values()]) putResult(call, NO_RESULT, { at, failed: true });
  }

  function endTurn(): void {
    if (!open) return;
    fillCalls(open.endedAt);
    const { input, startedAt, endedAt } = open;
    const isAnswered = open.final !== null;
    // Every turn ends with an entry, as those that were stopped here do.
    const final = open.final ?? put({ kind: "notice", code: "imported" }, NO_ANSWER, endedAt);
    rows.push({
      table: "turn",
      row: {
        ...{ n: turn, state: isAnswered ? "done" : "stopped", waiting: null, input, final, attempts: 1 },
        ...{ stats: JSON.stringify(NO_STATS), started_at: startedAt, ended_at: endedAt },
        ...{ more: JSON.stringify({ reason: "imported" }), observed: null },
      },
    });
    open = null;
  }

  function beginTurn(text: string, at: number): NonNullable<typeof open> {
    endTurn();
    turn += 1;
    open = { input: put({ kind: "user" }, text, at), startedAt: at, endedAt: at, final: null, step: -1 };
    return open;
  }

  function putAnswer(text: string, made: ToolCall[], { at, model }: { at: number; model: string }): number {
    open!.step += 1;
    const stop = made.length > 0 ? ("tools" as const) : ("end" as const);
    return put({ kind: "assistant", answer: { calls: made, stop, usage: NO_USAGE, model } }, text, at);
  }

  return {
    take(message: TranscriptMessage): void {
      const at = Math.min(message.at, now);
      const text = message.text.toWellFormed();
      if (message.role === "user") {
        beginTurn(text, at);
        return;
      }
      const of = open ?? beginTurn(NO_INPUT, at);
      of.endedAt = Math.max(of.endedAt, at);
      if (message.role === "assistant") {
        fillCalls(at);
        const made = uniqueCalls(message.calls ?? []);
        const n = putAnswer(text, made, { at, model: message.model ?? "unknown" });
        of.final = made.length > 0 ? null : n;
        for (const call of made) calls.set(call.id, call);
        return;
      }
      const failed = message.failed === true;
      const known = message.callId === undefined ? undefined : calls.get(message.callId);
      if (known) return putResult(known, text, { at, failed });
      fillCalls(at);
      const call = { id: message.callId ?? `call_${entry + 1}`, name: message.name ?? "tool", args: {} };
      putAnswer("", [call], { at, model: message.model ?? "unknown" });
      of.final = null;
      putResult(call, text, { at, failed });
    },
    end(): { rows: MovedSessionRow[]; place: TranscriptPlace } {
      endTurn();
      return { rows, place: { turn, entry } };
    },
  };
}

function uniqueCalls(calls: NonNullable<TranscriptMessage["calls"]>): ToolCall[] {
  return [...new Map(calls.map((call) => [call.id, call])).values()];
}
