// The Replay object: one run of one earlier turn, the shell around core/session/replay. Its name is `<profile>/<replay>`, built by the profile's
// Experiments object. It is in no list: the profile's Account does not know it, and no route of sessions leads to it. Called by the Experiments
// object, and by the API for the entries of a run.
import { DurableObject } from "cloudflare:workers";
import { type Result, StateNewerError, assert, err, messageOf, ok } from "../../core/errors.ts";
import type { ReplayDesk, ReplayOrder } from "../../core/experiments/ports.ts";
import { parseSettings } from "../../core/limits.ts";
import type { SessionHost } from "../../core/session/context.ts";
import type { ReplayEngine, ReplayPorts, ReplaySource } from "../../core/session/replay/contract.ts";
import { createReplayEngine } from "../../core/session/replay/replay-engine.ts";
import { systemClock } from "../../stores/platform/system-clock.ts";
import { askDesk } from "../../wiring/ask-desk.ts";
import { guardErased, isErased, leaveTombstone } from "../session/erased.ts";
import { type SessionEnv, toHost } from "../session/host.ts";

const NOT_OPENED_MS = 60_000;
const ERASED = err("session_gone", "This run was erased.");

export class Replay extends DurableObject<SessionEnv> {
  readonly #opened: Result<ReplayEngine>;
  /** Set when the run is erased: work that still runs can no longer reach a store. */
  #isErased = false;

  constructor(ctx: DurableObjectState, env: SessionEnv) {
    super(ctx, env);
    const settings = parseSettings(env.TALARIA_SETTINGS);
    const [profile = ""] = ctx.id.name!.split("/");
    const open = (host: SessionHost) =>
      openEngine(this.adapt(guardErased(host, () => this.#isErased)), openPorts(env, profile));
    this.#opened = settings.ok ? open(toHost(ctx, env, settings.value)) : settings;
  }

  /** Lets a bench or a chaos run wrap the ports of the engine. */
  protected adapt(host: SessionHost): SessionHost {
    return host;
  }

  /** Throws with wrong settings, and for a run that a newer version wrote: whoever asks tries again later. */
  get #engine(): ReplayEngine {
    assert(this.#opened.ok, this.#opened.ok ? "" : this.#opened.failure.message);
    return this.#opened.value;
  }

  /** Idempotent. Failure: `session_gone`, also of a run that was erased. */
  async begin(order: ReplayOrder): Promise<Result<null>> {
    return this.#isGone() ? ERASED : this.#engine.begin(order);
  }

  /** `null`: it never began, or was erased. */
  async look() {
    return this.#isGone() ? null : this.#engine.look();
  }

  /** The entries of the turn, the input first. `null`: as for `look`. */
  async entryPage(asked: { after: number; limit: number }) {
    return this.#isGone() || !this.#engine.look() ? null : this.#engine.entryPage(asked);
  }

  /** Stops what runs, deletes everything and leaves a tombstone, so that a late order begins nothing. Idempotent. */
  async erase(): Promise<void> {
    const { storage } = this.ctx;
    if (!this.#isGone()) await this.#bookRest();
    this.#isErased = true;
    if (this.#opened.ok) this.#opened.value.end();
    await storage.deleteAlarm();
    if (isErased(storage)) return;
    await storage.deleteAll();
    leaveTombstone(storage);
  }

  /** What a run that is cut off has used: nobody will hear it from a report. An Account that does not answer does not keep it from being erased. */
  async #bookRest(): Promise<void> {
    const spent = this.#opened.ok ? this.#opened.value.spent() : null;
    if (!spent) return;
    const [profile = "", id = ""] = this.ctx.id.name!.split("/");
    const booking = { id, at: systemClock.now(), lines: spent.lines };
    const desk = this.env.ACCOUNT.getByName(profile).grantDesk();
    try {
      await askDesk(desk, (grants) => grants.book({ booking, grant: spent.order.experiment }));
    } catch (error) {
      console.error(JSON.stringify({ event: "usage_not_booked", replay: id, error: messageOf(error) }));
    }
  }

  #isGone(): boolean {
    return this.#isErased || isErased(this.ctx.storage);
  }

  /**
   * With invalid settings the alarm repeats until the operator has fixed them, and for a run that a newer version wrote until that version is
   * back. A throw would end it after six retries.
   */
  override async alarm(): Promise<void> {
    if (this.#isGone()) return;
    if (this.#opened.ok) return this.#opened.value.alarm();
    console.error(this.#opened.failure.message);
    await this.ctx.storage.setAlarm(systemClock.now() + NOT_OPENED_MS);
  }
}

/** A run that a newer version wrote stays unchanged, and every call but `erase` fails with `state_newer`. */
function openEngine(host: SessionHost, ports: ReplayPorts): Result<ReplayEngine> {
  try {
    return ok(createReplayEngine(host, ports));
  } catch (error) {
    if (error instanceof StateNewerError) return err("state_newer", error.message);
    throw error;
  }
}

/** All of the same profile. The values cross unchanged; the platform's types lose some. */
function openPorts(env: SessionEnv, profile: string): ReplayPorts {
  const desk = () => env.EXPERIMENTS.getByName(profile) as unknown as ReplayDesk;
  return {
    source: ({ source }) => env.SESSION.getByName(`${profile}/${source.session}`) as unknown as ReplaySource,
    async readText({ experiment, arm }) {
      return arm === "recorded" ? ok(null) : desk().readText(experiment, arm);
    },
    report: ({ id }, report) => desk().takeReport(id, report),
  };
}
