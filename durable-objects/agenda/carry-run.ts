// Carries an open run out: its gate, its session, its message. Every step can be repeated: the session's id was chosen when the run was claimed,
// and the message's key names the run. Called by job-desk.ts.
import { type Result, ok } from "../../core/errors.ts";
import { type JobContext, toRunMessage } from "../../core/jobs/run-message.ts";
import { readRunEnd } from "../../core/jobs/read-end.ts";
import type { Jobs, OpenRun } from "../../core/jobs/jobs.ts";
import type { RunEnd, WakeGate } from "../../core/schemas/agenda/job.ts";
import type { JobSettings } from "../../core/schemas/agenda/settings.ts";
import { type SessionId, fromTurnId, toTurnId } from "../../core/schemas/ids.ts";
import { toBeginnerChat } from "../../core/session/channel/begun-by.ts";
import { PROFILE_GONE, beginSession } from "../begin-session.ts";
import type { AccountStub, SessionStub } from "./context.ts";

export interface CarryDeps {
  jobs: Pick<Jobs, "passGate" | "markRunning" | "settle" | "readContext">;
  limits: Pick<JobSettings, "maxTokens">;
  account: AccountStub;
  session(id: SessionId): SessionStub;
  look(gate: WakeGate): Promise<Result<string>>;
}

/** The first turn of a run's session is the run. */
const TURN = 1;
/** Failures of a gate that the same job meets each time. */
const WRONG_GATE = new Set(["url_refused", "page_type_refused", "content_type_refused"]);

export function createRunner({ jobs, limits, account, session: open, look }: CarryDeps) {
  /** Failures: `profile_gone`, `session_gone`, and those of `SessionCalls.post`. */
  async function post({ job, run }: OpenRun, session: SessionId, context: JobContext[]): Promise<Result<null>> {
    const rev = await account.checkProfile();
    if (rev === null) return PROFILE_GONE;
    const made = await beginSession({ account, session: open }, session, {
      ...{ title: `Job ${job.name}`, createdAt: run.claimedAt, kind: "job" },
      budget: { tokens: job.maxTokens ?? limits.maxTokens, usdMicros: 0 },
    });
    if (!made.ok) return made;
    const posted = await open(session).post({
      ...toRunMessage(job, run, context),
      ...{ busy: "queue", key: `job:${run.id}`, channel: { chat: toBeginnerChat({ kind: "job", run: run.id }) } },
      ...(rev > 0 && { settingsRev: rev }),
    });
    // The context may have changed since an earlier attempt, whose message is there.
    if (!posted.ok && posted.failure.code !== "idempotency_conflict") return posted;
    return ok(null);
  }

  const stopTurn = (session: SessionId) => open(session).stopTurn(TURN);

  return {
    /** Repeated until the run's message is in its session. Rejects if an object cannot be reached: then it is carried out later. */
    async carry(open: OpenRun): Promise<void> {
      const { job, run } = open;
      if (job.gate && run.saw === null) {
        const saw = await look(job.gate);
        // Whoever runs it by hand does not wait for what the gate shows.
        if (!saw.ok && run.trigger !== "manual") {
          const { code, message } = saw.failure;
          const outcome = WRONG_GATE.has(code) ? "config" : "error";
          return void jobs.settle(run.id, {
            state: "failed",
            outcome,
            error: `The gate could not be looked at. ${message}`,
          });
        }
        const passed = saw.ok ? jobs.passGate(run.id, saw.value) : null;
        if (passed && !(passed.ok && passed.value.wakes)) return;
      }
      const session = run.session!;
      const posted = await post(open, session, jobs.readContext(job));
      if (posted.ok) {
        const marked = jobs.markRunning(run.id, toTurnId(session, TURN));
        // Its job was removed meanwhile, and could not name the turn.
        if (!marked.ok) await stopTurn(session);
        return;
      }
      const { code, message } = posted.failure;
      if (code === "session_gone") return void jobs.settle(run.id, { state: "unknown", error: message });
      if (code === "profile_gone") return;
      jobs.settle(run.id, {
        state: "failed",
        outcome: code === "message_too_long" ? "config" : "error",
        error: message,
      });
    },

    /** A running run whose end was not told. Rejects if the session cannot be reached. */
    async lookAt({ run, isOver }: OpenRun & { isOver: boolean }): Promise<void> {
      const session = run.session!;
      const { n } = fromTurnId(run.turn!);
      const read = await open(session).readTurn(n);
      const end: RunEnd | null = read.ok
        ? readRunEnd(read.value)
        : { state: "unknown", error: `Its session cannot be read: ${read.failure.message}` };
      if (end) return void jobs.settle(run.id, end);
      if (!isOver) return;
      // First, so that the end of the stopped turn does not count as that of the run.
      jobs.settle(run.id, {
        state: "failed",
        outcome: "timed_out",
        error: "It took longer than a run may (`jobs.runMs`).",
      });
      await open(session).stopTurn(n);
    },

    /** The turn of a run whose job was removed. */
    async stop({ session, turn }: OpenRun["run"]): Promise<void> {
      if (session !== null && turn !== null) await open(session).stopTurn(fromTurnId(turn).n);
    },
  };
}

/** For a log. */
export function describeRun({ run }: OpenRun): string {
  return `run ${run.id} of the job ${run.name}`;
}
