// An Agenda of a given number of jobs, and the operations on it that bench:board measures: what the Agenda object does, with the objects that runs
// reach left out. Pure but for what it is given.
import { ok } from "../../core/errors.ts";
import { DEFAULTS } from "../../core/limits.ts";
import type { Sql } from "../../core/ports.ts";
import { CreateJob } from "../../core/schemas/agenda/job.ts";
import { DAY_MS, fromTurnId, toTurnId } from "../../core/schemas/ids.ts";
import { type JobDeskDeps, createJobDesk } from "../../durable-objects/agenda/job-desk.ts";
import type { World } from "./world.ts";

const START = Date.UTC(2026, 0, 5, 9);
const HOUR_MS = 60 * 60_000;
/** The names of the measured jobs sort after those of the others. */
const PROBE = "z-probe";
const PAGE = 10;
const OWNER = { by: "owner" } as const;

/** Each job has a skill of its own, a run behind it, and its next within a day. */
export async function createJobWorld(sql: Sql, size: number): Promise<World> {
  let [now, seed, lastSession, lastTurn] = [START, 1, 0, ""];
  const turns = new Map<string, string>();
  const reached = {
    account: { checkProfile: async () => 1, registerSession: async () => true, eraseSession: async () => null },
    session: (id: string) => ({
      create: async () => ({ session: id }),
      post: async ({ key }: { key: string }) => {
        turns.set(id, key.replace("job:", ""));
        return ok({ turn: (lastTurn = toTurnId(id, 1)) });
      },
      readTurn: async () =>
        ok({ state: "done", stats: { usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 } } }),
    }),
  };
  const working: Promise<void>[] = [];
  const desk = createJobDesk({
    ...({ ...reached, channels: {} } as unknown as Pick<JobDeskDeps, "account" | "session" | "channels">),
    ...{ sql, clock: { now: () => now } as JobDeskDeps["clock"], profile: "p" },
    random: () => ((seed = (seed * 48_271) % 2_147_483_647) - 1) / 2_147_483_646,
    limits: { ...DEFAULTS.jobs, maxJobs: 10_000, maxRunning: 10_000 },
    newSession: () => `01ARZ3NDEKTSV4RRFFQ6${String(lastSession++).padStart(6, "0")}`,
    look: async () => ok("same"),
    changePolicy: async () => null,
    hasTables: () => sql.run("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'job'").length > 0,
    arm: async () => void desk.nextDue(),
    background: (work) => void working.push(work),
    report: (_what, error) => {
      throw error;
    },
  });

  let calls = 0;
  async function create(name: string, schedule: string, skill: string): Promise<void> {
    const job = CreateJob.parse({ name, schedule, prompt: "Say what is new.", skills: [skill] });
    const made = await desk.create(job, { author: OWNER, op: `call-${calls++}` });
    if (!made.ok) throw new Error(made.failure.message);
  }
  async function end(session: string): Promise<void> {
    const run = turns.get(session)!;
    turns.delete(session);
    const turn = fromTurnId(toTurnId(session, 1)).n;
    const delivery = { session, turn, text: "Nothing is new.", ended: { state: "done" } };
    await desk.takeEnd(run, delivery as Parameters<typeof desk.takeEnd>[1]);
  }
  async function endAll(): Promise<void> {
    for (const session of turns.keys()) await end(session);
  }

  for (let n = 0; n < size; n++) await create(`job-${n}`, `${n % 60} ${Math.floor(n / 60) % 24} * * *`, `skill-${n}`);
  now += DAY_MS;
  await desk.work();
  // What became due meanwhile has run: the next begins a while later.
  await endAll();
  now = START + DAY_MS + 14.5 * HOUR_MS; // 23:30
  await desk.work();
  await endAll();

  const sessions: string[] = [];
  return {
    ops: [
      { op: "job create", work: (n) => create(`${PROBE}-${n}`, "every 30d", `probe-${n}`) },
      { op: "job next due", work: () => desk.nextDue() },
      { op: "job first page", work: () => desk.list({ after: "", limit: PAGE }) },
      { op: "job read", work: (n) => desk.read(`${PROBE}-${n}`) },
      {
        op: "job change",
        work: (n) => desk.change(`${PROBE}-${n}`, { skills: [`other-${n}`] }, { author: OWNER, op: `call-${calls++}` }),
      },
      {
        op: "job run now",
        async work(n) {
          await desk.run(`${PROBE}-${n}`, { op: `call-${calls++}` });
          await Promise.all(working.splice(0));
          sessions.push(fromTurnId(lastTurn).session);
        },
      },
      { op: "job settle", work: (n) => end(sessions[n]!) },
      { op: "job alarm with nothing due", work: () => desk.work() },
      {
        op: "job due in the next minute",
        work: (n) => create(`${PROBE}-due-${n}`, new Date(now + (n + 1) * 1_000).toISOString(), `due-${n}`),
      },
      {
        op: "job claim",
        async work() {
          now += 1_000;
          await desk.work();
          if (turns.size !== 1) throw new Error(`${turns.size} jobs were claimed in place of one`);
          turns.clear();
        },
      },
    ],
  };
}
