import { describe, expect, it } from "vitest";
import { renderParts } from "../../core/agent/tool-result.ts";
import { type Failure, err } from "../../core/errors.ts";
import { DEFAULTS } from "../../core/limits.ts";
import type { KeyValue } from "../../core/ports.ts";
import type { JsonObject } from "../../core/schemas/entry.ts";
import { memoryId } from "../../core/schemas/memory.ts";
import { type MemoryToolOptions, createMemoryTool } from "../../core/tools/memory.ts";
import { createMemoryStore } from "../../stores/memory-store.ts";
import { createTestClock } from "../support/clock.ts";
import { createMemoryKv } from "../support/memory-kv.ts";
import { newProfileId } from "../support/profile-ids.ts";

const SESSION = "01J00000000000000000000000";

function createScene(options: Partial<MemoryToolOptions> = {}) {
  const clock = createTestClock();
  const kv = createMemoryKv({ clock });
  const profile = newProfileId();
  const toolOver = (over: KeyValue) => {
    const store = createMemoryStore({ kv: over, profile, clock, overlayMs: DEFAULTS.memory.overlayMs });
    return createMemoryTool({ store, origin: "foreground", session: SESSION, clock, settings: DEFAULTS, ...options });
  };
  const store = createMemoryStore({ kv, profile, clock, overlayMs: DEFAULTS.memory.overlayMs });
  const tool = toolOver(kv);
  let ops = 0;
  return {
    kv,
    clock,
    store,
    tool,
    toolOver,
    async call(args: JsonObject, op = `turn-1.${++ops}`) {
      clock.advance(1_000);
      const parsed = tool.parameters.parse({ store: "memory", ...args });
      const prepared = (await tool.prepare?.(parsed)) ?? {};
      const result = await tool.run(parsed, { op, prepared, signal: new AbortController().signal });
      return {
        ...(JSON.parse(renderParts(result.parts)) as JsonObject),
        failed: result.failed,
        sources: result.parts.map(({ source }) => source),
      };
    },
    texts: async (name: "memory" | "user" = "memory") => (await store.list(name)).map(({ text }) => text),
  };
}

describe("memory", () => {
  it("adds a fact with where it comes from, and says how full the store is", async () => {
    const { call, store } = createScene();
    expect(await call({ action: "add", content: " The server\nis in Lyon. " })).toEqual({
      failed: false,
      sources: ["outcome"],
      done: "added",
      store: "memory",
      id: memoryId("The server is in Lyon."),
      usage: { chars: 25, limit: 2_200, percent: 1, entries: 1, outside: 0 },
    });
    expect(await store.list("memory")).toEqual([
      {
        id: memoryId("The server is in Lyon."),
        store: "memory",
        text: "The server is in Lyon.",
        since: expect.any(Number),
        origin: "foreground",
        session: SESSION,
        adds: ["turn-1.1"],
      },
    ]);
  });

  it("keeps the two stores apart", async () => {
    const { call, texts } = createScene();
    await call({ action: "add", content: "a" });
    await call({ action: "add", store: "user", content: "b" });
    expect([await texts("memory"), await texts("user")]).toEqual([["a"], ["b"]]);
  });

  it("takes an exact duplicate for known", async () => {
    const { call, store } = createScene();
    await call({ action: "add", content: "The server is in Lyon." });
    expect(await call({ action: "add", content: "The  server is in Lyon." })).toMatchObject({
      failed: false,
      done: "already known",
      usage: { entries: 1 },
    });
    expect((await store.list("memory"))[0]!.adds).toEqual(["turn-1.1"]);
  });

  it("replaces and removes the entry that holds a piece", async () => {
    const { call, texts } = createScene();
    for (const content of ["The server is in Lyon.", "Deploys happen on Fridays."])
      await call({ action: "add", content });
    expect(await call({ action: "replace", old_text: "in Lyon", content: "The server is in Oslo." })).toMatchObject({
      done: "replaced",
      id: memoryId("The server is in Oslo."),
    });
    expect(await texts()).toEqual(["Deploys happen on Fridays.", "The server is in Oslo."]);
    expect(await call({ action: "remove", old_text: "Fridays" })).toMatchObject({
      done: "removed",
      id: memoryId("Deploys happen on Fridays."),
    });
    expect(await texts()).toEqual(["The server is in Oslo."]);
  });

  it("keeps an entry that is replaced by itself", async () => {
    const { call, texts } = createScene();
    await call({ action: "add", content: "The server is in Lyon." });
    expect(await call({ action: "replace", old_text: "Lyon", content: "The server is in  Lyon." })).toMatchObject({
      done: "already so",
    });
    expect(await texts()).toEqual(["The server is in Lyon."]);
  });

  it("says that a fact beyond the limit is kept outside the prompt", async () => {
    const { call } = createScene();
    for (const sign of ["a", "b", "c"]) await call({ action: "add", content: sign.repeat(900) });
    expect(await call({ action: "add", content: "short" })).toMatchObject({
      failed: false,
      usage: { percent: 124, entries: 4, outside: 1 },
      note: "The store is over its limit: the 1 oldest entry is kept outside the prompt. Merge or remove some.",
    });
  });

  it.each([
    [{ action: "add" }, "bad_arguments"],
    [{ action: "add", content: " " }, "empty_content"],
    [{ action: "add", content: "x".repeat(1_001) }, "too_long"],
    [{ action: "replace", old_text: "tea" }, "bad_arguments"],
    [{ action: "replace", old_text: "coffee", content: "x" }, "no_match"],
    [{ action: "remove", old_text: "tea" }, "several_matches"],
    [{ action: "remove" }, "empty_old_text"],
  ])("refuses %j and changes nothing", async (args, code) => {
    const { call, texts } = createScene();
    for (const content of ["Prefers tea.", "Buys tea in Lyon."]) await call({ action: "add", content });
    expect(await call(args)).toMatchObject({ failed: true, code });
    expect(await texts()).toEqual(["Prefers tea.", "Buys tea in Lyon."]);
  });

  it("quotes entries as own words", async () => {
    const { call } = createScene();
    await call({ action: "add", content: "Prefers tea." });
    expect(await call({ action: "remove", old_text: "coffee" })).toMatchObject({
      sources: ["outcome", "own"],
      entries: ["Prefers tea."],
    });
  });

  it("touches nothing that turned up after the call began", async () => {
    const { call, tool, texts } = createScene();
    const args = { action: "remove" as const, store: "memory" as const, old_text: "tea" };
    const prepared = await tool.prepare!(args);
    await call({ action: "add", content: "Prefers tea." });
    const result = await tool.run(args, { op: "late", prepared, signal: new AbortController().signal });
    expect(JSON.parse(renderParts(result.parts))).toMatchObject({ code: "no_match" });
    expect(await texts()).toEqual(["Prefers tea."]);
  });

  it.each(["replace", "remove"] as const)("finishes a %s that was cut off anywhere, once", async (action) => {
    for (let writes = 0; writes <= 2; writes++) {
      for (const answerLost of [false, true]) {
        const { call, kv, tool, toolOver, texts } = createScene();
        await call({ action: "add", content: "The server is in Lyon." });
        const args = { action, store: "memory" as const, old_text: "Lyon", content: "The server is in Oslo." };
        const context = { op: "op-1", prepared: await tool.prepare!(args), signal: new AbortController().signal };
        await toolOver(cutAfter(kv, writes, answerLost))
          .run(args, context)
          .catch(() => null);
        expect((await tool.run(args, context)).failed).toBe(false);
        expect((await tool.run(args, context)).failed).toBe(false);
        expect(await texts()).toEqual(action === "replace" ? ["The server is in Oslo."] : []);
      }
    }
  });

  it("keeps nothing without citations that hold, where they are asked for", async () => {
    const cite = (citations: string[]): Failure | null =>
      citations.includes("bad") ? err("citation_missing", "There is no such entry.").failure : null;
    const { call, texts } = createScene({ origin: "review", cite });
    expect(await call({ action: "add", content: "x" })).toMatchObject({ code: "citations_missing" });
    expect(await call({ action: "add", content: "x", citations: ["bad"] })).toMatchObject({ code: "citation_missing" });
    expect(await texts()).toEqual([]);
    const citations = [`${SESSION}/1#principal`];
    expect(await call({ action: "add", content: "The server is in Lyon.", citations })).toMatchObject({
      done: "added",
    });
    expect(await texts()).toEqual(["The server is in Lyon."]);
    expect(await call({ action: "remove", old_text: "Lyon", citations })).toMatchObject({ done: "removed" });
    expect(await texts()).toEqual([]);
  });
});

/** Throws at the write after the first `writes`, which may have been carried out. */
function cutAfter(kv: KeyValue, writes: number, answerLost: boolean): KeyValue {
  let left = writes;
  return {
    get: (key) => kv.get(key),
    list: (options) => kv.list(options),
    delete: (key) => kv.delete(key),
    async put(key, value, options) {
      if (left-- > 0) return kv.put(key, value, options);
      if (answerLost) await kv.put(key, value, options);
      throw new Error("The process was killed.");
    },
  };
}
