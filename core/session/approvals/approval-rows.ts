// The rows of what waits for a person in a session, and of what was decided lately. Read and written by the files beside this
// one. Reads all rows at once, because they are few. Rows of version 1 stay as they are until they change.
import { type Result, err, ok } from "../../errors.ts";
import { type Approval, parseApproval } from "../../schemas/approvals/approval.ts";
import type { EngineContext } from "../context.ts";

/** How many decided approvals are kept, so that a decision that is sent twice gets the same answer. */
const MAX_DECIDED = 50;

export function openApprovalRows({ host, log }: Pick<EngineContext, "host" | "log">) {
  /** Oldest first. */
  function all(): Approval[] {
    return host.sql
      .run<{ value: string }>("SELECT value FROM meta WHERE key > 'approval:' AND key < 'approval;'")
      .map((row) => parseApproval(JSON.parse(row.value)))
      .sort((a, b) => a.askedAt - b.askedAt || (a.id < b.id ? -1 : 1));
  }

  function find(id: string): Result<Approval> {
    const row = log.meta<unknown>(`approval:${id}`);
    return row ? ok(parseApproval(row)) : err("approval_not_found", "This session has no approval of that id.");
  }

  function put(approval: Approval): void {
    log.setMeta(`approval:${approval.id}`, approval);
  }

  return {
    all,
    find,
    put,
    /** Adds one, and drops the oldest decided ones. Inside the caller's transaction. */
    add(approval: Approval): void {
      const decided = all().filter(({ state }) => state !== "waiting");
      for (const { id } of decided.slice(0, Math.max(0, decided.length - MAX_DECIDED + 1))) {
        log.deleteMeta(`approval:${id}`);
      }
      put(approval);
    },
  };
}
