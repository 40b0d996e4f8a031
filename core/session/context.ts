// What a session needs from outside (SessionHost, made by the Session object and by tests), and what the parts of its
// engine share (EngineContext). Types only.
import type { Model, Tool } from "../agent/contract.ts";
import type { Result } from "../errors.ts";
import type {
  Alarm,
  Clock,
  EvidenceStore,
  MemoryStore,
  Overlay,
  Queue,
  Random,
  ReviewStore,
  SkillStore,
  Sql,
} from "../ports.ts";
import type { Learning } from "../schemas/api.ts";
import type { ReviewMessage } from "../schemas/review.ts";
import type { Settings } from "../schemas/settings.ts";
import type { Seeds } from "../skills/library.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { Hub } from "./hub.ts";
import type { Jobs } from "./jobs.ts";
import type { Log } from "./log.ts";

export interface SessionHost {
  profile: string;
  session: string;
  sql: Sql;
  alarm: Alarm;
  clock: Clock;
  random: Random;
  settings: Settings;
  model: Result<Model>;
  seeds: Seeds;
  /** Tools of the deployment beside the built-in ones. */
  moreTools?: Tool[];
  skills: SkillStore;
  memory(overlay: Overlay): MemoryStore;
  evidence: EvidenceStore;
  reviews: ReviewStore;
  queue: Queue<ReviewMessage>;
  /** Asks the profile's Account for a place among its reviews. */
  reserveReview(request: {
    session: string;
    now: number;
    perProfileMs: number;
    urgent: boolean;
  }): Promise<{ granted: true } | { granted: false; retryAt: number }>;
  /** Keeps the object awake for work that nobody awaits. The promise never rejects. */
  background(work: Promise<void>): void;
  report(what: string, error: unknown): void;
}

export interface SessionMeta {
  v: 1;
  learning: Learning;
  title: string;
  createdAt: number;
}

/** What the parts of the engine share. */
export interface EngineContext {
  host: SessionHost;
  log: Log;
  jobs: Jobs;
  hub: Hub;
  overlay: Overlay;
  workspace: Workspace;
  meta(): SessionMeta;
}
