// Conversations through POST /v1/chat/completions by the official client of OpenAI: which session a history goes on in, and what a
// repeated request joins.
import { exports } from "cloudflare:workers";
import OpenAI from "openai";
import { beforeAll, describe, expect, it } from "vitest";
import type { SessionDetail } from "../../../../core/schemas/api.ts";
import { START_MS, ask, createProfile } from "../../api-calls.ts";

type Message = OpenAI.ChatCompletionMessageParam;

let key: string;
let client: OpenAI;
beforeAll(async () => {
  ({ key } = await createProfile());
  const fetch = (url: string | URL | Request, init?: RequestInit) => exports.default.fetch(new Request(url, init));
  client = new OpenAI({ apiKey: key, baseURL: "https://talaria.test/v1", maxRetries: 0, fetch });
}, START_MS);

const user = (content: string): Message => ({ role: "user", content });
const assistant = (content: string | null): Message => ({ role: "assistant", content });

async function say(messages: Message[], headers: Record<string, string> = {}) {
  const asked = client.chat.completions.create({ model: "talaria", messages }, { headers });
  const { data, response } = await asked.withResponse();
  const [choice] = data.choices;
  return {
    text: choice!.message.content ?? "",
    finish: choice!.finish_reason,
    usage: data.usage!,
    session: response.headers.get("x-talaria-session")!,
    turn: response.headers.get("x-talaria-turn")!,
  };
}

async function countSessions(): Promise<number> {
  return ((await ask("GET", "/v1/sessions?limit=1000", { key })).body as { sessions: unknown[] }).sessions.length;
}

async function readSession(session: string): Promise<SessionDetail> {
  return (await ask("GET", `/v1/sessions/${session}`, { key })).body as SessionDetail;
}

describe("a client that sends its whole history", () => {
  it("goes on in one session", async () => {
    const before = await countSessions();
    const one = await say([user("What is a lighthouse for?")]);
    const two = await say([user("What is a lighthouse for?"), assistant(one.text), user("And a buoy?")]);
    const history = [user("What is a lighthouse for?"), assistant(one.text), user("And a buoy?"), assistant(two.text)];
    const three = await say([...history, user("Thanks")]);
    expect([two.session, three.session]).toEqual([one.session, one.session]);
    expect([one.turn, two.turn, three.turn]).toEqual([1, 2, 3].map((n) => `${one.session}-${n}`));
    expect(await countSessions()).toBe(before + 1);
    expect(one.finish).toBe("stop");
    expect(one.usage.total_tokens).toBe(one.usage.prompt_tokens + one.usage.completion_tokens);
    expect(one.usage.prompt_tokens).toBeGreaterThan(0);
  });
});
