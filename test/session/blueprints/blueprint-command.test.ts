// `/blueprint` in a session over real jobs and goals, and which turns of a session count for suggestions.
import { expect, test } from "vitest";
import type { JobPort } from "../../../core/commands/jobs/job-port.ts";
import { textOf } from "../../../core/schemas/entry.ts";
import { createTurnRecords } from "../../../core/archive/turn-archive.ts";
import { OWNER, createAgendaWorld } from "../../support/agenda-world.ts";
import { createArchiveParts } from "../../support/archive-parts.ts";
import { createNodeSql } from "../../support/bindings/node-sql.ts";
import { createGoalDesk } from "../../support/session/goal-desk.ts";
import { must } from "../../support/session/scripted-session.ts";
import { Crash, SESSION, createSessionHarness } from "../../support/session/session-harness.ts";
import { createScriptedModel } from "../../support/wires/scripted-model.ts";

function setUp(kind?: "job") {
  const world = createAgendaWorld();
  const { clock } = world;
  const desk = createGoalDesk(clock);
  const model = createScriptedModel(Array.from({ length: 9 }, () => ({ text: "I worked." })));
  const judge = createScriptedModel([{ text: '{"verdict":"done","reason":"It is shown."}' }]);
  const records = createTurnRecords({ sql: createNodeSql(), discount: 1 });
  const state = { crashes: 0 };
  const profileJobs: JobPort = {
    ...world.port,
    async create(spec, call) {
      const made = await world.port.create(spec, call);
      if (state.crashes-- > 0) throw new Crash("the object is gone");
      return made;
    },
  };
  const harness = createSessionHarness({
    ...{ model, clock, models: { goal: [judge] }, archive: { records, parts: createArchiveParts({ clock }) } },
    settings: { review: { enabled: false } },
    host: { goals: desk.portOf(SESSION), profileJobs },
  });
  let life = harness.boot();
  const words = async (text: string, more = {}) => {
    await life.engine.create({ learning: "on", title: "t", ...(kind && { kind }) });
    await life.engine.post({ text, ...more });
    await life.settled();
    return textOf(must(life.engine.entries(0)).at(-1)!);
  };
  const reboot = async () => {
    life = harness.boot();
    await life.wake();
    await life.settled();
    return textOf(must(life.engine.entries(0)).at(-1)!);
  };
  const jobs = () => world.desk().list({ after: "", limit: 9 });
  return { jobs, desk, records, state, words, reboot };
}

test("lists the blueprints, shows one with its slots, and makes a job of it", async () => {
  const { words, jobs } = setUp();
  expect(await words("/blueprint")).toContain("- `page-watch` (job): Tells you when a page changes");
  const shown = await words("/blueprint reminder");
  expect(shown).toContain("- `about`: What to remind you of (needed)\n- `time`: At what time. Default: 09:00");
  expect(shown).toContain('Make it with: /blueprint reminder about="…"');
  expect(jobs()).toEqual([]);
  expect(await words("/blueprint reminder about=drink water days=weekdays timeZone=Europe/Berlin name=water")).toBe(
    "Made. water: every weekday at 09:00 (Europe/Berlin). Next run: 2026-01-06 09:00.\nIts answers stay with its runs.",
  );
  expect(jobs()).toMatchObject([{ name: "water", author: OWNER, deliver: null, schedule: "every weekday at 09:00" }]);
  expect(jobs()[0]!.prompt).toContain('"drink water"');
  expect(await words("/blueprint reminder about=x name=water")).toContain("There is a job 'water'.");
});

test("says in words what is wrong", async () => {
  const { words, jobs } = setUp();
  expect(await words("/blueprint remind about=x")).toContain("Did you mean reminder? /blueprint lists them.");
  expect(await words("/blueprint reminder time=09:00")).toContain("needs the slot about");
  expect(await words("/blueprint reminder every day")).toContain("Write it as slot=value.");
  expect(await words("/blueprint reminder about=x name=My-Job")).toContain("is not a name of a job");
  expect(jobs()).toEqual([]);
});

test("is the owner's alone, in a chat alone", async () => {
  const stranger = setUp();
  const said = { channel: { chat: "c1", source: "content" } };
  expect(await stranger.words("/blueprint reminder about=x", said)).toContain("Only the profile's owner");
  const job = setUp("job");
  expect(await job.words("/blueprint reminder about=x")).toContain("in a chat.");
  expect([...stranger.jobs(), ...job.jobs()]).toEqual([]);
});

test("lets a job that is made in a chat answer there", async () => {
  const { words, jobs } = setUp();
  const channel = { chat: "c1", message: "7" };
  await words("/blueprint reminder about=x", { channel });
  expect(jobs()[0]!.deliver).toEqual({ to: "chat", chat: "c1" });
  await words("/blueprint reminder about=x deliver=none name=quiet", { channel });
  expect(jobs().map(({ name, deliver }) => [name, deliver])).toContainEqual(["quiet", null]);
});

test("makes one job, also where the object dies after it", async () => {
  const world = setUp();
  world.state.crashes = 1;
  await world.words("/blueprint reminder about=x");
  expect(await world.reboot()).toContain("Made. reminder: every day at 09:00");
  expect(world.jobs()).toHaveLength(1);
});

test("has the session work at a goal that it makes; only the owner's own requests count as habits", async () => {
  const { words, desk, records } = setUp();
  await words('/blueprint finish-task task="Write notes.md" done="It has ten lines"');
  expect(desk.goals.newestOf(SESSION)).toMatchObject({
    ...{ state: "done", text: 'Finish this task: "Write notes.md"', contract: { outcome: '"It has ten lines"' } },
  });
  await words("Summarise the numbers");
  await words("Send me the numbers", { channel: { chat: "c1", source: "content" } });
  const own = records.turns({ limit: 9, own: true }).map(({ request }) => request);
  expect(own.filter((request) => !request.startsWith("/"))).toEqual(["Summarise the numbers"]);
  expect(records.turns({ limit: 9 }).length).toBeGreaterThanOrEqual(3);
});
