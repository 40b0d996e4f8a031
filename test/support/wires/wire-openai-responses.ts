// The server's side of the Responses wire: streams an answer as OpenAI does, and refuses what OpenAI refuses. Used only by
// model-server.ts.
import { type Frame, SCRIPTED_USAGE, type ScriptedAnswer, type ScriptedCall, toPieces } from "./wire-script.ts";

export function toResponsesFrames(answer: ScriptedAnswer, model: string): Frame[] {
  const frames: Frame[] = [];
  const output: object[] = [];
  const send = (type: string, fields: object) =>
    frames.push({ event: type, data: { type, sequence_number: frames.length, ...fields } });
  const item = (begun: object, done: object, stream: (place: { item_id: string; output_index: number }) => void) => {
    const output_index = output.push(done) - 1;
    send("response.output_item.added", { output_index, item: begun });
    stream({ item_id: (done as { id: string }).id, output_index });
    send("response.output_item.done", { output_index, item: done });
  };

  send("response.created", { response: toResponse(model, "in_progress", [], answer) });
  send("response.in_progress", { response: toResponse(model, "in_progress", [], answer) });
  const status = answer.stop === "length" ? "incomplete" : "completed";
  if (answer.reasoning !== undefined) sendReasoning(answer.reasoning, item, send);
  if (answer.text !== undefined) sendMessage(answer.text, status, item, send);
  for (const call of answer.calls ?? []) sendCall(call, status, item, send);
  const ended = answer.stop ? "incomplete" : "completed";
  send(`response.${ended}`, { response: toResponse(model, ended, output, answer) });
  return frames;
}

type SendEvent = (type: string, fields: object) => void;
type SendItem = (
  begun: object,
  done: object,
  stream: (place: { item_id: string; output_index: number }) => void,
) => void;

function sendReasoning(reasoning: string, item: SendItem, send: SendEvent): void {
  const id = `rs_${reasoning.length}`;
  const part = { type: "summary_text", text: reasoning };
  const encrypted_content = `gAAAA${reasoning.length}`;
  item(
    { id, type: "reasoning", summary: [] },
    { id, type: "reasoning", summary: [part], encrypted_content },
    (place) => {
      const at = { ...place, summary_index: 0 };
      send("response.reasoning_summary_part.added", { ...at, part: { type: "summary_text", text: "" } });
      for (const delta of toPieces(reasoning, 6)) send("response.reasoning_summary_text.delta", { ...at, delta });
      send("response.reasoning_summary_text.done", { ...at, text: reasoning });
      send("response.reasoning_summary_part.done", { ...at, part });
    },
  );
}

function sendMessage(text: string, status: string, item: SendItem, send: SendEvent): void {
  const message = { id: `msg_${text.length}`, type: "message", role: "assistant" };
  const part = { type: "output_text", text, annotations: [], logprobs: [] };
  const begun = { ...message, status: "in_progress", content: [] };
  item(begun, { ...message, status, content: [part] }, (place) => {
    const at = { ...place, content_index: 0 };
    send("response.content_part.added", { ...at, part: { ...part, text: "" } });
    for (const delta of toPieces(text, 4)) send("response.output_text.delta", { ...at, delta, logprobs: [] });
    send("response.output_text.done", { ...at, text, logprobs: [] });
    send("response.content_part.done", { ...at, part });
  });
}

function sendCall(call: ScriptedCall, status: string, item: SendItem, send: SendEvent): void {
  const whole = { id: `fc_${call.id}`, type: "function_call", call_id: call.id, name: call.name };
  const begun = { ...whole, status: "in_progress", arguments: "" };
  item(begun, { ...whole, status, arguments: call.arguments }, (place) => {
    for (const delta of toPieces(call.arguments, 3))
      send("response.function_call_arguments.delta", { ...place, delta });
    send("response.function_call_arguments.done", { ...place, arguments: call.arguments });
  });
}

function toResponse(model: string, status: string, output: object[], answer: ScriptedAnswer): object {
  const usage = answer.usage ?? SCRIPTED_USAGE;
  const input_tokens = usage.input + usage.cacheRead + usage.cacheWrite;
  const reason = answer.stop === "refusal" ? "content_filter" : "max_output_tokens";
  return {
    id: "resp_67ccd3a9da748190baa7f1570fe91ac604becb25c45c1d41",
    object: "response",
    created_at: 1_790_000_000,
    status,
    error: null,
    incomplete_details: status === "incomplete" ? { reason } : null,
    model,
    output,
    store: false,
    usage:
      status === "in_progress"
        ? null
        : {
            input_tokens,
            input_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite },
            output_tokens: usage.output,
            output_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
            total_tokens: input_tokens + usage.output,
          },
  };
}

/** OpenAI's error text for the first problem in a request; `null` if there is none. */
export function findResponsesProblem(body: any): string | null {
  const calls = new Set<string>();
  const answered = new Set<string>();
  for (const [n, item] of body.input.entries()) {
    if (item.type === "function_call") {
      if (calls.has(item.call_id)) return `Duplicate function_call with call_id ${item.call_id}.`;
      if (!/^[a-zA-Z0-9_-]{1,64}$/.test(item.call_id))
        return `Invalid 'input[${n}].call_id': string does not match pattern.`;
      calls.add(item.call_id);
    }
    if (item.type === "function_call_output") {
      if (!calls.has(item.call_id)) return `No tool call found for function call output with call_id ${item.call_id}.`;
      answered.add(item.call_id);
    }
    if (item.type === "reasoning") {
      if (!item.encrypted_content)
        return `Item with id '${item.id}' not found. Items are not persisted when \`store\` is set to false.`;
      if (!["message", "function_call", "reasoning"].includes(body.input[n + 1]?.type)) {
        return `Item '${item.id}' of type 'reasoning' was provided without its required following item.`;
      }
    }
  }
  const open = [...calls].find((call) => !answered.has(call));
  return open ? `No tool output found for function call ${open}.` : null;
}
