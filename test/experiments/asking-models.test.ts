// When a model compares two answers, and when it is heard.
import { expect, it } from "vitest";
import type { ModelRequest } from "../../core/agent/contract.ts";
import { createScriptedModel } from "../support/wires/scripted-model.ts";
import { SESSION, type WorldOptions, asked, createWorld } from "./world.ts";

const LONG = "The job fails because the token has expired, so renew it before the next run of the pipeline.";
const OTHER = "Its credentials are out of date. Get new ones, then start the pipeline again tomorrow morning.";

/** The answer that the person accepted is `LONG`. */
async function judgeWith(
  says: readonly boolean[],
  { answer = OTHER, ...more }: { answer?: string; granted?: number } = {},
) {
  const requests: ModelRequest[] = [];
  const model = createScriptedModel(
    Array.from({ length: 20 }, (_, i) => (request: ModelRequest) => {
      requests.push(request);
      return { text: JSON.stringify({ same: says[i % says.length] }) };
    }),
  );
  const accepted = { turn: `${SESSION}-1`, text: LONG, isOwn: true };
  const options: WorldOptions = { turns: { 1: { accepted, answer: LONG } }, judges: [model], ...more };
  const world = createWorld({ ...options, answer: () => ({ answer }) });
  await world.makeSkill();
  const { runs } = await world.tryText(world.open(), asked());
  return { asked: requests.length, judge: runs.find(({ arm, replay }) => arm === "with" && replay !== null)?.judge };
}

it("hears a model only if it says the same in both orders", async () => {
  expect((await judgeWith([true])).judge).toBe("model");
  expect((await judgeWith([true, false])).judge).toBe("exit");
});

it("asks none where the answers say it themselves", async () => {
  expect(await judgeWith([true], { answer: LONG })).toEqual({ asked: 0, judge: "answer" });
});

it("asks none where the run has spent the grant", async () => {
  expect(await judgeWith([true], { granted: 7_000 })).toEqual({ asked: 0, judge: "exit" });
});
