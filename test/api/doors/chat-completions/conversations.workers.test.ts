// Conversations through POST /v1/chat/completions by the official client of OpenAI: which session a history goes on in, and what a
// repeated request joins.
import OpenAI from "openai";
import { beforeAll, describe, expect, it } from "vitest";
import type { SessionDetail } from "../../../../core/schemas/api.ts";
import type { Entry } from "../../../../core/schemas/entry.ts";
import app from "../../../../workers/api/index.ts";
import { type Message, assistant, createChatClient, say as sayBy, user } from "../../../support/doors/chat-client.ts";
import { START_MS, ask, createProfile, env } from "../../api-calls.ts";

let key: string;
let client: OpenAI;
beforeAll(async () => {
  ({ key } = await createProfile());
  client = createChatClient(key);
}, START_MS);

const say = (messages: Message[], headers: Record<string, string> = {}) => sayBy(client, messages, { headers });
const RETRY = { "x-stainless-retry-count": "1" };

async function countSessions(): Promise<number> {
  return ((await ask("GET", "/v1/sessions?limit=1000", { key })).body as { sessions: unknown[] }).sessions.length;
}

async function readSession(session: string): Promise<SessionDetail> {
  return (await ask("GET", `/v1/sessions/${session}`, { key })).body as SessionDetail;
}

async function readInput(session: string): Promise<string> {
  const { entries } = (await ask("GET", `/v1/sessions/${session}/entries`, { key })).body as { entries: Entry[] };
  return entries
    .find(({ kind }) => kind === "user")!
    .parts.map(({ source, text }) => `${source}: ${text}`)
    .join("|");
}

/** Two turns, as a client's history. */
async function talk(subject: string) {
  const first = [user(`What is ${subject} for?`)];
  const one = await say(first);
  const second = [...first, assistant(one.text), user("Note: that is good to know")];
  const two = await say(second);
  return { first, second, one, two, whole: [...second, assistant(two.text)] };
}

describe("a client that sends its whole history", () => {
  it("goes on in one session", async () => {
    const before = await countSessions();
    const { one, two, whole } = await talk("a lighthouse");
    const three = await say([{ role: "system", content: "Be brief." }, ...whole, user("Thanks")]);
    expect([two.session, three.session]).toEqual([one.session, one.session]);
    expect([one.turn, two.turn, three.turn]).toEqual([1, 2, 3].map((n) => `${one.session}-${n}`));
    expect(await countSessions()).toBe(before + 1);
    expect(one.finish).toBe("stop");
    expect(two.text).toMatch(/^Noted/);
    expect(one.usage.total_tokens).toBe(one.usage.prompt_tokens + one.usage.completion_tokens);
    expect(one.usage.prompt_tokens).toBeGreaterThan(0);
  });

  it("goes on where the person stopped reading, and where white space differs", async () => {
    const { first, one } = await talk("a beacon");
    const cut = await say([...first, assistant(` ${one.text.slice(0, 30)}\n`), user("Note: enough")]);
    const [origin] = (await readSession(cut.session)).branchedFrom ?? [];
    expect(origin).toMatchObject({ session: one.session, turn: 1 });
  });

  it("branches when it asks again or edits a message, and goes on in the branch", async () => {
    const before = await countSessions();
    const { first, second, one, two } = await talk("a sluice");
    const again = await say(second);
    const edited = await say([...first, assistant(one.text), user("List the skills")]);
    expect(new Set([one.session, again.session, edited.session]).size).toBe(3);
    expect(await countSessions()).toBe(before + 3);
    expect((await readSession(again.session)).branchedFrom).toMatchObject([{ session: one.session, turn: 1 }]);
    const on = await say([
      ...first,
      assistant(one.text),
      user("List the skills"),
      assistant(edited.text),
      user("Thanks"),
    ]);
    expect(on.session).toBe(edited.session);
    const back = await say([...second, assistant(two.text), user("Thanks")]);
    expect([one.session, again.session]).toContain(back.session);
    expect(await countSessions()).toBe(before + 3);
  });

  it("never gets the message of another tab that sends the same history at the same moment", async () => {
    const { one, whole } = await talk("an anchor");
    const [left, right] = await Promise.all([
      say([...whole, user("Note: the left tab")]),
      say([...whole, user("Note: the right tab")]),
    ]);
    expect(new Set([left.session, right.session, one.session]).size).toBe(2);
    expect([left.turn, right.turn].map((turn) => turn.split("-")[1])).toEqual(["3", "3"]);
    for (const { session, turn } of [left, right]) {
      const { entries } = (await ask("GET", `/v1/sessions/${session}/entries`, { key })).body as { entries: Entry[] };
      const texts = entries
        .filter(({ kind }) => kind === "user")
        .map(({ parts }) => parts.map(({ text }) => text).join());
      expect({ turn, both: texts.join().includes("left") && texts.join().includes("right") }).toEqual({
        turn,
        both: false,
      });
    }
  });

  it("begins a session that is told the history if nobody knows it, and goes on there", async () => {
    const history = [
      user("Where is Bergen?"),
      assistant("On the coast of Norway."),
      user("Note: I will be there in May"),
    ];
    const one = await say(history);
    const input = await readInput(one.session);
    expect(input).toMatch(/content: [^|]*On the coast of Norway\./);
    expect(input).toMatch(/\|principal: Note: I will be there in May$/);
    const two = await say([...history, assistant(one.text), user("Thanks")]);
    expect(two.session).toBe(one.session);
    expect((await readSession(one.session)).turns).toHaveLength(2);
  });

  it("leaves no session behind for a message that is refused", async () => {
    const { one, whole } = await talk("a jetty");
    const before = await countSessions();
    const taken = { type: "function", function: { name: "terminal", parameters: {} } } as const;
    for (const messages of [[user("Hello")], [...whole.slice(0, 2), user("Note: another")]]) {
      await expect(sayBy(client, messages, { tools: [taken] })).rejects.toMatchObject({ code: "tool_collides" });
    }
    await expect(say([user("a".repeat(100_001))])).rejects.toMatchObject({ code: "message_too_long" });
    await expect(say([user("a".repeat(100_001))], RETRY)).rejects.toMatchObject({ code: "message_too_long" });
    await expect.poll(countSessions, { timeout: 10_000 }).toBe(before);
    expect((await say([...whole, user("Thanks")])).session).toBe(one.session);
  });

  it("does not go on in a session that was deleted", async () => {
    const { one, whole } = await talk("a mill");
    expect((await ask("DELETE", `/v1/sessions/${one.session}`, { key })).status).toBe(204);
    const next = await say([...whole, user("Thanks")]);
    expect(next.session).not.toBe(one.session);
    expect(await readInput(next.session)).toContain("What is a mill for?");
  });
});

describe("a request that is the same as another", () => {
  it("begins a session of its own", async () => {
    const one = await say([user("Hello there")]);
    const two = await say([user("Hello there")]);
    expect(two.session).not.toBe(one.session);
  });

  it("joins the first attempt's turn if it says that it is a retry", async () => {
    const one = await say([user("Hello from a retry")]);
    const again = await say([user("Hello from a retry")], RETRY);
    expect(again).toEqual(one);
    const history = [user("Hello from a retry"), assistant(one.text), user("Note: more")];
    const two = await say(history);
    expect(await say(history, RETRY)).toEqual(two);
    expect((await readSession(one.session)).turns).toHaveLength(2);
  });

  it("joins by its Idempotency-Key, which another body may not use", async () => {
    const headers = { "idempotency-key": "monday" };
    const one = await say([user("Hello from Monday")], headers);
    expect(await say([user("Hello from Monday")], headers)).toEqual(one);
    const other = say([user("Hello from Tuesday")], headers);
    await expect(other).rejects.toThrow(OpenAI.ConflictError);
    await expect(other).rejects.toMatchObject({ status: 409, code: "idempotency_conflict" });
  });

  it("joins by its Idempotency-Key also while the first attempt is under way, in a branch too", async () => {
    const { first, one } = await talk("a double dike");
    for (const messages of [[user("Hello, twice")], [...first, assistant(one.text), user("Note: twice")]]) {
      const before = await countSessions();
      const headers = { "idempotency-key": `twice-${messages.length}` };
      const [left, right] = await Promise.all([say(messages, headers), say(messages, headers)]);
      expect([right.session, right.turn, await countSessions()]).toEqual([left.session, left.turn, before + 1]);
    }
  });

  it.each(["create", "fetch", "planBranch", "readBranch"])(
    "is done once although the first attempt died at %s",
    async (call) => {
      const { first, one } = await talk(`a well of ${call}`);
      const isBranch = call.endsWith("Branch");
      const messages = isBranch ? [...first, assistant(one.text), user("Note: once")] : [user(`Hello after ${call}`)];
      const before = await countSessions();
      const cut = createChatClient(key, async (url, init) => app.fetch(new Request(url, init), cutAt(call)));
      await expect(sayBy(cut, messages)).rejects.toThrow(OpenAI.InternalServerError);
      const joined = await say(messages, RETRY);
      expect(await say(messages, RETRY)).toEqual(joined);
      expect(await countSessions()).toBe(before + 1);
      expect((await readSession(joined.session)).turns).toHaveLength(isBranch ? 2 : 1);
    },
  );
});

/** The bindings, with sessions that die before they carry out this call. */
function cutAt(call: string): typeof env {
  const cut = (stub: object) =>
    new Proxy(stub, {
      get: (target, name) => {
        if (name === call) return () => Promise.reject(new Error("the object died"));
        const value = Reflect.get(target, name) as unknown;
        return typeof value === "function"
          ? (...asked: unknown[]) => Reflect.apply(value, target, asked) as unknown
          : value;
      },
    });
  return { ...env, SESSION: { getByName: (name: string) => cut(env.SESSION.getByName(name)) } as never };
}

describe("a client that names its session", () => {
  it("goes on there, also with a message alone, and never branches", async () => {
    const one = await say([user("Hello by name")]);
    const headers = { "x-talaria-session": one.session };
    const two = await say([user("Note: a message alone")], headers);
    const three = await say([user("Hello by name"), assistant(one.text), user("Note: with history")], headers);
    expect([two.turn, three.turn]).toEqual([`${one.session}-2`, `${one.session}-3`]);
    const unknown = say([user("Hi")], { "x-talaria-session": "01ARZ3NDEKTSV4RRFFQ69G5FAV" });
    await expect(unknown).rejects.toThrow(OpenAI.NotFoundError);
    await expect(unknown).rejects.toMatchObject({ code: "session_not_found" });
    await expect(say([user("Hi")], { "x-talaria-session": "mine" })).rejects.toMatchObject({ code: "bad_session_id" });
  });

  it("names a conversation instead", async () => {
    const headers = { "x-talaria-conversation": "the garden" };
    const [one, two] = await Promise.all([say([user("Note: roses")], headers), say([user("Note: tulips")], headers)]);
    const three = await say([user("Note: lilies")], headers);
    expect(new Set([one!.session, two!.session, three.session]).size).toBe(1);
    const other = await say([user("Note: roses")], { "x-talaria-conversation": "the kitchen" });
    expect(other.session).not.toBe(one!.session);
  });

  it.each(["create", "fetch"])("answers in a conversation whose first request died at %s", async (call) => {
    const headers = { "x-talaria-conversation": `the shed of ${call}` };
    const cut = createChatClient(key, async (url, init) => app.fetch(new Request(url, init), cutAt(call)));
    await expect(sayBy(cut, [user("Note: a spade")], { headers })).rejects.toThrow(OpenAI.InternalServerError);
    const [one, two] = await Promise.all([say([user("Note: a rake")], headers), say([user("Note: a hoe")], headers)]);
    expect(two!.session).toBe(one!.session);
    expect((await readSession(one!.session)).turns).toHaveLength(2);
  });

  it.each(["planBranch", "readBranch"])("answers although its conversation's branch died at %s", async (call) => {
    const { first, one } = await talk(`a stall of ${call}`);
    const headers = { "x-talaria-conversation": `the stall of ${call}` };
    const messages = [...first, assistant(one.text), user("Note: in a branch")];
    const cut = createChatClient(key, async (url, init) => app.fetch(new Request(url, init), cutAt(call)));
    await expect(sayBy(cut, messages, { headers })).rejects.toThrow(OpenAI.InternalServerError);
    const next = await say(messages, headers);
    expect((await say([user("Note: more")], headers)).session).toBe(next.session);
    const detail = await readSession(next.session);
    expect(detail.turns).toHaveLength(3);
    expect(detail.branchedFrom).toMatchObject([{ session: one.session, turn: 1 }]);
  });

  it("keeps a conversation out of learning, and never puts it into a session that learns", async () => {
    const off = { "x-talaria-learning": "off" };
    const first = [user("Make a title for this conversation")];
    const learning = await say(first);
    const one = await say(first, off);
    expect((await readSession(one.session)).learning).toBe("off");
    const history = [...first, assistant(one.text), user("Note: shorter")];
    expect((await say(history, off)).session).toBe(one.session);
    expect((await say(history)).session).toBe(learning.session);
    const named = say([user("Hi")], { ...off, "x-talaria-session": learning.session });
    await expect(named).rejects.toMatchObject({ status: 409, code: "learning_differs" });
  });
});
