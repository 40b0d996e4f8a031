// The short form of `npm run bench:webhooks`: the whole stack is killed in the middle, and every delivery becomes one turn.
import { expect, it } from "vitest";
import { runWebhooks } from "../../bench/webhooks/run.ts";

it("accepted webhooks become one turn each, although the stack is killed in the middle", async () => {
  const run = await runWebhooks({ count: 40, seed: 1, say: () => {} });
  expect(run).toMatchObject({ accepted: 40, turns: 40, lost: 0, duplicated: 0 });
  expect(run.sent).toBeGreaterThanOrEqual(40);
}, 180_000);
