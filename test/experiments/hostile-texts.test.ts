// Texts that want to be called helpful: one that ends the work at once, one that looks cheap, one that says everything.
import { expect, it } from "vitest";
import type { RecordedTurn } from "../../core/experiments/ports.ts";
import { type Answer, asked, createWorld, turn } from "./world.ts";

const FOUND = "There are 42 rows, and 17 of them are empty.";
/** Nobody has said what is right. */
const unjudged: Partial<RecordedTurn> = { accepted: null, judge: "exit", answer: FOUND };

async function tryOn(own: (n: number) => Partial<RecordedTurn>, hostile: Answer, usual: Answer) {
  const answer = ({ arm }: { arm: string }) => (arm === "with" ? hostile : usual);
  const world = createWorld({ turns: { 1: own(1), 2: own(2), 3: own(3) }, similar: [2, 3], answer });
  await world.makeSkill();
  return world.tryText(world.open(), asked());
}

it("are not helpful because they end the work without an answer that anybody calls right", async () => {
  const done = { calls: 0, tokens: 500, answer: "Done.", exit: "unknown" } as const;
  expect(await tryOn(() => unjudged, done, { answer: FOUND })).toMatchObject({ outcome: "no_difference" });
  const text = "The job fails because the token has expired, so renew it before the next run of the pipeline.";
  const accepted = (n: number) => ({ answer: text, accepted: { turn: turn(n).turn, text, isOwn: true } });
  expect(await tryOn(accepted, done, { answer: text })).toMatchObject({ outcome: "no_difference" });
});

it("are not helpful because one call ends well, and nothing of the work is in the answer", async () => {
  const one = { calls: 1, tokens: 500, answer: "Done.", exit: "success" } as const;
  expect(await tryOn(() => unjudged, one, { answer: FOUND })).toMatchObject({ outcome: "no_difference" });
  const found = { ...one, answer: "42 rows." };
  expect(await tryOn(() => unjudged, found, { answer: FOUND })).toMatchObject({ outcome: "helps" });
});

it("are not right because the answer has all numbers, or all words", async () => {
  const wrong = (text: string) => (n: number) => ({
    ...{ answer: "None.", outcome: "failure" as const },
    accepted: { turn: turn(n + 20).turn, text, isOwn: false },
  });
  const numbers = Array.from({ length: 200 }, (_, n) => n).join(", ");
  const tried = await tryOn(wrong("It is 42."), { answer: numbers }, { answer: "None." });
  expect(tried).toMatchObject({ outcome: "no_difference", arms: { with: { right: 0 }, without: { right: 0 } } });
  const cities = "Paris London Berlin Madrid Rome ".repeat(40);
  expect(await tryOn(wrong("Berlin"), { answer: cities }, { answer: "None." })).toMatchObject({
    arms: { with: { right: 0 } },
  });
});
