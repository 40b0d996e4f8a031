// The calls of the engine that concern delegation: those that sessions make of each other, and the list for the owner. Called by the
// engine, which forwards them.
import { type Result, ok } from "../../errors.ts";
import type { SessionId } from "../../schemas/ids.ts";
import type {
  ChildInfo,
  ChildProgress,
  ChildRecord,
  ChildReport,
  ChildTask,
} from "../../schemas/sessions/delegation.ts";
import { withTimeout } from "../../timeout.ts";
import { type Engine, UNKNOWN_SESSION, wake } from "../open-engine.ts";
import { beginChild, lookAtChild, stopChild } from "./child-life.ts";
import { isOpenChild, openChildRows } from "./child-rows.ts";
import { giveUpChild, takeReport } from "./settle-children.ts";

/** How long the list waits for a child that may be busy. */
const LOOK_MS = 15_000;

export function createDelegationCalls(engine: Engine) {
  const { context } = engine;
  return {
    /** Idempotent. Failures: those of accepting a message. */
    beginChild: (task: ChildTask): Promise<Result<null>> => beginChild(engine, task),
    /** Idempotent. Failures: those of accepting a message. */
    stopChild: (task: ChildTask): Promise<Result<null>> => stopChild(engine, task),
    lookAtChild: (): ChildProgress | null => lookAtChild(engine),
    /** Idempotent. A turn that waited for this child alone goes on, by the alarm. */
    async takeReport(child: SessionId, report: ChildReport): Promise<void> {
      if (!engine.known) return;
      takeReport(context, child, report);
      await context.jobs.arm();
    },
    /** The child is being deleted. A turn that waited for it alone goes on, by the alarm. */
    async loseChild(child: SessionId): Promise<void> {
      if (!engine.known) return;
      giveUpChild(context, child, "lost");
      await context.jobs.arm();
    },
    /** The newest first, at most 200. Asks those that run. */
    async listChildren(): Promise<Result<ChildInfo[]>> {
      if (!wake(engine)) return UNKNOWN_SESSION;
      const { host } = context;
      const look = async (row: ChildRecord): Promise<ChildInfo> => {
        if (!isOpenChild(row) || !host.children) return toInfo(row, null);
        try {
          return toInfo(row, await withTimeout(host.children.look(row.session), LOOK_MS, host.clock));
        } catch {
          return { ...toInfo(row, null), unreachable: true }; // the list is worth more than one child's counts
        }
      };
      return ok(await Promise.all(openChildRows(context).list().map(look)));
    },
  };
}

function toInfo(
  { session, turn, task, goal, state, given, endedAt, report }: ChildRecord,
  seen: ChildProgress | null,
): ChildInfo {
  const { stats, spent } = report ?? seen ?? {};
  return {
    ...{ session, turn, task, goal, state },
    ...(report && { reason: report.reason }),
    startedAt: given.createdAt,
    endedAt,
    modelCalls: stats?.modelCalls ?? 0,
    toolCalls: stats?.toolCalls ?? 0,
    usage: { calls: spent?.calls ?? 0, tokens: spent?.tokens ?? 0, usd: (spent?.usdMicros ?? 0) / 1_000_000 },
  };
}
