// What is tried without a person asking for it: imported skills, those of the hub, and what a curation wrote, where the profile grants
// experiments. Requests wait for nothing, and fail with nothing.
import { runInDurableObject } from "cloudflare:test";
import { beforeAll, expect, it, vi } from "vitest";
import { ok } from "../../../core/errors.ts";
import type { NewExperiment } from "../../../core/experiments/ports.ts";
import { NO_USAGE } from "../../../core/schemas/entry.ts";
import { ProfileId, toCurationId } from "../../../core/schemas/ids.ts";
import { createCurationStore } from "../../../stores/curation/curation-store.ts";
import { toBucket } from "../../../stores/platform/r2.ts";
import worker from "../../../workers/api/index.ts";
import { openSkills } from "../../../workers/api/stores.ts";
import { createGithubReads } from "../../support/hub/github-read.ts";
import { skillMd } from "../../support/hub/hub-world.ts";
import { curationPlan } from "../../support/skills/reviews.ts";
import { creation } from "../../support/skills/skills.ts";
import { START_MS, ask, createProfile, env } from "../api-calls.ts";

const skill = (text: string) => `---\nname: tides\ndescription: Reads tides.\n---\n\n${text}\n`;

let key = "";
beforeAll(async () => {
  ({ key } = await createProfile());
}, START_MS);

interface Grant {
  replayTokens?: number;
  fails?: boolean;
}

/** Bindings with experiments that note what they are asked. */
function noteAsked({ replayTokens = 0, fails = false }: Grant) {
  const asked: NewExperiment[] = [];
  const take = async (wanted: NewExperiment) => {
    asked.push(wanted);
    if (fails) throw new Error("The object is not there.");
    return ok({});
  };
  const EXPERIMENTS = { getByName: () => ({ take }) } as unknown as DurableObjectNamespace;
  const settings = { ...(JSON.parse(env.TALARIA_SETTINGS || "{}") as object), review: { replayTokens } };
  return { asked, given: { ...env, EXPERIMENTS, TALARIA_SETTINGS: JSON.stringify(settings) } };
}

/** Returns the answer, and what was asked of the profile's experiments. */
async function post(path: string, { type, body }: { type: string; body: string }, grant: Grant) {
  const { asked, given } = noteAsked(grant);
  const headers = { authorization: `Bearer ${key}`, "content-type": type };
  const later: Promise<unknown>[] = [];
  const waitUntil = (work: Promise<unknown>) => void later.push(work);
  const request = new Request(`https://talaria.test${path}`, { method: "POST", headers, body });
  const response = await worker.fetch(request, given, { waitUntil } as never);
  const text = await response.text();
  await Promise.all(later);
  return { status: response.status, text, asked };
}

async function importSkill(text: string, grant: Grant = {}) {
  const body = { type: "text/markdown", body: skill(text) };
  const { status, asked } = await post("/v1/skills/import?replace=1", body, grant);
  return { status, asked };
}

it("asks once for each text under a grant, and for none without one", async () => {
  expect(await importSkill("First.")).toEqual({ status: 200, asked: [] });
  expect(await importSkill("Second.", { replayTokens: 1_000 })).toMatchObject({
    status: 200,
    asked: [
      { key: "import:tides:2", skill: "tides", occasion: "import", rev: 2, session: null, about: "Reads tides." },
    ],
  });
  const failing = await importSkill("Third.", { replayTokens: 1_000, fails: true });
  expect([failing.status, failing.asked.map((one) => one.key)]).toEqual([200, ["import:tides:3"]]);
});

it("asks for what the hub installed or updated, and for nothing that was only shown or is there already", async () => {
  const github = createGithubReads();
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    return request.url.startsWith("https://api.github.com/") ? github.api(request) : github.raw(request);
  });
  const hub = async (path: string, body: object, replayTokens = 1_000) => {
    const { text, asked } = await post(
      `/v1/hub/${path}`,
      { type: "application/json", body: JSON.stringify(body) },
      { replayTokens },
    );
    return { ...(JSON.parse(text) as Record<string, unknown>), asked };
  };
  const commit = (tag: string, text: string) =>
    github.commit(
      "team/skills",
      { "notes/SKILL.md": skillMd("notes", text), "maps/SKILL.md": skillMd("maps", text) },
      { tag },
    );
  const show = async (name: string) => {
    const shown = await hub("inspect", { source: `team/skills/${name}@v1` });
    expect(shown.asked).toEqual([]);
    return { source: `team/skills/${name}@v1`, hash: (shown as { hash?: string }).hash };
  };
  commit("v1", "One.");
  const notes = await show("notes");
  expect(await hub("install", notes)).toMatchObject({
    outcome: "installed",
    asked: [{ key: "hub:notes:1", skill: "notes", occasion: "hub", rev: 1, session: null }],
  });
  expect(await hub("install", notes)).toMatchObject({ outcome: "unchanged", asked: [] });
  expect(await hub("install", await show("maps"), 0)).toMatchObject({ outcome: "installed", asked: [] });
  commit("v2", "Two.");
  for (const [name, replayTokens, keys] of [
    ["notes", 1_000, ["hub:notes:2"]],
    ["maps", 0, []],
  ] as const) {
    const shown = await hub(`skills/${name}/update`, { version: "v2" });
    expect(shown).toMatchObject({ outcome: "preview", asked: [] });
    const { hash } = (shown as unknown as { to: { hash: string } }).to;
    const updated = await hub(`skills/${name}/update`, { hash }, replayTokens);
    expect(updated).toMatchObject({ outcome: "updated" });
    expect(updated.asked.map((one) => one.key)).toEqual(keys);
  }
});

it("asks on a profile's first use of a day for what a curation wrote since, once", async () => {
  for (const replayTokens of [0, 1_000]) {
    const profile = ProfileId.parse((await createProfile()).profile);
    const store = openSkills(env, profile);
    const made = await store.change(creation("slow", "two", "curated", { origin: "curator", state: "trial" }));
    if (!made.ok) throw new Error(made.failure.code);
    const { state, rev, text } = made.value.head;
    const run = toCurationId(Date.now() - 60_000, Math.random);
    const curation = createCurationStore({ bucket: toBucket(env.SKILLS) });
    await curation.putPlan(curationPlan(profile, run));
    await curation.work(profile, run, "rewrite.slow").finish({
      ...{ v: 1, run, work: "rewrite.slow", state: "done", note: "", merges: [], refused: [] },
      ...{ modelCalls: 1, usage: NO_USAGE, spent: [], finishedAt: 1 },
      changes: [{ skill: "slow", from: null, to: { state, rev, text }, reason: "" }],
    });
    const { asked, given } = noteAsked({ replayTokens });
    await runInDurableObject(env.ACCOUNT.getByName(profile), async (account) => {
      Object.assign(account, { env: given });
      for (let uses = 0; uses < 2; uses++)
        await (account as unknown as { noteActivity(): Promise<void> }).noteActivity();
    });
    expect(asked.map((one) => [one.key, one.occasion, one.text])).toEqual(
      replayTokens === 0 ? [] : [[`curation:${run}:slow:1`, "rewrite", text]],
    );
  }
});

it("asks for nothing where the person has set the grant to nothing", async () => {
  await ask("PATCH", "/v1/settings", { key, body: { "review.replayTokens": 0 } });
  expect(await importSkill("Fourth.", { replayTokens: 1_000 })).toEqual({ status: 200, asked: [] });
});
