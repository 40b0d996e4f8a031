// Sizes that a refusal names are remembered for every later request of the isolate.
import { describe, expect, it } from "vitest";
import type { Model, ModelEvent, ModelFailure, ModelRequest } from "../../core/agent/contract.ts";
import { type LearnedWindows, withLearnedWindow } from "../../core/models/learned-windows.ts";
import { readAll, toRequest } from "../conformance/model.ts";

function createRefusing(sizes: Partial<ModelFailure>) {
  const requests: ModelRequest[] = [];
  const model: Model = {
    name: "openai-chat:local",
    contextWindow: 200_000,
    async *stream(request): AsyncGenerator<ModelEvent> {
      requests.push(request);
      const decisions = { retry: false, compact: false, rotateKey: false, fallBack: true };
      yield { type: "failed", failure: { code: "refused", message: "No.", ...decisions, ...sizes } };
    },
  };
  return { model, requests };
}

describe("a model that was refused", () => {
  it("has the window that the refusal named, for later models of the same name too", async () => {
    const learned: LearnedWindows = new Map();
    const { model } = createRefusing({ window: 8_192 });
    const first = withLearnedWindow(model, learned);
    expect([first.contextWindow, first.isWindowKnown]).toEqual([200_000, false]);
    await readAll(first, toRequest());
    expect([first, withLearnedWindow(model, learned)].map(({ contextWindow }) => contextWindow)).toEqual([
      8_192, 8_192,
    ]);
    expect(first.isWindowKnown).toBe(true);
  });

  it("gets no longer answer limit than the refusal allowed, in an otherwise unchanged request", async () => {
    const learned: LearnedWindows = new Map();
    const { model, requests } = createRefusing({ maxOutputTokens: 4_096 });
    const request = toRequest({ maxOutputTokens: 16_000 });
    await readAll(withLearnedWindow(model, learned), request);
    await readAll(withLearnedWindow(model, learned), request);
    await readAll(withLearnedWindow(model, learned), { ...request, maxOutputTokens: 1_000 });
    expect(requests).toEqual([request, { ...request, maxOutputTokens: 4_096 }, { ...request, maxOutputTokens: 1_000 }]);
    expect(withLearnedWindow(model, learned).contextWindow).toBe(200_000);
  });
});
