// The session's log: what an entry is, and what leaves a session as events. Stored in SQLite, carried in review jobs,
// sent to readers. A change here is a change of a stored format: raise `v` and keep a reader for the old one.
import * as z from "zod";
import { Sha256, SkillName, Source } from "./ids.ts";

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

/**
 * Tokens of one model call. `input` counts what was not served from or written to the provider's cache. `reasoning` is
 * the part of `output` that nobody sees, where the provider tells it.
 */
export const Usage = z.object({
  input: z.int().min(0),
  output: z.int().min(0),
  cacheRead: z.int().min(0),
  cacheWrite: z.int().min(0),
  reasoning: z.int().min(0).optional(),
});
export type Usage = z.infer<typeof Usage>;

/**
 * What one model call cost, in millionths of a US dollar, and who says so: the provider's own reply, the operator's
 * price list, our catalog, or nobody (`none`, and then 0).
 */
export const Cost = z.object({
  usdMicros: z.int().min(0),
  source: z.enum(["provider", "operator", "catalog", "none"]),
});
export type Cost = z.infer<typeof Cost>;

export const NO_USAGE: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    ...(a.reasoning === undefined && b.reasoning === undefined
      ? {}
      : { reasoning: (a.reasoning ?? 0) + (b.reasoning ?? 0) }),
  };
}

/** All tokens the provider read for a call, cached or not. */
export function promptTokens(usage: Usage): number {
  return usage.input + usage.cacheRead + usage.cacheWrite;
}

/** Why a model stopped: `end` of the answer, `tools` to be called, `length` reached, `refusal` by the provider. */
export const StopReason = z.enum(["end", "tools", "length", "refusal"]);
export type StopReason = z.infer<typeof StopReason>;

/** What made an answer stop at a `length` that is not its own limit: a full context window, or a pause by the provider. */
export const CutBy = z.enum(["window", "pause"]);
export type CutBy = z.infer<typeof CutBy>;

/** One complete answer of a model. `native` is what its wire format needs to see again, kept verbatim. */
export const Answer = z.object({
  text: z.string(),
  reasoning: z.string().optional(),
  calls: z.array(ToolCall),
  stop: StopReason,
  cutBy: CutBy.optional(),
  usage: Usage,
  cost: Cost.optional(),
  model: z.string(),
  native: z.object({ wire: z.string(), data: z.unknown() }).optional(),
});
export type Answer = z.infer<typeof Answer>;

const base = { v: z.literal(1), n: z.int().min(1), turn: z.int().min(1), at: z.int(), parts: z.array(Part) };

/**
 * What a person, or a route on behalf of one, sent. `steer`: it came while `turn` was running and was put into it, behind
 * a marker that is random for each turn; `accepted` is the number it had been given as a turn of its own. `waited`: since
 * when it did, for the end of what ran before it, and the turn that it was to end.
 */
export const UserEntry = z.object({
  ...base,
  kind: z.literal("user"),
  steer: z.object({ accepted: z.int().min(1), marker: z.string(), step: z.int().min(0) }).optional(),
  waited: z.object({ since: z.int(), interrupts: z.int().optional() }).optional(),
});
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
  /** Fingerprint of the result as the tool gave it, before it was cut, spilled or replaced: for the guardrails. */
  print: z.string().optional(),
});
/**
 * Told to the model behind the input of a turn, because its prompt stays as it is: what changed within the epoch (skills
 * that came or went, memory, results of reviews), or the texts of skills that the person loaded or that were recalled, then with `skills`.
 */
export const NoteEntry = z.object({
  ...base,
  kind: z.literal("note"),
  code: z.string(),
  /** Exactly what was read: evidence belongs to these texts. */
  skills: z.array(z.object({ skill: SkillName, text: Sha256, failedWords: z.array(z.string()).optional() })).optional(),
});
/**
 * From here on a model no longer reads the entries between `head` and `tail` (both outside the gap): it reads the text
 * of this entry in their place. Of a `prune` that text is JSON: the same messages with their results cut to a line each.
 * They stay in the log. `step` is the step of `turn` before which it was made, so that a resumed turn makes it again.
 */
export const CompactionEntry = z.object({
  ...base,
  kind: z.literal("compaction"),
  step: z.int().min(0),
  head: z.int().min(0),
  tail: z.int().min(1),
  /** Entries in the gap that are read as they are, behind the text: what the person asked for in `turn`. */
  kept: z.array(z.int().min(1)).default([]),
  method: z.enum(["model", "static", "prune"]),
  /** Estimated tokens of the conversation before and after. */
  tokensBefore: z.int().min(0),
  tokensAfter: z.int().min(0),
  focus: z.string().optional(),
  /** Skills whose loaded text fell out: to be loaded again before they are followed. */
  droppedSkills: z.array(z.string()),
  /** The calls the summary took, failed ones included. */
  calls: z.array(z.object({ model: z.string(), usage: Usage, cost: Cost.optional() })),
});
/** Written by the harness itself: why a turn has no answer, that it was cut off and went on, what a review learned. */
export const NoticeEntry = z.object({
  ...base,
  kind: z.literal("notice"),
  code: z.string(),
  /** What a model call that brought no answer was charged for, where the provider told it. */
  spent: z.object({ model: z.string(), usage: Usage, cost: Cost.optional() }).optional(),
  /** Further calls, for a summary that came to nothing. */
  compaction: z.array(z.object({ model: z.string(), usage: Usage, cost: Cost.optional() })).optional(),
});

/** Codes of the notice behind a closing answer: why the model was asked for one instead of being let go on. */
export const CLOSING_CODES = [
  "step_limit",
  "cut_calls",
  "unusable_calls",
  "no_headway",
  "identical_calls",
  "tool_keeps_failing",
  "repeating_cycle",
] as const;
export type ClosingCode = (typeof CLOSING_CODES)[number];

export const Entry = z.discriminatedUnion("kind", [
  UserEntry,
  AssistantEntry,
  ToolEntry,
  NoteEntry,
  CompactionEntry,
  NoticeEntry,
]);
export type UserEntry = z.infer<typeof UserEntry>;
export type AssistantEntry = z.infer<typeof AssistantEntry>;
export type ToolEntry = z.infer<typeof ToolEntry>;
export type NoteEntry = z.infer<typeof NoteEntry>;
export type CompactionEntry = z.infer<typeof CompactionEntry>;
export type NoticeEntry = z.infer<typeof NoticeEntry>;
export type Entry = z.infer<typeof Entry>;

/** The parts as one text. Of a tool entry they are JSON objects, which `renderParts` merges instead. */
export function textOf(entry: Entry): string {
  return entry.parts.map((part) => part.text).join("");
}

/** `steered`: the input was put into the turn that was running, and ended with it. */
export const TurnState = z.enum(["queued", "running", "done", "failed", "stopped", "steered"]);
export type TurnState = z.infer<typeof TurnState>;

/** Counted over one turn. `toolCalls` includes skill tools; `failedCalls` are results with `error` or a non-zero exit. */
export const TurnStats = z.object({
  modelCalls: z.int().min(0),
  toolCalls: z.int().min(0),
  failedCalls: z.int().min(0),
  usage: Usage,
  /** Millionths of a US dollar, of the calls whose price is known; absent while none is. */
  usdMicros: z.int().min(0).optional(),
});
export type TurnStats = z.infer<typeof TurnStats>;

export const NO_STATS: TurnStats = { modelCalls: 0, toolCalls: 0, failedCalls: 0, usage: NO_USAGE };

/**
 * What readers of a session receive. On the wire each has the id `<entry>.<offset>`, the offset in UTF-16 units of the
 * entry's text so far. How the ids of the others are formed: core/session/readers/events.ts.
 */
export const AgentEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("turn_start"), turn: z.int(), entry: z.int() }),
  /** The input accepted as turn `turn` went into the running turn `into`. */
  z.object({
    type: z.literal("steer_add"),
    turn: z.int(),
    into: z.int(),
    entry: z.int(),
    text: z.string(),
  }),
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
    /** `answer`, or the code of the notice that says why the turn ended. */
    reason: z.string(),
    stats: TurnStats,
  }),
]);
export type AgentEvent = z.infer<typeof AgentEvent>;
