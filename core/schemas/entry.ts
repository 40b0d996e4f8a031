// The session's log: what an entry is, and what leaves a session as events. Stored in SQLite, carried in review jobs,
// sent to readers. A change here is a change of a stored format: raise `v` and keep a reader for the old one.
import * as z from "zod";
import { Source } from "./ids.ts";

/** A piece of an entry with one origin. Tool parts hold a JSON object as text; the others hold plain text. */
export const Part = z.object({ source: Source, text: z.string() });
export type Part = z.infer<typeof Part>;

export const JsonObject = z.record(z.string(), z.unknown());
export type JsonObject = z.infer<typeof JsonObject>;

/** `args` is always an object, so that a transcript can be sent again; `malformed` keeps what the model really wrote. */
export const ToolCall = z.object({
  id: z.string().min(1),
  name: z.string().min(1),
  args: JsonObject,
  malformed: z.string().optional(),
});
export type ToolCall = z.infer<typeof ToolCall>;

/** Tokens of one model call. `input` counts what was not served from or written to the provider's cache. */
export const Usage = z.object({
  input: z.int().min(0),
  output: z.int().min(0),
  cacheRead: z.int().min(0),
  cacheWrite: z.int().min(0),
});
export type Usage = z.infer<typeof Usage>;

export const NO_USAGE: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  };
}

/** All tokens the provider read for a call, cached or not. */
export function promptTokens(usage: Usage): number {
  return usage.input + usage.cacheRead + usage.cacheWrite;
}

/** Why a model stopped: `end` of the answer, `tools` to be called, `length` reached, `refusal` by the provider. */
export const StopReason = z.enum(["end", "tools", "length", "refusal"]);
export type StopReason = z.infer<typeof StopReason>;

/** One complete answer of a model. `native` is what its wire format needs to see again, kept verbatim. */
export const Answer = z.object({
  text: z.string(),
  reasoning: z.string().optional(),
  calls: z.array(ToolCall),
  stop: StopReason,
  usage: Usage,
  model: z.string(),
  native: z.object({ wire: z.string(), data: z.unknown() }).optional(),
});
export type Answer = z.infer<typeof Answer>;

const base = { v: z.literal(1), n: z.int().min(1), turn: z.int().min(1), at: z.int(), parts: z.array(Part) };

/** What a person, or a route on behalf of one, sent. */
export const UserEntry = z.object({ ...base, kind: z.literal("user") });
/** One model answer: its text is the `own` part. */
export const AssistantEntry = z.object({ ...base, kind: z.literal("assistant"), answer: Answer.omit({ text: true }) });
/** One tool call. `open` is the intent, written before the tool runs; `done` carries the result. */
export const ToolEntry = z.object({
  ...base,
  kind: z.literal("tool"),
  state: z.enum(["open", "done"]),
  call: ToolCall,
  step: z.int().min(0),
  failed: z.boolean(),
  prepared: JsonObject,
});
/** Written by the harness itself: why a turn has no answer, that it was cut off and went on, what a review learned. */
export const NoticeEntry = z.object({ ...base, kind: z.literal("notice"), code: z.string() });

export const Entry = z.discriminatedUnion("kind", [UserEntry, AssistantEntry, ToolEntry, NoticeEntry]);
export type UserEntry = z.infer<typeof UserEntry>;
export type AssistantEntry = z.infer<typeof AssistantEntry>;
export type ToolEntry = z.infer<typeof ToolEntry>;
export type NoticeEntry = z.infer<typeof NoticeEntry>;
export type Entry = z.infer<typeof Entry>;

/** The parts as one text. Of a tool entry they are JSON objects, which `renderParts` merges instead. */
export function textOf(entry: Entry): string {
  return entry.parts.map((part) => part.text).join("");
}

export const TurnState = z.enum(["queued", "running", "done", "failed", "stopped"]);
export type TurnState = z.infer<typeof TurnState>;

/** Counted over one turn. `toolCalls` includes skill tools; `failedCalls` are results with `error` or a non-zero exit. */
export const TurnStats = z.object({
  modelCalls: z.int().min(0),
  toolCalls: z.int().min(0),
  failedCalls: z.int().min(0),
  usage: Usage,
});
export type TurnStats = z.infer<typeof TurnStats>;

export const NO_STATS: TurnStats = { modelCalls: 0, toolCalls: 0, failedCalls: 0, usage: NO_USAGE };

/**
 * What readers of a session receive. On the wire each has the id `<entry>.<offset>`, the offset in UTF-16 units of the
 * entry's text so far. How the ids of the others are formed: core/session/events.ts.
 */
export const AgentEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("turn_start"), turn: z.int(), entry: z.int() }),
  z.object({ type: z.literal("entry_start"), turn: z.int(), entry: z.int() }),
  z.object({ type: z.literal("text_delta"), entry: z.int(), offset: z.int(), text: z.string() }),
  z.object({ type: z.literal("reasoning_delta"), entry: z.int(), text: z.string() }),
  z.object({ type: z.literal("tool_start"), entry: z.int(), name: z.string(), args: JsonObject }),
  z.object({ type: z.literal("tool_end"), entry: z.int(), name: z.string(), failed: z.boolean(), result: z.string() }),
  z.object({ type: z.literal("entry_restart"), entry: z.int() }),
  z.object({ type: z.literal("notice_add"), entry: z.int(), code: z.string(), text: z.string() }),
  z.object({
    type: z.literal("turn_end"),
    turn: z.int(),
    entry: z.int(),
    state: TurnState,
    stats: TurnStats,
  }),
]);
export type AgentEvent = z.infer<typeof AgentEvent>;
