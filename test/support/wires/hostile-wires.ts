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

const named = (type: string, fields: object): Frame => ({ event: type, data: { type, ...fields } });

const anthropic: HostileWire = {
  name: "anthropic",
  create: createAnthropicModel,
  findProblem: findAnthropicProblem,
  begin: () => [named("message_start", { message: { id: "msg_1", role: "assistant", content: [], usage: null } })],
  text: (text, index = 0) => [
    named("content_block_start", { index, content_block: { type: "text", text: "" } }),
    named("content_block_delta", { index, delta: { type: "text_delta", text } }),
  ],
  deltas: (texts) => [
    named("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
    ...texts.map((text) => named("content_block_delta", { index: 0, delta: { type: "text_delta", text } })),
  ],
  call: (id, name, args, index = 1) => [
    named("content_block_start", { index, content_block: { type: "tool_use", id, name, input: {} } }),
    named("content_block_delta", { index, delta: { type: "input_json_delta", partial_json: args } }),
    named("content_block_stop", { index }),
  ],
  end: ({ stop = "end_turn", usage = { input_tokens: 5, output_tokens: 7 } } = {}) => [
    named("message_delta", { delta: { stop_reason: stop }, usage }),
    named("message_stop", {}),
  ],
  stray: () => [
    named("content_block_delta", { index: 7, delta: { type: "text_delta", text: "stray" } }),
    named("content_block_delta", { index: 8, delta: { type: "input_json_delta", partial_json: "{" } }),
    named("content_block_delta", { index: 9 }),
  ],
  unknown: () => [
    named("content_block_start", { index: 20, content_block: { type: "hologram", beams: [1] } }),
    named("content_block_delta", { index: 20, delta: { type: "beam_delta", beam: 2 } }),
    named("weather_report", { sky: "blue" }),
  ],
};

const chunk = (delta: unknown, more: object = {}): Frame => ({
  data: { id: "c1", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: null, ...more }] },
});

const chat: HostileWire = {
  name: "openai-chat",
  create: createOpenAiChatModel,
  findProblem: findChatProblem,
  begin: () => [chunk({ role: "assistant", content: "" })],
  text: (content) => [chunk({ content })],
  deltas: (texts) => texts.map((content) => chunk({ content })),
  call: (id, name, args, index = 0) => [chunk({ tool_calls: [{ index, id, function: { name, arguments: args } }] })],
  end: ({ stop = "stop", usage = { prompt_tokens: 5, completion_tokens: 7 } } = {}) => [
    chunk({}, { finish_reason: stop }),
    { data: { id: "c1", choices: [], usage } },
    { data: "[DONE]" },
  ],
  stray: () => [
    chunk({ tool_calls: [] }),
    { data: { id: "c1", choices: [{ index: 0 }, { index: 1, delta: { content: "of another choice" } }] } },
  ],
  unknown: () => [chunk({ hologram: { beams: [1] } }), { event: "weather_report", data: { sky: "blue" } }],
};

let items = 0;
const itemDone = (item: object, output_index: unknown) =>
  named("response.output_item.done", { output_index, item: { status: "completed", ...item } });

const responses: HostileWire = {
  name: "openai-responses",
  create: createOpenAiResponsesModel,
  findProblem: findResponsesProblem,
  begin: () => [named("response.created", { response: { id: "resp_1", status: "in_progress" } })],
  text: (text, index = 0) => [
    named("response.output_text.delta", { delta: text, output_index: index }),
    itemDone({ type: "message", id: "m1", role: "assistant", content: [{ type: "output_text", text }] }, index),
  ],
  deltas: (texts) => texts.map((delta) => named("response.output_text.delta", { delta, output_index: 0 })),
  call: (id, name, args, index = ++items) => [
    itemDone({ type: "function_call", id: `fc_${items}`, call_id: id, name, arguments: args }, index),
  ],
  end: ({ stop, usage = { input_tokens: 5, output_tokens: 7 } } = {}) => [
    named("response.completed", {
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
    named("response.function_call_arguments.delta", { item_id: "nobody", delta: "{" }),
    named("response.output_text.done", { item_id: "nobody", text: "stray" }),
  ],
  unknown: () => [itemDone({ type: "hologram", beams: [1] }, 20), named("response.hologram.beam", { beam: 2 })],
};

export const HOSTILE_WIRES: HostileWire[] = [anthropic, chat, responses];
