// The link that `npm start` prints, across the real stack: it is used once, also over a SIGKILL, and no file of the stack has it.
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { createClient } from "../../cli/connection/client.ts";
import { makeSignInCode } from "../../scripts/stack/greeting.ts";
import { type Stack, startStack } from "../../scripts/stack/stack.ts";

const OPERATOR = "operator-token-for-tests";
const stateDir = mkdtempSync(join(tmpdir(), "talaria link "));
let stack: Stack;
const start = async () => void (stack = await startStack({ stateDir, vars: { TALARIA_OPERATOR_TOKEN: OPERATOR } }));
afterAll(async () => {
  await stack?.kill();
  rmSync(stateDir, { recursive: true, force: true });
});

it("a sign-in link works once, also after the stack was killed, and is in no file of the stack", async () => {
  await start();
  const { key } = await createClient({ url: stack.url, key: OPERATOR }).createProfile();
  const codes = [await makeSignInCode(stack.url, key), await makeSignInCode(stack.url, key)];
  const signIn = async (code: string | null | undefined) => {
    const headers = { authorization: `Bearer ${code}`, origin: stack.url };
    const answer = await fetch(`${stack.url}/v1/sign-in`, { method: "POST", headers });
    return [answer.status, ((await answer.json()) as { code?: string }).code];
  };
  const refused = [401, "sign_in_code_unknown"];
  expect(await signIn(codes[0])).toEqual([201, undefined]);
  await stack.kill();
  await start();
  expect(await signIn(codes[0])).toEqual(refused);
  const both = await Promise.all([signIn(codes[1]), signIn(codes[1])]);
  expect(both.toSorted()).toEqual([[201, undefined], refused]);
  const files = readdirSync(stateDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const texts = files.map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"));
  expect(texts.length).toBeGreaterThan(3);
  expect(texts.filter((text) => codes.some((code) => text.includes(String(code))))).toEqual([]);
}, 120_000);
