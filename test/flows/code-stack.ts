// The real api Worker with a scripted model, for tests of code: a local server stands for the model. It calls execute_code with the code in
// the person's message, and then repeats what the tool said.
import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "vitest";
import type { Entry, ToolEntry } from "../../core/schemas/entry.ts";
import type { SettingsPatch } from "../../core/schemas/settings.ts";
import { type ProductOptions, startProduct } from "../support/product.ts";
import { toSse } from "../support/wires/sse-body.ts";
import { toChatFrames } from "../support/wires/wire-openai-chat.ts";

const OPERATOR = "operator-token-for-tests";

interface ChatMessage {
  role: string;
  content: string;
}

export async function startCodeStack({
  settings = {} as SettingsPatch,
  ...options
}: { settings?: SettingsPatch } & Pick<ProductOptions, "configure"> = {}) {
  const model = await startModel();
  const baseUrl = `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`;
  const vars = {
    TALARIA_OPERATOR_TOKEN: OPERATOR,
    TALARIA_SETTINGS: JSON.stringify({ turn: { titles: false }, review: { enabled: false }, ...settings }),
    ...{ OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: "k", OPENAI_MODEL: "scripted" },
  };
  const product = await startProduct({ vars, ...options });
  const { key } = await product.request<{ key: string }>("POST", "/v1/profiles", OPERATOR);
  return { openSession, runIn, close };

  async function close() {
    await product.close();
    model.close();
  }

  /** One turn whose message is the code. Returns the entry of the call, and the answer. */
  async function runIn(session: string, code: string): Promise<{ tool: ToolEntry; answer: string; ms: number }> {
    const began = performance.now();
    const stream = await product.fetch(`/v1/sessions/${session}/messages`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", accept: "text/event-stream" },
      body: JSON.stringify({ text: code }),
    });
    expect(await stream.text()).toContain("event: turn_end");
    const { entries } = await product.request<{ entries: Entry[] }>("GET", `/v1/sessions/${session}/entries`, key);
    const tool = entries.findLast((entry): entry is ToolEntry => entry.kind === "tool")!;
    return { tool, answer: JSON.stringify(entries.at(-1)), ms: performance.now() - began };
  }

  async function openSession(): Promise<string> {
    const { session } = await product.request<{ session: string }>("POST", "/v1/sessions", key, { learning: "off" });
    await product.fetch(`/v1/sessions/${session}/files/in.txt`, {
      method: "PUT",
      headers: { authorization: `Bearer ${key}` },
      body: "text\n",
    });
    return session;
  }
}

async function startModel(): Promise<Server> {
  const model = createServer((incoming, outgoing) => {
    let body = "";
    incoming.on("data", (piece: Buffer) => (body += piece.toString()));
    incoming.on("end", () => {
      const { messages } = JSON.parse(body) as { messages: ChatMessage[] };
      const last = messages.at(-1)!;
      const code = messages.findLast(({ role }) => role === "user")!.content;
      const call = { id: "c1", name: "execute_code", arguments: JSON.stringify({ code }) };
      const answer = last.role === "tool" ? { text: `It said: ${last.content.slice(0, 400)}` } : { calls: [call] };
      outgoing.writeHead(200, { "content-type": "text/event-stream" });
      outgoing.end(toChatFrames(answer, "scripted").map(toSse).join(""));
    });
  });
  await new Promise<void>((resolve) => model.listen(0, "127.0.0.1", resolve));
  return model;
}

export const codeOf = ({ parts }: ToolEntry) => (JSON.parse(parts[0]!.text) as { code?: string }).code;

/** Reads a file, writes another and shows it by a command. */
export const FILE_CODE = `const { content } = await tools.read_file({ path: "in.txt" });
await tools.write_file({ path: "out.txt", content: content.toUpperCase() });
return (await tools.terminal({ command: "cat out.txt" })).stdout`;
