// Messages on their way beside a server that is away, refuses, or has ended the sign-in: none is lost, none is sent twice.
import { afterEach, beforeEach, expect, it, vi } from "vitest";

type Reply = { status: number; body: unknown } | "away";
interface Asked {
  key: string;
  text: string;
}

const accepted = (turn: number): Reply => ({ status: 202, body: { turn: `s-${turn}` } });
const problem = (status: number, code: string): Reply => ({ status, body: { code, detail: `It is ${code}.` } });
const composed = (text: string) => ({ text, images: [], busy: null });

let kept: Map<string, string>;
let asked: Asked[];
let replies: Reply[];
let sessions = 0;

beforeEach(() => {
  vi.useFakeTimers();
  [kept, asked, replies] = [new Map(), [], []];
  vi.stubGlobal("matchMedia", () => ({ addEventListener: () => {} }));
  vi.stubGlobal("innerWidth", 1440);
  vi.stubGlobal("sessionStorage", {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
    removeItem: (name: string) => void kept.delete(name),
  });
  vi.stubGlobal("addEventListener", () => {});
  vi.stubGlobal("removeEventListener", () => {});
  vi.stubGlobal("fetch", async (_: string, init: { headers: Record<string, string>; body: string }) => {
    asked.push({ key: init.headers["idempotency-key"]!, text: (JSON.parse(init.body) as { text: string }).text });
    const reply = replies.shift() ?? "away";
    if (reply === "away") throw new TypeError("Failed to fetch");
    return new Response(typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body), {
      status: reply.status,
    });
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** What a page does that shows a session; `again`: the same one. */
async function open(again = false) {
  const { openOutgoing } = await import("../../dashboard/chat/session/outgoing.ts");
  const refused: string[] = [];
  if (!again) sessions += 1;
  const outgoing = openOutgoing({
    session: `s${sessions}`,
    onAccepted: () => {},
    onRefused: ({ text }) => void refused.push(text),
  });
  const texts = () => outgoing.messages.value.map(({ text }) => text);
  return { ...outgoing, refused, texts };
}

const passes = (ms = 60_000) => vi.advanceTimersByTimeAsync(ms);
const keptTexts = () =>
  (JSON.parse(kept.get(`talaria.tab.outgoing.s${sessions}`) ?? "[]") as Asked[]).map(({ text }) => text);

it("sends a message again with the same key until the server answers, and the next one after it", async () => {
  const { add, texts, messages } = await open();
  replies = ["away", problem(503, "busy"), { status: 200, body: "<html>" }, accepted(1), accepted(2)];
  for (const text of ["one", "two"]) add(composed(text));
  await passes();
  expect(asked.map(({ text }) => text)).toEqual(["one", "one", "one", "one", "two"]);
  expect(new Set(asked.map(({ key }) => key)).size).toBe(2);
  expect([texts(), messages.value.map(({ turn }) => turn)]).toEqual([
    ["one", "two"],
    [1, 2],
  ]);
});

it("gives a refused message back, and keeps no copy", async () => {
  const { add, refused, texts } = await open();
  replies = [problem(413, "message_too_long")];
  add(composed("long"));
  await passes();
  expect([refused, texts(), keptTexts()]).toEqual([["long"], [], []]);
});

it("keeps a message over the end of a sign-in, for the next one of the same profile", async () => {
  const { add, refused } = await open();
  replies = [problem(401, "key_revoked")];
  add(composed("written before"));
  await passes(10);
  expect([refused, keptTexts()]).toEqual([[], ["written before"]]);
});

it("goes on when its conversation is left, and is the same when it is shown again", async () => {
  const first = await open();
  replies = ["away", "away", accepted(1)];
  first.add({ text: "with a picture", images: [{ data: "data:", name: "a" }], busy: null });
  await passes(10);
  first.close();
  const again = await open(true);
  expect(again.texts()).toEqual(["with a picture"]);
  again.close();
  await passes();
  expect([asked.length, new Set(asked.map(({ key }) => key)).size]).toEqual([3, 1]);
});

it("puts a message into the draft that is refused after its conversation was left", async () => {
  const first = await open();
  replies = ["away", problem(413, "message_too_long")];
  first.add(composed("too long"));
  await passes(10);
  first.close();
  kept.set(`talaria.tab.draft.s${sessions}`, "being written");
  await passes();
  expect(kept.get(`talaria.tab.draft.s${sessions}`)).toBe("too long\n\nbeing written");
});
