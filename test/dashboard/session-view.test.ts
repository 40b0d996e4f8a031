// One session on the page beside a network that fails: what a read missed is read again without a click, and no failure makes a storm of requests.
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { AgentEvent } from "../../core/schemas/entry.ts";

interface Socket {
  url: string;
  open(): void;
  tell(event: AgentEvent): void;
  cut(): void;
}

let sockets: Socket[];
let asked: string[];
/** The status of an answer to this address; 0: none comes. */
let statusOf: (path: string) => number;
let turns: object[];
let entries: object[];
let events = 0;

beforeEach(() => {
  vi.useFakeTimers();
  [sockets, asked, turns, entries, statusOf] = [[], [], [], [], () => 200];
  const nothing = () => {};
  const target = { addEventListener: nothing, removeEventListener: nothing };
  vi.stubGlobal("matchMedia", () => target);
  vi.stubGlobal("innerWidth", 1440);
  vi.stubGlobal("sessionStorage", { getItem: () => null, setItem: nothing, removeItem: nothing });
  vi.stubGlobal("addEventListener", nothing);
  vi.stubGlobal("removeEventListener", nothing);
  vi.stubGlobal("window", target);
  vi.stubGlobal("document", { ...target, visibilityState: "visible" });
  vi.stubGlobal("location", { href: "http://page.example/#/chat" });
  vi.stubGlobal("requestAnimationFrame", (draw: () => void) => setTimeout(draw, 16));
  vi.stubGlobal("WebSocket", FakeSocket);
  vi.stubGlobal("fetch", async (path: string) => {
    asked.push(path);
    await new Promise((done) => setTimeout(done, 100));
    const status = statusOf(path);
    if (status === 0) throw new TypeError("Failed to fetch");
    const body = path.includes("/entries") ? { entries } : { session: "s", title: "t", turns };
    return new Response(status === 200 ? JSON.stringify(body) : "<html>Bad gateway</html>", { status });
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

class FakeSocket extends EventTarget {
  static readonly OPEN = 1;
  readyState = 1;
  constructor(url: URL) {
    super();
    sockets.push({
      url: String(url),
      open: () => this.dispatchEvent(new Event("open")),
      tell: (event) =>
        this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify({ id: `${++events}.0`, event }) })),
      cut: () => this.dispatchEvent(Object.assign(new Event("close"), { code: 1006, reason: "" })),
    });
  }
  send(): void {}
  close(): void {}
}

async function open() {
  const { openSession } = await import("../../dashboard/chat/session/session-view.ts");
  const view = openSession("s", () => {});
  await passes(1_000);
  return view;
}

const passes = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const USER = { kind: "user", n: 1, turn: 1, at: 1, parts: [{ text: "Hello", source: "principal" }] };

it("loads when the server is back, whatever a proxy answered for it meanwhile", async () => {
  statusOf = () => 502;
  const view = await open();
  expect(view.isLoaded.value).toBe(false);
  statusOf = () => 200;
  await passes(4_000);
  expect([view.isLoaded.value, view.error.value]).toEqual([true, undefined]);
  view.close();
});

it("reads a message of another tab again when its entry could not be read", async () => {
  const view = await open();
  sockets[0]!.open();
  statusOf = (path) => (path.includes("/entries") ? 502 : 200);
  entries = [USER];
  sockets[0]!.tell({ type: "turn_start", turn: 1, entry: 1 });
  await passes(1_000);
  const text = () => {
    const [item] = view.conversation.value.turns[0]!.items;
    return item?.kind === "person" ? item.text : undefined;
  };
  expect(text()).toBeNull();
  statusOf = () => 200;
  await passes(4_000);
  expect(text()).toBe("Hello");
  view.close();
});

it("loads once when the stream does not join, however many events follow", async () => {
  const view = await open();
  sockets[0]!.open();
  asked = [];
  for (let i = 0; i < 20; i++) {
    sockets[0]!.tell({ type: "text_delta", entry: 9, offset: 100 + i, text: "x" });
    await passes(20);
  }
  await passes(1_000);
  expect(asked.filter((path) => path === "/v1/sessions/s")).toHaveLength(1);
  expect(sockets).toHaveLength(2);
  view.close();
});

it("waits longer after each connection that brings nothing", async () => {
  const view = await open();
  for (let seconds = 0; seconds < 60; seconds++) {
    const last = sockets.at(-1)!;
    last.open();
    last.cut();
    await passes(1_000);
  }
  expect(sockets.length).toBeLessThan(25);
  view.close();
});

it("tells a conversation from the log where no WebSocket gets through", async () => {
  const view = await open();
  const answer = { ...{ kind: "assistant", n: 2, turn: 1, at: 2 }, parts: [{ text: "Hi", source: "own" }], answer: {} };
  const stats = { modelCalls: 1 };
  [entries, turns] = [[USER, answer], [{ n: 1, state: "done", input: 1, final: 2, reason: "answer", stats }]];
  for (let seconds = 0; seconds < 20; seconds++) {
    sockets.at(-1)!.cut();
    await passes(1_000);
  }
  const [turn] = view.conversation.value.turns;
  expect([turn?.items.map(({ kind }) => kind), turn?.end?.state]).toEqual([["person", "answer"], "done"]);
  view.close();
});
