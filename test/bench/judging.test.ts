// bench:judging over a few rows, by rules and by a model server.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type Server, createServer } from "node:http";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, expect, it } from "vitest";
import { MAX_SKILLS, selectSkills } from "../../bench/judging/requests.ts";

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
const folders: string[] = [];
afterEach(async () => {
  server?.close();
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

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

it("names the misjudged rows, and accepts any data in the right form", async () => {
  const { code, last } = await run([]);
  expect(code).toBe(0);
  expect(last).toMatchObject({
    replies: { right: expect.any(Number) },
    queries: { at5: expect.any(Number) },
    model: null,
  });
});

/** A call as the server received it. */
interface ReceivedCall {
  system: string;
  last: string;
  isTool: boolean;
}

/** A scripted model's answer: text, or calls of skill_manage. `null`: the server refuses the call. */
type ScriptedReply = string | { name: string; requests: string[] }[] | null;

/** A server of a scripted model. It cites the first word of each reply, and calls it a success; `say` answers the rest. */
async function startServer(say: (asked: ReceivedCall) => ScriptedReply = () => "Nothing."): Promise<string> {
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (bytes) => (body += bytes));
    request.on("end", () => {
      const { messages } = JSON.parse(body) as { messages: { role: string; content: string }[] };
      const [first, last] = [messages[0]!, messages.at(-1)!];
      const word = /\b3#principal\]\n(\S+)/.exec(last.content)?.[1];
      const asked = { system: first.content, last: last.content, isTool: last.role === "tool" };
      const said = word === undefined ? say(asked) : `verdict 3: success "${word}"`;
      if (said === null) {
        response.writeHead(400, { "content-type": "application/json" });
        response.end(JSON.stringify({ error: { message: "the scripted model refuses" } }));
        return;
      }
      const chunk = (delta: object, finish: string | null) =>
        `data: ${JSON.stringify({ id: "1", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
      const end = typeof said === "string" ? "stop" : "tool_calls";
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(`${chunk({ role: "assistant", ...toDelta(said) }, null)}${chunk({}, end)}data: [DONE]\n\n`);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

function toDelta(said: NonNullable<ScriptedReply>) {
  if (typeof said === "string") return { content: said };
  const calls = said.map((args, index) => ({
    ...{ index, id: `call_${index}`, type: "function" },
    function: { name: "skill_manage", arguments: JSON.stringify(args) },
  }));
  return { tool_calls: calls };
}

async function writeRows(rows: object[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "judging-"));
  folders.push(folder);
  const file = join(folder, "rows.jsonl");
  await writeFile(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  return file;
}

const isTitle = ({ system }: ReceivedCall) => system.startsWith("You name a conversation");
const isCuration = ({ system }: ReceivedCall) => system.startsWith("You are the curator");

it("lets a model judge the same replies with the prompt of a review", async () => {
  const { code, last, err } = await run([...OWN, "--base-url", await startServer(), "--model", "tiny"]);
  const replies = { right: 0.5, silent: 0, wrong: 0.5, falseOnNone: 1, correctionF1: 0 };
  const { similar, queries } = BY_RULES;
  expect([code, last], err).toEqual([0, { ...BY_RULES, model: { replies, similar, queries } }]);
});

it("counts requests as one kind of work where the model's title call names the same kind", async () => {
  const asked: string[] = [];
  const url = await startServer((call) => {
    if (!isTitle(call)) return "Nothing.";
    const request = /<request>\n([^]*?)\n<\/request>/.exec(call.last)![1]!;
    asked.push(request);
    if (/meeting notes|minutes/.test(request)) return "Notes of a meeting\nkind: summarise a meeting";
    if (/bridge/.test(request))
      return `The bridge\nkind: ${request.startsWith("Draw") ? "sketch a building" : "write prose"}`;
    return "A title and no kind";
  });
  const rows = (await readFile(join(FIXTURES, "similar.jsonl"), "utf8")).trim().split("\n");
  const again = { id: "s5", a: "Summarise the meeting notes", b: "Sum the weights", same: false };
  const similar = await writeRows([...rows.map((row) => JSON.parse(row) as object), again]);
  const { last, out, err } = await run([...OWN, "--similar", similar, "--base-url", url, "--model", "tiny"]);
  expect(last, err).toMatchObject({
    similar: BY_RULES.similar,
    model: { similar: { precision: 1, recall: 1, f1: 1 }, queries: BY_RULES.queries },
  });
  expect(asked.toSorted()).toEqual([...new Set(asked)].toSorted());
  expect(asked).toHaveLength(8);
  expect(out).toContain("8 requests to classify, 4 got a kind of work");
});

/** A query that shares no words with any skill. */
const QUERY = { id: "q1", query: "my shrub is overgrown, where do the shears go", name: "pruning-roses" };

it("finds a skill by the requests that the model writes for it", async () => {
  const shown: string[] = [];
  const url = await startServer((call) => {
    if (!isCuration(call)) return "Nothing.";
    if (call.isTool) return "Both have some.";
    shown.push(call.last);
    return [
      { name: "pruning-roses", requests: [QUERY.query] },
      { name: "baking-rye-bread", requests: ["what do I do with my starter"] },
    ];
  });
  const { last, out, err } = await run([
    ...OWN,
    "--queries",
    await writeRows([QUERY]),
    "--base-url",
    url,
    "--model",
    "tiny",
  ]);
  expect(last, err).toMatchObject({ queries: { at1: 0 }, model: { queries: { at1: 1, at5: 1, falseOnNull: null } } });
  expect(shown).toHaveLength(1);
  expect(shown[0]!.match(/^### .*$/gm)).toEqual([
    "### pruning-roses",
    "### renewing-passports",
    "### baking-rye-bread",
  ]);
  expect(out).toContain("wrote requests for 2 of 3 skills; the library has 3");
});

it("continues after failed calls, and counts them", async () => {
  const url = await startServer(() => null);
  const { code, last, out, err } = await run([...OWN, "--base-url", url, "--model", "tiny"]);
  const { similar, queries } = BY_RULES;
  expect([code, last], err).toMatchObject([0, { model: { similar, queries } }]);
  expect(out).toContain("8 failed");
  expect(out).toContain("wrote requests for 0 of 3 skills; the library has 3");
  expect(out).toContain("the scripted model refuses");
});

it("asks for the skills that queries name before those that they find, and for a limited number", async () => {
  const skills = Array.from({ length: MAX_SKILLS + 20 }, (_, n) => ({
    name: `skill-${n}`,
    description: n === MAX_SKILLS + 5 ? "Mend a broken kettle." : "Nothing in particular.",
    body: "",
  }));
  expect(await selectSkills([], skills.slice(0, 3))).toEqual(skills.slice(0, 3));
  const query = { id: "q", query: "mend my broken kettle", name: `skill-${MAX_SKILLS + 9}` };
  const asked = (await selectSkills([query], skills)).map(({ name }) => name);
  expect(asked).toHaveLength(MAX_SKILLS);
  expect(asked.slice(0, 2)).toEqual([query.name, `skill-${MAX_SKILLS + 5}`]);
});

it("refuses a file it cannot read, and a server without a model", async () => {
  expect(await run(["--replies", "nowhere.jsonl"])).toMatchObject({ code: 2, err: expect.stringContaining("nowhere") });
  expect(await run(["--base-url", "http://127.0.0.1:1"])).toMatchObject({ code: 2 });
});
