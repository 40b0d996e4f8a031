// Pending writes over HTTP. The test creates each request as a session's tool would, over the real bindings.
import { beforeAll, expect, it } from "vitest";
import { DEFAULTS } from "../../../core/limits.ts";
import { readOutcome } from "../../../core/agent/tool-result.ts";
import type { ProfileId } from "../../../core/schemas/ids.ts";
import { createLibrary } from "../../../core/skills/library.ts";
import { createAskingSkillManage } from "../../../core/tools/approval/approval.ts";
import { createPendingStore } from "../../../stores/pending-store.ts";
import { toBucket } from "../../../stores/platform/r2.ts";
import { createSkillStore } from "../../../stores/skills/skill-store.ts";
import { systemClock as clock } from "../../../stores/platform/system-clock.ts";
import { skillMd } from "../../skills/skill-md.ts";
import { START_MS, ask, createProfile, env, expectProblem } from "../api-calls.ts";

let profile: ProfileId;
let key: string;
beforeAll(async () => void ({ profile, key } = await createProfile()), START_MS);

async function askFor(name: string): Promise<string> {
  const common = { bucket: toBucket(env.SKILLS), profile, clock, random: Math.random };
  const store = createSkillStore({ ...common, swapMs: 5_000 });
  const settings = { ...DEFAULTS, skills: { ...DEFAULTS.skills, writeApproval: true } };
  const library = createLibrary({ store, seeds: {} });
  const approval = { pending: createPendingStore(common), clock };
  const tool = createAskingSkillManage({ store, library, origin: "foreground", settings }, approval);
  const args = { action: "create", name, content: skillMd({ name, description: `Handles ${name} of every kind.` }) };
  const signal = new AbortController().signal;
  return String(readOutcome(await tool.run(args, { op: `test:${name}`, prepared: {}, signal })).pending);
}

const decide = (id: string, body: unknown) => ask("POST", `/v1/pending/${id}`, { key, body });

it("a pending write is listed, shown with its diff, and approved or rejected", async () => {
  const [wanted, unwanted] = [await askFor("baking-bread"), await askFor("mending-nets")];
  expect((await ask("GET", "/v1/pending", { key })).body).toMatchObject({
    pending: [
      { id: wanted, state: "waiting", summary: "create skill baking-bread", seen: { skill: "baking-bread", seq: 0 } },
      { id: unwanted, state: "waiting" },
    ],
  });
  const read = await ask("GET", `/v1/pending/${wanted}`, { key });
  expect(read.body).toMatchObject({ diff: expect.stringContaining("+name: baking-bread") });
  expect(read.body).not.toHaveProperty("args");
  expect((await ask("GET", "/v1/skills/baking-bread", { key })).status).toBe(404);

  const approved = await decide(wanted, { approve: true });
  expect([approved.status, approved.body]).toMatchObject([200, { state: "approved" }]);
  expect((await ask("GET", "/v1/skills/baking-bread", { key })).body).toMatchObject({
    head: { rev: 1, state: "trial" },
  });
  expect((await decide(unwanted, { approve: false })).body).toMatchObject({ state: "rejected" });
  expectProblem(await decide(unwanted, { approve: true }), 409, "pending_decided", "Already decided differently");
});

it("invalid requests are refused", async () => {
  expectProblem(
    await ask("GET", `/v1/pending/${"0".repeat(20)}`, { key }),
    404,
    "pending_not_found",
    "No such pending change",
  );
  expectProblem(await decide("0".repeat(20), { approve: true }), 404, "pending_not_found", "No such pending change");
  for (const id of ["not-an-id", "0".repeat(19), "G".repeat(20)]) {
    expect((await ask("GET", `/v1/pending/${id}`, { key })).body).toMatchObject({
      status: 400,
      code: "bad_pending_id",
    });
    expect((await decide(id, { approve: true })).body).toMatchObject({ status: 400, code: "bad_pending_id" });
  }
  for (const body of [{ approve: "yes" }, {}, []]) {
    expect((await decide("0".repeat(20), body)).body).toMatchObject({ status: 400, code: "body_invalid" });
  }
  expect((await decide("0".repeat(20), { approve: true, force: true })).body).toMatchObject({ code: "field_unknown" });
});

it("another profile does not see a pending write", async () => {
  const id = await askFor("tying-knots");
  const { key: other } = await createProfile();
  expect((await ask("GET", "/v1/pending", { key: other })).body).toEqual({ pending: [] });
  expectProblem(
    await ask("POST", `/v1/pending/${id}`, { key: other, body: { approve: true } }),
    404,
    "pending_not_found",
    "No such pending change",
  );
});
