// The experiments of one profile, and the replays that they consist of, over in-memory stores: the Experiments object and the Replay objects
// of the product, wired as in durable-objects/. Each has a database and an alarm of its own. Used by platform.ts.
import type { Model, Tool } from "../../../core/agent/contract.ts";
import type { TurnRecords } from "../../../core/archive/turn-archive.ts";
import { err, ok } from "../../../core/errors.ts";
import { createExperiments } from "../../../core/experiments/experiments.ts";
import type { ExperimentHost, Experiments } from "../../../core/experiments/ports.ts";
import type { Alarm, Clock, Random, Sql } from "../../../core/ports.ts";
import type { SessionId } from "../../../core/schemas/ids.ts";
import type { ReplayId } from "../../../core/schemas/learning/experiment.ts";
import type { Settings } from "../../../core/schemas/settings.ts";
import type { SessionHost } from "../../../core/session/context.ts";
import type { SessionEngine } from "../../../core/session/engine.ts";
import type { ReplayEngine } from "../../../core/session/replay/contract.ts";
import { createReplayEngine } from "../../../core/session/replay/replay-engine.ts";
import { createBenchSql } from "./sql.ts";

export interface LaboratoryOptions extends Pick<ExperimentHost, "skills" | "evidence" | "budget"> {
  settings: Settings;
  clock: Clock;
  random: Random;
  archive: TurnRecords;
  /** Runs the replays. */
  model: Model;
  /** Tools of a replay: they stand for programs in its workspace, which begins as the session's did. */
  newTools(): Tool[];
  /** The sessions of the profile, those that are closed for the bench too. */
  findSession(session: SessionId): SessionEngine | undefined;
  /** The host of a session, for a replay of one of its turns. */
  toHost(place: { session: SessionId; sql: Sql; alarm: Alarm; model: Model; tools: Tool[] }): SessionHost;
  /** An alarm of the simulated clock. `wake` is called when it is due. */
  addAlarm(wake: () => Promise<void>): { alarm: Alarm; remove(): void };
  report(what: string, error: unknown): void;
}

export interface Laboratory {
  experiments: Experiments;
  close(): void;
}

/** A Replay object. */
interface OpenReplay {
  engine: ReplayEngine;
  close(): void;
}

export function createLaboratory(options: LaboratoryOptions): Laboratory {
  const { settings, clock, random, archive, model, findSession } = options;
  const replays = new Map<ReplayId, OpenReplay>();
  const sql = createBenchSql();
  const own = options.addAlarm(() => experiments.alarm());
  let ids = 0;

  const experiments = createExperiments({
    ...{ sql, alarm: own.alarm, clock, random, settings },
    newId: () => toUlid(clock.now(), ++ids),
    skills: options.skills,
    evidence: options.evidence,
    budget: options.budget,
    turns: {
      describe: async (asked) => findSession(asked.session)?.describeTurn(asked) ?? null,
      findSimilar: async (asked) => archive.findSimilarTurns(asked),
    },
    replays: {
      async begin(order) {
        const replay = replays.get(order.id) ?? openReplay(order.source.session);
        replays.set(order.id, replay);
        return replay.engine.begin(order);
      },
      look: async (id) => replays.get(id)?.engine.look() ?? null,
      async erase(id) {
        replays.get(id)?.close();
        replays.delete(id);
      },
    },
    models: () => ok([model]),
    async tell(session, id, text) {
      await findSession(session)?.tellExperiment(id, text);
    },
    report: options.report,
  });

  function openReplay(session: SessionId): OpenReplay {
    const replaySql = createBenchSql();
    const { alarm, remove } = options.addAlarm(() => engine.alarm());
    const host = options.toHost({ session, sql: replaySql, alarm, model, tools: options.newTools() });
    const engine = createReplayEngine(host, {
      source: ({ source }) => ({
        readReplay: async (turn, need) =>
          findSession(source.session)?.readReplay(turn, need) ?? err("session_gone", "The session is gone."),
      }),
      readText: ({ experiment, arm }) =>
        arm === "recorded" ? Promise.resolve(ok(null)) : experiments.readText(experiment, arm),
      report: ({ id }, report) => experiments.takeReport(id, report),
    });
    return {
      engine,
      close() {
        remove();
        engine.end();
        replaySql.close();
      },
    };
  }

  return {
    experiments,
    close() {
      own.remove();
      for (const replay of replays.values()) replay.close();
      sql.close();
    },
  };
}

const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Ids that sort by time, then by number. */
function toUlid(now: number, nth: number): string {
  const digits = (value: number, count: number) =>
    Array.from({ length: count }, (_, at) => CROCKFORD[Math.floor(value / 32 ** (count - 1 - at)) % 32]).join("");
  return digits(now, 10) + digits(nth, 16);
}
