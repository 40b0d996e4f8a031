// The child's side of a delegation: it begins with one task, is looked at and stopped by its parent, and reports how its turn ended.
// Called by the engine on behalf of the parent, and by the outbox.
import { type Result, err, ok } from "../../errors.ts";
import type { ChildProgress, ChildTask } from "../../schemas/sessions/delegation.ts";
import { placeMessage } from "../accept-message.ts";
import type { EngineContext } from "../context.ts";
import { type Engine, createSession } from "../open-engine.ts";
import { placeTurnStart } from "../readers/events.ts";
import { TURN, toProgress } from "./child-report.ts";

/** The idempotency key of its task. */
const KEY = "task";

/**
 * Creates the session with its task, unless that was done before. The alarm drives its turn: a chain of calls between objects has a
 * limit. Failures: those of accepting a message.
 */
export async function beginChild(engine: Engine, task: ChildTask): Promise<Result<null>> {
  const { context } = engine;
  const { host, log, jobs, hub } = context;
  const { title, text, learning, backend, tools, choice, parent, depth, source, budget, createdAt, settingsRev } = task;
  createSession(engine, {
    ...{ title, learning, createdAt, kind: "delegated", parent, depth, delegated: { source, budget } },
    ...(backend && { backend }),
    ...(tools && { tools }),
    ...(choice && { choice }),
  });
  const placed = placeMessage(engine, { text, key: KEY, busy: "queue", ...(settingsRev && { settingsRev }) });
  if (!placed.ok) return placed;
  const { turn, replayed } = placed.value;
  if (!replayed) hub.emit(placeTurnStart(turn));
  if (log.turn(TURN)?.state === "running" && jobs.get("drive")?.tries === 0) {
    jobs.put("drive", host.clock.now(), { kind: "drive" });
  }
  await jobs.arm({ exact: true });
  return ok(null);
}

/** Also for a session that never began: it is created stopped. */
export async function stopChild(engine: Engine, task: ChildTask): Promise<Result<null>> {
  const begun = await beginChild(engine, task);
  if (!begun.ok) return begun;
  engine.driver.stop();
  await engine.context.jobs.arm();
  return ok(null);
}

/** `null`: the session was not delegated, or does not exist. */
export function lookAtChild({ known, context, driver }: Engine): ChildProgress | null {
  return known ? toProgress(context, driver.lastProgressAt()) : null;
}

/** A delegated session takes no message but its task. */
export function refuseMessage({ meta }: EngineContext): Result<never> | null {
  if (meta().kind !== "delegated") return null;
  const message =
    "This session works on one task of another session and takes no messages. Write to its parent, or stop it.";
  return err("session_delegated", message);
}
