// A model server whose model makes exactly the calls that the person's message lists, step by step, and a reviewer that makes the calls
// it was given.
// Also makes images. Records every request. Used by test/flows/two-profiles.stack.test.ts.
import { type IncomingMessage, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { makePng } from "../images.ts";
import { toSse } from "../wires/sse-body.ts";

export type Call = [tool: string, args: object];

interface ChatMessage {
  role: string;
  content: string | { text?: string }[];
}

export interface SeenRequest {
  path: string;
  body: string;
  /** The tools that the request offers. */
  offered: string[];
}

const MARK = "Make these calls: ";
/** Encoded, so that the words of the calls do not count as the person's own. */
export const toMessage = (steps: Call[][], answer = "Done.") =>
  MARK + Buffer.from(JSON.stringify({ steps, answer })).toString("base64");
/** At the beginning of a message, or in the context of a delegated task: a review quotes it elsewhere. */
const ORDER = new RegExp(`^(?:Task:\n.*\n\nContext:\n)?${MARK}(\\S+)`);

interface Order {
  steps: Call[][];
  /** After the last step. */
  answer: string;
}

export async function startObedientModel() {
  const requests: SeenRequest[] = [];
  /** The calls of a model that no person instructs, such as a reviewer's. */
  let uninstructed: (offered: string[]) => Call[] = () => [];
  let ids = 0;

  function choose(messages: ChatMessage[], offered: string[]): { calls: Call[]; answer: string } {
    const at = messages.findLastIndex(({ role }) => role === "user");
    const encoded = ORDER.exec(toText(messages[at]))?.[1];
    const { steps, answer }: Order = encoded
      ? JSON.parse(Buffer.from(encoded, "base64").toString())
      : { steps: [uninstructed(offered)], answer: "Done." };
    return { calls: steps[messages.slice(at).filter(({ role }) => role === "assistant").length] ?? [], answer };
  }

  /** In few frames: a stream of many costs more than all else here. */
  function toFrames({ calls, answer }: { calls: Call[]; answer: string }): string {
    const tool_calls = calls.map(([name, args], index) => {
      const made = { name, arguments: JSON.stringify(args) };
      return { index, id: `call_${++ids}`, type: "function", function: made };
    });
    const delta = calls.length > 0 ? { role: "assistant", tool_calls } : { role: "assistant", content: answer };
    const finish_reason = calls.length > 0 ? "tool_calls" : "stop";
    const choices = [{ delta }, { delta: {}, finish_reason }].map((choice) => [{ index: 0, ...choice }]);
    const usage = { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 };
    const frames = [...choices.map((each) => ({ choices: each })), { choices: [], usage }];
    return [...frames.map((data) => ({ data })), { data: "[DONE]" }].map(toSse).join("");
  }

  const server = createServer(async (incoming, outgoing) => {
    const body = await readBody(incoming);
    const parsed = JSON.parse(body) as { messages?: ChatMessage[]; tools?: { function: { name: string } }[] };
    const offered = (parsed.tools ?? []).map((tool) => tool.function.name);
    requests.push({ path: incoming.url ?? "", body, offered });
    if (incoming.url?.endsWith("/images/generations")) {
      outgoing.writeHead(200, { "content-type": "application/json" });
      outgoing.end(JSON.stringify({ data: [{ b64_json: Buffer.from(makePng(8, 8)).toString("base64") }] }));
      return;
    }
    outgoing.writeHead(200, { "content-type": "text/event-stream" });
    outgoing.end(toFrames(choose(parsed.messages ?? [], offered)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    instructReviewer: (calls: typeof uninstructed) => void (uninstructed = calls),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function toText(message: ChatMessage | undefined): string {
  const content = message?.content ?? "";
  return typeof content === "string" ? content : content.map(({ text = "" }) => text).join("");
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  let body = "";
  for await (const piece of incoming) body += String(piece);
  return body;
}
