// The curator's commands over HTTP: status, pause, runs, rollback of a run, and adoption of a skill.
import { beforeAll, describe, expect, it } from "vitest";
import type { CurationMessage, CurationRun, CurationWork } from "../../../core/schemas/learning/curation.ts";
import { NO_USAGE } from "../../../core/schemas/entry.ts";
import { createCurationStore } from "../../../stores/curation/curation-store.ts";
import { keyOf } from "../../../stores/keys.ts";
import { toBucket } from "../../../stores/platform/r2.ts";
import worker from "../../../workers/api/index.ts";
import { skillMd } from "../../skills/skill-md.ts";
import { START_MS, ask, createProfile, env, expectProblem } from "../api-calls.ts";

const RUN = "20260105T090000Z-aaaa";
const WORK = "rewrite.reading-tables";

beforeAll(async () => void (await createProfile()), START_MS);

const curation = () => createCurationStore({ bucket: toBucket(env.SKILLS) });

function report(profile: string, more: Partial<CurationRun> = {}): CurationRun {
  return {
    ...{ v: 1, run: RUN, profile, dryRun: false, startedAt: 1, finishedAt: 2, skills: 0 },
    ...{ byState: { pending: 0, trial: 0, active: 0, stale: 0, archived: 0 }, moves: [], usage: NO_USAGE },
    ...more,
  };
}

const PRIOR = { state: "trial", rev: 1, text: "a".repeat(64) } as const;
const CHANGE = {
  skill: "reading-tables",
  from: PRIOR,
  to: { ...PRIOR, state: "stale" },
  reason: "unused",
} as const;
const ITEM = { work: WORK, skill: "reading-tables", because: "it fails", grant: { tokens: 1_000, expiresAt: 9 } };

function outcome(more: Partial<CurationWork> = {}): CurationWork {
  return {
    ...{ v: 1, run: RUN, work: WORK, state: "done", note: "Put right.", changes: [], merges: [], refused: [] },
    ...{ modelCalls: 2, usage: { ...NO_USAGE, input: 300, output: 40 }, spent: [], finishedAt: 9 },
    ...more,
  };
}

/** Posts with a queue that records what it receives. */
async function post(path: string, key: string) {
  const sent: CurationMessage[] = [];
  const CURATION = {
    send: async (message: CurationMessage) => void sent.push(message),
  } as unknown as typeof env.CURATION;
  const headers = { authorization: `Bearer ${key}` };
  const response = await worker.fetch(new Request(`https://talaria.test${path}`, { method: "POST", headers }), {
    ...env,
    CURATION,
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown>, sent };
}

describe("a curation", () => {
  it("has its cost booked once, however often the record of the cost arrives", async () => {
    const { profile, key } = await createProfile();
    const usage = { ...NO_USAGE, input: 300, output: 40 };
    const line = { kind: "curation", model: "m:a", source: "catalog", calls: 2, usage, usdMicros: 1_500 } as const;
    const spent = { v: 1, run: RUN, work: WORK, at: Date.now(), lines: [line] };
    const at = keyOf("curationSpent", { profile, run: RUN, work: WORK });
    for (let delivery = 1; delivery <= 3; delivery++) {
      await env.SKILLS.put(at, JSON.stringify(spent));
      const { body } = await ask("GET", "/v1/usage?by=kind", { key });
      const { lines } = body as { lines: { key: string; calls: number; tokens: number; usd: number }[] };
      expect([delivery, lines]).toMatchObject([delivery, [{ key: "curation", calls: 2, tokens: 340, usd: 0.0015 }]]);
      expect(await env.SKILLS.head(at)).toBeNull();
    }
  });

  it("can be requested twelve times an hour by each profile", async () => {
    const { key } = await createProfile();
    for (let n = 0; n < 12; n++) expect((await post("/v1/curator/run?dryRun=1", key)).status).toBe(202);
    const refused = await post("/v1/curator/run", key);
    expect(refused).toMatchObject({ status: 429, body: { code: "too_many_runs" }, sent: [] });
    const other = await createProfile();
    expect((await post("/v1/curator/run", other.key)).status).toBe(202);
  });
});

describe("the curator", () => {
  it("reports its status; pausing and resuming keep the rest of its policy", async () => {
    const { profile, key } = await createProfile();
    await curation().changePolicy(profile, (policy) => ({ ...policy, keepSkills: ["reading-tables"], grantTokens: 5 }));
    const status = {
      ...{ paused: false, keepSkills: ["reading-tables"], last: null, open: null, owed: [] },
      limits: {
        staleDays: 30,
        staleActiveDays: 10,
        archiveDays: 90,
        archiveActiveDays: 30,
        checkDays: 7,
        maxChanges: 50,
        grantTokens: 5,
        grantUsd: 0,
      },
    };
    expect((await ask("GET", "/v1/curator", { key })).body).toEqual(status);
    expect((await ask("POST", "/v1/curator/pause", { key })).body).toEqual({ ...status, paused: true });
    expect((await ask("GET", "/v1/curator", { key })).body).toEqual({ ...status, paused: true });
    expect((await ask("POST", "/v1/curator/resume", { key })).body).toEqual(status);
    expect(await curation().policy(profile)).toEqual({ v: 1, keepSkills: ["reading-tables"], grantTokens: 5 });
    await curation().putPlan({ v: 1, run: RUN, profile, at: 1, dryRun: false, moves: [] });
    await curation().changeNotes(profile, (notes) => ({ ...notes, owed: [{ run: RUN, work: WORK }] }));
    expect((await ask("GET", "/v1/curator", { key })).body).toMatchObject({
      open: RUN,
      owed: [{ run: RUN, work: WORK }],
    });
  });

  it("consolidates when the request sets the flag", async () => {
    const { profile, key } = await createProfile();
    const { status, body, sent } = await post("/v1/curator/run?consolidate=1", key);
    expect(status).toBe(202);
    expect(sent).toEqual([{ v: 1, kind: "profile", profile, run: body.run, dryRun: false, consolidate: true }]);
  });

  it("adds the outcomes of model work to a report once they exist", async () => {
    const { profile, key } = await createProfile();
    await curation().putReport(report(profile, { work: [ITEM] }), "# Curation\n");
    const path = `/v1/curator/runs/${RUN}`;
    expect((await ask("GET", path, { key })).body).toMatchObject({ markdown: "# Curation\n" });
    await curation().work(profile, RUN, WORK).finish(outcome());
    const { body } = await ask("GET", path, { key });
    expect(body).toMatchObject({ run: { work: [ITEM] }, work: [{ work: WORK, state: "done" }] });
    expect((body as { markdown: string }).markdown).toBe(
      `# Curation\n\n## Done by a model\n\n2 model calls, 340 tokens.\n\n### ${WORK}: done\n\nPut right.\n`,
    );
  });
});

describe("a run", () => {
  it("is rolled back by a message that names it", async () => {
    const { profile, key } = await createProfile();
    await curation().putReport(report(profile, { changes: [CHANGE] }), "# Curation\n");
    const { status, body, sent } = await post(`/v1/curator/runs/${RUN}/rollback`, key);
    expect(status).toBe(202);
    expect(sent).toEqual([{ v: 1, kind: "rollback", profile, run: body.run, of: RUN }]);
  });

  it("can be rolled back when only a model changed something, or may still do so", async () => {
    const { profile, key } = await createProfile();
    await curation().putReport(report(profile, { work: [ITEM] }), "# Curation\n");
    expect((await post(`/v1/curator/runs/${RUN}/rollback`, key)).status).toBe(202);
    await curation()
      .work(profile, RUN, WORK)
      .finish(outcome({ changes: [CHANGE] }));
    expect((await post(`/v1/curator/runs/${RUN}/rollback`, key)).status).toBe(202);
  });

  it("that changed nothing cannot be rolled back", async () => {
    const { profile, key } = await createProfile();
    await curation().putReport(report(profile), "# Curation\n");
    const answer = await ask("POST", `/v1/curator/runs/${RUN}/rollback`, { key });
    expectProblem(answer, 409, "nothing_to_undo", "There is nothing to undo");
    const other = await createProfile();
    await curation().putReport(report(other.profile, { work: [ITEM] }), "# Curation\n");
    await curation()
      .work(other.profile, RUN, WORK)
      .finish(outcome({ state: "left" }));
    const left = await ask("POST", `/v1/curator/runs/${RUN}/rollback`, { key: other.key });
    expectProblem(left, 409, "nothing_to_undo", "There is nothing to undo");
  });
});

describe("a skill", () => {
  it("that a person wrote is adopted once; adopting it again changes nothing", async () => {
    const { key } = await createProfile();
    const files = { "SKILL.md": skillMd({ name: "reading-logs" }) };
    await ask("PUT", "/v1/skills/reading-logs", { key, body: { files } });
    const adopted = await ask("POST", "/v1/skills/reading-logs/adopt", { key });
    expect(adopted.body).toMatchObject({ origin: "foreground", state: "active", seq: 2, rev: 1 });
    expect((await ask("POST", "/v1/skills/reading-logs/adopt", { key })).body).toEqual(adopted.body);
  });

  it("that is bundled cannot be adopted", async () => {
    const { key } = await createProfile();
    const { body } = await ask("GET", "/v1/skills", { key });
    const [bundled] = (body as { skills: { name: string; origin: string }[] }).skills;
    expect(bundled?.origin).toBe("bundled");
    await ask("POST", `/v1/skills/${bundled!.name}/pin`, { key, body: { pinned: true } });
    const answer = await ask("POST", `/v1/skills/${bundled!.name}/adopt`, { key });
    expectProblem(answer, 409, "not_adoptable", "Not a skill made by a person");
  });
});
