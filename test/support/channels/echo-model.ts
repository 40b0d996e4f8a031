// A model server over Chat Completions that answers by the person's words, whatever the order of turns. Used by the test of a whole
// conversation over channels. It records what each turn's model read.
import { serveHttp } from "./serve-http.ts";
import { toSse } from "../wires/sse-body.ts";
import { toChatFrames } from "../wires/wire-openai-chat.ts";
import type { ScriptedAnswer } from "../wires/wire-script.ts";

export interface ReadMessage {
  role: string;
  content: unknown;
}

export interface EchoModel extends AsyncDisposable {
  url: string;
  /** The messages of each request. */
  requests: ReadMessage[][];
}

/** `answer`: given the newest message of the person, and the results of tools since. */
export async function startEchoModel(answer: (said: string, results: string[]) => ScriptedAnswer): Promise<EchoModel> {
  const requests: ReadMessage[][] = [];
  const served = await serveHttp(async (_, { body }) => {
    const { messages } = JSON.parse(new TextDecoder().decode(body)) as { messages: ReadMessage[] };
    requests.push(messages);
    const last = messages.findLastIndex(({ role }) => role === "user");
    const results = messages.slice(last + 1).filter(({ role }) => role === "tool");
    const frames = toChatFrames(answer(toWords(messages[last]), results.map(toWords)), "scripted");
    return new Response(frames.map(toSse).join(""), { headers: { "content-type": "text/event-stream" } });
  });
  return { url: served.url, requests, [Symbol.asyncDispose]: () => served[Symbol.asyncDispose]() };
}

export function toWords(message: ReadMessage | undefined): string {
  const content = message?.content;
  if (typeof content === "string") return content;
  const parts = Array.isArray(content) ? (content as { text?: string }[]) : [];
  return parts.map(({ text = "" }) => text).join("\n");
}
