// The Experiments object of a profile: the shell around core/experiments. It decides which earlier turns are run again for a text, keeps the
// results and has the alarm. Its name is the profile's id. Called by the API, by the profile's sessions and Account, and by its Replay objects.
import { DurableObject } from "cloudflare:workers";
import { type Result, err } from "../../core/errors.ts";
import { createExperiments } from "../../core/experiments/experiments.ts";
import type {
  ExperimentCalls,
  ExperimentHost,
  Experiments as Engine,
  NewExperiment,
} from "../../core/experiments/ports.ts";
import { parseSettings } from "../../core/limits.ts";
import { ProfileId, type SessionId, type SkillName } from "../../core/schemas/ids.ts";
import type { ExperimentLine } from "../../core/schemas/learning/experiment-api.ts";
import type {
  Arm,
  Experiment,
  ExperimentId,
  ExperimentSum,
  ReplayId,
  ReplayReport,
} from "../../core/schemas/learning/experiment.ts";
import { systemClock } from "../../stores/platform/system-clock.ts";
import { readSettings } from "../../wiring/settings.ts";
import { guardSql, isErased, leaveTombstone } from "../session/erased.ts";
import { hasTable, toSql } from "../sql.ts";
import { type ExperimentsEnv, toExperimentHost } from "./host.ts";

const WRONG_SETTINGS_MS = 60_000;
const GONE = err("profile_gone", "This profile has been deleted.");
const NOT_FOUND = err("experiment_not_found", "This profile has no experiment of that id.");
const NO_EXPERIMENTS: ExperimentSum = {
  ...{ waiting: 0, running: 0, helps: 0, no_difference: 0, harms: 0, not_replayable: 0 },
  ...{ none: 0, withdrawnBeforeOffer: 0, replays: 0, tokens: 0 },
};

/** Once the profile is deleted, nothing is taken or found. A profile that has tried nothing has no tables, and reading makes none. */
export class Experiments extends DurableObject<ExperimentsEnv> {
  #opened: Engine | null = null;
  /** Set when the profile is deleted: nothing new begins. */
  #isErasing = false;
  /** Work that still runs can no longer reach a store. */
  #isErased = false;

  /** Lets a bench or a chaos run wrap the ports. */
  protected adapt(host: ExperimentHost): ExperimentHost {
    return host;
  }

  // ---- calls that the engine answers; core/experiments/ports.ts documents them ----

  async take(asked: NewExperiment): Promise<Result<Experiment>> {
    return this.#isGone() ? GONE : this.#open().take(asked);
  }
  async read(id: ExperimentId): Promise<Result<Experiment>> {
    return this.#isUnused() ? NOT_FOUND : this.#open().read(id);
  }
  async stop(id: ExperimentId): Promise<Result<Experiment>> {
    return this.#isUnused() ? NOT_FOUND : this.#open().stop(id);
  }
  async list(...[asked]: Parameters<ExperimentCalls["list"]>): Promise<ExperimentLine[]> {
    return this.#isUnused() ? [] : this.#open().list(asked);
  }
  async sum(asked: { since: number }): Promise<ExperimentSum> {
    return this.#isUnused() ? NO_EXPERIMENTS : this.#open().sum(asked);
  }
  async readText(experiment: ExperimentId, arm: Arm): ReturnType<Engine["readText"]> {
    return this.#isUnused() ? NOT_FOUND : this.#open().readText(experiment, arm);
  }
  async takeReport(id: ReplayId, report: ReplayReport): Promise<void> {
    if (!this.#isUnused()) await this.#open().takeReport(id, report);
  }
  async forgetSession(session: SessionId): Promise<void> {
    if (!this.#isUnused()) await this.#open().forgetSession(session);
  }
  async forgetSkill(skill: SkillName): Promise<void> {
    if (!this.#isUnused()) await this.#open().forgetSkill(skill);
  }
  async forgetWords(): Promise<void> {
    if (!this.#isUnused()) await this.#open().forgetWords();
  }

  /** Erases every run and deletes everything. The tombstone keeps a late call from beginning again. Idempotent. Called by the profile's Account. */
  async erase(): Promise<void> {
    const { storage } = this.ctx;
    if (isErased(storage)) return;
    this.#isErasing = true;
    if (this.#hasTables()) await this.#open().eraseAll();
    this.#isErased = true;
    await storage.deleteAlarm();
    await storage.deleteAll();
    leaveTombstone(storage);
  }

  /** With invalid settings the alarm repeats until the operator has fixed them. A throw would end it after six retries. */
  override async alarm(): Promise<void> {
    if (this.#isUnused()) return;
    const settings = parseSettings(this.env.TALARIA_SETTINGS);
    if (settings.ok) return this.#open().alarm();
    console.error(settings.failure.message);
    await this.ctx.storage.setAlarm(systemClock.now() + WRONG_SETTINGS_MS);
  }

  #isGone(): boolean {
    return this.#isErasing || isErased(this.ctx.storage);
  }
  #isUnused(): boolean {
    return this.#isGone() || !this.#hasTables();
  }
  #hasTables(): boolean {
    return hasTable(toSql(this.ctx.storage), "experiment");
  }

  /** Throws if the operator's settings are wrong. */
  #open(): Engine {
    if (this.#opened) return this.#opened;
    const place = { profile: ProfileId.parse(this.ctx.id.name), settings: readSettings(this.env) };
    const wasErased = () => this.#isErased;
    const { sql, alarm, ...host } = toExperimentHost(this.ctx, this.env, place);
    this.#opened = createExperiments(
      this.adapt({
        ...host,
        sql: guardSql(sql, wasErased),
        alarm: { set: async (at) => void (wasErased() || (await alarm.set(at))) },
      }),
    );
    return this.#opened;
  }
}
