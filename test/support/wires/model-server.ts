// A model server for tests: real HTTP, three wires, scripted replies. Where it matters (event names, order, usage, error bodies) it
// sends exactly what providers send, and it refuses requests that they would refuse.
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { findAnthropicProblem, toAnthropicError, toAnthropicFrames } from "./wire-anthropic.ts";
import { findChatProblem, toChatFrames, toOpenAiError } from "./wire-openai-chat.ts";
import { findResponsesProblem, toResponsesFrames } from "./wire-openai-responses.ts";
import type { Delivery, Frame, RecordedRequest, Reply, ScriptedAnswer } from "./wire-script.ts";

export interface ModelServer {
  url: string;
  close(): Promise<void>;
}

interface RunningServer {
  replies: Reply[];
  requests: RecordedRequest[];
  released: PromiseWithResolvers<void>;
  closed: PromiseWithResolvers<void>;
}

interface Wire {
  toFrames(answer: ScriptedAnswer, model: string): Frame[];
  toError(type: string, message: string): unknown;
  findProblem(body: unknown): string | null;
}

const openai = { toError: toOpenAiError };
const WIRES: Record<string, Wire> = {
  "/v1/messages": { toFrames: toAnthropicFrames, toError: toAnthropicError, findProblem: findAnthropicProblem },
  "/chat/completions": { ...openai, toFrames: toChatFrames, findProblem: findChatProblem },
  "/responses": { ...openai, toFrames: toResponsesFrames, findProblem: findResponsesProblem },
};

/** Listens on a free port of this machine. Scripts are written with wire-script.ts. */
export async function startModelServer(): Promise<ModelServer> {
  const scripts = new Map<string, RunningServer>();
  const server = createServer((request, response) => {
    serve(request, response, scripts).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  scripts: Map<string, RunningServer>,
): Promise<void> {
  const body = await readBody(request);
  if (request.url === "/scripts") {
    const id = String(scripts.size + 1);
    const [released, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    scripts.set(id, { replies: JSON.parse(body) as Reply[], requests: [], released, closed });
    return sendJson(response, 200, { id });
  }
  const [, id = "", path = ""] = request.url?.match(/^\/s\/(\d+)(\/.*)$/) ?? [];
  const script = scripts.get(id);
  if (!script) return sendJson(response, 404, { error: `no script at ${request.url}` });
  if (path === "/requests") return sendJson(response, 200, script.requests);
  if (path === "/release") script.released.resolve();
  if (path === "/closed") await script.closed.promise;
  if (request.method === "GET") return sendJson(response, 200, {});

  const wire = WIRES[path];
  if (!wire) return sendJson(response, 404, toOpenAiError("invalid_request_error", `Invalid URL (POST ${path})`));
  const headers = request.headers as Record<string, string>;
  const parsed = JSON.parse(body) as { model: string; stream?: boolean };
  script.requests.push({ path, headers, body: parsed });
  await answerCall({ script, wire, headers, body: parsed }, response);
}

async function answerCall(
  call: {
    script: RunningServer;
    wire: Wire;
    headers: Record<string, string>;
    body: { model: string; stream?: boolean };
  },
  response: ServerResponse,
): Promise<void> {
  const { script, wire, headers, body } = call;
  if (!/^Bearer \S/.test(headers.authorization ?? "")) {
    return sendJson(response, 401, wire.toError("authentication_error", "invalid x-api-key"));
  }
  const problem = body.stream === true ? wire.findProblem(body) : "stream: these tests only stream";
  if (problem) return sendJson(response, 400, wire.toError("invalid_request_error", problem));
  const text = JSON.stringify(body);
  const at = script.replies.findIndex(({ when }) => when === undefined || text.includes(when));
  const [reply] = at < 0 ? [] : script.replies.splice(at, 1);
  if (!reply) return sendJson(response, 500, wire.toError("api_error", "the script is at its end"));
  if (reply.kind === "error") return sendJson(response, reply.status, reply.body, reply.headers);
  const frames = reply.kind === "frames" ? reply.stream : wire.toFrames(reply.answer, body.model);
  await sendStream(response, frames, reply, script);
}

async function sendStream(
  response: ServerResponse,
  frames: Frame[],
  how: Delivery,
  script: RunningServer,
): Promise<void> {
  response.on("close", () => response.writableFinished || script.closed.resolve());
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
  const count = how.frames ?? frames.length;
  await write(response, frames.slice(0, count), how);
  if (how.afterwards === "reset") return void response.destroy();
  if (how.afterwards === "hold") {
    await Promise.race([script.released.promise, script.closed.promise]);
    await write(response, frames.slice(count), how);
  } else if (Array.isArray(how.afterwards)) await write(response, how.afterwards, how);
  response.end();
}

/** Writes each piece separately and waits one turn of the event loop, so that readers receive the pieces separately. */
async function write(response: ServerResponse, frames: Frame[], how: Delivery): Promise<void> {
  const bytes = Buffer.from(frames.map(toSse).join(""), "utf8");
  const size = how.chunkBytes ?? Math.max(1, bytes.length);
  for (let at = 0; at < bytes.length && !response.destroyed; at += size) {
    await new Promise<void>((resolve) => response.write(bytes.subarray(at, at + size), () => setImmediate(resolve)));
  }
}

function toSse(frame: Frame): string {
  const data = typeof frame.data === "string" ? frame.data : JSON.stringify(frame.data);
  return `${frame.event ? `event: ${frame.event}\n` : ""}data: ${data}\n\n`;
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const type = typeof body === "string" ? "text/html" : "application/json";
  response.writeHead(status, { "content-type": type, ...headers }).end(text);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString("utf8");
}
