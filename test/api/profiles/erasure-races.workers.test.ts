// Deletions that race with a writer of the same skill, a review or curation that has read the text, a store that fails once,
// an unreadable record, or a second deletion. Deleted data stays gone, and data created since stays.
import { createExecutionContext, createMessageBatch, getQueueResult, runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { runWork } from "../../../core/learning/curation/work/run-work.ts";
import { DEFAULTS } from "../../../core/limits.ts";
import { type SkillName, toCurationId } from "../../../core/schemas/ids.ts";
import { seeds } from "../../../skills-seed/index.ts";
import { createCurationStore } from "../../../stores/curation/curation-store.ts";
import { guardWrites } from "../../../stores/deleted.ts";
import { createEvidenceStore } from "../../../stores/evidence/evidence-store.ts";
import { toBucket } from "../../../stores/platform/r2.ts";
import { createReviewStore } from "../../../stores/reviews/review-store.ts";
import { createSkillStore } from "../../../stores/skills/skill-store.ts";
import { systemClock } from "../../../stores/platform/system-clock.ts";
import curator from "../../../workers/curator/index.ts";
import { assistant, observation, sampleJob, user } from "../../learning/sample.ts";
import { JUDGE, evidence } from "../../support/skills/reviews.ts";
import { createScriptedModel } from "../../support/wires/scripted-model.ts";
import { START_MS, ask, createProfile, createSession, env } from "../api-calls.ts";
import { createFullProfile, passErasures, findPlaces } from "./erasure-world.ts";

vi.setConfig({ testTimeout: 60_000 });
beforeAll(async () => void (await createProfile()), START_MS);

const bucket = guardWrites(toBucket(env.SKILLS));
const soon = { timeout: 15_000, interval: 50 };

function textOf(name: string, word: string): string {
  return `---\nname: ${name}\ndescription: Reads ${word} tables.\n---\n\n# Tables\n\nThe ${word} stands in column number two of the export.\n`;
}

function openSkills(profile: string) {
  return createSkillStore({ bucket, profile, clock: systemClock, random: Math.random, swapMs: 5_000 });
}

async function make(profile: string, name: SkillName, word: string) {
  const made = await openSkills(profile).change({
    ...{ name, op: "make", since: 0 },
    decide: () => ({
      ok: true,
      value: { files: { "SKILL.md": textOf(name, word) }, description: "d", state: "trial", origin: "review" },
    }),
  });
  if (!made.ok) throw new Error(made.failure.message);
  return made.value.head;
}

/** Makes the Account's first matching call to R2 fail. */
async function failOnce(profile: string, method: keyof R2Bucket, prefix: string): Promise<void> {
  await runInDurableObject(env.ACCOUNT.getByName(profile), (object) => {
    const holder = object as unknown as { env: { SKILLS: R2Bucket } };
    let left = 1;
    const SKILLS = new Proxy(holder.env.SKILLS, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        return (first: unknown, ...rest: unknown[]) => {
          const key = typeof first === "string" ? first : ((first as R2ListOptions | undefined)?.prefix ?? "");
          if (name === method && key.includes(prefix) && left-- > 0) {
            return Promise.reject(new Error("R2: internal error (10001)"));
          }
          return (member as (...args: unknown[]) => unknown).call(target, first, ...rest);
        };
      },
    });
    holder.env = { ...holder.env, SKILLS };
  });
}

describe.concurrent("a skill that is deleted", () => {
  const path = "/v1/skills/gnu-skill";
  const put = (key: string, word: string) =>
    ask("PUT", path, { key, body: { files: { "SKILL.md": textOf("gnu-skill", word) } } });

  it("while a person writes it is erased; what the person wrote stays as a new skill", async () => {
    const { profile, key } = await createProfile();
    await put(key, "gnuold");
    const deleted = ask("DELETE", path, { key });
    await vi.waitUntil(() => env.SKILLS.get(`p/${profile}/deleted/skills/gnu-skill`), soon);
    expect((await put(key, "gnunew")).status).toBe(200);
    expect((await deleted).status).toBe(204);
    await passErasures(profile);
    expect(await findPlaces(profile, "gnuold")).toEqual([]);
    expect((await ask("GET", path, { key })).status).toBe(200);
  });

  it("while a store fails answers 202, and the later sweep keeps a skill created since", async () => {
    const { profile, key } = await createProfile();
    await put(key, "gnuold");
    await failOnce(profile, "list", "/heads/");
    expect((await ask("DELETE", path, { key })).status).toBe(202);
    expect((await ask("GET", path, { key })).status).toBe(404);
    expect((await put(key, "gnunew")).status).toBe(200);
    await passErasures(profile);
    expect(await findPlaces(profile, "gnuold")).toEqual([]);
    expect((await ask("GET", path, { key })).status).toBe(200);
  });

  it("while a store fails is withdrawn from its followers once it is erased", async () => {
    const [publisher, follower] = [await createProfile(), await createProfile()];
    await put(publisher.key, "gnuold");
    await ask("POST", `${path}/publish`, { key: publisher.key, body: { shared: true } });
    const { body } = await ask("POST", "/v1/library/invitations", { key: publisher.key, body: {} });
    const { code } = body as { code: string };
    await ask("POST", "/v1/library/following", { key: follower.key, body: { code } });
    const installed = `/v1/library/following/${publisher.profile}/install`;
    expect((await ask("POST", installed, { key: follower.key, body: {} })).status).toBe(200);
    await failOnce(publisher.profile, "list", "/evidence/");
    expect((await ask("DELETE", path, { key: publisher.key })).status).toBe(202);
    await passErasures(publisher.profile);
    const stateOf = async () =>
      ((await ask("GET", path, { key: follower.key })).body as { head: { state: string } }).head.state;
    await vi.waitUntil(async () => (await stateOf()) === "archived", soon);
  });

  it("then created and deleted again before the first deletion completes is also erased", async () => {
    const { profile, key } = await createProfile();
    await put(key, "gnuold");
    await failOnce(profile, "list", "/heads/");
    expect((await ask("DELETE", path, { key })).status).toBe(202);
    expect((await put(key, "gnunew")).status).toBe(200);
    expect((await ask("DELETE", path, { key })).status).toBe(204);
    expect((await ask("GET", path, { key })).status).toBe(404);
    expect(await findPlaces(profile, "gnuold", "gnunew")).toEqual([]);
  });

  it("leaves no contents of an upload that was in progress and later refused", async () => {
    const { profile, key } = await createProfile();
    await make(profile, "gnu-skill", "gnuold");
    let go = () => {};
    const gate = new Promise<void>((resolve) => (go = resolve));
    let hasBegun = false;
    const raw = toBucket(env.SKILLS);
    let left = 1;
    const failing = guardWrites({
      ...raw,
      put: async (at, body, options) => {
        if (at.includes("/revisions/") && left-- > 0) throw new Error("429");
        return raw.put(at, body, options);
      },
    });
    const late = createSkillStore({
      bucket: failing,
      profile,
      clock: systemClock,
      random: Math.random,
      swapMs: 5_000,
    }).change({
      ...{ name: "gnu-skill", op: "late", since: 1 },
      async decide(current) {
        if (!current) return { ok: false, failure: { code: "gone", message: "gone" } };
        hasBegun = true;
        await gate;
        return { ok: true, value: { files: { "SKILL.md": textOf("gnu-skill", "gnulate") }, origin: "review" } };
      },
    });
    await vi.waitUntil(() => hasBegun, soon);
    expect((await ask("DELETE", path, { key })).status).toBe(204);
    go();
    expect(await late).toMatchObject({ ok: false });
    await passErasures(profile);
    expect(await findPlaces(profile, "gnuold", "gnulate")).toEqual([]);
  });

  it("does not return through the script of a curation that had read it", async () => {
    const { profile, key } = await createProfile();
    await make(profile, "gnu-skill", "gnumark");
    let go = () => {};
    const gate = new Promise<void>((resolve) => (go = resolve));
    const edit = { action: "edit", name: "gnu-skill", content: `${textOf("gnu-skill", "gnumark")}\nMore.\n` };
    const model = createScriptedModel([
      { text: "x", until: gate, calls: [{ name: "skill_manage", args: edit }] },
      { text: "Done: the gnumark stands in column number two of the export." },
    ]);
    const working = runWork({
      ...{ profile, run: toCurationId(Date.now(), Math.random), work: "rewrite.gnu-skill" },
      ...{ curation: createCurationStore({ bucket }), skills: openSkills(profile), seeds, settings: DEFAULTS },
      evidence: createEvidenceStore({ bucket, profile, judge: JUDGE }),
      reviews: createReviewStore({ bucket, profile }),
      models: () => ({ ok: true, value: [model] }),
      ...{ clock: systemClock, random: Math.random, signal: AbortSignal.timeout(60_000) },
    });
    await vi.waitUntil(() => model.requests.length > 0, soon);
    expect((await ask("DELETE", path, { key })).status).toBe(204);
    go();
    await expect(working).rejects.toMatchObject({ name: "DeletedError", code: "purged" });
    expect(await findPlaces(profile, "gnumark")).toEqual([]);
  });
});

describe.concurrent("a session that is deleted", () => {
  it("loses its words from the excerpts that a curation was shown", async () => {
    const { profile, key } = await createProfile();
    const session = await createSession(key);
    const { text } = await make(profile, "reading-tables", "plain");
    const failed = { skill: "reading-tables", text, turn: `${session}-1`, outcome: "failure" as const, at: Date.now() };
    await createEvidenceStore({ bucket, profile, judge: JUDGE }).put(evidence(1, failed));
    const entries = [user(1, "My salary is okapisecret, sum the table."), assistant(2, "I failed at okapisecret.")];
    const review = `${session}.1-2`;
    const observations = [observation({ turn: `${session}-1` })];
    await createReviewStore({ bucket, profile }).putJob({
      ...sampleJob({ profile, entries }),
      session,
      review,
      observations,
    });
    const run = toCurationId(Date.now(), Math.random);
    const body = { v: 1, kind: "rewrite", profile, run, skill: "reading-tables" };
    const batch = createMessageBatch("talaria-curation", [{ id: "m1", timestamp: new Date(), attempts: 1, body }]);
    await curator.queue(batch, { SKILLS: env.SKILLS, CURATION: env.CURATION });
    await getQueueResult(batch, createExecutionContext());
    expect(await findPlaces(profile, "okapisecret")).toHaveLength(2);
    expect((await ask("DELETE", `/v1/sessions/${session}`, { key })).status).toBe(204);
    expect(await findPlaces(profile, "okapisecret")).toEqual([]);
  });

  it("is gone for readers at once even if a store fails, and a second request continues the deletion", async () => {
    const { profile, key } = await createProfile();
    const session = await createSession(key);
    await failOnce(profile, "put", "/deleted/");
    expect((await ask("DELETE", `/v1/sessions/${session}`, { key })).status).toBe(202);
    expect((await ask("GET", `/v1/sessions/${session}`, { key })).status).toBe(404);
    expect((await ask("DELETE", `/v1/sessions/${session}`, { key })).status).toBe(204);
    expect((await ask("DELETE", `/v1/sessions/${session}`, { key })).status).toBe(404);
  });

  it("is erased even if another record is unreadable", async () => {
    const { profile, key, session } = await createFullProfile();
    await env.SKILLS.put(`p/${profile}/pending/${"a".repeat(20)}`, "{");
    expect((await ask("DELETE", `/v1/sessions/${session}`, { key })).status).toBe(204);
    expect(await findPlaces(profile, "zebraquestion")).toEqual([]);
  });
});

it("two concurrent requests delete a profile, and neither fails with an internal error", async () => {
  const { profile, key } = await createProfile();
  const path = `/v1/profiles/${profile}?confirm=${profile}`;
  const both = await Promise.all([ask("DELETE", path, { key }), ask("DELETE", path, { key })]);
  for (const { status } of both) expect([202, 204, 401, 404]).toContain(status);
  expect(both.some(({ status }) => status < 300)).toBe(true);
});
