// Deleted data is gone from every store: at once, after late deliveries, and after later passes. Only tombstones with ids
// are left. The last words of erased messages leave the indexes of an Archive by its alarm.
import { createExecutionContext, createMessageBatch, getQueueResult, runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { memoryId } from "../../../core/schemas/memory.ts";
import { guardWrites } from "../../../stores/deleted.ts";
import { toBucket } from "../../../stores/platform/r2.ts";
import { createSkillStore } from "../../../stores/skills/skill-store.ts";
import { systemClock } from "../../../stores/platform/system-clock.ts";
import curator from "../../../workers/curator/index.ts";
import review from "../../../workers/review/index.ts";
import { OPERATOR, START_MS, ask, createProfile, createSession, env, expectProblem, fetchApi } from "../api-calls.ts";
import { createFullProfile, findPlaces, finishMerges, passErasures } from "./erasure-world.ts";

// Each erasure waits two seconds for writers in progress.
vi.setConfig({ testTimeout: 60_000 });
beforeAll(async () => void (await createProfile()), START_MS);

async function redeliver(profile: string, id: string) {
  const { SKILLS, MEMORY } = env;
  const message = { id: "m1", timestamp: new Date(), attempts: 1, body: { v: 1, profile, review: id } };
  const batch = createMessageBatch("talaria-reviews", [message]);
  await review.queue(batch, { SKILLS, MEMORY });
  return (await getQueueResult(batch, createExecutionContext())).explicitAcks;
}

async function curate(profile: string, run: string) {
  const body = { v: 1, kind: "profile", profile, run, dryRun: false };
  const batch = createMessageBatch("talaria-curation", [{ id: "m1", timestamp: new Date(), attempts: 1, body }]);
  await curator.queue(batch, { SKILLS: env.SKILLS, CURATION: env.CURATION });
  return (await getQueueResult(batch, createExecutionContext())).explicitAcks;
}

describe("a deleted profile", () => {
  it("is gone from every store, stays gone after late deliveries and passes, and its key is refused everywhere", async () => {
    const { profile, key, session, job } = await createFullProfile();
    const before = await findPlaces(profile, "zebra");
    for (const store of ["r2 ", "kv ", "SESSION ", "ARCHIVE "]) {
      expect(before.some((place) => place.startsWith(store))).toBe(true);
    }

    expectProblem(
      await ask("DELETE", `/v1/profiles/${profile}`, { key }),
      400,
      "confirmation_needed",
      "Confirmation needed",
    );
    const stranger = await createProfile();
    const deletePath = `/v1/profiles/${profile}?confirm=${profile}`;
    expectProblem(await ask("DELETE", deletePath, { key: stranger.key }), 403, "operator_required", "Operator only");
    expectProblem(await ask("DELETE", deletePath), 401, "key_missing", "No key");
    expect((await ask("DELETE", deletePath, { key })).status).toBe(204);

    const left = [
      `ACCOUNT ${profile} erasure`,
      `ARCHIVE ${profile} archive_part`,
      `EXPERIMENTS ${profile} tombstone`,
      `SESSION ${profile}/${session} tombstone`,
      `r2 p/${profile}/GONE`,
    ];
    expect([await findPlaces(profile, "zebra"), await findPlaces(profile, profile)]).toEqual([[], left]);
    expectProblem(await ask("GET", "/v1/sessions", { key }), 401, "key_unknown", "Unknown key");
    expectProblem(await ask("DELETE", deletePath, { key: OPERATOR }), 404, "profile_not_found", "No such profile");

    expect(await redeliver(profile, job.review)).toEqual(["m1"]);
    expect(await curate(profile, "20260501T000000Z-abcd")).toEqual(["m1"]);
    await expect(guardWrites(toBucket(env.SKILLS)).put(`p/${profile}/policy.json`, "{}")).rejects.toThrow("deleted");
    expect(await findPlaces(profile, profile)).toEqual(left);

    // Unstoppable late writes to KV and R2 are swept an hour later, and again after a month.
    for (const pass of [1, 2]) {
      await env.MEMORY.put(`p/${profile}/memory/${"a".repeat(64)}/+late${pass}`, "zebralate");
      await env.SKILLS.put(`p/${profile}/blobs/${"b".repeat(64)}`, "zebralate");
      await passErasures(profile);
      expect(await findPlaces(profile, "zebra")).toEqual([]);
    }
    await passErasures(profile);
    const marks = [
      ...[`ARCHIVE ${profile} archive_part`, `EXPERIMENTS ${profile} tombstone`],
      ...[`SESSION ${profile}/${session} tombstone`, `r2 p/${profile}/GONE`],
    ];
    expect(await findPlaces(profile, profile)).toEqual(marks);
  });

  it("can be deleted by the operator without confirmation", async () => {
    const { profile, key } = await createProfile();
    await createSession(key);
    expect((await ask("DELETE", `/v1/profiles/${profile}`, { key: OPERATOR })).status).toBe(204);
    expect((await ask("GET", "/v1/sessions", { key })).status).toBe(401);
    const created = await ask("POST", "/v1/keys", { key: OPERATOR, body: { profile } });
    expectProblem(created, 404, "profile_not_found", "No such profile");
  });
});

describe("a deleted session", () => {
  it("answers 404 everywhere and leaves only ids, while lessons from it stay", async () => {
    const { profile, key, session, job, reviews } = await createFullProfile();
    const path = `/v1/sessions/${session}`;
    const watching = await fetchApi("GET", `${path}/socket?after=0.0`, { key, headers: { upgrade: "websocket" } });
    const socket = watching.webSocket!;
    const closed = new Promise<number>((resolve) => socket.addEventListener("close", ({ code }) => resolve(code)));
    socket.accept();
    expectProblem(
      await ask("DELETE", `/v1/sessions/${"0".repeat(26)}`, { key }),
      404,
      "session_not_found",
      "No such session",
    );
    expect((await ask("DELETE", path, { key })).status).toBe(204);
    expect(await closed).toBe(4404);

    for (const [method, route, body] of [
      ["GET", "", undefined],
      ["DELETE", "", undefined],
      ["GET", "/entries", undefined],
      ["GET", "/events", undefined],
      ["GET", "/files", undefined],
      ["GET", "/approvals", undefined],
      ["GET", "/turns/1", undefined],
      ["GET", "/turns/1/observation", undefined],
      ["POST", "/messages", { text: "zebraagain" }],
      ["POST", "/stop", undefined],
      ["POST", "/turns/1/rating", { rating: "up" }],
    ] as const) {
      expect([route, (await ask(method, path + route, { key, body })).status]).toEqual([route, 404]);
    }
    expect((await ask("GET", "/v1/sessions", { key })).body).toEqual({ sessions: [] });

    await finishMerges(profile);
    const words = ["zebraquestion", "zebrafile", "zebracell", "zebragoal", "zebraagain"];
    expect(await findPlaces(profile, ...words)).toEqual([]);
    const marks = [
      ...["audit", "erasure"].map((table) => `ACCOUNT ${profile} ${table}`),
      `ARCHIVE ${profile} message_turn`,
      `SESSION ${profile}/${session} tombstone`,
      `r2 p/${profile}/deleted/sessions/${session}`,
    ];
    expect(await findPlaces(profile, session)).toEqual(marks);

    expect(await redeliver(profile, job.review)).toEqual(["m1"]);
    await expect(reviews.putJob(job)).resolves.toBeUndefined(); // by a writer that checks no tombstone
    await env.ACCOUNT.getByName(profile).book({
      ...{ id: `${session}-9`, session, at: Date.now() },
      lines: [
        {
          kind: "turn",
          model: "m:a",
          source: "none",
          calls: 1,
          usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
          usdMicros: 0,
        },
      ],
    });
    await runInDurableObject(env.SESSION.getByName(`${profile}/${session}`), (object: unknown) =>
      (object as { alarm(): Promise<void> }).alarm(),
    );
    await passErasures(profile);
    expect(await findPlaces(profile, ...words)).toEqual([]);
    expect(await findPlaces(profile, "zebrafact")).toHaveLength(1);
    expect((await ask("GET", "/v1/usage?by=session", { key })).body).toMatchObject({ lines: [{ key: "deleted" }] });
  });

  it("stops its running turn", async () => {
    const { profile, key } = await createProfile();
    const session = await createSession(key);
    const headers = { accept: "text/event-stream" };
    const body = { text: "What is 2 + 2? Say zebracut." };
    const answer = await fetchApi("POST", `/v1/sessions/${session}/messages`, { key, body, headers });
    expect((await ask("DELETE", `/v1/sessions/${session}`, { key })).status).toBe(204);
    await answer.text();
    await finishMerges(profile);
    expect(await findPlaces(profile, "zebracut")).toEqual([]);
  });
});

describe("a deleted skill", () => {
  it("leaves no text, head, revision or copy; only a person can create its name again", async () => {
    const { profile, key, session, files } = await createFullProfile();
    const path = "/v1/skills/zebra-skill";
    const viewed = { n: 9, role: "tool" as const, at: Date.now(), text: files("zebraone")["SKILL.md"] };
    const indexed = await env.ARCHIVE.getByName(profile).putMessages({ session, turn: 9, messages: [viewed] });
    expect(indexed.ok).toBe(true);
    expect((await ask("DELETE", path, { key })).status).toBe(204);
    await finishMerges(profile);
    expect(await findPlaces(profile, "zebraone", "zebratwo")).toEqual([]);
    const mark = `r2 p/${profile}/deleted/skills/zebra-skill`;
    expect(await findPlaces(profile, "zebra-skill")).toEqual([
      ...[`ACCOUNT ${profile} audit`, `ACCOUNT ${profile} erasure`, `ARCHIVE ${profile} message_purge`, mark],
    ]);
    expectProblem(await ask("GET", path, { key }), 404, "skill_not_found", "No such skill");
    expectProblem(await ask("DELETE", path, { key }), 404, "skill_not_found", "No such skill");
    const bundled = await ask("DELETE", "/v1/skills/using-the-workspace", { key });
    expectProblem(bundled, 409, "skill_bundled", "A bundled skill cannot be deleted");

    const store = createSkillStore({
      ...{ bucket: guardWrites(toBucket(env.SKILLS)), profile, clock: systemClock, random: Math.random, swapMs: 5_000 },
    });
    const create = (origin: "review" | "user") =>
      store.change({
        ...{ name: "zebra-skill", op: `late ${origin}`, since: 0 },
        decide: () => ({ ok: true, value: { files: files("zebralate"), description: "d", state: "active", origin } }),
      });
    expect(await create("review")).toMatchObject({ ok: false, failure: { code: "skill_deleted" } });
    await passErasures(profile);
    expect(await findPlaces(profile, "zebralate", "zebraone")).toEqual([]);

    const again = await ask("PUT", path, { key, body: { files: files("zebranew") } });
    expect([again.status, again.body]).toMatchObject([200, { rev: 3, firstRev: 3 }]);
    await passErasures(profile);
    expect((await ask("GET", path, { key })).status).toBe(200);
    expect((await ask("GET", `${path}/revisions`, { key })).body).toMatchObject({ revisions: [{ rev: 3 }] });
    expect((await ask("DELETE", path, { key })).status).toBe(204);
    await finishMerges(profile);
    expect(await findPlaces(profile, "zebranew")).toEqual([]);
  });
});

describe("a purge", () => {
  it("of a revision removes its text from reviews, curations and remembered requests, and deletes orphaned blobs", async () => {
    const { profile, key, run, job } = await createFullProfile();
    await env.SKILLS.put(`p/${profile}/blobs/${"c".repeat(64)}`, "an orphan with zebraone");
    const purged = await ask("POST", "/v1/skills/zebra-skill/purge", { key, body: { rev: 1 } });
    expect(purged.status).toBe(200);
    await finishMerges(profile);
    expect(await findPlaces(profile, "zebraone stands", "orphan with")).toEqual([]);
    const report = await (await env.SKILLS.get(`p/${profile}/curation/${run}/REPORT.md`))!.text();
    expect(report).toContain("Kept line.");
    expect(await redeliver(profile, job.review)).toEqual(["m1"]);
    expect((await ask("GET", "/v1/skills/zebra-skill", { key })).status).toBe(200);
  });

  it("of a fact removes it from every record that quotes it", async () => {
    const { profile, key, reviews, job } = await createFullProfile();
    await reviews.createStep(job.review, 0, {
      ...{ v: 1, kind: "start", at: Date.now(), memoryBlock: "MEMORY\nThe zebrafact is kept in Basel.\n" },
    });
    const id = memoryId("The zebrafact is kept in Basel.");
    expect((await ask("POST", `/v1/memory/memory/${id}/purge`, { key })).status).toBe(200);
    await finishMerges(profile);
    expect(await findPlaces(profile, "zebrafact")).toEqual([]);
    expect(await reviews.outcome(job.review)).toMatchObject({ code: "purged" });
  });
});
