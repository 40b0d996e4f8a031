// The scripted model: Chat Completions over plain HTTP. It runs in its own thread so that it does not share an event loop with the
// measuring client. Started by model-server.ts. The newest message with an order determines the answer, which is streamed with one
// write per delta. A request without tools is a side call (a title, a summary) and gets a short fixed text.
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { parentPort } from "node:worker_threads";
import { type Order, type RecordedCall, fill, parseOrder } from "./orders.ts";

interface Message {
  role: string;
  content?: string | { type: string; text?: string }[] | null;
}
interface Body {
  messages: Message[];
  tools?: unknown[];
}

const SUMMARY = "The user asked for files and texts; all of them were written. Nothing is open.";
const CHARS_PER_TOKEN = 4;
/** The oldest records are deleted beyond this number. */
const MAX_RECORDS = 1_000;
const records = new Map<string, RecordedCall[]>();
let sideCalls = 0;

const server = createServer((request, response) => {
  serve(request, response).catch((error: unknown) => response.destroy(error as Error));
});
server.keepAliveTimeout = 600_000;
server.listen(0, "127.0.0.1", () => parentPort!.postMessage((server.address() as AddressInfo).port));

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const arrivedAt = performance.timeOrigin + performance.now();
  const requestedRun = /^\/runs\/(.+)$/.exec(request.url ?? "")?.[1];
  if (requestedRun !== undefined) return sendRecord(response, requestedRun);
  const body = Buffer.concat(pieces).toString("utf8");
  const { messages, tools } = JSON.parse(body) as Body;
  const at = messages.findLastIndex((message) => message.role === "user" && parseOrder(joinTextParts(message)));
  const order = tools?.length && at >= 0 ? parseOrder(joinTextParts(messages[at]!)) : null;
  const done = messages.slice(at + 1).filter((message) => message.role === "tool").length;
  const promptTokens = Math.ceil(body.length / CHARS_PER_TOKEN);
  if (!order) sideCalls++;
  else
    recordCall(order, {
      body: order.record ? body : "",
      bytes: body.length,
      messages: messages.length,
      promptTokens,
      arrivedAt,
    });
  const answer = order ? toAnswer(order, done) : [createContentChunk(SUMMARY), finish("stop")];
  await stream(response, answer, { promptTokens, gapMs: order?.gapMs ?? 0 });
}

function recordCall({ run }: Order, call: RecordedCall): void {
  const oldest = records.keys().next();
  if (records.size >= MAX_RECORDS && !oldest.done) records.delete(oldest.value);
  records.set(run, [...(records.get(run) ?? []), call]);
}

function sendRecord(response: ServerResponse, run: string): void {
  const calls = records.get(run) ?? [];
  records.delete(run);
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ calls, sideCalls }));
}

function joinTextParts({ content: text }: Message): string {
  if (typeof text === "string") return text;
  return (text ?? []).map((part) => part.text ?? "").join("");
}

function toAnswer(order: Order, done: number): object[] {
  const seed = `${order.run}.${done}`;
  const deltas = Array.from({ length: order.chunks }, (_, n) =>
    createContentChunk(fill(order.chunkChars, `${seed}.${n}`)),
  );
  if (done >= order.steps) return [...deltas, finish("stop")];
  const args = JSON.stringify({ path: `notes/step-${done}.md`, content: fill(order.writeChars, seed) });
  const call = { index: 0, id: `call_${done}_${order.run}`.slice(0, 40), type: "function" };
  return [
    ...deltas,
    createChunk({ tool_calls: [{ ...call, function: { name: "write_file", arguments: "" } }] }),
    createChunk({ tool_calls: [{ index: 0, function: { arguments: args } }] }),
    finish("tool_calls"),
  ];
}

function createContentChunk(text: string): object {
  return createChunk({ content: text });
}
function createChunk(fields: object): object {
  return { choices: [{ index: 0, delta: fields, finish_reason: null }] };
}
function finish(reason: string): object {
  return { choices: [{ index: 0, delta: {}, finish_reason: reason }] };
}

async function stream(
  response: ServerResponse,
  frames: object[],
  { promptTokens, gapMs }: { promptTokens: number; gapMs: number },
): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
  response.socket?.setNoDelay(true);
  const usage = {
    prompt_tokens: promptTokens,
    completion_tokens: frames.length,
    total_tokens: promptTokens + frames.length,
  };
  for (const frame of [createChunk({ role: "assistant", content: "" }), ...frames, { choices: [], usage }]) {
    const chunk = { id: "chatcmpl-bench", object: "chat.completion.chunk", created: 1_790_000_000, model: "bench" };
    const text = `data: ${JSON.stringify({ ...chunk, ...frame })}\n\n`;
    await new Promise<void>((resolve) => response.write(text, () => setImmediate(resolve)));
    if (gapMs > 0) await new Promise((resolve) => setTimeout(resolve, gapMs));
  }
  response.end("data: [DONE]\n\n");
}
