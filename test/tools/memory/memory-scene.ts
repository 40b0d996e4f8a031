// A memory tool and its store over the test double of KV, with the arguments for tests.
import { expect } from "vitest";
import { renderParts } from "../../../core/agent/tool-result.ts";
import { DEFAULTS } from "../../../core/limits.ts";
import type { KeyValue } from "../../../core/ports.ts";
import type { JsonObject } from "../../../core/schemas/entry.ts";
import { type MemoryToolOptions, createMemoryTool } from "../../../core/tools/memory/memory.ts";
import { createMemoryStore } from "../../../stores/memory-store.ts";
import { createTestClock } from "../../support/clock.ts";
import { createMemoryKv } from "../../support/bindings/memory-kv.ts";
import { newProfileId } from "../../support/skills/profile-ids.ts";

export const SESSION = "01J00000000000000000000000";
/** Either code, depending on the scanner's severities. */
export const SCANNED = expect.stringMatching(/^scan_(refused|doubtful)$/) as unknown as string;

export function createScene(options: Partial<MemoryToolOptions> = {}) {
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

/** Throws at the write after the first `writes` writes. If the answer is lost, that write was carried out. */
export function cutAfter(kv: KeyValue, writes: number, answerLost: boolean): KeyValue {
  let left = writes;
  return {
    get: (key) => kv.get(key),
    getMany: (keys) => kv.getMany(keys),
    list: (options) => kv.list(options),
    delete: (key) => kv.delete(key),
    async put(key, value, options) {
      if (left-- > 0) return kv.put(key, value, options);
      if (answerLost) await kv.put(key, value, options);
      throw new Error("The process was killed.");
    },
  };
}
