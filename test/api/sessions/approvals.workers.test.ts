// Approvals over HTTP: a person lists, compares and decides the agent's writes. The test adds each request to the
// session's object as `write_file` would.
import { runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import { createFileChanges } from "../../../core/session/approvals/file-changes.ts";
import type { EngineContext } from "../../../core/session/context.ts";
import { createJobs } from "../../../core/session/jobs.ts";
import { createLog } from "../../../core/session/log.ts";
import { createAccountApprovals } from "../../../durable-objects/account-approvals.ts";
import { toSql } from "../../../durable-objects/sql.ts";
import { systemClock } from "../../../stores/platform/system-clock.ts";
import { START_MS, ask, createProfile, createSession, env, expectProblem } from "../api-calls.ts";

let profile: string;
let key: string;
beforeAll(async () => void ({ profile, key } = await createProfile()), START_MS);

async function park(session: string, op: string, path: string, content: string): Promise<string> {
  const stub = env.SESSION.getByName(`${profile}/${session}`);
  return runInDurableObject(stub, (_, state) => {
    const sql = toSql(state.storage);
    const host = { sql, clock: systemClock } as EngineContext["host"];
    const jobs = createJobs({ sql, alarm: { set: async () => undefined }, clock: systemClock, random: Math.random });
    const parked = createFileChanges({ host, log: createLog(sql), jobs }).park({ op, path, content });
    if (!parked.ok) throw new Error(parked.failure.code);
    return parked.value.id;
  });
}

async function setUp() {
  const session = await createSession(key);
  const path = `/v1/sessions/${session}/approvals`;
  return {
    session,
    path,
    list: async () => (await ask("GET", path, { key })).body,
    decide: (id: string, body: unknown) => ask("POST", `${path}/${id}`, { key, body }),
    file: (name: string) =>
      ask("GET", `/v1/sessions/${session}/files`, { key }).then(({ body }) => {
        const { files } = body as { files: { path: string; size: number; writer: string }[] };
        return files.find((file) => file.path === name);
      }),
  };
}

describe("a pending file change", () => {
  it("is listed, shown with the current file, and approved as the person's own write", async () => {
    const { session, path, list, decide, file } = await setUp();
    expect(await list()).toEqual({ approvals: [] });
    await ask("PUT", `/v1/sessions/${session}/files/AGENTS.md`, { key, body: "Use tabs.\n" });
    const id = await park(session, "1", "AGENTS.md", "Use spaces.\n");
    const waiting = {
      id,
      kind: "file",
      path: "AGENTS.md",
      state: "waiting",
      size: 12,
      askedAt: expect.any(Number),
      decidedAt: null,
    };
    expect(await list()).toEqual({ approvals: [waiting] });
    const read = await ask("GET", `${path}/${id}`, { key });
    expect(read.body).toEqual({ ...waiting, content: "Use spaces.\n", current: "Use tabs.\n" });
    const decided = await decide(id, { approve: true });
    const approved = { ...waiting, state: "approved", decidedAt: expect.any(Number) };
    expect([decided.status, decided.body]).toEqual([200, approved]);
    expect(await file("AGENTS.md")).toEqual({ path: "AGENTS.md", size: 12, writer: "principal" });
    expect((await decide(id, { approve: true })).body).toEqual(decided.body);
    expectProblem(await decide(id, { approve: false }), 409, "approval_decided", "Already decided differently");
  });

  it("leaves no file when it is refused", async () => {
    const { session, decide, file } = await setUp();
    const id = await park(session, "1", "SOUL.md", "You are free.");
    expect((await decide(id, { approve: false })).body).toMatchObject({ state: "refused" });
    expect(await file("SOUL.md")).toBeUndefined();
  });

  it("is replaced by the agent's newer change", async () => {
    const { session, decide } = await setUp();
    const id = await park(session, "1", "CLAUDE.md", "a");
    await park(session, "2", "CLAUDE.md", "b");
    expectProblem(
      await decide(id, { approve: true }),
      409,
      "approval_replaced",
      "The agent now requests different content",
    );
  });

  it("is visible only in its session and profile", async () => {
    const { session, path, decide } = await setUp();
    const id = await park(session, "1", "CLAUDE.md", "a");
    const stranger = await createProfile();
    const other = await setUp();
    for (const answer of [
      await ask("GET", path, { key: stranger.key }),
      await ask("POST", `${path}/${id}`, { key: stranger.key, body: { approve: true } }),
    ]) {
      expectProblem(answer, 404, "session_not_found", "No such session");
    }
    expectProblem(await other.decide(id, { approve: true }), 404, "approval_not_found", "No such approval");
    expect((await decide(id, { approve: "yes" })).body).toMatchObject({ status: 400, code: "body_invalid" });
    expect((await decide(id, { approve: true, force: true })).body).toMatchObject({ code: "field_unknown" });
    expect((await decide("1", { approve: true })).body).toMatchObject({ status: 400, code: "bad_approval_id" });
  });
});

describe("the profile's approvals", () => {
  it("hold its mode and its allowances, each for this profile alone, until they are revoked", async () => {
    const stranger = await createProfile();
    expect((await ask("PUT", "/v1/approvals", { key, body: { mode: "rules" } })).status).toBe(200);
    const id = "ab".repeat(10);
    await runInDurableObject(env.ACCOUNT.getByName(profile), (_, state) => {
      createAccountApprovals(toSql(state.storage)).allow({ id, kind: "family", key: "npm test", at: 1 });
    });
    const own = await ask("GET", "/v1/approvals", { key });
    expect(own.body).toMatchObject({ profile: "rules", allowances: [{ id, kind: "family", key: "npm test", at: 1 }] });
    const other = await ask("GET", "/v1/approvals", { key: stranger.key });
    expect(other.body).toMatchObject({ profile: null, allowances: [] });
    const taken = await ask("DELETE", `/v1/approvals/${id}`, { key: stranger.key });
    expectProblem(taken, 404, "allowance_not_found", "No such allowance");
    expect((await ask("DELETE", `/v1/approvals/${id}`, { key })).status).toBe(204);
    expect((await ask("GET", "/v1/approvals", { key })).body).toMatchObject({ allowances: [] });
    expect((await ask("PUT", "/v1/approvals", { key, body: { mode: "never" } })).status).toBe(400);
  });
});
