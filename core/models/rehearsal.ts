// Rehearsal: the deterministic model that ships with the product, for trying, testing and measuring it without a key.
// A real Model that sees only the request and keeps nothing between calls. models/routing.ts offers it.
//
// If nothing in the request says how a delimited file is written, it tries in this order. Each attempt changes one assumption that
// the file contradicted:
//   1. look at the first lines; if they hold no commas, load a skill that might be about such files;
//   2. separator: comma, then the one that splits the header into its columns (semicolon, tab, pipe);
//   3. a second line without any digit is a row of units; any other cell without a digit is a word for "no value";
//   4. numbers: point, comma, then grouped by comma, point, space, apostrophe: the first form that fits all cells seen;
//   5. dates: year first, month first, day first; with points between the parts: day first;
//   6. look at the extremes: only nines, far from the rest, is a code for "no value"; marks that are always followed
//      by exactly three digits group thousands.
// If a loaded skill says how the file is written, it begins with that (prose.ts). Evidence in the file overrides both.
import type { Model, ModelEvent, ModelRequest } from "../agent/contract.ts";
import { type Answer, type ToolCall } from "../schemas/entry.ts";
import { createModelFailure } from "./failures/failures.ts";
import { workOnCard } from "./rehearsal/card.ts";
import { chat } from "./rehearsal/chat.ts";
import type { Reply } from "./rehearsal/reply.ts";
import { readInput, offeredTools } from "./rehearsal/request.ts";
import { review } from "./rehearsal/reviewer.ts";
import { lookAtImages } from "./rehearsal/eyes.ts";
import { sideJob } from "./rehearsal/side-jobs.ts";
import { parseTableTask } from "./rehearsal/table-task.ts";
import { workOnReport } from "./rehearsal/report/report.ts";
import { parseWorkbenchTask } from "./rehearsal/report/report-task.ts";
import { workOnTable } from "./rehearsal/worker.ts";

const MODEL_NAME = "rehearsal:1";
/** The default of the catalog for an unknown model. */
const CONTEXT_WINDOW = 200_000;
/** A rough figure for English text and code. It is used only to compare requests. */
const CHARS_PER_TOKEN = 4;

export function createRehearsalModel(): Model {
  return { name: MODEL_NAME, contextWindow: CONTEXT_WINDOW, sees: true, stream };
}

async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  const answer = toAnswer(request, decide(clipped(request)));
  for (const text of answer.text.match(/\S+\s*(?:\S+\s*){0,2}|\s+/g) ?? []) {
    if (signal.aborted) break;
    yield { type: "text_delta", text };
    await Promise.resolve(); // lets readers take each piece before the next
  }
  if (signal.aborted) {
    yield { type: "failed", failure: createModelFailure("aborted", "Rehearsal") };
    return;
  }
  yield { type: "done", answer };
}

/** The expressions are written for short texts, and some take quadratic time. */
const MAX_READ_CHARS = 64_000;

function clipped(request: ModelRequest): ModelRequest {
  const messages = request.messages.map((message) => ({ ...message, text: message.text.slice(0, MAX_READ_CHARS) }));
  return { ...request, messages };
}

function decide(request: ModelRequest): Reply {
  const seen = lookAtImages(request);
  if (seen) return seen;
  const side = sideJob(request);
  if (side) return side;
  if (isReview(request)) return review(request);
  return workOnCard(request, work) ?? work(request);
}

function work(request: ModelRequest): Reply {
  const report = parseWorkbenchTask(readInput(request));
  if (report) return workOnReport(request, report);
  const task = parseTableTask(readInput(request));
  return task ? workOnTable(request, task) : chat(request);
}

/** A review has a transcript as its input, and no terminal. */
function isReview(request: ModelRequest): boolean {
  const tools = offeredTools(request);
  return !tools.has("terminal") && /^\[(?:\S+\/)?\d+#principal\]/m.test(readInput(request));
}

function toAnswer(request: ModelRequest, reply: Reply): Answer {
  const tools = offeredTools(request);
  const before = request.messages.reduce(
    (sum, message) => sum + (message.role === "assistant" ? message.calls.length : 0),
    0,
  );
  const calls: ToolCall[] = (reply.calls ?? [])
    .filter(([name]) => tools.has(name))
    .map(([name, args], i) => ({ id: `call_${before + i + 1}`, name, args }));
  const chars = JSON.stringify([request.system, request.messages, request.tools]).length;
  const written = reply.text.length + JSON.stringify(calls).length;
  return {
    text: reply.text,
    calls,
    stop: calls.length > 0 ? "tools" : "end",
    usage: {
      input: Math.ceil(chars / CHARS_PER_TOKEN),
      output: Math.ceil(written / CHARS_PER_TOKEN),
      cacheRead: 0,
      cacheWrite: 0,
    },
    cost: { usdMicros: 0, source: "provider" },
    model: MODEL_NAME,
  };
}
