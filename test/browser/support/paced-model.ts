// A model server whose answers take their time, so that a page can be reloaded, cut off or stopped in the middle. It speaks Chat Completions
// and does what the newest message of the person says. Started once by global-setup.ts; sessions choose it as `ollama:paced`.
import { type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

export const PACED_MODEL = "ollama:paced";

export interface PacedServer {
  url: string;
  close(): Promise<void>;
}

interface Message {
  role: string;
  content?: unknown;
}

type Piece = { content: string } | { reasoning_content: string } | { tool_calls: unknown[] };

const PIECE_MS = 15;

/**
 * `Say N words`: that many, one after the other. `Think`: first reasoning. `Call NAME {…}`: then calls that tool, and says what came back.
 * Anything else is repeated.
 */
export async function startPacedModel(): Promise<PacedServer> {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (data) => (body += String(data)));
    request.on("end", () => {
      if (request.method !== "POST") return response.writeHead(200).end("{}");
      const { messages, stream = false } = JSON.parse(body) as { messages: Message[]; stream?: boolean };
      return void answer(decide(messages), stream, response).catch(() => response.destroy());
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** What `Say N words` answers. */
export function sayWords(count: number): string {
  return Array.from({ length: count }, (_, i) => `word${i + 1}${i % 12 === 11 ? "\n\n" : " "}`).join("");
}

function decide(messages: Message[]): Piece[] {
  const last = messages.at(-1);
  if (last?.role === "tool") return [{ content: `The tool answered ${toText(last.content).length} characters.` }];
  const text = toText(messages.findLast(({ role }) => role === "user")?.content);
  const count = Number(/\bSay (\d+) words\b/.exec(text)?.[1] ?? 0);
  const thought = /\bThink\b/.test(text)
    ? [{ reasoning_content: "First, what is wanted? " }, { reasoning_content: "Then say it." }]
    : [];
  const call = /\bCall (\w+) (\{.*\})/s.exec(text);
  if (call) {
    const tool = {
      index: 0,
      id: `call-${messages.length}`,
      type: "function",
      function: { name: call[1], arguments: call[2] },
    };
    return [...thought, ...toPieces(sayWords(count)), { tool_calls: [tool] }];
  }
  const said = count > 0 ? sayWords(count) : `You said: ${text}`;
  return [...thought, ...toPieces(said)];
}

function toPieces(text: string): Piece[] {
  return (text.match(/\S+\s*/g) ?? []).map((content) => ({ content }));
}

function toText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return (content as { text?: string }[]).map(({ text = "" }) => text).join("\n");
}

async function answer(pieces: Piece[], stream: boolean, response: ServerResponse): Promise<void> {
  const base = { id: "paced", created: 0, model: "paced" };
  const isCall = pieces.some((piece) => "tool_calls" in piece);
  const usage = {
    prompt_tokens: 1_200,
    completion_tokens: pieces.length,
    total_tokens: 1_200 + pieces.length,
    prompt_tokens_details: { cached_tokens: 800 },
  };
  const finish = isCall ? "tool_calls" : "stop";
  if (!stream) {
    const content = pieces.map((piece) => ("content" in piece ? piece.content : "")).join("");
    const message = { role: "assistant", content, ...pieces.find((piece) => "tool_calls" in piece) };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(
      JSON.stringify({
        ...base,
        object: "chat.completion",
        choices: [{ index: 0, message, finish_reason: finish }],
        usage,
      }),
    );
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (choices: unknown[], more = {}) =>
    response.write(`data: ${JSON.stringify({ ...base, object: "chat.completion.chunk", choices, ...more })}\n\n`);
  for (const delta of pieces) {
    if (response.destroyed) return;
    send([{ index: 0, delta, finish_reason: null }]);
    await pause(PIECE_MS);
  }
  send([{ index: 0, delta: {}, finish_reason: finish }]);
  send([], { usage });
  response.end("data: [DONE]\n\n");
}
