// Wires the parts of a session's engine over its host, and remembers whether the session exists. Called by engine.ts only.
import { err } from "../errors.ts";
import type { Sql } from "../ports.ts";
import type { Backend, Learning } from "../schemas/api.ts";
import { createWorkspace } from "../workspace/workspace.ts";
import type { Continuation, EngineContext, SessionHost, SessionMeta } from "./context.ts";
import { createImageRows } from "./images/image-rows.ts";
import { createJobs } from "./jobs.ts";
import { createLogTaint } from "./learning/taint.ts";
import { createLog } from "./log.ts";
import { createOverlay } from "./memory/overlay.ts";
import { openPreferences } from "./prompt/profile-settings.ts";
import { type Outbox, createOutbox } from "./outbox.ts";
import { createHub } from "./readers/hub.ts";
import { type Readers, createReaders } from "./readers/readers.ts";
import { createTables, hasTables, migrate } from "./schema.ts";
import { type Driver, createDriver } from "./turn/drive.ts";

export interface Engine {
  readonly context: EngineContext;
  readonly outbox: Outbox;
  readonly driver: Driver;
  readonly readers: Readers;
  /** False until the session is created, and after it was deleted. */
  known: boolean;
}

export const UNKNOWN_SESSION = err("session_not_found", "There is no such session. Create one with POST /v1/sessions.");

/**
 * Whether the session exists. Open turns without a driver were cut off, so any request resumes them, without waiting for the
 * alarm.
 */
export function wake({ known, context, driver }: Engine): boolean {
  if (!known) return false;
  if (context.log.openTurns().length > 0) driver.kick();
  return true;
}

/** `continueGoal`: see accept-message.ts, which needs the engine. */
export function openEngine(
  given: SessionHost,
  continueGoal: (engine: Engine, message: Continuation) => boolean,
): Engine {
  const log = createLog(given.sql);
  const sql: Sql = {
    run: given.sql.run,
    transaction(work) {
      try {
        return given.sql.transaction(work);
      } catch (error) {
        // The transaction was rolled back, so rows that were remembered in it are wrong.
        log.forget();
        jobs.forget();
        images.forget();
        throw error;
      }
    },
  };
  const session = openMeta(sql, log);
  const own = openPreferences(given.settings, log, session);
  const host: SessionHost = {
    ...given,
    sql,
    get settings() {
      return own.settings();
    },
  };
  const jobs = createJobs(host);
  const images = createImageRows(sql);
  const hub = createHub(host.clock, () => driver.isRunning());
  const context: EngineContext = {
    host,
    log,
    jobs,
    hub,
    overlay: createOverlay(sql),
    workspace: openWorkspace({ ...given, sql }, () => log.newestBegun()),
    images,
    taint: createLogTaint(log),
    meta() {
      const meta = storedMeta();
      return own.preferences().learning === "off" ? { ...meta, learning: "off" } : meta;
    },
    storedMeta,
    changeMeta,
    rename: (title) => changeMeta({ title }),
    markIndexed: () => changeMeta({ indexed: true }),
    setIndexYear: (indexYear) => changeMeta({ indexYear }),
    continueGoal: (message) => continueGoal(engine, message),
  };
  function storedMeta(): SessionMeta {
    const meta = session.known ? log.meta<SessionMeta>("session") : null;
    if (!meta) throw new Error("the session was never created");
    return meta;
  }
  function changeMeta(change: Parameters<EngineContext["changeMeta"]>[0]): void {
    log.setMeta("session", { ...storedMeta(), ...change });
  }
  const outbox = createOutbox(context);
  const driver = createDriver(context, outbox);
  const readers = createReaders({ log, hub, live: driver.live });
  const engine: Engine = Object.assign(session, { context, outbox, driver, readers });
  return engine;
}

/** Call when the alarm fired and there are jobs. The next alarm is set before any work, so that a throw never ends the chain of alarms. */
export async function carryOn({ context, driver, outbox, known }: Engine): Promise<void> {
  const { host, jobs } = context;
  await jobs.armFor(host.clock.now() + host.settings.turn.leaseMs);
  if (known) driver.onAlarm();
  // Not awaited: no alarm fires while one is handled, and the outbox may take long.
  host.background(
    outbox
      .drain()
      .then(() => jobs.arm({ exact: true }))
      .catch((error) => host.report("arm", error)),
  );
}

/** What a session is created with. `createdAt`: milliseconds since 1970, now by default. */
export interface NewSession extends Pick<
  SessionMeta,
  "kind" | "parent" | "depth" | "delegated" | "tools" | "choice" | "channel" | "card" | "budget"
> {
  learning: Learning;
  title: string;
  createdAt?: number;
  backend?: Backend;
}

/** Does nothing for a session that exists. */
export function createSession(engine: Engine, { backend, ...input }: NewSession): void {
  if (engine.known) return;
  const { host, log } = engine.context;
  const created: SessionMeta = { v: 1, createdAt: host.clock.now(), ...input };
  if (backend === "host") created.backend = backend;
  if (host.messages) created.indexed = true;
  host.sql.transaction(() => {
    createTables(host.sql);
    log.setMeta("session", created);
  });
  engine.known = true;
}

/** A session that was never created has no tables, and opening it makes none. */
function openMeta(sql: Sql, log: EngineContext["log"]): Pick<Engine, "known"> {
  if (!hasTables(sql)) return { known: false };
  migrate(sql);
  const meta = log.meta<SessionMeta>("session");
  return { known: meta !== null && !meta.moving };
}

function openWorkspace({ sql, clock, settings }: SessionHost, turn: () => number): EngineContext["workspace"] {
  const { maxFileBytes, maxWorkspaceBytes: maxBytes, maxCheckpointBytes } = settings.turn;
  return createWorkspace({ sql, clock, maxFileBytes, maxBytes, maxCheckpointBytes, turn });
}
