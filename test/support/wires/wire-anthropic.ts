// The server's side of Anthropic's Messages wire: streams an answer as the API does, and refuses what the API refuses. Used only by
// model-server.ts.
import { type Frame, SCRIPTED_USAGE, type ScriptedAnswer, toPieces } from "./wire-script.ts";

export function toAnthropicFrames(answer: ScriptedAnswer, model: string): Frame[] {
  const usage = answer.usage ?? SCRIPTED_USAGE;
  const frames: Frame[] = [];
  const send = (type: string, fields: object = {}) => frames.push({ event: type, data: { type, ...fields } });
  let index = 0;
  const block = (content_block: object, deltas: object[]) => {
    send("content_block_start", { index, content_block });
    for (const delta of deltas) send("content_block_delta", { index, delta });
    send("content_block_stop", { index });
    index++;
  };
  send("message_start", {
    message: {
      id: "msg_01XFDUDYJgAACzvnptvVoYEL",
      type: "message",
      role: "assistant",
      content: [],
      model,
      stop_reason: null,
      stop_sequence: null,
      usage: {
        input_tokens: usage.input,
        cache_creation_input_tokens: usage.cacheWrite,
        cache_read_input_tokens: usage.cacheRead,
        output_tokens: 1,
      },
    },
  });
  send("ping");
  if (answer.reasoning !== undefined) {
    const thoughts = toPieces(answer.reasoning, 6).map((thinking) => ({ type: "thinking_delta", thinking }));
    const signature = { type: "signature_delta", signature: `sig:${answer.reasoning.length}` };
    block({ type: "thinking", thinking: "", signature: "" }, [...thoughts, signature]);
  }
  if (answer.text !== undefined) {
    block(
      { type: "text", text: "" },
      toPieces(answer.text, 4).map((text) => ({ type: "text_delta", text })),
    );
  }
  for (const call of answer.calls ?? []) {
    const pieces = ["", ...toPieces(call.arguments, 3)];
    block(
      { type: "tool_use", id: call.id, name: call.name, input: {} },
      pieces.map((partial_json) => ({ type: "input_json_delta", partial_json })),
    );
  }
  send("message_delta", {
    delta: { stop_reason: toStopReason(answer), stop_sequence: null },
    usage: { output_tokens: usage.output, output_tokens_details: { thinking_tokens: usage.reasoning ?? 0 } },
  });
  send("message_stop");
  return frames;
}

function toStopReason(answer: ScriptedAnswer): string {
  if (answer.stop) return answer.stop === "length" ? "max_tokens" : "refusal";
  return answer.calls?.length ? "tool_use" : "end_turn";
}

export function toAnthropicError(type: string, message: string): unknown {
  return { type: "error", error: { type, message }, request_id: "req_011CSHoEeqs5C35K2UUqR7Fy" };
}

interface Block {
  type: string;
  text?: string;
  id?: string;
  tool_use_id?: string;
  signature?: string;
  cache_control?: object;
}

/** The API's error text for the first problem in a request; `null` if there is none. */
export function findAnthropicProblem(body: any): string | null {
  if (typeof body.max_tokens !== "number") return "max_tokens: Field required";
  for (const field of ["temperature", "top_p", "top_k"]) {
    if (field in body) return `${field}: Extra inputs are not permitted`;
  }
  const blocks: Block[] = [
    ...(body.tools ?? []),
    ...(body.system ?? []),
    ...body.messages.flatMap((it: any) => it.content),
  ];
  const marked = blocks.filter((block) => block.cache_control).length;
  if (marked > 4) return `A maximum of 4 blocks with cache_control may be provided. Found ${marked}.`;
  if (body.messages[0]?.role !== "user") return 'messages: first message must use the "user" role';
  if (body.messages.at(-1).role !== "user") return "This model does not support assistant message prefill.";
  const seen = new Set<string>();
  for (const [n, message] of body.messages.entries()) {
    const content: Block[] = message.content;
    const problem = findBlockProblem(content, seen) ?? findPairProblem(content, body.messages[n + 1]?.content ?? []);
    if (problem) return `messages.${n}.${problem}`;
  }
  return null;
}

function findBlockProblem(content: Block[], seen: Set<string>): string | null {
  if (content.length === 0) return "content: all messages must have non-empty content";
  if (content.at(-1)!.type === "thinking")
    return "content: the final block in an assistant message cannot be `thinking`.";
  for (const [n, block] of content.entries()) {
    if (block.type === "text" && !block.text?.trim()) return `content.${n}.text: text content blocks must be non-empty`;
    if (block.type === "thinking" && !block.signature)
      return `content.${n}: Invalid \`signature\` in \`thinking\` block`;
    if (block.type !== "tool_use") continue;
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(block.id ?? "")) return `content.${n}.tool_use.id: String should match pattern`;
    if (seen.has(block.id!)) return `content.${n}: \`tool_use\` ids must be unique`;
    seen.add(block.id!);
  }
  return null;
}

function findPairProblem(content: Block[], next: Block[]): string | null {
  const callIds = content.filter((block) => block.type === "tool_use").map((block) => block.id);
  const resultIds = next.filter((block) => block.type === "tool_result").map((block) => block.tool_use_id);
  return JSON.stringify(callIds) === JSON.stringify(resultIds)
    ? null
    : `content: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${callIds.join(", ")}`;
}
