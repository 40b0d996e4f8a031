// What runs an earlier turn again: a Replay object over the engine of a session, whose host reaches nothing outside. Types only.
import type { Result } from "../../errors.ts";
import type { ReplayOrder } from "../../experiments/ports.ts";
import type { Entry } from "../../schemas/entry.ts";
import type { FileBodies } from "../../schemas/file-body.ts";
import type { ReplayReport } from "../../schemas/learning/experiment.ts";
import type { UsageLine } from "../../schemas/usage.ts";
import type { ReplayNeed, ReplayPage } from "../../schemas/sessions/replay.ts";

/** The session whose turn is run again. */
export interface ReplaySource {
  /** One page of what the replay lacks. Failures: `session_gone`, `not_replayable`, `branch_outdated`. */
  readReplay(turn: number, need: ReplayNeed): Promise<Result<ReplayPage>>;
}

export interface ReplayPorts {
  source(order: ReplayOrder): ReplaySource;
  /** What the skill's name stands for in the order's arm; `null`: nothing. */
  readText(order: ReplayOrder): Promise<Result<FileBodies | null>>;
  /** Repeated until it has answered. */
  report(order: ReplayOrder, report: ReplayReport): Promise<void>;
}

/** Made by `createReplayEngine(host, ports)` in replay-engine.ts. `host` is that of a session; the engine takes from it what a replay may reach. */
export interface ReplayEngine {
  /** Stores the order and sets the alarm. The same order again changes nothing. */
  begin(order: ReplayOrder): Promise<Result<null>>;
  /** Copies what is needed, runs the turn, reports. Sets the next alarm before it works. */
  alarm(): Promise<void>;
  /** `null`: nothing was begun. */
  look(): { report: ReplayReport | null; activeAt: number } | null;
  /** The entries of the turn, the input first. */
  entryPage(asked: { after: number; limit: number }): { entries: Entry[]; next?: string };
  /** What a run has used whose report was not taken, and for which order. `null`: nothing, or the report was taken. */
  spent(): { order: ReplayOrder; lines: UsageLine[] } | null;
  /** The object is erased: aborts what runs. */
  end(): void;
}
