// Turns as the doors receive them, and a server for official clients that answers with prepared bytes.
import { NO_STATS, type AgentEvent, type TurnStats } from "../../../core/schemas/entry.ts";
import type { DoorEvent } from "../../../workers/api/doors/contract.ts";

export const STATS: TurnStats = {
  ...NO_STATS,
  modelCalls: 1,
  usage: { input: 10, output: 5, cacheRead: 100, cacheWrite: 20, reasoning: 2 },
};

const start = { type: "turn_start", turn: 1, entry: 1 } as const;
const text = (entry: number, words: string, offset = 0): AgentEvent => ({
  type: "text_delta",
  entry,
  offset,
  text: words,
});
const begin = (entry: number): AgentEvent => ({ type: "entry_start", turn: 1, entry });
export const end = (entry: number, reason = "answer", state: "done" | "failed" | "stopped" = "done"): AgentEvent => ({
  ...{ type: "turn_end", turn: 1, entry, state, reason, stats: STATS },
});
const notice = (entry: number, code: string, words: string): AgentEvent => ({
  type: "notice_add",
  entry,
  code,
  text: words,
});
const CALLS = [
  { id: "call_1", name: "get_weather", args: { city: "Oslo" } },
  { id: "call_2", name: "get_time", args: {} },
];
const park = (entry: number, question: object, words = ""): AgentEvent =>
  ({ type: "turn_park", turn: 1, entry, question: { id: "q", until: 9, ...question }, text: words }) as AgentEvent;
const tool: AgentEvent[] = [
  { type: "tool_start", entry: 3, name: "terminal", args: { command: "ls" } },
  { type: "tool_end", entry: 3, name: "terminal", failed: false, result: "{}" },
];

export const EXCHANGES = {
  answer: [start, begin(2), text(2, "Hello"), text(2, " there.", 5), end(2)],
  steps: [start, begin(2), text(2, "I look."), ...tool, begin(4), text(4, "Done."), end(4)],
  retracted: [
    start,
    begin(2),
    text(2, "Hel"),
    { type: "entry_restart", entry: 2 },
    begin(3),
    text(3, "Hello."),
    end(3),
  ],
  calls: [start, begin(2), text(2, "Let me ask."), park(5, { for: "client", calls: CALLS }, "The client is asked.")],
  afterCalls: [notice(6, "client_answered", "Answered."), begin(7), text(7, "Sunny."), end(7)],
  question: [start, begin(2), park(4, { for: "approval", summary: "rm", reasons: [], covers: null }, "May I run rm?")],
  children: [start, park(3, { for: "children", tasks: [] }, "Others work."), begin(4), text(4, "All done."), end(4)],
  command: [start, notice(2, "compressed", "The conversation is shorter now."), end(2, "compressed")],
  beside: [notice(8, "command_answer", "Approved.")],
  length: [start, begin(2), text(2, "Half of"), notice(3, "length", "Cut."), end(3, "length")],
  refusal: [start, notice(2, "refusal", "The model refused."), end(2, "refusal", "failed")],
  failed: [
    start,
    begin(2),
    text(2, "So"),
    notice(3, "overloaded", "X has no capacity now."),
    end(3, "overloaded", "failed"),
  ],
  budget: [start, notice(2, "turn_budget_spent", "The budget is spent."), end(2, "turn_budget_spent", "failed")],
  broken: [start, begin(2), text(2, "So")],
} satisfies Record<string, AgentEvent[]>;

export async function* play(events: AgentEvent[]): AsyncGenerator<DoorEvent> {
  for (const event of events) yield { id: "entry" in event ? `${event.entry}.0` : "1.0", event };
}

export async function list<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** A fetch for an official client. */
export function answering(body: string, { status = 200, type = "text/event-stream" } = {}) {
  return async () => new Response(body, { status, headers: { "content-type": type } });
}
