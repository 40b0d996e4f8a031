// A short chaos run over delegated work: one delegation, killed when its first child was begun and when a child had ended. The run's
// whole result is compared.
import { expect, it } from "vitest";
import { runDelegations } from "../../scripts/chaos/delegations.ts";

it("loses no task and does none twice when the stack is killed while children work", async () => {
  const lines: string[] = [];
  const points = ["parent after begin child", "child after settle"];
  const run = await runDelegations({ delegations: 1, seed: 1, points, say: (line) => lines.push(line) });
  expect(run, lines.join("\n")).toEqual({ kills: 2, unhit: [], lost: 0, duplicated: 0, stuck: 0, remarks: [] });
});
