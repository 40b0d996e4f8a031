// A profile's jobs over node:sqlite, with doubles of the objects that runs reach, on a clock that tests move. A call of an object may be cut off:
// before it happened, or after, when its answer is lost.
import type { JobPort } from "../../core/commands/jobs/job-port.ts";
import type { Result } from "../../core/errors.ts";
import { err, ok } from "../../core/errors.ts";
import { DEFAULTS } from "../../core/limits.ts";
import type { CreateJob } from "../../core/schemas/agenda/job.ts";
import { CreateJob as CreateJobForm } from "../../core/schemas/agenda/job.ts";
import type { SessionDelivery } from "../../core/schemas/channels/delivery.ts";
import { toTurnId } from "../../core/schemas/ids.ts";
import { Policy } from "../../core/schemas/learning/curation.ts";
import type { HookEvent } from "../../core/schemas/profile/hooks.ts";
import type { TurnReport } from "../../core/schemas/run.ts";
import type { PostedMessage } from "../../core/session/accept-message.ts";
import type { NewSession } from "../../core/session/engine.ts";
import { type JobDesk, type JobDeskDeps, createJobDesk } from "../../durable-objects/agenda/job-desk.ts";
import { createNodeSql } from "./bindings/node-sql.ts";
import { createTestClock } from "./clock.ts";
import { createSeededRandom } from "./seeded-random.ts";

export const OWNER = { by: "owner" } as const;

interface FakeSession {
  info: NewSession;
  /** By key: the first one counts. */
  messages: Map<string, PostedMessage>;
  /** How its turn ended; absent while it runs. */
  report?: TurnReport;
  isStopped?: true;
}

/** A cut-off call happened if its answer was lost. */
function toPort(desk: () => JobDesk, call: <T>(work: () => T | Promise<T>) => Promise<T>): JobPort {
  return {
    create: (spec, by) => call(() => desk().create(spec, by)),
    list: (page) => call(() => desk().list(page)),
    read: (name) => call(() => desk().read(name)),
    change: (name, change, by) => call(() => desk().change(name, change, by)),
    pause: (name, why, by) => call(() => desk().pause(name, why, by)),
    resume: (name, by) => call(() => desk().resume(name, by)),
    run: (name, by) => call(() => desk().run(name, by)),
    remove: (name, by) => call(() => desk().remove(name, by)),
    listRuns: (name, limit) =>
      call(() => {
        const listed = desk().listRuns(name, { before: null, limit });
        return listed.ok ? ok(listed.value.runs) : listed;
      }),
  };
}

export class CutOff extends Error {}

export function createAgendaWorld(options: Partial<JobDeskDeps> = {}) {
  const sql = createNodeSql();
  const clock = createTestClock(Date.UTC(2026, 0, 5, 9));
  const sessions = new Map<string, FakeSession>();
  const said: { chat: string; id: string; text: string }[] = [];
  const events: HookEvent[] = [];
  const reports: string[] = [];
  const pending: Promise<void>[] = [];
  const state = {
    alarm: null as number | null,
    policy: Policy.parse({ v: 1 }),
    isGone: false,
    lastSession: 0,
    home: true,
  };
  /** Which call is cut off next, counted down, and whether it happens all the same. */
  let cut: { in: number; after: boolean } | null = null;

  async function call<T>(work: () => T | Promise<T>): Promise<T> {
    const isCut = cut !== null && --cut.in === 0;
    const wasAfter = cut?.after === true;
    if (isCut) cut = null;
    if (isCut && !wasAfter) throw new CutOff();
    const done = await work();
    if (isCut) throw new CutOff();
    return done;
  }

  const openSession = (id: string): ReturnType<JobDeskDeps["session"]> => ({
    create: (info) =>
      call(() => {
        if (!sessions.has(id)) sessions.set(id, { info, messages: new Map() });
        return { session: id } as never;
      }),
    post: (message) =>
      call((): Result<never> => {
        const session = sessions.get(id);
        if (!session) return err("session_not_found", "There is no such session.");
        if (!session.messages.has(message.key!)) session.messages.set(message.key!, message);
        return ok({ turn: toTurnId(id, 1) } as never);
      }),
    readTurn: (n) =>
      call((): Result<TurnReport> => {
        const session = sessions.get(id);
        if (!session || n !== 1) return err("session_not_found", "There is no such session.");
        const running: TurnReport = {
          ...{ state: "running", answer: null, notice: null, startedAt: 1, endedAt: null },
          stats: {
            modelCalls: 1,
            toolCalls: 0,
            failedCalls: 0,
            usage: { input: 5, output: 2, cacheRead: 0, cacheWrite: 0 },
          },
        };
        return ok(session.report ?? running);
      }),
    lookAtGoal: async () => true,
    stopTurn: () => call(() => void (sessions.get(id)!.isStopped = true)),
  });

  const deps: JobDeskDeps = {
    ...{ sql, clock, random: createSeededRandom(7), profile: "p", limits: DEFAULTS.jobs },
    newSession: () => `01J0000000000000000000${String(++state.lastSession).padStart(4, "0")}`,
    account: {
      checkProfile: () => call(() => (state.isGone ? null : 3)),
      registerSession: () => call(() => !state.isGone),
      eraseSession: async () => null,
      putSetting: async () => ok(null),
      removeSetting: async () => ok(null),
      takeHookEvent: (event) => call(() => void (events.some(({ id }) => id === event.id) || events.push(event))),
    },
    channels: {
      sendHome: (platform, { id, text }) =>
        call((): Result<null> => {
          if (!state.home) return err("channel_no_home", "There is no home chat.");
          if (!said.some((one) => one.id === id)) said.push({ chat: platform ?? "home", id, text });
          return ok(null);
        }),
      say: (words) =>
        call((): Result<null> => {
          if (!said.some((one) => one.id === words.id)) said.push(words);
          return ok(null);
        }),
    },
    session: openSession,
    look: async () => ok("same"),
    changePolicy: (next) => call(() => (state.policy = next(state.policy))),
    hasTables: () => sql.run("SELECT 1 FROM sqlite_master WHERE name = 'job'").length > 0,
    async arm() {
      state.alarm = desk.nextDue();
    },
    background: (work) => void pending.push(work),
    report: (what) => void reports.push(what),
    ...options,
  };
  let desk: JobDesk = createJobDesk(deps);

  async function settled(): Promise<void> {
    while (pending.length > 0) await pending.shift();
  }

  return {
    ...{ sql, clock, sessions, said, events, reports, state, settled },
    desk: () => desk,
    /** As a session reaches it. Each call may be cut off, as those of runs. */
    port: toPort(() => desk, call),
    cutOff: (calls: number, after: boolean) => void (cut = { in: calls, after }),
    isCutOff: () => cut === null,
    /** Another object takes over, on what was stored. */
    restart: () => void (desk = createJobDesk(deps)),
    create: (spec: Partial<CreateJob> = {}, call: Partial<Parameters<JobDesk["create"]>[1]> = {}) =>
      desk.create(CreateJobForm.parse({ name: "brief", schedule: "every 1h", prompt: "Say hi.", ...spec }), {
        author: OWNER,
        ...call,
      }),
    /** Moves the clock to the alarm and fires it. False: none is set. */
    async wake(): Promise<boolean> {
      if (state.alarm === null) return false;
      if (state.alarm > clock.now()) clock.advance(state.alarm - clock.now());
      await desk.work();
      state.alarm = desk.nextDue();
      await settled();
      return true;
    },
    /** The messages of all sessions, once for each that counts. */
    messages: () => [...sessions.values()].flatMap(({ messages }) => [...messages.values()]),
    /** The turn of a session ends, and the Agenda is told, as the session's outbox does. */
    async end(session: string, ended: NonNullable<SessionDelivery["ended"]>, text: string, isTold = true) {
      const one = sessions.get(session)!;
      const { channel } = [...one.messages.values()][0]!;
      const isDone = ended.state === "done";
      one.report = {
        ...{ state: ended.state, answer: isDone ? text : null, notice: isDone ? null : text, startedAt: 1, endedAt: 2 },
        ...(ended.code && { reason: ended.code }),
        stats: {
          modelCalls: 1,
          toolCalls: 0,
          failedCalls: 0,
          usage: { input: 5, output: 2, cacheRead: 0, cacheWrite: 0 },
        },
      };
      if (!isTold) return;
      const delivery: SessionDelivery = {
        ...{ v: 1, id: `${session}.1`, origin: channel!, session, turn: 1, at: clock.now() },
        ...{ kind: isDone ? "answer" : "notice", text, ended },
      };
      await desk.takeEnd(channel!.chat.slice("job:".length), delivery);
    },
  };
}
