// GET /v1/learning over HTTP: facts from every store of one profile in one paged answer, and nothing of other profiles.
import { beforeAll, describe, expect, it } from "vitest";
import { toJudge } from "../../../core/learning/evidence/verdict.ts";
import { DEFAULTS } from "../../../core/limits.ts";
import { NO_USAGE } from "../../../core/schemas/entry.ts";
import type { TurnSignature } from "../../../core/schemas/learning/learning.ts";
import { LearningLedger } from "../../../core/schemas/learning/ledger.ts";
import { ok } from "../../../core/errors.ts";
import { dayOf } from "../../../core/schemas/ids.ts";
import { createEvidenceStore } from "../../../stores/evidence/evidence-store.ts";
import { toBucket } from "../../../stores/platform/r2.ts";
import { createReviewStore } from "../../../stores/reviews/review-store.ts";
import { createSkillStore } from "../../../stores/skills/skill-store.ts";
import { systemClock } from "../../../stores/platform/system-clock.ts";
import { START_MS, ask, createProfile, env, expectProblem } from "../api-calls.ts";

const SESSION = "01ARZ3NDEKTSV4RRFFQ69G5FAA";
const REQUEST = "What is the mean of the column discharge in the file gauges?";
let owner: { profile: string; key: string };
beforeAll(async () => void (owner = await createProfile()), START_MS);

const get = (query = "", key = owner.key) => ask("GET", `/v1/learning${query}`, { key });
const read = async (query = "", key = owner.key) => LearningLedger.parse((await get(query, key)).body);

function openStores(profile: string) {
  const bucket = toBucket(env.SKILLS);
  return {
    skills: createSkillStore({ bucket, profile, clock: systemClock, random: Math.random, swapMs: 10_000 }),
    evidence: createEvidenceStore({ bucket, profile, judge: toJudge(DEFAULTS.learning) }),
    reviews: createReviewStore({ bucket, profile }),
  };
}

async function putSkill(profile: string, name: string): Promise<{ text: string; createdAt: number }> {
  const made = await openStores(profile).skills.change({
    ...{ name, op: `make ${name}`, since: 0 },
    decide: () => {
      const files = { "SKILL.md": `---\nname: ${name}\ndescription: Reads ${name}.\n---\nRead.\n` };
      const description = `Reads ${name}.`;
      return ok({ files, description, state: "trial", origin: "review", category: "general", citations: [] });
    },
  });
  if (!made.ok) throw new Error(made.failure.message);
  return made.value.head;
}

function signature(n: number, at: number, over: Partial<TurnSignature> = {}): TurnSignature {
  return {
    ...{ turn: `${SESSION}-${n}`, session: SESSION, at, request: REQUEST, tools: { terminal: 4 }, loaded: [] },
    ...{ outcome: "failure", judge: "exit", recovered: false, heldOut: false },
    effort: { calls: 8, failedCalls: 1, tokens: 800 },
    ...over,
  };
}

describe("GET /v1/learning", () => {
  it("is empty for a profile that has done nothing", async () => {
    const { key } = await createProfile();
    expect(await read("", key)).toMatchObject({
      ...{ turns: { seen: 0, since: null }, skills: [], waits: [], bought: null },
      ...{ reviews: { seen: 0 }, cost: { review: { calls: 0 }, curation: { calls: 0, runs: 0 } } },
    });
  });

  it("reports turns, evidence, reviews and their cost", async () => {
    const { profile, key } = await createProfile();
    const { text, createdAt } = await putSkill(profile, "gauges");
    const { evidence, reviews } = openStores(profile);
    const archive = env.ARCHIVE.getByName(profile);
    await archive.observeTurn(signature(1, createdAt - 1_000));
    const effort = { calls: 3, failedCalls: 0, tokens: 300 };
    const loaded = [{ skill: "gauges", text }];
    await archive.observeTurn(signature(2, createdAt + 1_000, { outcome: "success", loaded, effort }));
    await evidence.put({
      ...{ v: 2, skill: "gauges", text, turn: `${SESSION}-2`, judge: "exit", outcome: "success" },
      ...{ day: dayOf(createdAt), at: createdAt + 1_000, modelCalls: 4, toolCalls: 3, failedCalls: 0 },
      baseline: { turns: 1, successes: 0, failures: 1, calls: 8 },
    });
    await reviews.finish({
      ...{ v: 1, review: `${SESSION}.1-8`, session: SESSION, state: "done", trigger: "value", summary: "", note: "" },
      ...{ lessons: [], refused: [{ tool: "memory", code: "uncited", message: "Cite." }], modelCalls: 1 },
      ...{ usage: NO_USAGE, finishedAt: 1 },
    });
    const usage = { ...NO_USAGE, input: 40, output: 2 };
    const line = { kind: "review", model: "m:a", source: "catalog", calls: 1, usage, usdMicros: 500 } as const;
    await env.ACCOUNT.getByName(profile).book({
      ...{ id: `${SESSION}.1-8`, session: SESSION, at: Date.now(), lines: [line] },
    });

    const ledger = await read("", key);
    expect(ledger).toMatchObject({
      turns: { seen: 2, more: false, all: { judged: 2, successes: 1, calls: 5.5, recovery: 0 } },
      ...{ reuse: { had: 1, loaded: 1, rate: 1 }, byState: { trial: 1, active: 0 } },
      skills: [
        {
          ...{ name: "gauges", state: "trial", origin: "review", revisions: 1, uses: 1, successes: 1 },
          ...{ firstUsedAt: createdAt + 1_000, texts: [{ text, present: true, verdict: "trial", uses: 1 }] },
          lift: { before: { judged: 1, successes: 0 }, after: { judged: 1, successes: 1 }, lift: 1 },
        },
      ],
      reviews: { seen: 1, refused: { uncited: 1 }, lastRefused: [{ code: "uncited" }] },
      cost: { review: { calls: 1, tokens: 42, usd: 0.0005 } },
      bought: { uses: 1, calls: 5, tokens: 500, skills: 1 },
    });
    expect(ledger.skills[0]).not.toHaveProperty("history");
    expect((await read("?skill=gauges&by=week", key)).skills[0]!.history).toMatchObject([{ rev: 1, text }]);
    expect(await read()).toMatchObject({ turns: { seen: 0 }, skills: [] });
  });

  it("lists its skills in pages, ordered by name", async () => {
    const { profile, key } = await createProfile();
    for (const name of ["c", "a", "b"]) await putSkill(profile, name);
    const pageOf = async (query: string) => {
      const { skills, next, byState } = await read(query, key);
      return [skills.map(({ name }) => name), next, byState.trial];
    };
    expect(await pageOf("?limit=2")).toEqual([["a", "b"], "b", 3]);
    expect(await pageOf("?limit=2&after=b")).toEqual([["c"], undefined, 3]);
    expect(await pageOf("?limit=3")).toEqual([["a", "b", "c"], undefined, 3]);
  });

  it("refuses unknown or invalid query fields", async () => {
    expectProblem(await get("?skill=nothing"), 404, "skill_not_found", "No such skill");
    expect(await get("?skill=No%20name")).toMatchObject({ status: 400, body: { code: "bad_skill_name" } });
    for (const query of ["?limit=51", "?limit=0", "?by=month", "?since=1", "?after=No%20name"]) {
      expect(await get(query)).toMatchObject({ status: 400, body: { code: "query_invalid" } });
    }
    expect(await ask("GET", "/v1/learning")).toMatchObject({ status: 401, body: { code: "key_missing" } });
  });
});
