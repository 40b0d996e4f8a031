// What `talaria doctor` says of a server, from a fake one.
import { describe, expect, it } from "vitest";
import { createClient } from "../../../cli/connection/client.ts";
import { checkServer } from "../../../cli/doctor/check-server.ts";
import { type Handler, answerJson, answerProblem, startFakeApi } from "../../support/fake-api.ts";

const HEALTH = answerJson(200, { ok: true, version: "1.0.0", model: "m" });
const LINE = { check: "R2", state: "ok", found: "f" };
const report = (at: number, ms = 0) =>
  answerJson(200, { version: "1.0.0", at, ms, lines: [LINE], spent: { modelCalls: 1, tokens: 9, usd: 0 } });

async function check(answer: Handler, { version = "1.0.0", now = () => 1_000_000 } = {}) {
  await using api = await startFakeApi([HEALTH, answer]);
  const client = createClient({ url: api.url, key: "tal_x" });
  const { lines, spent } = await checkServer({ client, url: api.url, version, now });
  for (const { state, fix } of lines) expect(fix !== undefined).toBe(state !== "ok");
  return { spent, lines: lines.map(({ check: name, state }) => `${name}: ${state}`) };
}

describe("talaria doctor, of a server", () => {
  it("adds the server's lines and what they cost", async () => {
    expect(await check(report(1_000_000))).toEqual({
      lines: ["server: ok", "clock: ok", "R2: ok"],
      spent: { modelCalls: 1, tokens: 9, usd: 0 },
    });
  });

  it("warns of a clock that is wrong by more than the request took, in both directions", async () => {
    expect((await check(report(1_010_000))).lines).toContain("clock: warn");
    expect((await check(report(990_000))).lines).toContain("clock: warn");
    expect((await check(report(1_004_000))).lines).toContain("clock: ok");
  });

  it("warns of a program of another version", async () => {
    expect((await check(report(1_000_000), { version: "0.9.0" })).lines).toContain("versions: warn");
  });

  it.each([
    "key_unknown",
    "operator_token_unknown",
    "scope_missing",
    "route_not_found",
    "bad_settings",
    "doctor_busy",
    "internal",
  ])("fails with a fix when the server refuses with %s", async (code) => {
    expect((await check(answerProblem(code === "internal" ? 500 : 403, code))).lines).toEqual([
      "server: ok",
      "check-up of the server: fail",
    ]);
  });

  it("looks at the port of a server that does not answer", async () => {
    const { url, ...api } = await startFakeApi([]);
    await api[Symbol.asyncDispose]();
    const client = createClient({ url, key: "tal_x" });
    const { lines } = await checkServer({ client, url, version: "1.0.0", now: Date.now });
    expect(lines.map(({ check: name, state }) => `${name}: ${state}`)).toEqual(["server: fail", "port: ok"]);
  });
});
