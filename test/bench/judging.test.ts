// bench:judging over a few rows of our own, by rules and by a model server.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { afterEach, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const FIXTURES = join(root, "test/fixtures/judging");
const OWN = [
  ...["--replies", join(FIXTURES, "replies.jsonl"), "--similar", join(FIXTURES, "similar.jsonl")],
  ...["--skills", join(FIXTURES, "skills.jsonl"), "--queries", join(FIXTURES, "skill-queries.jsonl")],
];
const BY_RULES = {
  replies: { right: 0.75, silent: 0.25, wrong: 0, falseOnNone: 0, correctionF1: 1 },
  similar: { precision: 0.5, recall: 0.5, f1: 0.5 },
  queries: { at1: 1, at5: 1, falseOnNull: 0 },
};

let server: Server | undefined;
afterEach(() => void server?.close());

async function run(args: string[]): Promise<{ code: number | null; last: unknown; out: string; err: string }> {
  const child = spawn(process.execPath, ["--import", "./scripts/text-modules.mjs", "bench/judging.ts", ...args], {
    cwd: root,
  });
  let [out, err] = ["", ""];
  child.stdout.on("data", (bytes) => (out += bytes));
  child.stderr.on("data", (bytes) => (err += bytes));
  const [code] = (await once(child, "close")) as [number | null];
  const line = out.trim().split("\n").at(-1) ?? "";
  return { code, last: line.startsWith("{") ? JSON.parse(line) : null, out, err };
}

it("judges replies, requests and queries by rules", async () => {
  const { code, last } = await run(OWN);
  expect([code, last]).toEqual([0, { ...BY_RULES, model: null }]);
});

it("names what it read wrong, and takes whatever data it is given", async () => {
  const { code, last } = await run([]);
  expect(code).toBe(0);
  expect(last).toMatchObject({
    replies: { right: expect.any(Number) },
    queries: { at5: expect.any(Number) },
    model: null,
  });
});

/** A server that cites the first word of each reply, and calls it a success. */
async function startServer(): Promise<string> {
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (bytes) => (body += bytes));
    request.on("end", () => {
      const { messages } = JSON.parse(body) as { messages: { content: string }[] };
      const word = /\b3#principal\]\n(\S+)/.exec(messages.at(-1)!.content)?.[1] ?? "";
      const content = `verdict 3: success "${word}"`;
      const chunk = (delta: object, finish: string | null) =>
        `data: ${JSON.stringify({ id: "1", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(`${chunk({ role: "assistant", content }, null)}${chunk({}, "stop")}data: [DONE]\n\n`);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

it("has a model judge the same replies by the words of a review", async () => {
  const { code, last, err } = await run([...OWN, "--base-url", await startServer(), "--model", "tiny"]);
  const model = { right: 0.5, silent: 0, wrong: 0.5, falseOnNone: 1, correctionF1: 0 };
  expect([code, last], err).toEqual([0, { ...BY_RULES, model: { replies: model, similar: null, queries: null } }]);
});

it("refuses a file it cannot read, and a server without a model", async () => {
  expect(await run(["--replies", "nowhere.jsonl"])).toMatchObject({ code: 2, err: expect.stringContaining("nowhere") });
  expect(await run(["--base-url", "http://127.0.0.1:1"])).toMatchObject({ code: 2 });
});
