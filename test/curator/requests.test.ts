// Requests for skills that have none: which skills a run passes to a model, what the model may write, and how a rollback works.
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/schemas/entry.ts";
import { REQUESTS_FILE } from "../../core/schemas/skill-requests.ts";
import { PROFILE } from "../learning/sample.ts";
import { skillMd } from "../skills/skill-md.ts";
import type { ScriptLine } from "../support/wires/scripted-model.ts";
import { createWorld, use } from "./world.ts";

const RUN = "20260501T000000Z-aaaa";
const LATER = "20260502T000000Z-bbbb";
const BACK = "20260503T000000Z-cccc";
const REQUESTS = ["why did the server die last night", "warum war die Seite heute Nacht weg"];

const write = (name: string, more: JsonObject = {}) => ({ name: "skill_manage", args: { name, ...more } });

async function setUp(names: string[] = ["alpha", "beta"], grantTokens = 300_000) {
  const world = createWorld({ grantTokens });
  for (const name of names) {
    const files = { "SKILL.md": skillMd({ name, description: `All of ${name}.` }) };
    await world.addSkill(PROFILE, name, { files, description: `All of ${name}.`, isBare: true });
  }
  world.clock.advance(60_000);
  const { skills } = world.profileOf(PROFILE);
  const planned = async (run: string) => (await world.curation.report(PROFILE, run))!.run.work ?? [];
  const outcome = async (run = RUN) => (await world.curation.work(PROFILE, run, "requests").outcome())!;
  const ask = (lines: ScriptLine[], run = RUN) => world.work(PROFILE, run, "requests", lines);
  return { ...world, skills, planned, outcome, ask };
}

describe("skills without requests", () => {
  it("are passed to one model call, most used first, each once", async () => {
    const world = await setUp();
    await use(world, PROFILE, "beta", ["unknown"]);
    await world.addSkill(PROFILE, "gamma", { state: "active", origin: "user", isBare: true });
    await world.addSkill(PROFILE, "delta");
    await world.run(PROFILE, "20260430T000000Z-meet");
    expect(await world.planned("20260430T000000Z-meet")).toMatchObject([
      { work: "requests", because: "2 skills have no example requests" },
    ]);
    expect((await world.planned("20260430T000000Z-meet"))[0]!.skills!.toSorted()).toEqual(["alpha", "beta"]);
    await world.ask([{ text: "None." }], "20260430T000000Z-meet");
    await world.run(PROFILE, LATER);
    expect(await world.planned(LATER)).toEqual([]);
  });

  it("wait for the next run when the grant has no room, and are at most twelve per run", async () => {
    const names = Array.from({ length: 14 }, (_, i) => `skill-${"abcdefghijklmn"[i]}`);
    const broke = await setUp(names, 0);
    await broke.run(PROFILE, RUN);
    expect(await broke.planned(RUN)).toEqual([]);
    const world = await setUp(names);
    await world.run(PROFILE, RUN);
    expect((await world.planned(RUN))[0]!.skills).toEqual(names.slice(0, 12));
    await world.ask([{ text: "None." }]);
    await world.run(PROFILE, LATER);
    expect((await world.planned(LATER))[0]!.skills).toEqual(names.slice(12));
  });

  it("get the model's requests in a new revision with the same text and state, which can be rolled back", async () => {
    const world = await setUp();
    await world.run(PROFILE, RUN);
    const before = (await world.skills.open("alpha"))!;
    await world.ask([
      { calls: [write("alpha", { requests: REQUESTS }), write("beta", { requests: ["x y z"] })] },
      { text: "Both have some." },
    ]);
    const [request] = world.models.at(-1)!.requests;
    expect((request!.messages[0] as { text: string }).text).toMatch(/^### alpha\n\n````markdown\n---\nname: alpha\n/);
    const after = (await world.skills.open("alpha"))!;
    expect(after.files).toEqual({
      ...before.files,
      [REQUESTS_FILE]: REQUESTS.map((request) => `- ${request}\n`).join(""),
    });
    expect(after.head).toMatchObject({ rev: 2, text: before.head.text, state: before.head.state });
    expect(await world.outcome()).toMatchObject({
      state: "done",
      refused: [],
      changes: [{ skill: "alpha" }, { skill: "beta" }],
    });
    await world.run(PROFILE, BACK, { undoes: RUN });
    expect((await world.skills.open("alpha"))!.files).toEqual(before.files);
    expect((await world.skills.head("alpha"))!.text).toBe(before.head.text);
  });

  it("get nothing else: the model cannot change a text, another skill, or one that has requests by now", async () => {
    const world = await setUp();
    await world.addSkill(PROFILE, "delta");
    await world.run(PROFILE, RUN);
    const { head } = (await world.skills.open("beta"))!;
    await world.skills.change({
      ...{ name: "beta", op: "meanwhile", since: head.rev },
      decide: (current) => ({ ok: true, value: { files: { ...current!.files, [REQUESTS_FILE]: "mine\n" } } }),
    });
    const patch = { action: "patch", old_string: "Steps of alpha.", new_string: "None.", requests: REQUESTS };
    await world.ask([
      { calls: [write("alpha", patch), write("delta", { requests: REQUESTS }), write("alpha", { action: "delete" })] },
      { text: "I could not." },
    ]);
    expect((await world.outcome()).refused.map(({ code }) => code)).toEqual(Array(3).fill("requests_only"));
    expect(world.models.at(-1)!.requests[0]!.messages[0]).toEqual({
      role: "user",
      text: expect.not.stringContaining("beta"),
    });
    expect((await world.skills.head("alpha"))!.rev).toBe(1);
  });
});
