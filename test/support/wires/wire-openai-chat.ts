// The server's side of Chat Completions: streams an answer as OpenAI does, and refuses what OpenAI refuses. Used only by
// model-server.ts.
import { type Frame, SCRIPTED_USAGE, type ScriptedAnswer, toPieces } from "./wire-script.ts";

export function toChatFrames(answer: ScriptedAnswer, model: string): Frame[] {
  const usage = answer.usage ?? SCRIPTED_USAGE;
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  const frames: Frame[] = [];
  const send = (choices: object[], fields: object = { usage: null }) =>
    frames.push({
      data: { id: "chatcmpl-9xyz", object: "chat.completion.chunk", created: 1_790_000_000, model, choices, ...fields },
    });
  const delta = (fields: object) => send([{ index: 0, delta: fields, logprobs: null, finish_reason: null }]);

  delta({ role: "assistant", content: "", refusal: null });
  for (const reasoning_content of toPieces(answer.reasoning ?? "", 6)) delta({ reasoning_content });
  for (const content of toPieces(answer.text ?? "", 4)) delta({ content });
  for (const [index, call] of (answer.calls ?? []).entries()) {
    delta({ tool_calls: [{ index, id: call.id, type: "function", function: { name: call.name, arguments: "" } }] });
    for (const piece of toPieces(call.arguments, 3)) delta({ tool_calls: [{ index, function: { arguments: piece } }] });
  }
  send([{ index: 0, delta: {}, logprobs: null, finish_reason: toFinishReason(answer) }]);
  send([], {
    usage: {
      prompt_tokens: prompt,
      completion_tokens: usage.output,
      total_tokens: prompt + usage.output,
      prompt_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: usage.reasoning ?? 0, audio_tokens: 0 },
    },
  });
  frames.push({ data: "[DONE]" });
  return frames;
}

function toFinishReason(answer: ScriptedAnswer): string {
  if (answer.stop) return answer.stop === "length" ? "length" : "content_filter";
  return answer.calls?.length ? "tool_calls" : "stop";
}

export function toOpenAiError(type: string, message: string): unknown {
  return { error: { message, type, param: null, code: null } };
}

/** OpenAI's error text for the first problem in a request; `null` if there is none. */
export function findChatProblem(body: any): string | null {
  if ("max_tokens" in body && "max_completion_tokens" in body)
    return "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.";
  let open: string[] = [];
  for (const [n, message] of body.messages.entries()) {
    if (message.role === "tool") {
      const at = open.indexOf(message.tool_call_id);
      if (at < 0)
        return `Invalid parameter: messages.${n} with role 'tool' must be a response to a preceding message with 'tool_calls'.`;
      open.splice(at, 1);
      continue;
    }
    if (open.length > 0)
      return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. Missing: ${open.join(", ")}`;
    if (message.role === "assistant" && !message.content && !message.tool_calls)
      return `Invalid value for 'content': messages.${n} is empty.`;
    open = (message.tool_calls ?? []).map((call: { id: string }) => call.id);
    const long = open.find((id) => id.length > 40);
    if (long)
      return `Invalid 'messages[${n}].tool_calls[0].id': string too long. Expected a string with maximum length 40.`;
    if (new Set(open).size !== open.length) return `Duplicate value for 'tool_call_id' in messages.${n}.`;
  }
  return open.length > 0 ? `Missing tool messages for: ${open.join(", ")}` : null;
}
