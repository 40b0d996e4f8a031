// `/rollback [N]`: lists the checkpoints of the workspace, or sets the files back to one. Called by run-command.ts. The restore
// belongs to the command's turn, so a command that is repeated after a crash changes nothing more and answers the same.
import { type Result, err, ok } from "../../../errors.ts";
import type { PathChange, Restored } from "../../../workspace/checkpoints/checkpoints.ts";
import type { EngineContext } from "../../context.ts";
import { listCheckpoints, restore } from "../../files/checkpoints.ts";
import type { NoticeEnding } from "../endings.ts";

const MAX_NAMED = 20;
/** In a session on an exec host, whose files have no checkpoints. */
export const ON_HOST =
  "Checkpoints hold the session's own files. Files on the machine are not set back: use git there.";

export function rollBack(context: EngineContext, argument: string): NoticeEnding {
  const note = context.meta().backend === "host" ? `\n\n${ON_HOST}` : "";
  if (argument === "") return { state: "done", code: "checkpoints", text: `${describeCheckpoints(context)}${note}` };
  const n = parseCheckpoint(argument);
  const restored = n.ok ? restore(context, n.value) : n;
  if (!restored.ok) {
    const { code, message } = restored.failure;
    return { state: "failed", code, text: `${message} /rollback lists them.${note}` };
  }
  const { changes } = restored.value;
  const text =
    changes.length === 0
      ? `The files are as they were at checkpoint ${restored.value.n}: nothing had to change.`
      : [`The files are as they were at checkpoint ${restored.value.n}.`, ...describeRestored(restored.value)].join(
          "\n",
        );
  return { state: "done", code: "rolled_back", text };
}

function parseCheckpoint(text: string): Result<number> {
  if (/^\d{1,9}$/.test(text)) return ok(Number(text));
  return err("checkpoint_not_found", `'${text.slice(0, 40).toWellFormed()}' is not the number of a checkpoint.`);
}

function describeCheckpoints(context: EngineContext): string {
  // This command's own turn has changed nothing, so it has no checkpoint.
  const lines = listCheckpoints(context).map(({ n, turn, at, kind, files }) => {
    const when = `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
    const what =
      kind === "turn" ? `when turn ${turn} began` : `before ${kind === "import" ? "an import" : "a restore"}`;
    return `${n}: ${what}, ${when}; ${files} ${files === 1 ? "path" : "paths"} changed after it`;
  });
  if (lines.length === 0) return "No checkpoint is kept: no turn has changed a file of the session.";
  return `${lines.join("\n")}\n\n/rollback N sets all files back to what they were at checkpoint N.`;
}

const DONE: Record<PathChange["change"], string> = { added: "brought back", changed: "set back", removed: "removed" };

/** What a restore changed, and how to undo it. */
export function describeRestored({ changes, undo }: Pick<Restored, "changes" | "undo">): string[] {
  return [...describeChanges(changes), describeUndo(undo)];
}

function describeChanges(changes: PathChange[]): string[] {
  const named = changes.slice(0, MAX_NAMED).map(({ path, change }) => `- ${DONE[change]}: ${path}`);
  return changes.length > MAX_NAMED ? [...named, `- and ${changes.length - MAX_NAMED} more`] : named;
}

function describeUndo(undo: number | null): string {
  return undo === null ? "This cannot be undone." : `/rollback ${undo} undoes this.`;
}
