// The journey and its graph over HTTP: events from every store of one profile on one time line, each with who and why.
import { beforeAll, describe, expect, it } from "vitest";
import { ok } from "../../../core/errors.ts";
import type { SkillNext } from "../../../core/ports.ts";
import { toCurationId } from "../../../core/schemas/ids.ts";
import { Journey, type JourneyEvent, LearningGraph } from "../../../core/schemas/learning/journey.ts";
import { createCurationStore } from "../../../stores/curation/curation-store.ts";
import { toBucket } from "../../../stores/platform/r2.ts";
import { systemClock } from "../../../stores/platform/system-clock.ts";
import { createPendingStore } from "../../../stores/pending-store.ts";
import { createReviewStore } from "../../../stores/reviews/review-store.ts";
import { createSkillStore } from "../../../stores/skills/skill-store.ts";
import { curationPlan, curationRun, reviewJob, reviewResult } from "../../support/skills/reviews.ts";
import { START_MS, ask, createProfile, env } from "../api-calls.ts";

const SESSION = "01ARZ3NDEKTSV4RRFFQ69G5FAA";
const REVIEW = `${SESSION}.1-8`;
const CITATION = `${SESSION}/4#outcome`;
beforeAll(async () => void (await createProfile()), START_MS);

const journeyOf = async (key: string, query = "") =>
  Journey.parse((await ask("GET", `/v1/learning/journey${query}`, { key })).body);
const graphOf = async (key: string) => LearningGraph.parse((await ask("GET", "/v1/learning/graph", { key })).body);
const bucket = () => toBucket(env.SKILLS);

async function change(profile: string, name: string, op: string, next: Omit<SkillNext, "files"> & { body?: string }) {
  const store = createSkillStore({
    bucket: bucket(),
    profile,
    clock: systemClock,
    random: Math.random,
    swapMs: 10_000,
  });
  const { body, ...rest } = next;
  const files = body && { "SKILL.md": `---\nname: ${name}\ndescription: Reads ${name}.\n---\n${body}\n` };
  const description = `Reads ${name}.`;
  const since = (await store.head(name))?.rev ?? 0;
  const decide = () =>
    ok({ description, state: "trial" as const, origin: "review" as const, ...rest, ...(files && { files }) });
  const changed = await store.change({ name, op, since, decide });
  if (!changed.ok) throw new Error(changed.failure.message);
  return changed.value.head;
}

/** Newest first; times differ by a few milliseconds only, so the order is checked for one skill at a time. */
const kindsOf = (events: JourneyEvent[], skill: string) =>
  events.filter((event) => event.skill === skill).map(({ kind, by, rev }) => [kind, by, rev]);

describe("the journey of a skill", () => {
  it("names who made each revision, from which work, and for what reason", async () => {
    const { profile, key } = await createProfile();
    const first = { body: "One.", citations: [CITATION] };
    await change(profile, "gauges", `${REVIEW}.0003`, first);
    await change(profile, "gauges", `${SESSION}-2:14`, { body: "Two." });
    await change(profile, "gauges", `verdict:${SESSION}-3.exit`, { body: "Two, in part." });
    await change(profile, "gauges", `verdict:${SESSION}-4.exit`, {
      ...first,
      reason: "Three failures. Revision 1 is back.",
    });
    await change(profile, "gauges", "api:01J", { body: "Mine.", origin: "user", citations: [] });
    await change(profile, "gauges", "api:01K", { ...first, origin: "user", reason: "Restored by a person." });
    const { events, cut } = await journeyOf(key, "?about=skill");
    expect(cut).toBe(false);
    expect(kindsOf(events, "gauges")).toEqual([
      ["restored", "person", 6],
      ["edited", "person", 5],
      ["withdrawn", "evidence", 4],
      ["corrected", "evidence", 3],
      ["changed", "agent", 2],
      ["learned", "review", 1],
    ]);
    expect(events[0]).toMatchObject({ why: "Restored by a person." });
    expect(events[2]).toMatchObject({ turn: `${SESSION}-4`, session: SESSION });
    expect(events.at(-1)).toMatchObject({ review: REVIEW, session: SESSION, citations: [CITATION] });
    expect(events.map(({ at }) => at)).toEqual(events.map(({ at }) => at).toSorted((a, b) => b - a));
  });

  it("shows the last change of a state that made no revision", async () => {
    const { profile, key } = await createProfile();
    const op = `verdict:${SESSION}-2.rating`;
    const settled = { op, from: "trial", to: "active", rev: 1 } as const;
    for (const name of ["proved", "withdrawn", "absorbed", "archived", "checked"]) {
      await change(profile, name, `${REVIEW}.0003`, { body: "One." });
    }
    await new Promise((done) => setTimeout(done, 5));
    await change(profile, "proved", op, { state: "active", reason: "Two successes.", settled });
    await change(profile, "withdrawn", op, {
      ...{ state: "archived", reason: "No earlier text is left." },
      settled: { ...settled, to: "archived", withdrew: true },
    });
    await change(profile, "absorbed", "curation:20260105T090000Z-aaaa:consolidate:0:absorbed", {
      ...{ state: "archived", reason: "absorbed into proved" },
    });
    await change(profile, "archived", "api:01J", { state: "archived", reason: "Archived by a person." });
    // A finding on its head is no event.
    await change(profile, "checked", "health:1", { health: { checkedAt: 1, broken: ["x"] } });
    const { events } = await journeyOf(key, "?about=skill");
    expect(kindsOf(events, "proved")).toEqual([
      ["proved", "evidence", 1],
      ["learned", "review", 1],
    ]);
    expect(kindsOf(events, "withdrawn")[0]).toEqual(["withdrawn", "evidence", 1]);
    expect(kindsOf(events, "absorbed")[0]).toEqual(["merged", "curator", 1]);
    expect(events.find(({ skill }) => skill === "absorbed")).toMatchObject({ into: "proved" });
    expect(kindsOf(events, "archived")[0]).toEqual(["archived", "person", 1]);
    expect(kindsOf(events, "checked")).toEqual([["learned", "review", 1]]);
  });
});

describe("the journey of a profile", () => {
  it("is empty for one that has done nothing", async () => {
    const { key } = await createProfile();
    expect(await journeyOf(key)).toEqual({ events: [], cut: false });
    expect(await graphOf(key)).toEqual({
      ...{ skills: [], work: [], from: [], together: [] },
      all: { skills: 0, from: 0, together: 0 },
    });
  });

  it("tells of facts, reviews with what was refused, curations and decisions, each where `about` asks for it", async () => {
    const { profile, key } = await createProfile();
    const post = (content: string) => ask("POST", "/v1/memory", { key, body: { store: "user", content } });
    await post("Lives in Bern.");
    const { id } = (await post("Owns a cat.")).body as { id: string };
    await ask("DELETE", `/v1/memory/user/${id}`, { key });
    const reviews = createReviewStore({ bucket: bucket(), profile });
    const refused = [{ tool: "memory", code: "uncited", message: "Cite." }];
    await reviews.putJob(reviewJob(profile, REVIEW));
    await reviews.finish({ ...reviewResult(REVIEW, "done", "Learned nothing."), refused });
    await reviews.putJob(reviewJob(profile, `${SESSION}.9-9`));
    const curation = createCurationStore({ bucket: bucket() });
    const [run, idle] = [1, 2].map((n) => toCurationId(Date.now() - n * 60_000, () => 0.5));
    const standing = { state: "trial", rev: 1, text: "a".repeat(64) } as const;
    const changes = [{ skill: "a", from: standing, to: { ...standing, state: "stale" as const }, reason: "unused" }];
    await curation.putPlan(curationPlan(profile, run!));
    await curation.putReport({ ...curationRun(profile, run!), changes }, "# Report\n");
    await curation.putPlan(curationPlan(profile, idle!));
    await curation.putReport(curationRun(profile, idle!), "# Report\n");
    const pending = createPendingStore({ bucket: bucket(), profile, clock: systemClock, random: Math.random });
    await pending.park({
      ...{ v: 1, id: "0".repeat(20), tool: "skill_manage", args: {}, prepared: {}, op: "op", origin: "review" },
      ...{ reason: "taint", why: "w", summary: "Sends mail.", diff: "", seen: { skill: "mail", seq: 0 } },
      ...{ state: "rejected", askedAt: 1, decidedAt: 5, outcome: null },
    });

    const told = async (about: string) =>
      (await journeyOf(key, `?about=${about}`)).events.map(({ at: _at, citations: _citations, ...event }) => event);
    expect((await told("fact")).map(({ kind, by, text }) => [kind, by, text]).toSorted()).toEqual([
      ["fact_added", "person", "Lives in Bern."],
      ["fact_removed", "person", "Owns a cat."],
    ]);
    // One review waits, and one run changed nothing.
    expect(await told("review")).toEqual([
      {
        ...{ about: "review", kind: "reviewed", by: "review", review: REVIEW, session: SESSION },
        ...{ why: "Learned nothing.", lessons: 0, refused },
      },
    ]);
    expect(await told("curation")).toEqual([
      {
        ...{ about: "curation", kind: "curated", by: "curator", run, why: "", changed: 1 },
        changes: [{ skill: "a", from: "trial", to: "stale", reason: "unused" }],
      },
    ]);
    expect(await told("decision")).toEqual([
      { about: "decision", kind: "rejected", by: "person", pending: "0".repeat(20), why: "Sends mail.", skill: "mail" },
    ]);
    expect((await journeyOf(key)).events).toHaveLength(5);
    const { body } = await ask("GET", "/v1/reviews", { key });
    const at = expect.any(Number);
    const spent = { calls: 3, tokens: 0, usd: 0 };
    expect((body as { reviews: object[] }).reviews).toEqual(
      expect.arrayContaining([
        { review: `${SESSION}.9-9`, state: "waiting", at },
        {
          ...{ review: REVIEW, state: "done", at, summary: "Learned nothing.", trigger: "value" },
          ...{ lessons: [], refused: 1, spent },
        },
      ]),
    );
  });
});

describe("the graph of learning", () => {
  it("connects skills with the sessions they came from, and with those used in the same turns", async () => {
    const { profile, key } = await createProfile();
    const { session } = (await ask("POST", "/v1/sessions", { key })).body as { session: string };
    await change(profile, "gauges", `${session}.1-8.0003`, { body: "One." });
    await change(profile, "gauges", `${session}-2:14`, { body: "Two.", citations: [CITATION] });
    await change(profile, "rivers", "api:01J", { body: "Mine.", origin: "user" });
    await change(profile, "unused", `verdict:${session}-2.exit`, { body: "Of no session." });
    const archive = env.ARCHIVE.getByName(profile);
    for (const [n, names] of [["gauges", "rivers"], ["rivers", "gauges", "gone"], ["gauges"]].entries()) {
      await archive.observeTurn({
        ...{ turn: `${session}-${n + 1}`, session, at: n + 1, request: "Read the gauges", tools: { terminal: 1 } },
        ...{ kind: { text: `read gauges ${n}`, by: "title" }, outcome: "success", judge: "exit", recovered: false },
        ...{ heldOut: false, effort: { calls: 1, failedCalls: 0, tokens: 9 } },
        loaded: names.map((skill) => ({ skill, text: "a".repeat(64) })),
      });
    }
    const graph = await graphOf(key);
    expect(graph.skills.map(({ name, turns }) => [name, turns])).toEqual([
      ["gauges", 3],
      ["rivers", 2],
      ["unused", 0],
    ]);
    expect(graph.from).toEqual([
      { session, skill: "gauges", revisions: 2, turn: `${session}-2` },
      { session: SESSION, skill: "gauges", revisions: 1 },
    ]);
    expect(graph.work).toEqual([
      { session, title: expect.any(String), kind: "read gauges 2" },
      { session: SESSION, title: null, kind: null },
    ]);
    expect(graph.together).toEqual([{ a: "gauges", b: "rivers", turns: 2, last: `${session}-2` }]);
    expect(graph.all).toEqual({ skills: 3, from: 2, together: 1 });
  });
});
