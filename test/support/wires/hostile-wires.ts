// Builds the frames of three wires one by one, so that a test can send what no honest server would: any field of any type, in any
// order. The honest servers are the wire-*.ts files in this folder.
import { createAnthropicModel } from "../../../core/models/wires/anthropic.ts";
import type { Wire } from "../../../core/models/failures/failure-rules.ts";
import { createOpenAiChatModel } from "../../../core/models/wires/openai-chat.ts";
import { createOpenAiResponsesModel } from "../../../core/models/wires/openai-responses.ts";
import { findAnthropicProblem } from "./wire-anthropic.ts";
import { findChatProblem } from "./wire-openai-chat.ts";
import { findResponsesProblem } from "./wire-openai-responses.ts";
import type { Frame } from "./wire-script.ts";

/** Fields accept any type on purpose. */
export interface HostileWire {
  name: Wire;
  create: typeof createAnthropicModel | typeof createOpenAiChatModel | typeof createOpenAiResponsesModel;
  /** The error of an honest server for the next request. */
  findProblem(body: unknown): string | null;
  begin(): Frame[];
  /** A complete text block, in one delta. */
  text(text: unknown, index?: unknown): Frame[];
  /** Text in deltas, without a final event that repeats it. */
  deltas(texts: unknown[]): Frame[];
  call(id: unknown, name: unknown, args: unknown, index?: unknown): Frame[];
  end(options?: { stop?: unknown; usage?: unknown }): Frame[];
  /** A delta for a block that was never started. */
  stray(): Frame[];
  /** An event that is unknown to this wire's protocol. */
  unknown(): Frame[];
}

const createEvent = (type: string, fields: object): Frame => ({ event: type, data: { type, ...fields } });

const anthropic: HostileWire = {
  name: "anthropic",
  create: createAnthropicModel,
  findProblem: findAnthropicProblem,
  begin: () => [
    createEvent("message_start", { message: { id: "msg_1", role: "assistant", content: [], usage: null } }),
  ],
  text: (text, index = 0) => [
    createEvent("content_block_start", { index, content_block: { type: "text", text: "" } }),
    createEvent("content_block_delta", { index, delta: { type: "text_delta", text } }),
  ],
  deltas: (texts) => [
    createEvent("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
    ...texts.map((text) => createEvent("content_block_delta", { index: 0, delta: { type: "text_delta", text } })),
  ],
  call: (id, name, args, index = 1) => [
    createEvent("content_block_start", { index, content_block: { type: "tool_use", id, name, input: {} } }),
    createEvent("content_block_delta", { index, delta: { type: "input_json_delta", partial_json: args } }),
    createEvent("content_block_stop", { index }),
  ],
  end: ({ stop = "end_turn", usage = { input_tokens: 5, output_tokens: 7 } } = {}) => [
    createEvent("message_delta", { delta: { stop_reason: stop }, usage }),
    createEvent("message_stop", {}),
  ],
  stray: () => [
    createEvent("content_block_delta", { index: 7, delta: { type: "text_delta", text: "stray" } }),
    createEvent("content_block_delta", { index: 8, delta: { type: "input_json_delta", partial_json: "{" } }),
    createEvent("content_block_delta", { index: 9 }),
  ],
  unknown: () => [
    createEvent("content_block_start", { index: 20, content_block: { type: "hologram", beams: [1] } }),
    createEvent("content_block_delta", { index: 20, delta: { type: "beam_delta", beam: 2 } }),
    createEvent("weather_report", { sky: "blue" }),
  ],
};

const createChunk = (delta: unknown, more: object = {}): Frame => ({
  data: { id: "c1", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: null, ...more }] },
});

const chat: HostileWire = {
  name: "openai-chat",
  create: createOpenAiChatModel,
  findProblem: findChatProblem,
  begin: () => [createChunk({ role: "assistant", content: "" })],
  text: (content) => [createChunk({ content })],
  deltas: (texts) => texts.map((content) => createChunk({ content })),
  call: (id, name, args, index = 0) => [
    createChunk({ tool_calls: [{ index, id, function: { name, arguments: args } }] }),
  ],
  end: ({ stop = "stop", usage = { prompt_tokens: 5, completion_tokens: 7 } } = {}) => [
    createChunk({}, { finish_reason: stop }),
    { data: { id: "c1", choices: [], usage } },
    { data: "[DONE]" },
  ],
  stray: () => [
    createChunk({ tool_calls: [] }),
    { data: { id: "c1", choices: [{ index: 0 }, { index: 1, delta: { content: "of another choice" } }] } },
  ],
  unknown: () => [createChunk({ hologram: { beams: [1] } }), { event: "weather_report", data: { sky: "blue" } }],
};

let items = 0;
const createItemDone = (item: object, output_index: unknown) =>
  createEvent("response.output_item.done", { output_index, item: { status: "completed", ...item } });

const responses: HostileWire = {
  name: "openai-responses",
  create: createOpenAiResponsesModel,
  findProblem: findResponsesProblem,
  begin: () => [createEvent("response.created", { response: { id: "resp_1", status: "in_progress" } })],
  text: (text, index = 0) => [
    createEvent("response.output_text.delta", { delta: text, output_index: index }),
    createItemDone({ type: "message", id: "m1", role: "assistant", content: [{ type: "output_text", text }] }, index),
  ],
  deltas: (texts) => texts.map((delta) => createEvent("response.output_text.delta", { delta, output_index: 0 })),
  call: (id, name, args, index = ++items) => [
    createItemDone({ type: "function_call", id: `fc_${items}`, call_id: id, name, arguments: args }, index),
  ],
  end: ({ stop, usage = { input_tokens: 5, output_tokens: 7 } } = {}) => [
    createEvent("response.completed", {
      response: {
        id: "resp_1",
        status: "completed",
        output: [],
        usage,
        incomplete_details: stop ? { reason: stop } : null,
      },
    }),
  ],
  stray: () => [
    createEvent("response.function_call_arguments.delta", { item_id: "nobody", delta: "{" }),
    createEvent("response.output_text.done", { item_id: "nobody", text: "stray" }),
  ],
  unknown: () => [
    createItemDone({ type: "hologram", beams: [1] }, 20),
    createEvent("response.hologram.beam", { beam: 2 }),
  ],
};

export const HOSTILE_WIRES: HostileWire[] = [anthropic, chat, responses];
