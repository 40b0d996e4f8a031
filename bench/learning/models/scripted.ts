// A Model whose whole behaviour is a generator: it says one answer after the other and is given the results of its calls. It
// keeps nothing between calls of the model: each request is read from the beginning, so that it sees the request and
// nothing else. Used by worker.ts and reviewer.ts.
import type { Message, Model, ModelEvent, ModelRequest } from "../../../core/agent/contract.ts";
import { readRendered } from "../../../core/agent/tool-result.ts";
import type { JsonObject, ToolCall } from "../../../core/schemas/entry.ts";

export interface Said {
  text: string;
  calls?: { name: string; args: JsonObject }[];
}

/** A result as the model reads it: its fields, whoever wrote them. */
export interface Heard {
  failed: boolean;
  fields: JsonObject;
}

export type Script = Generator<Said, Said, Heard[]>;

/** English text and code, roughly; only comparisons between requests rest on it. */
const CHARS_PER_TOKEN = 4;

/** `begin`: the script for a request, and the message of the request behind which it begins. */
export function createScriptModel(
  name: string,
  begin: (request: ModelRequest) => { script: Script; behind: number },
): Model {
  return {
    name,
    contextWindow: 200_000,
    async *stream(request, signal): AsyncGenerator<ModelEvent> {
      if (signal.aborted) {
        yield { type: "failed", failure: ABORTED };
        return;
      }
      const said = answerTo(request, begin);
      if (said.text !== "") yield { type: "text_delta", text: said.text };
      yield { type: "done", answer: toAnswer(name, request, said) };
    },
  };
}

const ABORTED = {
  ...{ code: "aborted", message: "The call was aborted.", retry: false, compact: false },
  ...{ rotateKey: false, fallBack: false },
};

/** What the model says to a request. */
export function answerTo(
  request: Pick<ModelRequest, "system" | "messages" | "tools" | "toolChoice">,
  begin: (request: ModelRequest) => { script: Script; behind: number },
): Said {
  const { script, behind } = begin(request as ModelRequest);
  let next = script.next();
  for (const heard of resultsBehind(request.messages, behind)) {
    if (next.done) break;
    next = script.next(heard);
  }
  return request.toolChoice === "none" ? { text: next.value.text || "Done." } : next.value;
}

/** By answer: the results of its calls. */
function resultsBehind(messages: readonly Message[], behind: number): Heard[][] {
  const rounds: Heard[][] = [];
  for (const message of messages.slice(behind + 1)) {
    if (message.role === "assistant") rounds.push([]);
    if (message.role === "tool") {
      const fields = readRendered(message.text) ?? { text: message.text };
      // Over a wire a model is told what failed by the fields alone.
      rounds.at(-1)?.push({ failed: typeof fields.error === "string", fields });
    }
  }
  return rounds;
}

function toAnswer(model: string, { system, messages, tools }: ModelRequest, { text, calls = [] }: Said) {
  const made: ToolCall[] = calls.map((call, at) => ({ id: `c${messages.length}x${at}`, ...call }));
  let chars = system.length;
  for (const tool of tools) chars += tool.name.length + tool.description.length + SCHEMA_CHARS;
  for (const message of messages) {
    chars += message.text.length;
    if (message.role === "assistant") for (const call of message.calls) chars += CALL_CHARS + sizeOf(call.args);
  }
  const output = Math.ceil((text.length + made.reduce((sum, call) => sum + sizeOf(call.args), 0)) / CHARS_PER_TOKEN);
  const usage = { input: Math.ceil(chars / CHARS_PER_TOKEN), output, cacheRead: 0, cacheWrite: 0 };
  return { text, calls: made, stop: made.length > 0 ? ("tools" as const) : ("end" as const), usage, model };
}

/** What the schema of a tool's arguments takes up, about. */
const SCHEMA_CHARS = 300;
const CALL_CHARS = 20;

function sizeOf(args: JsonObject): number {
  let chars = 0;
  for (const [key, value] of Object.entries(args)) {
    chars += key.length + (typeof value === "string" ? value.length : JSON.stringify(value).length);
  }
  return chars;
}
