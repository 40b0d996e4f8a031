// bench:real over the three Workers, with a server that knows the answer: the measurements of a task, and resuming a run.
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runArm } from "../../bench/real/arms.ts";
import { openRecords } from "../../bench/real/records.ts";
import { SKILL_NAME } from "../../bench/real/skill-by-hand.ts";
import { type WorkerOptions, bundleProduct } from "../../scripts/stack/bundle.ts";
import { loadTables } from "../../scripts/demo/tables.ts";
import { drawSeries } from "../../scripts/demo/tasks.ts";
import { toSse } from "../support/wires/sse-body.ts";
import { toChatFrames } from "../support/wires/wire-openai-chat.ts";

const folder = mkdtempSync(join(tmpdir(), "talaria real "));
const { conventions, tasks } = drawSeries(loadTables().tables, 23, 2);
const bodies: string[] = [];
const server = createServer((request, response) => {
  let body = "";
  request.on("data", (piece: Buffer) => (body += piece.toString()));
  request.on("end", () => {
    bodies.push(body);
    response.writeHead(200, { "content-type": "text/event-stream" });
    const text = `It is ${tasks[0]!.answer.toFixed(tasks[0]!.places)}.`;
    response.end(toChatFrames({ text }, "double").map(toSse).join(""));
  });
});

let workers: WorkerOptions[];
let baseUrl: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  workers = await bundleProduct(join(folder, "built"));
}, 120_000);
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

it("judges answers by the table, shows the seeded arm its skill, and does not repeat a solved task", async () => {
  const options = { baseUrl, model: "double", tasks: 2, seed: 23, window: 65_536, steps: 5, out: folder };
  const records = openRecords(join(folder, "out"), { model: "double" });
  const said: string[] = [];
  const run = { conventions, options, records, workers, signal: new AbortController().signal };
  const say = (line: string) => void said.push(line);

  await runArm("seeded", { ...run, tasks: tasks.slice(0, 1), say });
  await runArm("seeded", { ...run, tasks, say });
  expect(records.read().map(({ n, correct, state }) => ({ n, correct, state }))).toEqual([
    { n: 0, correct: true, state: "done" },
    { n: 1, correct: false, state: "done" },
  ]);
  expect(records.read().every(({ tokens, review }) => tokens > 0 && review === null)).toBe(true);
  expect(said).toHaveLength(2);
  expect(bodies.filter((body) => body.includes(SKILL_NAME)).length).toBeGreaterThanOrEqual(2);
});

it("waits in the arm with experiments for those of each review, and says what they were", async () => {
  const options = { baseUrl, model: "double", tasks: 1, seed: 23, window: 65_536, steps: 5, out: folder };
  const records = openRecords(join(folder, "tried"), { model: "double" });
  const run = { conventions, options, records, workers, signal: new AbortController().signal, say: () => {} };
  // An answer without a call leaves nothing to review.
  const patience = { beginsMs: 200, endsMs: 10_000, triedMs: 10_000 };
  await runArm("replay", { ...run, tasks: tasks.slice(0, 1), patience });
  expect(records.read()).toMatchObject([
    { arm: "replay", correct: true, review: null, experiments: { made: 0, outcomes: {}, tokens: 0 } },
  ]);
});
