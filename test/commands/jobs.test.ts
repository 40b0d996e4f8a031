// What people write about jobs, as `/jobs` and `talaria jobs` read it, and what they are answered.
import { describe, expect, it, test } from "vitest";
import { describeJobDone } from "../../core/commands/jobs/describe-jobs.ts";
import { type JobAction, performJobAction } from "../../core/commands/jobs/perform-job-action.ts";
import { JOB_WORDS, readJobCommand } from "../../core/commands/jobs/read-job-words.ts";
import { OWNER, createAgendaWorld } from "../support/agenda-world.ts";

const DEFAULTS = { skills: [], contextFrom: [], deliver: null, gate: null, repeat: null, failure: {} };
const made = (name: string, schedule: string, prompt: string) => ({
  do: "create",
  spec: { ...DEFAULTS, name, schedule, prompt },
  isNamed: false,
});

describe("the words of jobs", () => {
  test.each<[string, object]>([
    ["", { do: "list" }],
    ["list", { do: "list" }],
    ["add every weekday at 8 Berlin: Say hi.", made("say-hi", "every weekday at 8 Berlin", "Say hi.")],
    ["add every day at 8:30: Read: all of it", made("read-all-of-it", "every day at 8:30", "Read: all of it")],
    ["add in 2h:\nSchöne Grüße an alle dort", made("schone-gru-e-an", "in 2h", "Schöne Grüße an alle dort")],
    ["add hourly: 你好", made("job", "hourly", "你好")],
    ["show brief", { do: "show", name: "brief" }],
    ["Show brief", { do: "show", name: "brief" }],
    ["pause Brief I am away.", { do: "pause", name: "brief", why: "I am away." }],
    ["pause brief", { do: "pause", name: "brief", why: "" }],
    ["resume brief", { do: "resume", name: "brief" }],
    ["change brief every 2h", { do: "update", name: "brief", change: { schedule: "every 2h" } }],
    [
      "change brief every 2h: Look.",
      { do: "update", name: "brief", change: { schedule: "every 2h", prompt: "Look." } },
    ],
    ["change brief : Look.", { do: "update", name: "brief", change: { prompt: "Look." } }],
    ["run brief", { do: "run", name: "brief" }],
    ["remove brief", { do: "remove", name: "brief" }],
    ["runs brief", { do: "runs", name: "brief" }],
  ])("%j are understood", (text, action) => {
    expect(readJobCommand(text)).toEqual({ ok: true, value: action });
  });

  test.each([
    ["add every day at 8", "Write it as `add SCHEDULE: TASK`. Such as: `add every weekday at 8: Read me the news`."],
    ["add : Say hi.", "Write it as `add SCHEDULE: TASK`."],
    ["show", "Write it as `show NAME`."],
    ["show brief now", "Write it as `show NAME`."],
    ["show Über", "'Über' is not the name of a job. Write it as `show NAME`."],
    ["change brief", "Write it as `change NAME SCHEDULE[: TASK]`."],
    ["list all", "Write it as `list`."],
    ["remvoe brief", "'remvoe' is not an action. Did you mean remove? Write one of: `list`, `add SCHEDULE: TASK`,"],
    [`add ${"x".repeat(300)}: Say hi.`, "The job is not right at `schedule`:"],
    [`change brief every 2h: ${"x".repeat(20_001)}`, "The job is not right at `prompt`:"],
  ])("%j are refused with what to write", (text, message) => {
    expect(readJobCommand(text)).toMatchObject({
      ok: false,
      failure: { code: "bad_job", message: expect.stringContaining(message) },
    });
  });

  it("have help that fits a line of a terminal", () => {
    const lines = JOB_WORDS.map(({ name, words, help }) => `  talaria jobs ${name} ${words}\n      ${help}`);
    expect(lines.flatMap((line) => line.split("\n")).filter((line) => line.length > 80)).toEqual([]);
  });
});

describe("an action on jobs", () => {
  const setUp = () => {
    const world = createAgendaWorld();
    let calls = 0;
    const perform = async (text: string, op = `o${++calls}`) => {
      const read = readJobCommand(text);
      if (!read.ok) throw new Error(read.failure.message);
      const done = await performJobAction(world.port, read.value as JobAction, { author: OWNER, op });
      return done.ok ? describeJobDone(done.value) : done.failure.code;
    };
    return { world, perform };
  };

  it("is answered in words, with times in the job's zone", async () => {
    const { world, perform } = setUp();
    expect(await perform("list")).toBe("There is no job. `add SCHEDULE: TASK` makes one.");
    expect(await perform("add every weekday at 8 Berlin: Say hi.")).toBe(
      "Made. say-hi: every weekday at 08:00 (Europe/Berlin). Next run: 2026-01-06 08:00.\nIts answers stay with its runs.",
    );
    expect(await perform("pause say-hi Away.")).toContain("Paused (person): Away.");
    expect(await perform("resume say-hi")).toContain("Next run: 2026-01-06 08:00.");
    expect(await perform("run say-hi")).toMatch(/^A run of say-hi has begun: session 01J\w+\.$/);
    await world.settled();
    expect(await perform("list")).toContain("It runs now.");
    await world.end([...world.sessions.keys()][0]!, { state: "done" }, "Hi\nthere.");
    expect(await perform("runs say-hi")).toMatch(
      /^- 2026-01-05 09:00: completed, manual, session 01J\w+\. Hi there\.$/,
    );
    expect(await perform("show say-hi")).toMatch(/\n\nSay hi\.\n\n- 2026-01-05 10:00: completed, manual/);
    expect(await perform("change say-hi every 2h: Look.")).toMatch(/^Changed\. say-hi: every 2 hours/);
    expect(await perform("remove say-hi")).toBe("say-hi is removed.");
    expect(await perform("show say-hi")).toBe("job_not_found");
  });

  it("takes another name for a task that has one already, and the same for the same call", async () => {
    const { perform } = setUp();
    expect(await perform("add hourly: Say hi.")).toContain("say-hi:");
    expect(await perform("add hourly: Say hi.", "again")).toContain("say-hi-2:");
    expect(await perform("add hourly: Say hi.", "again")).toContain("say-hi-2:");
    expect((await perform("list")).split("\n")).toHaveLength(2);
  });
});
