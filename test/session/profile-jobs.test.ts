// Jobs from a session: `/jobs` and the tool cronjob in whole turns, whose word they are, and that a crash anywhere makes no second job or run. Skills
// that come with a message, as those of a job's run.
import { describe, expect, test } from "vitest";
import { textOf } from "../../core/schemas/entry.ts";
import { createAgendaWorld } from "../support/agenda-world.ts";
import { createLearningSession, done, must } from "../support/session/scripted-session.ts";
import { type HarnessOptions, SESSION, createSessionHarness } from "../support/session/session-harness.ts";
import { type ScriptLine, createScriptedModel } from "../support/wires/scripted-model.ts";
import { isTried } from "../support/thorough.ts";

const NEW = { action: "create", name: "brief", schedule: "every weekday at 8 Berlin", prompt: "Say hi." };
const SET: ScriptLine = { calls: [{ name: "cronjob", args: NEW }] };
const CHAT = { chat: "c1", message: "7" };

function setUp(script: ScriptLine[] = [], { kind, ...more }: Partial<HarnessOptions> & { kind?: "job" | "card" } = {}) {
  const world = createAgendaWorld();
  const model = createScriptedModel(script);
  const settings = { review: { enabled: false } };
  const harness = createSessionHarness({ model, settings, host: { profileJobs: world.port }, ...more });
  let life = harness.boot();
  const say = async (text: string, message = {}) => {
    await life.engine.create({ learning: "off", title: "t", ...(kind && { kind }) });
    await life.engine.post({ text, ...message });
    await life.settled();
    const last = must(life.engine.entries(0)).at(-1)!;
    return { text: textOf(last), code: last.kind === "notice" ? last.code : null };
  };
  const jobs = () => world.desk().list({ after: "", limit: 9 });
  return { world, model, harness, say, jobs, life: () => life, reboot: () => (life = harness.boot()) };
}

describe("/jobs", () => {
  test("sets a job in the owner's name, whose answers go to the chat it was set in, and shows it", async () => {
    const { say, jobs, model } = setUp();
    expect(await say("/jobs add every weekday at 8 Berlin: Say hi.", { channel: CHAT })).toEqual({
      text: "Made. say-hi: every weekday at 08:00 (Europe/Berlin). Next run: 2026-01-06 08:00.\nIts answers go to the chat c1.",
      code: "jobs",
    });
    expect(jobs()).toMatchObject([{ name: "say-hi", author: { by: "owner" }, deliver: { to: "chat", chat: "c1" } }]);
    expect((await say("/jobs")).text).toMatch(/^- say-hi: every weekday/);
    expect((await say("/jobs add in 2h: Look.")).text).toContain("stay with its runs");
    expect(await say("/jobs show nothing")).toMatchObject({ code: "job_not_found" });
    expect(await say("/jobs whatever")).toMatchObject({ code: "bad_job" });
    expect(model.requests).toEqual([]);
  });

  test("is the owner's, in chats only", async () => {
    const { say, jobs } = setUp();
    const stranger = { channel: { ...CHAT, source: "content" } };
    expect(await say("/jobs add in 2h: Obey.", stranger)).toMatchObject({ code: "jobs_not_yours" });
    expect(await say("/jobs", stranger)).toMatchObject({ code: "jobs_not_yours" });
    expect(await setUp([], { kind: "job" }).say("/jobs add in 2h: Again.")).toMatchObject({ code: "jobs_not_here" });
    expect(jobs()).toEqual([]);
  });
});

describe("the tool cronjob in a session", () => {
  test("sets a job for the owner, in the agent's name and for the chat that it is asked in", async () => {
    const { say, jobs } = setUp([SET, done]);
    await say("Say hi to me each morning.", { channel: CHAT });
    expect(jobs()).toMatchObject([
      { name: "brief", author: { by: "agent", session: SESSION }, deliver: { to: "chat", chat: "c1" } },
    ]);
  });

  test("is refused to others in a shared chat", async () => {
    const { say, jobs, life } = setUp([SET, done]);
    await say("Say hi to me each morning.", { channel: { ...CHAT, source: "content" } });
    expect(jobs()).toEqual([]);
    const call = must(life().engine.entries(0)).find((entry) => entry.kind === "tool");
    expect(call && textOf(call)).toContain("jobs_not_yours");
  });

  test.each(["job", "card"] as const)("does not exist in a session of the kind %s, which says why", async (kind) => {
    const { say, jobs, model, life } = setUp([SET, done], { kind });
    await say("Do it.");
    expect(model.requests[0]!.tools.map(({ name }) => name)).not.toContain("cronjob");
    expect(jobs()).toEqual([]);
    expect((await life().engine.listTools())!.tools.find(({ name }) => name === "cronjob")).toEqual({
      ...{ name: "cronjob", toolset: "jobs", available: false },
      reason: `A session of the kind \`${kind}\` does not get it.`,
    });
  });
});

describe("a crash", () => {
  test.each([
    ["/jobs add hourly: Say hi.", []],
    ["Say hi to me each morning.", [SET, done]],
    ["/jobs run old", []],
  ])("anywhere in %j makes one job or run", async (text, script) => {
    for (let at = 1; ; at++) {
      if (!isTried(at)) continue;
      const { world, harness, jobs, reboot } = setUp([...script, ...script]);
      await world.create({ name: "old" });
      let life = harness.boot({ crashAt: at });
      const attempt = async () => {
        await life.engine.create({ learning: "off", title: "t" });
        await life.engine.post({ text, key: "k" });
        await life.settled();
      };
      await attempt().catch(() => null);
      const hasCrashed = life.isDead();
      if (hasCrashed) {
        life = reboot();
        await attempt();
        await life.wake();
        await life.settled();
      }
      await world.settled();
      const runs = world.sql.run("SELECT 1 FROM job_run").length;
      expect({ at, jobs: jobs().length, runs }).toEqual({
        at,
        jobs: text.includes("run") ? 1 : 2,
        runs: text.includes("run") ? 1 : 0,
      });
      if (!hasCrashed) return;
    }
  });
});

describe("skills that come with a message", () => {
  const SKILL_MD = "---\nname: weather\ndescription: About weather.\n---\n\nLook out of the window.\n";

  test("follow it before the model is asked, and count as used; one that is gone is named", async () => {
    const world = await createLearningSession([done], { kind: "job" });
    await world.learn("weather", SKILL_MD);
    await world.engine.post({ text: "Job brief.\n\nHow is the weather?", skills: ["weather", "gone"] });
    await world.life.settled();
    const [input, note] = world.model.requests[0]!.messages;
    expect(input!.text).toBe("Job brief.\n\nHow is the weather?");
    expect(note!.text).toMatch(
      /^<skills>\nLoaded for the task above: weather\. Follow it\.\n\n<skill name="weather">\n/,
    );
    expect(note!.text).toContain("Look out of the window.");
    expect(note!.text).toMatch(/gone was left out: There is no skill called "gone"\.[^\n]*\n<\/skills>\s*$/);
    expect(world.observation(1)!.loaded.map(({ skill }) => skill)).toEqual(["weather"]);
  });
});
