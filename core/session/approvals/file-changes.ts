// Changes to instruction files that the agent asks for and only the person may make. `write_file` requests them here, without
// parking the turn; approvals.ts decides them. All calls are idempotent: an id names one change.
import { type Result, err, ok } from "../../errors.ts";
import type { FileApproval } from "../../schemas/approvals/approval.ts";
import { byteLength, sha256Hex } from "../../schemas/learning/digest.ts";
import type { ChangeRequests } from "../../tools/files/file-tool-options.ts";
import type { EngineContext } from "../context.ts";
import { planFileQuestion } from "../hooks/events.ts";
import { addDecisionNews } from "../prompt/notes.ts";
import { openApprovalRows } from "./approval-rows.ts";

const MAX_WAITING = 20;
/** A row holds the content as JSON, in which one byte may take six. */
const MAX_CONTENT_BYTES = 200_000;

type FileContext = Pick<EngineContext, "host" | "log" | "workspace">;

export function createFileChanges(context: Pick<EngineContext, "host" | "log" | "jobs">): ChangeRequests {
  const { host, log } = context;
  const rows = openApprovalRows({ host, log });
  return {
    park({ op, path, content }) {
      const id = sha256Hex(op).slice(0, 20);
      const known = rows.find(id);
      if (known.ok && known.value.kind === "file") return ok({ id, state: known.value.state });
      const size = byteLength(content);
      if (size > MAX_CONTENT_BYTES) {
        const message = `A change that needs approval has at most ${MAX_CONTENT_BYTES} bytes, and this one ${size}: shorten it.`;
        return err("file_too_large", message);
      }
      const waiting = rows.all().filter((row): row is FileApproval => row.kind === "file" && row.state === "waiting");
      const replaced = waiting.filter((approval) => approval.path === path);
      if (waiting.length - replaced.length >= MAX_WAITING) {
        const message = `${MAX_WAITING} changes wait for the person already: ask for a decision on those first.`;
        return err("too_many_approvals", message);
      }
      const askedAt = host.clock.now();
      host.sql.transaction(() => {
        for (const approval of replaced) rows.put(closeFile(approval, "replaced", askedAt));
        rows.add({ v: 2, kind: "file", id, path, state: "waiting", size, content, askedAt, decidedAt: null });
        planFileQuestion(context, id);
      });
      return ok({ id, state: "waiting" });
    },
  };
}

/** The requested and the present content. */
export function openFile(
  { workspace }: FileContext,
  { path, content }: FileApproval,
): { content: string | null; current: string | null } {
  const bytes = workspace.read(path);
  const current = bytes && bytes.length <= MAX_CONTENT_BYTES ? new TextDecoder().decode(bytes) : null;
  return { content, current };
}

/** An approved content counts as the person's own. Failures: `approval_replaced`, `approval_decided`, those of writing a file. */
export function decideFile(
  { host, log, workspace }: FileContext,
  asked: FileApproval,
  approve: boolean,
): Result<FileApproval> {
  const { state, path, content } = asked;
  const wanted = approve ? "approved" : "refused";
  if (state === wanted) return ok(asked);
  if (state === "replaced") {
    return err("approval_replaced", `The agent has asked for another content of '${path}' since: decide on that.`);
  }
  if (state !== "waiting" || content === null) return err("approval_decided", `This change was ${state} before.`);
  const decided = closeFile(asked, wanted, host.clock.now());
  const record = () => {
    openApprovalRows({ host, log }).put(decided);
    addDecisionNews(log, { path, approved: approve });
  };
  if (!approve) {
    host.sql.transaction(record);
    return ok(decided);
  }
  const written = workspace.putAsPrincipal(path, new TextEncoder().encode(content), record);
  return written.ok ? ok(decided) : written;
}

function closeFile(approval: FileApproval, state: FileApproval["state"], decidedAt: number): FileApproval {
  return { ...approval, state, content: null, decidedAt };
}
