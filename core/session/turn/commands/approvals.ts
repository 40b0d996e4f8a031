// Changes to instruction files that the agent asks for and only the person may make. `write_file` parks them here; the API
// lists and decides them. Each is one meta row. All calls are idempotent: an id names one change.
import { type Result, err, ok } from "../../../errors.ts";
import { Approval, type ApprovalState } from "../../../schemas/approval.ts";
import type { ApprovalDetail, ApprovalInfo } from "../../../schemas/api.ts";
import { byteLength, sha256Hex } from "../../../schemas/learning/digest.ts";
import type { ChangeRequests } from "../../../tools/files/file-tool-options.ts";
import type { EngineContext } from "../../context.ts";
import { addDecisionNews } from "../../prompt/notes.ts";

const MAX_WAITING = 20;
/** How many decided changes are kept, so that a decision that is sent twice gets the same answer. */
const MAX_DECIDED = 50;
/** A row holds the content as JSON, in which one byte may take six. */
const MAX_CONTENT_BYTES = 200_000;

export interface Approvals extends ChangeRequests {
  /** Oldest first. */
  list(): ApprovalInfo[];
  /** Failure: `approval_not_found`. */
  open(id: string): Result<ApprovalDetail>;
  /**
   * An approved content counts as the person's own. Repeating a decision gives the same answer.
   * Failures: `approval_not_found`, `approval_decided`, `approval_replaced`, and those of writing a file.
   */
  decide(id: string, approve: boolean): Result<ApprovalInfo>;
}

export function createApprovals({
  host,
  log,
  workspace,
}: Pick<EngineContext, "host" | "log" | "workspace">): Approvals {
  const { sql, clock } = host;

  function all(): Approval[] {
    return sql
      .run<{ value: string }>("SELECT value FROM meta WHERE key > 'approval:' AND key < 'approval;'")
      .map((row) => Approval.parse(JSON.parse(row.value)))
      .sort((a, b) => a.askedAt - b.askedAt || (a.id < b.id ? -1 : 1));
  }

  function find(id: string): Result<Approval> {
    const row = log.meta<unknown>(`approval:${id}`);
    return row ? ok(Approval.parse(row)) : err("approval_not_found", "This session has no approval of that id.");
  }

  function put(approval: Approval): void {
    log.setMeta(`approval:${approval.id}`, approval);
  }

  function close(approval: Approval, state: ApprovalState): Approval {
    const closed: Approval = { ...approval, state, content: null, decidedAt: clock.now() };
    put(closed);
    return closed;
  }

  /** Makes room for one more. */
  function forgetOldest(decided: Approval[]): void {
    for (const { id } of decided.slice(0, Math.max(0, decided.length - MAX_DECIDED + 1))) {
      log.deleteMeta(`approval:${id}`);
    }
  }

  return {
    park({ op, path, content }) {
      const id = sha256Hex(op).slice(0, 20);
      const known = find(id);
      if (known.ok) return ok({ id, state: known.value.state });
      const size = byteLength(content);
      if (size > MAX_CONTENT_BYTES) {
        const message = `A change that needs approval has at most ${MAX_CONTENT_BYTES} bytes, and this one ${size}: shorten it.`;
        return err("file_too_large", message);
      }
      const before = all();
      const waiting = before.filter((approval) => approval.state === "waiting");
      const replaced = waiting.filter((approval) => approval.path === path);
      if (waiting.length - replaced.length >= MAX_WAITING) {
        const message = `${MAX_WAITING} changes wait for the person already: ask for a decision on those first.`;
        return err("too_many_approvals", message);
      }
      const asked = { v: 1 as const, id, path, state: "waiting" as const, size, content };
      sql.transaction(() => {
        for (const approval of replaced) close(approval, "replaced");
        forgetOldest(before.filter((approval) => approval.state !== "waiting"));
        put({ ...asked, askedAt: clock.now(), decidedAt: null });
      });
      return ok({ id, state: "waiting" });
    },

    list: () => all().map(toInfo),

    open(id) {
      const found = find(id);
      if (!found.ok) return found;
      const bytes = workspace.read(found.value.path);
      const current = bytes && bytes.length <= MAX_CONTENT_BYTES ? new TextDecoder().decode(bytes) : null;
      return ok({ ...toInfo(found.value), content: found.value.content, current });
    },

    decide(id, approve) {
      const found = find(id);
      if (!found.ok) return found;
      const { state, path, content } = found.value;
      const wanted = approve ? "approved" : "refused";
      if (state === wanted) return ok(toInfo(found.value));
      if (state === "replaced") {
        return err("approval_replaced", `The agent has asked for another content of '${path}' since: decide on that.`);
      }
      if (state !== "waiting" || content === null) return err("approval_decided", `This change was ${state} before.`);
      let decided = found.value;
      const record = () => {
        decided = close(found.value, wanted);
        addDecisionNews(log, { path, approved: approve });
      };
      if (approve) {
        const written = workspace.putAsPrincipal(path, new TextEncoder().encode(content), record);
        if (!written.ok) return written;
      } else {
        sql.transaction(record);
      }
      return ok(toInfo(decided));
    },
  };
}

function toInfo({ id, path, state, size, askedAt, decidedAt }: Approval): ApprovalInfo {
  return { id, path, state, size, askedAt, decidedAt };
}
