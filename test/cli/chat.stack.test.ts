// The chat client against the real Workers: a WebSocket, two turns, and lines that are typed while a turn runs.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DoctorReport } from "../../core/schemas/doctor.ts";
import { createClient } from "../../cli/connection/client.ts";
import { type Product, startProduct } from "../support/product.ts";
import { createTempFolders } from "../support/temp-folders.ts";

const OPERATOR = "operator-token-for-tests";
const root = join(import.meta.dirname, "../..");
let product: Product;
const tempFolder = createTempFolders();
let url = "";
let key = "";

beforeAll(async () => {
  product = await startProduct({ vars: { TALARIA_OPERATOR_TOKEN: OPERATOR }, names: ["api", "review"] });
  ({ url } = product);
  ({ key } = await createClient({ url, key: OPERATOR }).createProfile());
});
afterAll(() => product?.close());

/** Resolves when `input` is used up and every message is answered. */
async function chat(args: string[], input: string) {
  const child = spawn(process.execPath, [join(root, "cli/talaria.ts"), ...args], {
    cwd: tempFolder(),
    env: { PATH: process.env.PATH, TALARIA_URL: url, TALARIA_KEY: key },
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (piece) => (output.stdout += piece));
  child.stderr.on("data", (piece) => (output.stderr += piece));
  child.stdin.end(input);
  const code = await new Promise((resolve) => child.on("close", resolve));
  return { code, ...output };
}

describe("talaria, on real Workers", () => {
  it("shows each answer once over a WebSocket, and continues the session later", async () => {
    const client = createClient({ url, key });
    const first = await chat([], "Hello\nAnd again\n/usage\n");
    expect(first.stderr).not.toMatch(/connection/);
    const session = /session (\w{26})/.exec(first.stderr)![1]!;
    const later = await chat(["--session", session], "A third\n");
    const answers = (await client.entries(session)).flatMap(({ kind, parts }) =>
      kind === "assistant" ? [parts.map(({ text }) => text).join("")] : [],
    );
    expect(answers).toHaveLength(3);
    // A line beside an answer, such as the notice that a message waits, starts a new line in the middle of the answer.
    const joined = (text: string) => text.replaceAll("\n", "");
    expect([first.code, later.code]).toEqual([0, 0]);
    expect(joined(first.stdout)).toBe(joined(answers.slice(0, 2).join("")));
    expect(joined(later.stdout)).toBe(joined(answers.slice(2).join("")));
    expect(first.stderr).toMatch(/^this session: \d+ model calls?, [\d,]+ tokens, \$\d+\.\d{4}$/m);
  });

  it("finds by its doctor that stores, queue and the way out work, and leaves only a model to be set", async () => {
    const report = await createClient({ url, key }).http.json(DoctorReport, "POST", "/v1/doctor", {
      signal: AbortSignal.timeout(60_000),
    });
    const states = Object.fromEntries(report.lines.map(({ check, state }) => [check, state]));
    expect(states).toMatchObject({
      models: "warn",
      R2: "ok",
      KV: "ok",
      queue: "ok",
      "version of talaria-review": "ok",
      outbound: "ok",
      "tables of the account": "ok",
      "tables of the newest session": "ok",
    });
    expect(JSON.stringify(report)).not.toContain(key);
  });
});
