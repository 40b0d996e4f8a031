// A Model whose behaviour is a generator: the generator yields answers and receives the results of their tool calls.
// The model keeps no state. For each request it replays the script from the start, so the script sees only that request.
// Used by worker.ts and reviewer.ts.
import type { Message, Model, ModelEvent, ModelRequest } from "../../../core/agent/contract.ts";
import { readRendered } from "../../../core/agent/tool-result.ts";
import type { JsonObject, ToolCall } from "../../../core/schemas/entry.ts";

export interface ScriptedAnswer {
  text: string;
  calls?: { name: string; args: JsonObject }[];
}

/** A tool result as the model reads it: all its fields, whatever their source. */
export interface CallResult {
  failed: boolean;
  fields: JsonObject;
}

export type Script = Generator<ScriptedAnswer, ScriptedAnswer, CallResult[]>;

/** A rough value for English text and code. The figures only compare requests with each other. */
const CHARS_PER_TOKEN = 4;

/** `begin` returns the script for a request, and the index of the message after which the script starts. */
export function createScriptModel(
  name: string,
  begin: (request: ModelRequest) => { script: Script; startIndex: number },
): Model {
  return {
    name,
    contextWindow: 200_000,
    async *stream(request, signal): AsyncGenerator<ModelEvent> {
      if (signal.aborted) {
        yield { type: "failed", failure: ABORTED };
        return;
      }
      const answer = replayScript(request, begin);
      if (answer.text !== "") yield { type: "text_delta", text: answer.text };
      yield { type: "done", answer: toAnswer(name, request, answer) };
    },
  };
}

const ABORTED = {
  ...{ code: "aborted", message: "The call was aborted.", retry: false, compact: false },
  ...{ rotateKey: false, fallBack: false },
};

/** Replays the script over the tool results in the request and returns the next answer. */
export function replayScript(
  request: Pick<ModelRequest, "system" | "messages" | "tools" | "toolChoice">,
  begin: (request: ModelRequest) => { script: Script; startIndex: number },
): ScriptedAnswer {
  const { script, startIndex } = begin(request as ModelRequest);
  let next = script.next();
  for (const results of listResultsAfter(request.messages, startIndex)) {
    if (next.done) break;
    next = script.next(results);
  }
  return request.toolChoice === "none" ? { text: next.value.text || "Done." } : next.value;
}

/** The tool results that follow a message, one list per answer. */
function listResultsAfter(messages: readonly Message[], startIndex: number): CallResult[][] {
  const rounds: CallResult[][] = [];
  for (const message of messages.slice(startIndex + 1)) {
    if (message.role === "assistant") rounds.push([]);
    if (message.role === "tool") {
      const fields = readRendered(message.text) ?? { text: message.text };
      // A provider's wire has no failed flag: the fields alone show that a call failed.
      rounds.at(-1)?.push({ failed: typeof fields.error === "string", fields });
    }
  }
  return rounds;
}

function toAnswer(model: string, { system, messages, tools }: ModelRequest, { text, calls = [] }: ScriptedAnswer) {
  const toolCalls: ToolCall[] = calls.map((call, at) => ({ id: `c${messages.length}x${at}`, ...call }));
  let chars = system.length;
  for (const tool of tools) chars += tool.name.length + tool.description.length + SCHEMA_CHARS;
  for (const message of messages) {
    chars += message.text.length;
    if (message.role === "assistant")
      for (const call of message.calls) chars += CALL_CHARS + countArgumentChars(call.args);
  }
  const output = Math.ceil(
    (text.length + toolCalls.reduce((sum, call) => sum + countArgumentChars(call.args), 0)) / CHARS_PER_TOKEN,
  );
  const usage = { input: Math.ceil(chars / CHARS_PER_TOKEN), output, cacheRead: 0, cacheWrite: 0 };
  return { text, calls: toolCalls, stop: toolCalls.length > 0 ? ("tools" as const) : ("end" as const), usage, model };
}

/** Approximate size of one tool's argument schema. */
const SCHEMA_CHARS = 300;
const CALL_CHARS = 20;

function countArgumentChars(args: JsonObject): number {
  let chars = 0;
  for (const [key, value] of Object.entries(args)) {
    chars += key.length + (typeof value === "string" ? value.length : JSON.stringify(value).length);
  }
  return chars;
}
