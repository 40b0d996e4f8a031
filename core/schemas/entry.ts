// The session's log: its entries, and the events that readers receive. Stored in SQLite, carried in review jobs, sent to
// readers. These are stored formats: for a change, raise `v` and keep a reader for the old one.
import * as z from "zod";
import { ClarifyQuestion } from "./approvals/clarify.ts";
import { GoalMark } from "./agenda/goal-mark.ts";
import { SessionId, Sha256, SkillName, Source } from "./ids.ts";
import { ImageRef } from "./media/image.ts";

/** A piece of an entry with one origin. Tool parts hold a JSON object as text; the others hold plain text. */
export const Part = z.object({ source: Source, text: z.string() });
export type Part = z.infer<typeof Part>;

export const JsonObject = z.record(z.string(), z.unknown());
export type JsonObject = z.infer<typeof JsonObject>;

/** `args` is always an object, so that a transcript can be sent again. `malformed` keeps what the model actually wrote. */
export const ToolCall = z.object({
  id: z.string().min(1),
  name: z.string().min(1),
  args: JsonObject,
  malformed: z.string().optional(),
});
export type ToolCall = z.infer<typeof ToolCall>;

/**
 * Tokens of one model call. `input` excludes what was read from or written to the provider's cache. `reasoning` is the hidden
 * part of `output`, if the provider reports it.
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
 * The cost of one model call in millionths of a US dollar, and its source: the provider's reply, the operator's price list, our
 * catalog, or `none`, and then 0.
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

/** What ended an answer at a `length` other than its own limit: a full context window, or a pause by the provider. */
export const CutBy = z.enum(["window", "pause"]);
export type CutBy = z.infer<typeof CutBy>;

/** One complete answer of a model. `native` holds what its wire format must send back, verbatim. */
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
 * A message from a person, or from a route on behalf of one. `steer`: it arrived while `turn` was running and was inserted
 * there, after a marker that is random for each turn; `accepted` is the number that it had as its own turn. `waited`:
 * since when it waited for the running turn, and which turn it was to interrupt. `images`: the person sent them with the text;
 * the table `image` holds their bytes. `told`: so many of the first parts are what the client tells of an earlier conversation.
 * `goal`: the harness posted it, so that work at this goal goes on.
 */
export const UserEntry = z.object({
  ...base,
  kind: z.literal("user"),
  steer: z.object({ accepted: z.int().min(1), marker: z.string(), step: z.int().min(0) }).optional(),
  waited: z.object({ since: z.int(), interrupts: z.int().optional() }).optional(),
  images: z.array(ImageRef).optional(),
  told: z.int().min(1).optional(),
  goal: GoalMark.optional(),
});
/** One model answer: its text is the `own` part. */
export const AssistantEntry = z.object({ ...base, kind: z.literal("assistant"), answer: Answer.omit({ text: true }) });
/** What a tool spent: a call of the slot `vision`, or an image that a provider made. */
export const ToolSpend = z.object({
  kind: z.enum(["vision", "image"]),
  model: z.string(),
  usage: Usage,
  cost: Cost.optional(),
});
export type ToolSpend = z.infer<typeof ToolSpend>;
/** What a session has spent, in tokens and millionths of a US dollar, with the sessions that it began. */
export const DelegatedSpending = z.object({ calls: z.int().min(0), tokens: z.int().min(0), usdMicros: z.int().min(0) });
export type DelegatedSpending = z.infer<typeof DelegatedSpending>;
/** One tool call. `open` is the intent, written before the tool runs; `done` carries the result. */
export const ToolEntry = z.object({
  ...base,
  kind: z.literal("tool"),
  state: z.enum(["open", "done"]),
  call: ToolCall,
  step: z.int().min(0),
  failed: z.boolean(),
  prepared: JsonObject,
  /** Fingerprint of the tool's own result, before it was cut, spilled to a file or replaced. Used by the guardrails. */
  print: z.string().optional(),
  spent: z.array(ToolSpend).optional(),
  /** What the sessions that the call began have spent. They book it themselves. */
  delegated: DelegatedSpending.optional(),
});
/**
 * A note to the model after the input of a turn, whose prompt stays unchanged. It reports changes within the epoch (skills,
 * memory, results of reviews). With `skills` it holds the texts of skills that the person loaded or that were recalled.
 */
export const NoteEntry = z.object({
  ...base,
  kind: z.literal("note"),
  code: z.string(),
  /** The exact texts that were read, to which evidence belongs. */
  skills: z.array(z.object({ skill: SkillName, text: Sha256, failedWords: z.array(z.string()).optional() })).optional(),
});
/**
 * A compaction. From here on a model reads this entry's text instead of the entries between `head` and `tail`, which are both
 * outside the gap. The text of a `prune` is JSON: the same messages, each result cut to a line. The entries stay in the log.
 * `step` is the step of `turn` before which it was made, so that a resumed turn repeats it there.
 */
export const CompactionEntry = z.object({
  ...base,
  kind: z.literal("compaction"),
  step: z.int().min(0),
  head: z.int().min(0),
  tail: z.int().min(1),
  /** Entries in the gap that are still read in full, after the text: the person's request in `turn`. */
  kept: z.array(z.int().min(1)).default([]),
  method: z.enum(["model", "static", "prune"]),
  /** Estimated tokens of the conversation before and after. */
  tokensBefore: z.int().min(0),
  tokensAfter: z.int().min(0),
  focus: z.string().optional(),
  /** Skills whose loaded text is in the gap; they must be loaded again before use. */
  droppedSkills: z.array(z.string()),
  /** The model calls of the summary, failed ones included. */
  calls: z.array(z.object({ model: z.string(), usage: Usage, cost: Cost.optional() })),
});
/** A call of a tool that the client runs, as the client is shown it. `id`: unique over all sessions. */
export const ClientCall = z.object({ id: z.string().min(1), name: z.string(), args: JsonObject });
export type ClientCall = z.infer<typeof ClientCall>;

/**
 * What a parked turn waits for. `approval`: a person's decision on a call. `clarify`: a person's answer to questions of the agent.
 * `children`: sessions that work for it. `client`: the results of calls that the client itself runs.
 */
export const WaitKind = z.enum(["approval", "clarify", "children", "client"]);
export type WaitKind = z.infer<typeof WaitKind>;

/** A question whether a call may run. `covers`: what `session` and `always` would allow from now on; `null`: only this call may be allowed. */
const ApprovalQuestion = z.object({
  for: z.literal("approval"),
  id: z.string(),
  until: z.int(),
  summary: z.string(),
  reasons: z.array(z.string()),
  covers: z.string().nullable(),
});

const AskedClarify = z.object({
  for: z.literal("clarify"),
  id: z.string(),
  until: z.int(),
  questions: z.array(ClarifyQuestion),
});

/** Sessions that work for the turn, in the order of their tasks. `id`: the call that began them. */
const ChildrenQuestion = z.object({
  for: z.literal("children"),
  id: z.string(),
  until: z.int(),
  tasks: z.array(z.object({ session: SessionId, goal: z.string() })),
});

/** Calls of the client's own tools, in the order of the model's answer. The client sends back a result for each. */
const ClientQuestion = z.object({
  for: z.literal("client"),
  id: z.string(),
  until: z.int(),
  calls: z.array(ClientCall),
});

/** What a parked turn waits for, as readers are shown it. One shape for each `WaitKind`. */
export const AskedQuestion = z.discriminatedUnion("for", [
  ApprovalQuestion,
  AskedClarify,
  ChildrenQuestion,
  ClientQuestion,
]);
export type AskedQuestion = z.infer<typeof AskedQuestion>;
export type ApprovalQuestion = z.infer<typeof ApprovalQuestion>;

/** Written by the harness: why a turn has no answer, that it was interrupted and resumed, what a review learned. */
export const NoticeEntry = z.object({
  ...base,
  kind: z.literal("notice"),
  code: z.string(),
  /** The charge for a model call that brought no answer, if the provider reported it. */
  spent: z.object({ model: z.string(), usage: Usage, cost: Cost.optional() }).optional(),
  /** The turn was parked with this question. */
  asked: AskedQuestion.optional(),
  /** The text is a command that the person sent while the turn was parked; `accepted` is the number of its own turn. */
  said: z.object({ accepted: z.int().min(1) }).optional(),
  /** The person took this turn back: no model reads it any more. */
  undid: z.object({ turn: z.int().min(1) }).optional(),
  /** Calls of the model that decides on dangerous calls before a person is asked. */
  approval: z.array(z.object({ model: z.string(), usage: Usage, cost: Cost.optional() })).optional(),
  /** Further calls, for a summary that failed. */
  compaction: z.array(z.object({ model: z.string(), usage: Usage, cost: Cost.optional() })).optional(),
});

/** Codes of the notice after a closing answer: why the model was stopped and asked for one. */
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

/** The parts as one text. The parts of a tool entry are JSON objects, which `renderParts` merges instead. */
export function textOf(entry: Entry): string {
  return entry.parts.map((part) => part.text).join("");
}

/** What the person said, without what the client tells of an earlier conversation. */
export function messageOf(entry: Entry): string {
  return (entry.kind === "user" ? spokenParts(entry) : entry.parts).map((part) => part.text).join("");
}

/** The parts of the message itself. */
export function spokenParts({ parts, told = 0 }: Pick<UserEntry, "parts" | "told">): Part[] {
  return told === 0 ? parts : parts.slice(told);
}

/**
 * `parked`: the turn has begun and waits for something outside, such as a person's decision; nothing of it is in memory.
 * `steered`: the input was inserted into the turn before it and ended with it.
 */
export const TurnState = z.enum(["queued", "running", "parked", "done", "failed", "stopped", "steered"]);
export type TurnState = z.infer<typeof TurnState>;

/** Counted over one turn. `toolCalls` includes skill tools; `failedCalls` are results with `error` or a non-zero exit. */
export const TurnStats = z.object({
  modelCalls: z.int().min(0),
  toolCalls: z.int().min(0),
  failedCalls: z.int().min(0),
  usage: Usage,
  /** Millionths of a US dollar for the calls with a known price; absent while there is none. */
  usdMicros: z.int().min(0).optional(),
});
export type TurnStats = z.infer<typeof TurnStats>;

export const NO_STATS: TurnStats = { modelCalls: 0, toolCalls: 0, failedCalls: 0, usage: NO_USAGE };

/**
 * Events for readers of a session. Those that belong to an entry have the id `<entry>.<offset>`, with the offset in UTF-16
 * units of the entry's text so far. For the ids of the others see core/session/readers/events.ts.
 */
export const AgentEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("turn_start"), turn: z.int(), entry: z.int() }),
  /** The input accepted as turn `turn` was inserted into the running turn `into`. */
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
  /** The turn waits for an answer to this question. `text` says how a person gives it. */
  z.object({
    type: z.literal("turn_park"),
    turn: z.int(),
    entry: z.int(),
    question: AskedQuestion,
    text: z.string(),
  }),
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
