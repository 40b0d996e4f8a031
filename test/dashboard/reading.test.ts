// Reading beside a slow server: every reader gets the newest answer, and what the reader has changed does not come back.
import { afterEach, beforeEach, expect, it, vi } from "vitest";

let asked: { path: string; answer(body: unknown): void; fail(): void }[];

beforeEach(() => {
  asked = [];
  vi.stubGlobal(
    "fetch",
    (path: string, { signal }: { signal: AbortSignal }) =>
      new Promise<Response>((done, fail) => {
        signal.addEventListener("abort", () => fail(signal.reason as Error));
        asked.push({ path, answer: (body) => done(Response.json(body)), fail: () => fail(new TypeError("away")) });
      }),
  );
});
afterEach(() => void vi.unstubAllGlobals());

const turn = () => new Promise((done) => setTimeout(done, 0));
const load = () => Promise.all([import("../../dashboard/data/resource.ts"), import("../../dashboard/data/list.ts")]);

it("gives two readers of one address one answer", async () => {
  const [{ readOnce }] = await load();
  const both = [readOnce("GET /v1/skills", {}), readOnce("GET /v1/skills", {})];
  asked[0]!.answer({ skills: [] });
  await turn();
  expect([await Promise.all(both), asked.length]).toEqual([[{ skills: [] }, { skills: [] }], 1]);
});

it("keeps an item away that was removed while the next page was read, or all pages again", async () => {
  const [, { createList }] = await load();
  const page = (...ids: string[]) => ({ sessions: ids.map((session) => ({ session })), next: "more" });
  const list = createList("GET /v1/sessions", {}, ({ sessions }) => sessions.map(({ session }) => session));
  const remove = (id: string) => list.update((items) => items.filter((one) => one !== id));
  list.more();
  asked[0]!.answer(page("a", "b"));
  await turn();
  list.more();
  remove("a");
  asked[1]!.answer(page("c"));
  await turn();
  expect(list.state.value.items).toEqual(["b", "c"]);
  const again = list.reload();
  remove("b");
  asked[2]!.answer(page("a2", "b"));
  await turn();
  asked[3]!.answer(page("c"));
  await again;
  expect(list.state.value.items).toEqual(["a2", "c"]);
});

it("keeps what was read when reading it again fails, and says so", async () => {
  const [, { createList }] = await load();
  const list = createList("GET /v1/sessions", {}, ({ sessions }) => sessions.map(({ session }) => session));
  list.more();
  asked[0]!.answer({ sessions: [{ session: "a" }] });
  await turn();
  const again = list.reload();
  asked[1]!.fail();
  await again;
  expect([list.state.value.items, String(list.state.value.error)]).toEqual([
    ["a"],
    expect.stringContaining("does not answer"),
  ]);
});

it("says to reload the page when a part of it is gone, as after a deployment", async () => {
  const { loadPart } = await import("../../dashboard/data/api.ts");
  await expect(loadPart(Promise.reject(new TypeError("Failed to fetch")))).rejects.toThrow("Reload the page");
});

it("gives a large body the time of a slow line", async () => {
  const { call, sendBytes } = await import("../../dashboard/data/api.ts");
  const timeout = vi.spyOn(AbortSignal, "timeout");
  void call("GET /v1/skills");
  void sendBytes("PUT", "/v1/sessions/s/files/a", new Blob([new Uint8Array(16_000_000)]));
  expect(timeout.mock.calls.map(([ms]) => ms)).toEqual([60_000, 1_060_000]);
  timeout.mockRestore();
});

it("reads a board again by itself when a reading was lost", async () => {
  const { createBoardCards } = await import("../../dashboard/board/board-cards.ts");
  vi.useFakeTimers();
  const target = { addEventListener: () => {}, removeEventListener: () => {} };
  vi.stubGlobal("window", target);
  vi.stubGlobal("document", { ...target, visibilityState: "visible" });
  vi.stubGlobal("location", { href: "http://page.example/" });
  vi.stubGlobal(
    "WebSocket",
    class extends EventTarget {
      close(): void {}
    },
  );
  const cards = createBoardCards("work");
  const stop = cards.start();
  asked[0]!.fail();
  await vi.advanceTimersByTimeAsync(10_000);
  asked[1]!.answer({ cards: [{ id: "c1" }] });
  await vi.advanceTimersByTimeAsync(100);
  stop();
  vi.useRealTimers();
  expect([cards.state.value.cards.map(({ id }) => id), cards.state.value.error]).toEqual([["c1"], undefined]);
});
