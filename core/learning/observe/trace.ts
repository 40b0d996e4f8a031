// Renders a finished turn step by step for the API: what the model thought, what it called, with which result, and when. Called by
// core/session/learning/ratings.ts with entries of the log. Pure.
import { clip } from "../../clip.ts";
import { renderParts } from "../../agent/tool-result.ts";
import { type Entry, type ToolEntry, textOf } from "../../schemas/entry.ts";
import type { TraceStep } from "../../schemas/learning/learning.ts";
import { failureCode } from "../tool-facts.ts";

const MAX_THOUGHT_CHARS = 1_000;
const MAX_VALUE_CHARS = 400;

/** `entries`: the turn's own, in log order. A step is one answer of the model with the calls it asked for. */
export function traceTurn(entries: Entry[]): TraceStep[] {
  const steps: TraceStep[] = [];
  let before = entries[0]?.at ?? 0;
  for (const entry of entries) {
    const step = steps.at(-1);
    if (entry.kind === "assistant") {
      const { reasoning, calls } = entry.answer;
      const said = textOf(entry);
      // Text next to calls is thinking aloud. The text of the last step is the answer.
      const thought = [reasoning ?? "", calls.length > 0 ? said : ""].filter((text) => text !== "").join("\n");
      steps.push({
        entry: entry.n,
        startedAt: before,
        answeredAt: entry.at,
        endedAt: entry.at,
        ...(thought !== "" && { thought: clip(thought, MAX_THOUGHT_CHARS) }),
        ...(calls.length === 0 && said !== "" && { answer: clip(said, MAX_THOUGHT_CHARS) }),
        calls: [],
      });
    }
    if (entry.kind === "tool" && step) {
      step.calls.push(traceCall(entry));
      step.endedAt = Math.max(step.endedAt, entry.at);
    }
    before = entry.at;
  }
  return steps;
}

function traceCall(tool: ToolEntry): TraceStep["calls"][number] {
  const isDone = tool.state === "done";
  return {
    entry: tool.n,
    tool: tool.call.name,
    args: clip(JSON.stringify(tool.call.args), MAX_VALUE_CHARS),
    failed: tool.failed,
    ...(tool.failed && { code: failureCode(tool) }),
    result: isDone ? clip(renderParts(tool.parts), MAX_VALUE_CHARS) : null,
    endedAt: isDone ? tool.at : null,
  };
}
