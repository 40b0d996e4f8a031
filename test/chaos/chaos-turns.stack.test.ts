// A short chaos run over turns: two turns, each killed at its most harmful point. The run's whole result is compared.
import { expect, it } from "vitest";
import { runTurns } from "../../scripts/chaos/turns.ts";

it("loses nothing and repeats nothing when the stack is killed in a turn, and readers have the text of the log", async () => {
  const lines: string[] = [];
  const points = ["after running c5", "before result c6"];
  const run = await runTurns({ turns: 2, seed: 1, points, say: (line) => lines.push(line) });
  expect(run, lines.join("\n")).toEqual({
    kills: 2,
    lost: 0,
    duplicated: 0,
    unknown: 2,
    unknownRerun: 0,
    stuck: 0,
    between: 2,
    unhit: [],
    remarks: [],
  });
});
