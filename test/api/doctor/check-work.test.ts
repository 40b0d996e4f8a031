// What a check-up says of jobs, goals, boards and experiments. The figures come from the real state machine of jobs.
import { describe, expect, it } from "vitest";
import type { BoardStats } from "../../../core/board/contract.ts";
import type { DoctorLine } from "../../../core/schemas/doctor.ts";
import type { AgendaCheckUp } from "../../../durable-objects/agenda/context.ts";
import { checkExperiments } from "../../../workers/api/doctor/check-experiments.ts";
import { checkAgenda, checkBoard } from "../../../workers/api/doctor/check-work.ts";
import { createAgendaWorld } from "../../support/agenda-world.ts";

const NOW = Date.UTC(2026, 0, 5, 9);
const MINUTE = 60_000;
const EMPTY: AgendaCheckUp = {
  ...{ alarm: null, due: null, jobs: { jobs: 0, late: [], stopped: [], lost: [] } },
  ...{ goals: [], boards: [], roles: [] },
};
/** Every line but a good one says how to fix it. */
function show(lines: DoctorLine[]): string[] {
  for (const { state, fix } of lines) expect(fix !== undefined).toBe(state !== "ok");
  return lines.map(({ check, state, found }) => `${check}: ${state}, ${found}`);
}

describe("a check-up of jobs", () => {
  const found = (world: ReturnType<typeof createAgendaWorld>): AgendaCheckUp => ({
    ...EMPTY,
    ...{ alarm: world.state.alarm, due: world.desk().nextDue(), jobs: world.desk().checkUp() },
  });
  const lines = (world: ReturnType<typeof createAgendaWorld>) => show(checkAgenda(found(world), world.clock.now()));

  it("says nothing where there is none", () => {
    expect(lines(createAgendaWorld())).toEqual([]);
  });

  it("is well with jobs that run on time, and with one that a person has paused", async () => {
    const world = createAgendaWorld();
    await world.create();
    await world.create({ name: "other" });
    await world.desk().pause("other", "Not now.");
    expect(lines(world)).toEqual(["jobs: ok, 2 jobs"]);
  });

  it("names a job that is late, and an alarm that is missing", async () => {
    const world = createAgendaWorld();
    await world.create();
    world.clock.advance(64 * MINUTE);
    expect(lines(world)).toEqual(["jobs: ok, 1 job"]);
    world.clock.advance(MINUTE);
    world.state.alarm = null;
    expect(lines(world)).toEqual([
      "agenda: fail, no alarm is set for what is due at 2026-01-05T10:00:00.000Z",
      "job brief: warn, due since 2026-01-05T10:00:00.000Z, and not begun",
    ]);
  });

  it("names a job that pauses after failures, and says why", async () => {
    const world = createAgendaWorld();
    await world.create({ failure: { pauseAfter: 1 } });
    await world.wake();
    await world.end([...world.sessions.keys()][0]!, { state: "failed", code: "tool_crashed" }, "No.");
    expect(lines(world)).toEqual([expect.stringMatching(/^job brief: warn, it pauses: .+/)]);
  });

  it("names a job whose newest run was lost, until another one has ended", async () => {
    const world = createAgendaWorld();
    await world.create();
    await world.wake();
    world.desk().forgetSession([...world.sessions.keys()][0]!);
    expect(lines(world)).toEqual(["job brief: warn, nobody knows how its run of 2026-01-05T10:00:00.000Z ended"]);
    world.state.alarm = world.desk().nextDue();
    await world.wake();
    await world.end([...world.sessions.keys()].at(-1)!, { state: "done" }, "Hi.");
    expect(lines(world)).toEqual(["jobs: ok, 1 job"]);
  });
});

describe("a check-up of goals", () => {
  const goal = (state: AgendaCheckUp["goals"][number]["state"], reason = "") => ({
    ...{ id: "1".repeat(16), session: "01J00000000000000000000000", state, reason },
  });
  const lines = (...goals: AgendaCheckUp["goals"]) => show(checkAgenda({ ...EMPTY, goals }, NOW));

  it("says nothing of those that have ended, and counts the active ones", () => {
    expect(lines(goal("done"), goal("cleared"))).toEqual([]);
    expect(lines(goal("active"), goal("done"))).toEqual(["goals: ok, 1 active"]);
  });

  it("names those that wait for a person, without a secret that the reason may hold", () => {
    const secret = `sk-ant-api03-${"a".repeat(80)}`;
    const [line] = lines(goal("active"), goal("paused", `The key ${secret} is wrong.`));
    expect(line).toMatch(/^goal 1{16}: warn, paused: The key /);
    expect(line).not.toContain(secret);
  });
});

describe("a check-up of a board", () => {
  const stats = (ready: BoardStats["byAssignee"]): BoardStats => ({
    byStatus: {
      ...{ triage: 0, todo: 0, scheduled: 0, ready: ready.length, running: 1, blocked: 2, review: 3, done: 4 },
      archived: 5,
    },
    ...{ byAssignee: ready, oldestReadyAt: null },
  });
  const of = (role: string) => ({ assignee: { role }, status: "ready" as const, cards: 1 });

  it("counts the cards, and names a role that cards wait for in vain", () => {
    expect(show([...checkBoard("main", stats([of("writer")]), ["writer"])])).toEqual([
      "board main: ok, 1 ready, 1 running, 2 blocked, 3 in review",
    ]);
    const person = { assignee: { person: "Eve" }, status: "ready" as const, cards: 1 };
    expect(show(checkBoard("main", stats([of("writer"), of("gone"), of("gone"), person]), ["writer"]))).toEqual([
      "board main: warn, cards are ready for the role 'gone', which does not exist",
    ]);
  });
});

describe("a check-up of experiments", () => {
  const lines = (waiting: number, running: number, tokens: number, model: string | null = "rehearsal") =>
    show(checkExperiments({ waiting, running }, { tokens, model }));

  it("says nothing where none is run and none waits", () => {
    expect(lines(0, 0, 0)).toEqual([]);
  });

  it("says what they may spend, with which model, and what is open", () => {
    expect(lines(2, 1, 50_000)).toEqual([
      "experiments: ok, 50,000 tokens a day, runs by rehearsal; 2 waiting, 1 running",
    ]);
    expect(lines(0, 1, 0, null)).toEqual([
      "experiments: ok, no grant of the day, runs by no model; 0 waiting, 1 running",
    ]);
  });

  it("warns of those that wait where nothing is granted", () => {
    expect(lines(2, 0, 0)).toEqual(["experiments: warn, 2 waiting for tokens, and no grant of the day"]);
  });
});
