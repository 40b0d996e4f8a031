// An imported skill is tried where the profile grants experiments. The request waits for nothing, and fails with nothing.
import { beforeAll, expect, it } from "vitest";
import { ok } from "../../../core/errors.ts";
import type { NewExperiment } from "../../../core/experiments/ports.ts";
import worker from "../../../workers/api/index.ts";
import { START_MS, ask, createProfile, env } from "../api-calls.ts";

const skill = (text: string) => `---\nname: tides\ndescription: Reads tides.\n---\n\n${text}\n`;

let key = "";
beforeAll(async () => {
  ({ key } = await createProfile());
}, START_MS);

/** Imports the text, and returns the status of the answer and what was asked of the profile's experiments. */
async function importSkill(text: string, { replayTokens = 0, fails = false } = {}) {
  const asked: NewExperiment[] = [];
  const take = async (wanted: NewExperiment) => {
    asked.push(wanted);
    if (fails) throw new Error("The object is not there.");
    return ok({});
  };
  const EXPERIMENTS = { getByName: () => ({ take }) } as unknown as DurableObjectNamespace;
  const settings = { ...(JSON.parse(env.TALARIA_SETTINGS || "{}") as object), review: { replayTokens } };
  const request = new Request("https://talaria.test/v1/skills/import?replace=1", {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "text/markdown" },
    body: skill(text),
  });
  const later: Promise<unknown>[] = [];
  const waitUntil = (work: Promise<unknown>) => void later.push(work);
  const given = { ...env, EXPERIMENTS, TALARIA_SETTINGS: JSON.stringify(settings) };
  const answer = await worker.fetch(request, given, { waitUntil } as never);
  await answer.text();
  await Promise.all(later);
  return { status: answer.status, asked };
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
  await ask("PATCH", "/v1/settings", { key, body: { "review.replayTokens": 0 } });
  expect(await importSkill("Fourth.", { replayTokens: 1_000 })).toEqual({ status: 200, asked: [] });
});
