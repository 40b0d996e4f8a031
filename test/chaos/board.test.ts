import { describe, expect, it } from "vitest";
import { runBoardChaos } from "../../scripts/chaos/board.ts";
import { createNodeSql } from "../support/bindings/node-sql.ts";

describe("a board whose object is killed", () => {
  it("loses no card, does none twice and leaves none stuck", async () => {
    const lines: string[] = [];
    const run = await runBoardChaos({ kills: 30, every: 12, seed: 1, say: (line) => lines.push(line) }, createNodeSql);
    expect({ ...run, remarks: [] }, lines.join("\n")).toEqual({
      kills: run.kills,
      lost: 0,
      duplicated: 0,
      stuck: 0,
      remarks: [],
    });
    expect(run.kills).toBeGreaterThanOrEqual(30);
  });
});
