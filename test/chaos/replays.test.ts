import { describe, expect, it } from "vitest";
import { runReplaysInProcess } from "../../scripts/chaos/replays.ts";

describe("experiments and replays that are killed", () => {
  it("end with one result each, lose and repeat nothing, and reach nothing outside", async () => {
    const lines: string[] = [];
    const run = await runReplaysInProcess({ kills: 6, every: 200, seed: 1, say: (line) => lines.push(line) });
    expect(run, lines.join("\n")).toEqual({
      ...{ kills: run.kills, lost: 0, duplicated: 0, outward: 0, stuck: 0 },
      remarks: [],
    });
    expect(run.kills).toBeGreaterThanOrEqual(6);
  });
});
