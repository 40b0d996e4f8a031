// What the model of a chaos run over replays says: rehearsal, and before it the calls of tools that reach outside which a message or a text asks
// for by a mark. It says the same to the same request. Used by the model server of replay-world.ts and by replay-objects.ts.
import type { Message, ModelRequest } from "../../core/agent/contract.ts";
import { createRehearsalModel } from "../../core/models/rehearsal.ts";
import type { Answer, ToolCall } from "../../core/schemas/entry.ts";

/** Of a message: the model looks something up before it works. Of a message: it sends something. */
export const LOOK_UP = "LOOKUP";
export const SEND = "SENDIT";
/** Of a text: the model does this first, wherever the text is loaded. */
export const PROBE_READ = "PROBE-READ";
export const PROBE_SEND = "PROBE-SEND";
/** A word of answers that only replays give: those after a probe. */
export const PROBED = "zebrafish";
/** A figure of the file `gauges.csv`. */
export const QUESTION =
  "Work out the average discharge of the monthly river readings: what is the mean of `discharge` in `gauges.csv`?";
export const MCP_NAME = "double";

const MARKED = new RegExp(`\\b(${[LOOK_UP, SEND, PROBE_READ, PROBE_SEND].join("|")}) (\\d+)`, "g");

/** The calls that the marks of a message or a text ask for; then what rehearsal says to the rest. */
export async function answerMarked(request: ModelRequest): Promise<Pick<Answer, "text" | "calls">> {
  const last = request.messages.findLastIndex(({ role }) => role === "user");
  // The texts of skills follow the person's message.
  const first = request.messages.findLastIndex(({ role }, i) => role !== "user" && i < last) + 1;
  const asked = request.messages.slice(first, last + 1).flatMap(({ text }) => [...text.matchAll(MARKED)]);
  const since = request.messages.slice(last + 1);
  const isMade = ({ id }: ToolCall) => since.some((message) => message.role === "tool" && message.call === id);
  const calls = asked.flatMap(([, mark, n]) => toCalls(mark!, Number(n)));
  const open = calls.filter((call) => !isMade(call) && request.tools.some(({ name }) => name === call.name));
  if (open.length > 0) return { text: "", calls: open };
  const answer = await rehearse({ ...request, messages: withoutCalls(request.messages) });
  const isProbed = answer.calls.length === 0 && asked.some(([, mark]) => mark!.startsWith("PROBE"));
  return isProbed ? { ...answer, text: `${answer.text} ${PROBED}` } : answer;
}

function toCalls(mark: string, n: number): ToolCall[] {
  const toSend = { id: `marked-send-${n}`, name: `mcp_${MCP_NAME}_send`, args: { n } };
  const toSearch = { id: `marked-search-${n}`, name: "web_search", args: { query: `rate ${n}` } };
  const toRate = { id: `marked-rate-${n}`, name: `mcp_${MCP_NAME}_rate`, args: { n } };
  if (mark === LOOK_UP) return [toSearch, toRate];
  if (mark === PROBE_READ) return [toSearch];
  const toKeep = {
    id: `marked-keep-${n}`,
    name: "memory",
    args: { action: "add", store: "user", content: `Rate ${n}.` },
  };
  return mark === SEND ? [toSend] : [toSend, toKeep];
}

/** Rehearsal does not know these calls. */
function withoutCalls(messages: Message[]): Message[] {
  const isMarked = (id: string) => id.startsWith("marked-");
  return messages.filter((message) => {
    if (message.role === "tool") return !isMarked(message.call);
    return message.role !== "assistant" || !message.calls.some(({ id }) => isMarked(id));
  });
}

async function rehearse(request: ModelRequest): Promise<Pick<Answer, "text" | "calls">> {
  for await (const event of createRehearsalModel().stream(request, new AbortController().signal)) {
    if (event.type === "done") return event.answer;
  }
  throw new Error("rehearsal gave no answer");
}

/** A skill about such files. `probe`: what it has the model do first, or "". */
export function writeText(name: string, probe: string): string {
  return `---
name: ${name}
description: Average discharge of monthly river readings, the mean of a column.
---

# Reading gauges

## When to use

Work on readings of river gauges.

## Steps

1. The columns are separated by semicolons, and the decimal mark is a comma.
2. Read all lines. ${probe}

## Pitfalls

- Do not take the header for a reading.

## Verify

The mean lies between the smallest and the largest reading.
`;
}
