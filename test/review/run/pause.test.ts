// A reviewer's model that is unavailable for longer than a run should wait.
import { expect, it } from "vitest";
import type { ScriptLine } from "../../support/wires/scripted-model.ts";
import { LINES } from "../script.ts";
import { createWorld } from "../world.ts";

const failing = (failure: { retryAfterMs?: number }): ScriptLine[] => {
  let isFirst = true;
  const [first, second, ...rest] = LINES;
  const once: ScriptLine = (request) => {
    if (isFirst) {
      isFirst = false;
      return { failure: { code: "rate_limit", retry: true, ...failure } };
    }
    return typeof second === "function" ? second(request) : second!;
  };
  return [first!, once, ...rest];
};

it("a review whose model asks for a long wait is retried after it, and continues where it stopped", async () => {
  const world = await createWorld(failing({ retryAfterMs: 240_000 }));
  const process = world.start();
  expect(await process.deliver()).toEqual({ act: "retry", delaySeconds: 240 });
  expect(process.model.requests).toHaveLength(2);
  world.clock.advance(240_000);
  const again = world.start();
  expect(await again.deliver()).toEqual({ act: "ack" });
  expect(again.model.requests).toHaveLength(LINES.length - 1);
  expect(world.log.filter((line) => "failure" in line)).toEqual([]);
});
