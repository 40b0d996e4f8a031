// Jobs over real rows and a simulated clock: what runs when, what a failure does, what is told, and what is kept.
import { beforeEach, describe, expect, it } from "vitest";
import { JOB_SCHEMA } from "../../core/jobs/job-rows.ts";
import { OP_SCHEMA } from "../../core/jobs/op-rows.ts";
import { KEEP_MS, KEEP_RUNS } from "../../core/jobs/run-calls.ts";
import { createSkillRows, upgradeJobTables } from "../../core/jobs/skill-rows.ts";
import { ChangeJob, CreateJob, Job } from "../../core/schemas/agenda/job.ts";
import { DAY_MS } from "../../core/schemas/ids.ts";
import { HOUR, MINUTE, OWNER, START, createJobsBed } from "./jobs-bed.ts";

let bed: ReturnType<typeof createJobsBed>;
beforeEach(() => void (bed = createJobsBed()));

const DONE = { state: "completed", text: "Hello." } as const;
const ERROR = { state: "failed", outcome: "error", error: "The model refused." } as const;
const UNREACHABLE = { state: "failed", outcome: "unreachable", error: "No provider answered." } as const;

describe("a job", () => {
  it("runs at each slot once, and is due again only after its run has ended", () => {
    bed.make("hello", "every 2h");
    expect(bed.jobs.nextDue()).toBe(START + 2 * HOUR);
    expect(bed.jobs.claimDue()).toEqual([]);
    const first = bed.claimNext("hello");
    expect(first).toMatchObject({ slot: START + 2 * HOUR, trigger: "schedule", state: "claimed" });
    bed.clock.advance(5 * HOUR);
    expect(bed.jobs.claimDue()).toEqual([]);
    bed.settle(first.id, DONE);
    expect(bed.jobs.claimDue().map(({ run }) => [run.slot, run.trigger])).toEqual([[START + 4 * HOUR, "late"]]);
    expect(bed.find("hello").nextAt).toBe(START + 8 * HOUR);
  });

  it("that stood still for three days runs once, for the first time that it missed", () => {
    bed.make("morning", "every day at 8", { timeZone: "Europe/Berlin" });
    bed.clock.advance(3 * DAY_MS);
    bed.reboot();
    const claimed = bed.jobs.claimDue();
    expect(claimed.map(({ run }) => [run.trigger, run.slot])).toEqual([["late", Date.UTC(2026, 0, 6, 7)]]);
    bed.settle(claimed[0]!.run.id, DONE);
    expect(bed.jobs.claimDue()).toEqual([]);
    expect(bed.find("morning").nextAt).toBe(Date.UTC(2026, 0, 9, 7));
  });

  it("of one time finishes with its run, and leaves after thirty days with it", () => {
    bed.make("once", "in 30m");
    bed.settle(bed.claimNext("once").id, DONE);
    expect(bed.find("once")).toMatchObject({ nextAt: null, finishedAt: START + 30 * MINUTE, ran: 1 });
    const leaves = START + 30 * MINUTE + KEEP_MS;
    expect(bed.jobs.nextDue()).toBe(leaves);
    bed.clock.advance(leaves - bed.clock.now());
    bed.jobs.tidy();
    expect(bed.jobs.find("once")).toMatchObject({ ok: false, failure: { code: "job_not_found" } });
    expect([bed.jobs.count(), bed.jobs.nextDue()]).toEqual([0, null]);
  });

  it("finishes after as many runs as it repeats; a run by hand is none of them", () => {
    bed.make("thrice", "every 1h", { repeat: 2 });
    const byHand = bed.jobs.runNow("thrice", "op-1");
    if (byHand.ok) bed.settle(byHand.value.run.id, DONE);
    bed.settle(bed.claimNext("thrice").id, DONE);
    expect(bed.find("thrice").finishedAt).toBeNull();
    bed.settle(bed.claimNext("thrice").id, ERROR);
    expect(bed.find("thrice")).toMatchObject({ nextAt: null, ran: 2, finishedAt: bed.clock.now() });
    bed.clock.advance(DAY_MS);
    expect(bed.jobs.claimDue()).toEqual([]);
  });

  it("is made once by a call that is repeated, and keeps its slots when only its task is changed", () => {
    const spec = CreateJob.parse({ name: "hello", schedule: "in 1h", prompt: "Hi." });
    const create = (op: string) => bed.jobs.create(spec, { author: OWNER, op });
    expect(create("call-1")).toMatchObject({ ok: true, value: { nextAt: START + HOUR } });
    bed.clock.advance(MINUTE);
    expect(create("call-1")).toMatchObject({ ok: true, value: { nextAt: START + HOUR } });
    expect(create("call-2")).toMatchObject({ ok: false, failure: { code: "job_exists" } });
    expect(bed.jobs.change("hello", { schedule: "in 1h", prompt: "Ho." }, { author: OWNER })).toMatchObject({
      value: { nextAt: START + HOUR, prompt: "Ho." },
    });
    expect(bed.jobs.count()).toBe(1);
  });

  it("is changed, paused, resumed and removed once by a call that is repeated, whatever was done since", () => {
    bed.make("hello", "in 30m");
    const change = () => bed.jobs.change("hello", { schedule: "in 30m" }, { author: OWNER, op: "c" });
    bed.settle(bed.claimNext("hello").id, DONE);
    expect(change()).toMatchObject({ value: { nextAt: bed.clock.now() + 30 * MINUTE } });
    bed.settle(bed.claimNext("hello").id, DONE);
    expect(change()).toMatchObject({ value: { nextAt: null, finishedAt: bed.clock.now() } });

    bed.make("other", "every 1h");
    expect(bed.jobs.pause("other", "Away.", { op: "p" })).toMatchObject({ value: { paused: { why: "Away." } } });
    expect(bed.jobs.resume("other", { op: "r" })).toMatchObject({ value: { paused: null } });
    expect(bed.jobs.pause("other", "Away.", { op: "p" })).toMatchObject({ value: { paused: null } });
    bed.jobs.pause("other", "Ill.");
    expect(bed.jobs.resume("other", { op: "r" })).toMatchObject({ value: { paused: { why: "Ill." } } });

    expect(bed.jobs.remove("other", { op: "x" })).toMatchObject({ ok: true });
    bed.make("other", "every 1h");
    expect(bed.jobs.remove("other", { op: "x" })).toEqual({ ok: true, value: { open: null } });
    expect(bed.find("other")).toMatchObject({ name: "other" });
    expect(bed.jobs.remove("hello", { op: "x" })).toMatchObject({ failure: { code: "op_reused" } });

    // The names of calls leave after a week, and the alarm comes for them.
    bed.jobs.remove("other");
    bed.jobs.remove("hello");
    expect(bed.jobs.nextDue()).toBe(bed.clock.now() + 7 * DAY_MS - 30 * MINUTE);
    bed.clock.advance(7 * DAY_MS);
    bed.jobs.tidy();
    expect([bed.jobs.nextDue(), bed.sql.run("SELECT * FROM job_op")]).toEqual([null, []]);
  });

  it("whose schedule is changed begins with the new one, and keeps what it is told", () => {
    bed.make("hello", "every 2h", { skills: ["reading"] });
    expect(bed.jobs.change("hello", { schedule: "every day at noon" }, { author: OWNER })).toMatchObject({
      value: {
        understood: "every day at 12:00",
        nextAt: Date.UTC(2026, 0, 5, 12),
        skills: ["reading"],
        prompt: "Say hello.",
      },
    });
    expect(bed.jobs.change("hello", { schedule: "now and then" }, { author: OWNER })).toMatchObject({
      failure: { code: "schedule_unreadable" },
    });
    expect(bed.find("hello").understood).toBe("every day at 12:00");
  });

  it("whose schedule is changed while it runs has all runs of the new one before it", () => {
    bed.make("hello", "every 1h", { repeat: 1 });
    const run = bed.claimNext("hello");
    bed.jobs.change("hello", { schedule: "every 2h" }, { author: OWNER });
    bed.settle(run.id, DONE);
    expect(bed.find("hello")).toMatchObject({ ran: 0, finishedAt: null, nextAt: bed.clock.now() + 2 * HOUR });
    bed.settle(bed.claimNext("hello").id, DONE);
    expect(bed.find("hello")).toMatchObject({ ran: 1, finishedAt: bed.clock.now() });
  });

  it("keeps its slots where its schedule names the zone and another is given beside it", () => {
    const schedule = "in 2h Europe/Berlin";
    const kept = { timeZone: "Europe/Berlin", nextAt: START + 2 * HOUR };
    expect(bed.make("hello", schedule, { timeZone: "UTC" })).toMatchObject(kept);
    bed.clock.advance(MINUTE);
    const change = { schedule, timeZone: "UTC", prompt: "Ho." };
    expect(bed.jobs.change("hello", change, { author: OWNER })).toMatchObject({ value: { ...kept, prompt: "Ho." } });
  });

  it("that has finished begins again when its schedule is set, and not when only its task is", () => {
    bed.make("once", "in 30m");
    bed.settle(bed.claimNext("once").id, DONE);
    expect(bed.jobs.change("once", { prompt: "Hi." }, { author: OWNER })).toMatchObject({ value: { nextAt: null } });
    expect(bed.jobs.change("once", { schedule: "in 30m" }, { author: OWNER })).toMatchObject({
      value: { nextAt: bed.clock.now() + 30 * MINUTE, finishedAt: null, ran: 0 },
    });
  });

  it("keeps as its author whoever wrote what it is told", () => {
    bed.make("hello", "every 2h");
    const agent = { by: "agent" as const, session: "01ARZ3NDEKTSV4RRFFQ69G5FA1" };
    expect(bed.jobs.change("hello", { schedule: "every 3h" }, { author: agent })).toMatchObject({
      value: { author: OWNER },
    });
    expect(bed.jobs.change("hello", { prompt: "Obey." }, { author: agent })).toMatchObject({
      value: { author: agent },
    });
  });

  it("is refused where it cannot be: too many, too often, past, an unknown zone, its own context", () => {
    bed = createJobsBed({ maxJobs: 1, minEveryMs: 5 * MINUTE });
    const create = (more: object) =>
      bed.jobs.create(CreateJob.parse({ name: "a", schedule: "every 1h", prompt: "Hi.", ...more }), { author: OWNER });
    expect(create({ schedule: "every 1m" })).toMatchObject({ failure: { code: "schedule_too_often" } });
    expect(create({ schedule: "* * * * *" })).toMatchObject({ failure: { code: "schedule_too_often" } });
    expect(create({ schedule: "2020-01-01T00:00" })).toMatchObject({ failure: { code: "schedule_past" } });
    expect(create({ schedule: "0 0 30 2 *" })).toMatchObject({ failure: { code: "schedule_past" } });
    expect(create({ timeZone: "Europe/Nowhere" })).toMatchObject({ failure: { code: "time_zone_unknown" } });
    expect(create({ contextFrom: ["a"] })).toMatchObject({ failure: { code: "context_unknown" } });
    expect(create({ contextFrom: ["b"] })).toMatchObject({ failure: { code: "context_unknown" } });
    expect(bed.jobs.count()).toBe(0);
    expect(create({})).toMatchObject({ ok: true });
    expect(create({ name: "b" })).toMatchObject({ failure: { code: "too_many_jobs" } });
    bed.jobs.remove("a");
    expect(create({ name: "b" })).toMatchObject({ ok: true });
  });

  it("is told something; one that is stored is read whatever it is told", () => {
    const { make } = createJobsBed();
    expect(() => make("blank", "every 2h", { prompt: " " })).toThrow("it is empty");
    const stored = make("brief", "every 2h");
    expect(Job.parse({ ...stored, prompt: " " }).prompt).toBe(" ");
    expect(ChangeJob.safeParse({ prompt: " " }).success).toBe(false);
  });

  it("with the name of a removed one does not have its runs, and a late end of those is refused", () => {
    bed.make("hello", "every 1h");
    const run = bed.claimNext("hello");
    expect(bed.jobs.remove("hello")).toMatchObject({ value: { open: { id: run.id } } });
    bed.make("hello", "every 1h");
    expect(bed.runsOf("hello")).toEqual([]);
    expect(bed.jobs.settle(run.id, DONE)).toMatchObject({ failure: { code: "run_not_found" } });
  });
});

describe("a failure", () => {
  it("is told, delays the next run, and pauses the job at the third in a row", () => {
    bed.make("hello", "every 1m", { deliver: { to: "home" } });
    const ends: number[] = [];
    for (let n = 1; n <= 3; n++) {
      bed.settle(bed.claimNext("hello").id, ERROR);
      ends.push(bed.clock.now());
    }
    const [first, second] = [ends[1]! - ends[0]!, ends[2]! - ends[1]!];
    expect(first).toBeGreaterThanOrEqual(MINUTE);
    expect(second).toBeGreaterThanOrEqual(1.5 * MINUTE);
    expect(bed.find("hello")).toMatchObject({ paused: { cause: "failures", why: "The model refused." }, failures: 3 });
    const told = bed.jobs.listToSend().map(({ error }) => error);
    expect(told).toHaveLength(3);
    expect(told[0]).toBe("The job hello failed: The model refused.");
    expect(told[2]).toContain("That was failure 3 in a row, so the job pauses.");
    bed.clock.advance(DAY_MS);
    expect(bed.jobs.claimDue()).toEqual([]);
    expect(bed.jobs.resume("hello")).toMatchObject({ value: { paused: null, failures: 0 } });
    expect(bed.find("hello").nextAt).toBe(START + Math.ceil((bed.clock.now() - START) / MINUTE) * MINUTE);
  });

  it("in a row ends with a run that completes", () => {
    bed.make("hello", "every 1h", { failure: { pauseAfter: 2 } });
    for (const end of [ERROR, DONE, ERROR, DONE]) bed.settle(bed.claimNext("hello").id, end);
    expect(bed.find("hello")).toMatchObject({ paused: null, failures: 0 });
  });

  it("that pauses a job which delivers nowhere is told at home", () => {
    bed.make("hello", "every 1h", { failure: { pauseAfter: 1 } });
    bed.settle(bed.claimNext("hello").id, ERROR);
    expect(bed.jobs.listToSend()).toMatchObject([{ delivery: { state: "waiting", to: { to: "home" } } }]);
  });

  it("of the set-up pauses the job at once", () => {
    bed.make("hello", "every 1h");
    bed.settle(bed.claimNext("hello").id, { state: "failed", outcome: "config", error: "There is no key." });
    expect(bed.find("hello").paused).toEqual({ cause: "config", why: "There is no key.", at: bed.clock.now() });
  });

  it("to reach a provider is tried again after 5, 15 and 30 minutes, and then counts once", () => {
    bed.make("morning", "every day at 8", { deliver: { to: "home" } });
    const tried: [number, string][] = [];
    for (let n = 0; n < 4; n++) {
      const run = bed.claimNext("morning");
      tried.push([(bed.clock.now() - Date.UTC(2026, 0, 6, 8)) / MINUTE, run.trigger]);
      bed.settle(run.id, UNREACHABLE);
      bed.reboot();
    }
    expect(tried).toEqual([
      [0, "schedule"],
      [5, "retry"],
      [20, "retry"],
      [50, "retry"],
    ]);
    expect(bed.find("morning")).toMatchObject({
      failures: 1,
      retry: null,
      attempts: 0,
      nextAt: Date.UTC(2026, 0, 7, 8),
    });
    expect(bed.jobs.listToSend()).toHaveLength(1);
  });

  it("to reach a provider by hand is tried again by hand: it is none of the schedule's, and the gate does not hold it back", () => {
    bed.make("once", "every day at 8", { repeat: 1, gate: { command: "cat news" } });
    const byHand = bed.jobs.runNow("once", "op");
    if (byHand.ok) bed.jobs.passGate(byHand.value.run.id, "a");
    if (byHand.ok) bed.settle(byHand.value.run.id, DONE);
    const second = bed.jobs.runNow("once", "op2");
    if (second.ok) bed.settle(second.value.run.id, UNREACHABLE);
    const again = bed.claimNext("once");
    expect(again.trigger).toBe("manual");
    expect(bed.jobs.passGate(again.id, "a")).toEqual({ ok: true, value: { wakes: true } });
    bed.settle(again.id, DONE);
    expect(bed.find("once")).toMatchObject({ ran: 0, finishedAt: null, nextAt: Date.UTC(2026, 0, 6, 8) });
  });

  it("to reach a provider by hand is told at once where the job has finished, as nothing tries it again", () => {
    bed.make("once", "in 1h", { deliver: { to: "home" } });
    bed.settle(bed.claimNext("once").id, DONE);
    const byHand = bed.jobs.runNow("once", "op");
    if (byHand.ok) bed.settle(byHand.value.run.id, UNREACHABLE);
    expect(bed.find("once")).toMatchObject({ failures: 1, retry: null });
    expect(bed.runsOf("once")[0]).toMatchObject({ state: "failed", delivery: { state: "waiting" } });
  });

  it("of the set-up of a job that has no time left says what helps: it cannot be resumed", () => {
    bed.make("once", "in 1h");
    bed.settle(bed.claimNext("once").id, { state: "failed", outcome: "config", error: "There is no key." });
    expect(bed.jobs.resume("once")).toMatchObject({ failure: { code: "schedule_past" } });
    expect(bed.runsOf("once")[0]!.error).toContain("run it by hand, or give it another schedule and resume it.");
    bed.jobs.change("once", { schedule: "in 1h" }, { author: OWNER });
    expect(bed.jobs.resume("once")).toMatchObject({ ok: true, value: { paused: null } });
  });

  it("to reach a provider leaves a job of one time unfinished until its last attempt", () => {
    bed.make("once", "in 1h");
    for (let n = 0; n < 3; n++) {
      bed.settle(bed.claimNext("once").id, UNREACHABLE);
      expect(bed.find("once").finishedAt).toBeNull();
    }
    bed.settle(bed.claimNext("once").id, DONE);
    expect(bed.find("once")).toMatchObject({ ran: 1, failures: 0, finishedAt: bed.clock.now() });
  });

  it("that a person made by stopping the turn counts as none", () => {
    bed.make("hello", "every 1h", { failure: { pauseAfter: 1 }, deliver: { to: "home" } });
    bed.settle(bed.claimNext("hello").id, { state: "failed", outcome: "stopped", error: "Stopped." });
    expect([bed.find("hello").paused, bed.jobs.listToSend()]).toEqual([null, []]);
  });
});

describe("a run", () => {
  it("whose end is told twice ends once", () => {
    bed.make("hello", "every 1h");
    const run = bed.claimNext("hello");
    expect(bed.settle(run.id, DONE).isNew).toBe(true);
    expect(bed.settle(run.id, ERROR)).toMatchObject({
      isNew: false,
      run: { state: "completed" },
      job: { failures: 0 },
    });
  });

  it("whose end is lost is unknown, and its slot is never run again", () => {
    bed.make("hello", "every 1h");
    const run = bed.claimNext("hello");
    bed.settle(run.id, { state: "unknown", error: "its session is gone." });
    expect(bed.find("hello")).toMatchObject({ failures: 1, run: null, nextAt: START + 2 * HOUR });
    for (let n = 0; n < 5; n++) bed.settle(bed.claimNext("hello").id, DONE);
    expect(bed.runsOf("hello").filter(({ slot }) => slot === run.slot)).toMatchObject([{ state: "unknown" }]);
  });

  it("of a slot is not made a second time where the clock was put back", () => {
    bed.make("hello", "every 1h");
    const job = bed.find("hello");
    const run = bed.claimNext("hello");
    bed.settle(run.id, DONE);
    bed.sql.run("UPDATE job SET due = ?, body = ? WHERE name = 'hello'", job.nextAt, JSON.stringify(job));
    expect(bed.jobs.claimDue()).toEqual([]);
    expect([bed.runsOf("hello").length, bed.find("hello").nextAt]).toEqual([1, START + 2 * HOUR]);

    const once = bed.make("once", "in 1h");
    bed.settle(bed.claimNext("once").id, DONE);
    bed.sql.run("UPDATE job SET due = ?, body = ? WHERE name = 'once'", once.nextAt, JSON.stringify(once));
    expect(bed.jobs.claimDue()).toEqual([]);
    expect([bed.runsOf("once").length, bed.find("once").finishedAt]).toEqual([1, bed.clock.now()]);
  });

  it("by hand is the same for the same call, and refused while another is open", () => {
    bed.make("hello", "every 1h");
    bed.jobs.pause("hello", "Holiday.");
    const once = bed.jobs.runNow("hello", "op-1");
    expect(once).toMatchObject({ ok: true, value: { isNew: true, run: { trigger: "manual" } } });
    expect(bed.jobs.runNow("hello", "op-1")).toMatchObject({
      value: { isNew: false, run: { id: once.ok && once.value.run.id } },
    });
    expect(bed.jobs.runNow("hello", "op-2")).toMatchObject({ failure: { code: "job_running" } });
    if (once.ok) bed.settle(once.value.run.id, DONE);
    expect(bed.find("hello")).toMatchObject({ paused: { cause: "person" }, nextAt: START + HOUR, ran: 0 });
  });

  it("waits while as many are open as may be, the earliest first", () => {
    bed = createJobsBed({ maxRunning: 2 });
    for (const [name, schedule] of [
      ["c", "every 1h"],
      ["a", "every 3h"],
      ["b", "every 2h"],
    ] as const)
      bed.make(name, schedule);
    bed.clock.advance(4 * HOUR);
    const claimed = bed.jobs.claimDue();
    expect(claimed.map(({ job }) => job.name)).toEqual(["c", "b"]);
    expect(bed.jobs.nextDue()).toBe(bed.clock.now() + 5 * MINUTE);
    bed.settle(claimed[0]!.run.id, DONE);
    expect(bed.jobs.claimDue().map(({ job }) => job.name)).toEqual(["a"]);
  });

  it("is looked after until it is settled, also after a crash, and is over after its time", () => {
    bed.make("hello", "every 1d");
    const run = bed.claimNext("hello");
    expect([bed.jobs.lookAfter(), bed.jobs.nextDue()]).toEqual([[], bed.clock.now() + 5 * MINUTE]);
    bed.clock.advance(5 * MINUTE);
    bed.reboot();
    expect(bed.jobs.lookAfter()).toMatchObject([{ run: { id: run.id, state: "claimed" }, isOver: false }]);
    expect(bed.jobs.lookAfter()).toEqual([]);
    bed.jobs.markRunning(run.id, `${run.session!}-1`);
    expect(bed.jobs.nextDue()).toBe(bed.clock.now() + 10 * MINUTE);
    bed.clock.advance(10 * MINUTE);
    expect(bed.jobs.lookAfter()).toMatchObject([
      { run: { state: "running", turn: `${run.session!}-1` }, isOver: false },
    ]);
    bed.clock.advance(45 * MINUTE);
    expect(bed.jobs.lookAfter()).toMatchObject([{ isOver: true }]);
    bed.settle(run.id, { state: "failed", outcome: "timed_out", error: "It took more than an hour." });
    bed.clock.advance(DAY_MS / 2);
    expect(bed.jobs.lookAfter()).toEqual([]);
  });

  it("of a deleted session is unknown if it was open, and keeps no id of it", () => {
    bed.make("hello", "every 1h");
    const ended = bed.claimNext("hello");
    bed.settle(ended.id, DONE);
    const open = bed.claimNext("hello");
    bed.jobs.forgetSession(ended.session!);
    bed.jobs.forgetSession(open.session!);
    expect(bed.runsOf("hello").map(({ state, session }) => [state, session])).toEqual([
      ["unknown", null],
      ["completed", null],
    ]);
    expect(bed.find("hello")).toMatchObject({ run: null, failures: 1 });
  });
});

describe("what a run said", () => {
  it.each([
    ["Hello.", "waiting"],
    ["[SILENT]", "none"],
    [" [silent]\n", "none"],
    ["", "none"],
    ["Nothing new.\n[SILENT]", "none"],
    ["Say [SILENT] to me", "waiting"],
  ])("'%s' is %s", (text, state) => {
    bed.make("hello", "every 1h", { deliver: { to: "hooks" } });
    expect(bed.settle(bed.claimNext("hello").id, { state: "completed", text }).run.delivery.state).toBe(state);
  });

  it("is whole until it was sent, and is tried again after each failure", () => {
    bed.make("hello", "every 30d", { deliver: { to: "home" } });
    const run = bed.settle(bed.claimNext("hello").id, { state: "completed", text: "x".repeat(20_000) }).run;
    const waits: number[] = [];
    for (let n = 0; n < 5; n++) {
      bed.reboot();
      expect(bed.jobs.listToSend()).toMatchObject([{ id: run.id, output: "x".repeat(20_000) }]);
      bed.jobs.markUnsent(run.id, "The platform answered 500.");
      waits.push((bed.jobs.nextDue()! - bed.clock.now()) / MINUTE);
      bed.clock.advance(bed.jobs.nextDue()! - bed.clock.now());
    }
    expect(waits).toEqual([1, 5, 15, 60, 240]);
    bed.jobs.markSent(run.id);
    bed.jobs.markUnsent(run.id, "Too late.");
    const [kept] = bed.runsOf("hello");
    expect(kept).toMatchObject({ delivery: { state: "sent", tries: 6, error: null } });
    expect(kept!.output!.length).toBeLessThanOrEqual(8_100);
    expect(bed.jobs.listToSend()).toEqual([]);
  });

  it("is given up after the last attempt, or at once where it cannot be sent", () => {
    bed.make("hello", "every 30d", { deliver: { to: "home" } });
    const run = bed.claimNext("hello");
    bed.settle(run.id, DONE);
    bed.jobs.markUnsent(run.id, "There is no home chat.", true);
    expect(bed.runsOf("hello")[0]!.delivery).toEqual({
      state: "failed",
      to: { to: "home" },
      tries: 1,
      error: "There is no home chat.",
    });
  });

  it("is context of the jobs that name it: the newest answer, not a failure or a silence", () => {
    bed.make("source", "every 1h");
    const user = bed.make("user", "every 1d", { contextFrom: ["source"] });
    expect(bed.jobs.readContext(user)).toEqual([{ name: "source", last: null }]);
    for (const end of [DONE, { ...DONE, text: "Newest." }, { ...DONE, text: "[SILENT]" }, ERROR]) {
      bed.settle(bed.claimNext("source").id, end);
    }
    expect(bed.jobs.readContext(user)).toMatchObject([{ name: "source", last: { output: "Newest." } }]);
    bed.jobs.remove("source");
    expect(bed.jobs.readContext(user)).toEqual([{ name: "source", last: null }]);
  });
});

describe("a gate", () => {
  const look = (saw: string) => {
    const run = bed.claimNext("watch");
    const passed = bed.jobs.passGate(run.id, saw);
    return { run, wakes: passed.ok && passed.value.wakes };
  };
  beforeEach(() => void bed.make("watch", "every 1h", { gate: { url: "https://example.com/" }, repeat: 2 }));

  it("remembers its first look, and wakes the job at a change", () => {
    expect(look("a").wakes).toBe(false);
    expect(look("a").wakes).toBe(false);
    expect(bed.find("watch")).toMatchObject({ ran: 0, run: null, failures: 0 });
    expect(bed.runsOf("watch")).toMatchObject([{ outcome: "unchanged", session: null }, { outcome: "unchanged" }]);
    const changed = look("b");
    expect(changed.wakes).toBe(true);
    bed.settle(changed.run.id, DONE);
    expect(look("b").wakes).toBe(false);
    expect(bed.find("watch").ran).toBe(1);
  });

  it("has not seen a change whose run failed, and has seen one whose end is not known", () => {
    look("a");
    bed.settle(look("b").run.id, ERROR);
    expect(bed.find("watch").seen).toBe("a");
    bed.jobs.change("watch", { repeat: null }, { author: OWNER });
    const again = look("b");
    expect(again.wakes).toBe(true);
    bed.settle(again.run.id, { state: "unknown", error: "lost." });
    expect(look("b").wakes).toBe(false);
  });

  it("is refused to a job of one time, which would look once and never run", () => {
    const gate = { command: "cat news" };
    expect(() => bed.make("once", "in 1h", { gate })).toThrow("looks once");
    bed.make("once", "in 1h");
    for (const [name, change] of [
      ["once", { gate }],
      ["watch", { schedule: "in 1h" }],
    ] as const)
      expect(bed.jobs.change(name, change, { author: OWNER })).toMatchObject({ failure: { code: "gate_needs_times" } });
    look("a");
    expect(bed.jobs.change("watch", { schedule: "in 1h" }, { author: OWNER }).ok).toBe(true);
  });

  it("that let a run through does not end it when a look that overlapped sees what was there before", () => {
    look("a");
    const { run } = look("b");
    bed.jobs.markRunning(run.id, "01J0000000000000000000000A-1");
    expect(bed.jobs.passGate(run.id, "a")).toEqual({ ok: true, value: { wakes: true } });
    expect(bed.runsOf("watch")[0]).toMatchObject({ state: "running", saw: expect.any(String) });
  });

  it("does not hold back a run by hand, and looks anew where it was changed", () => {
    const byHand = bed.jobs.runNow("watch", "op");
    expect(byHand.ok && bed.jobs.passGate(byHand.value.run.id, "a")).toEqual({ ok: true, value: { wakes: true } });
    if (byHand.ok) bed.settle(byHand.value.run.id, DONE);
    expect(bed.find("watch").seen).toBe("a");
    bed.jobs.change("watch", { gate: { url: "https://example.org/" } }, { author: OWNER });
    expect(bed.find("watch").seen).toBeNull();
  });
});

describe("what is kept", () => {
  it("is the newest fifty runs of a job", () => {
    bed.make("hello", "every 1h");
    for (let n = 0; n < KEEP_RUNS + 5; n++) bed.settle(bed.claimNext("hello").id, DONE);
    const kept = bed.runsOf("hello");
    expect([kept.length, kept[0]!.slot, kept.at(-1)!.slot]).toEqual([KEEP_RUNS, START + 55 * HOUR, START + 6 * HOUR]);
  });

  it("is no run older than thirty days, also of a job that pauses, but one that is still to be sent", () => {
    bed.make("quiet", "every 1h");
    bed.make("loud", "every 2h", { deliver: { to: "home" } });
    for (const name of ["quiet", "loud"]) {
      bed.settle(bed.claimNext(name).id, DONE);
      bed.jobs.pause(name, "Holiday.");
    }
    bed.clock.advance(KEEP_MS);
    bed.jobs.tidy();
    expect([bed.runsOf("quiet").length, bed.runsOf("loud").length]).toEqual([0, 1]);
    bed.jobs.markSent(bed.runsOf("loud")[0]!.id);
    expect(bed.jobs.nextDue()).toBeLessThanOrEqual(bed.clock.now());
    bed.jobs.tidy();
    expect([bed.runsOf("loud"), bed.jobs.nextDue()]).toEqual([[], null]);
  });

  it("is read back as it was stored, however many times it names, and what could not be is not stored", () => {
    const times = Array.from({ length: 30 }, (_, n) => `9:${String(n + 10)}`).join(" ");
    bed.make("many", `every day at ${times}`);
    bed.make("days", "every mon tue wed thu fri at 9:01 9:02 9:03 9:04 9:05 9:06 9:07 9:08 9:09 9:10 9:11");
    expect(bed.jobs.list({ after: "", limit: 9 }).map(({ name }) => name)).toEqual(["days", "many"]);
    const wrong = () => bed.jobs.change("many", { prompt: "x".repeat(20_001) }, { author: OWNER });
    expect(wrong).toThrow("20000");
    expect(bed.find("many").prompt).toBe("Say hello.");
  });

  it("owe the curator their skills, each once, and those that none names any more", () => {
    const skills = createSkillRows(bed.sql);
    bed.make("a", "every 1h", { skills: ["reading", "writing"] });
    bed.make("b", "every 1h", { skills: ["reading"] });
    expect(skills.owed()).toEqual({ added: ["reading", "writing"], removed: [] });
    skills.markTold(skills.owed());
    bed.jobs.change("b", { skills: ["maths"] }, { author: OWNER });
    bed.jobs.remove("a");
    expect(skills.owed()).toEqual({ added: ["maths"], removed: ["reading", "writing"] });
    // Meanwhile a job names one of them again.
    const owed = skills.owed();
    bed.jobs.change("b", { skills: ["maths", "reading"] }, { author: OWNER });
    skills.markTold(owed);
    expect(skills.owed()).toEqual({ added: ["reading"], removed: [] });
    skills.markTold(skills.owed());
    expect(bed.sql.run("SELECT name FROM skill_use ORDER BY name")).toEqual([{ name: "maths" }, { name: "reading" }]);
  });

  it("of an earlier version get the table of skills, with what the curator was told", () => {
    bed.make("a", "every 1h", { skills: ["reading", "writing"] });
    const old = [
      "CREATE TABLE job_skill (name TEXT PRIMARY KEY)",
      "INSERT INTO job_skill VALUES ('reading'), ('maths')",
    ];
    for (const query of ["DROP TABLE skill_use", "DROP TABLE job_op", ...old]) bed.sql.run(query);
    for (let twice = 0; twice < 2; twice++) upgradeJobTables(bed.sql, [...JOB_SCHEMA, ...OP_SCHEMA]);
    expect(createSkillRows(bed.sql).owed()).toEqual({ added: ["writing"], removed: ["maths"] });
    expect(bed.jobs.pause("a", "why", { op: "1" })).toMatchObject({ ok: true });
  });
});
