// `npm run trajectories` against the real Workers: killed in the middle and started again, each prompt has one session and one line; and the same
// profile's export from the command line.
import { spawn } from "node:child_process";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { createClient } from "../../cli/connection/client.ts";
import { SessionList } from "../../core/schemas/api.ts";
import { TrajectoryConsent } from "../../core/schemas/trajectories.ts";
import { type Product, startProduct } from "../support/product.ts";
import { talaria } from "../support/run-talaria.ts";
import { createTempFolders } from "../support/temp-folders.ts";

const OPERATOR = "operator-token-for-tests";
const root = join(import.meta.dirname, "../..");
const tempFolder = createTempFolders();
let product: Product;
let key = "";
beforeAll(async () => {
  product = await startProduct({ vars: { TALARIA_OPERATOR_TOKEN: OPERATOR } });
  ({ key } = await createClient({ url: product.url, key: OPERATOR }).createProfile());
});
afterAll(() => product?.close());

function start(args: string[]) {
  const child = spawn(
    process.execPath,
    ["--import", join(root, "scripts/text-modules.mjs"), join(root, "scripts/trajectories.ts"), ...args],
    {
      env: { PATH: process.env.PATH },
    },
  );
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (piece) => (output.stdout += piece));
  child.stderr.on("data", (piece) => (output.stderr += piece));
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  return { child, output, ended };
}

it("a run that is killed goes on, none of its prompts runs twice, and nothing leaves without consent", async () => {
  const out = tempFolder();
  const files = { "prices.csv": "name,price\na,1\nb,2\nc,6\n" };
  const asked = ["mean", "sum", "maximum", "mean"].map((figure) => ({
    ...{ prompt: `What is the ${figure} of \`price\` in \`prices.csv\`?`, id: figure, files },
  }));
  const outside = { prompt: "What is outside?", files: { "../a": "b" } };
  writeFileSync(join(out, "prompts.jsonl"), [outside, ...asked].map((one) => JSON.stringify(one)).join("\n"));
  const args = [
    "--prompts",
    join(out, "prompts.jsonl"),
    "--run",
    "figures",
    "--out",
    out,
    "--workers",
    "1",
    "--url",
    product.url,
    "--key",
    key,
  ];

  const refused = start(args);
  expect(await refused.ended).toBe(1);
  expect(refused.output.stderr).toContain("has not agreed");
  const client = createClient({ url: product.url, key });
  await client.call(TrajectoryConsent, "PUT /v1/trajectories/consent", { body: { allowed: true } });

  const done = join(out, "figures/trajectories.jsonl");
  const first = start(args);
  await vi.waitUntil(() => existsSync(done) && readFileSync(done, "utf8").includes("\n"), {
    timeout: 20_000,
    interval: 5,
  });
  first.child.kill("SIGSTOP"); // it still has the run
  const second = start(args);
  expect(await second.ended).toBe(1);
  expect(second.output.stderr).toContain("Another process");
  first.child.kill("SIGKILL");
  await first.ended;
  writeFileSync(done, '{"half', { flag: "a" });

  const last = start(args);
  expect(await last.ended).toBe(0);
  const summary = JSON.parse(last.output.stdout.trim().split("\n").at(-1)!) as object;
  expect(summary).toEqual({
    run: "figures",
    prompts: 4,
    completed: 3,
    failed: 1,
    discarded: 0,
    folder: join(out, "figures"),
  });
  const lines = readFileSync(done, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.map(({ prompt_id: id }) => id).toSorted()).toEqual(["maximum", "mean", "sum"]);
  const [shape] = lines.map((line) => Object.keys(line.tool_stats as object));
  for (const line of lines) expect(Object.keys(line.tool_stats as object)).toEqual(shape);
  const { sessions } = await client.call(SessionList, "GET /v1/sessions");
  expect(sessions).toHaveLength(4);
  expect(sessions.every(({ learning }) => learning === "off")).toBe(true);
  expect(JSON.parse(readFileSync(join(out, "figures/statistics.json"), "utf8"))).toMatchObject({
    ...{
      prompts: 4,
      completed: 3,
      tool_stats: { terminal: { failure_rate: expect.any(Number) }, web_search: { count: 0 } },
    },
  });
}, 60_000);

it("the command line gives consent, follows the pages into one file, and says what was replaced and left out", async () => {
  const { key: own } = await createClient({ url: product.url, key: OPERATOR }).createProfile();
  const client = createClient({ url: product.url, key: own });
  for (let n = 0; n < 27; n++) {
    const { session } = await client.createSession();
    if (n < 2) for await (const _ of client.streamMessage(session, `Hello from ada${n}@example.com.`)) void _;
  }
  await client.createSession({ learning: "off" });
  const run = (...words: string[]) => talaria([...words, "--url", product.url, "--key", own]);
  const file = join(tempFolder(), "t.jsonl");
  expect(await run("export", "--trajectories", file)).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("has not agreed"),
  });
  expect(readdirSync(dirname(file))).toEqual([]);
  expect((await run("trajectories", "consent", "on")).stdout).toContain("Conversations may leave");
  const { stdout, stderr } = await run("export", "--trajectories", file, "--format", "openai");
  expect(stdout).toContain("2 lines of openai");
  expect(stderr).toContain("email 2");
  expect(stderr).toContain("learning off 1");
  const lines = readFileSync(file, "utf8").trim().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as { messages: { content: string }[] }).messages[0]!.content)).toEqual([
    expect.stringMatching(/^Hello from \[email [0-9a-v]{5}\]\.$/),
    expect.stringMatching(/^Hello from \[email [0-9a-v]{5}\]\.$/),
  ]);
  expect((await run("trajectories", "consent", "off")).stdout).toContain("may not leave");
  expect((await run("export", "--trajectories", `${file}2`)).code).toBe(3);
}, 60_000);
