// What can be done about a revision: undo what it changed, restore it, purge it.
import { useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { confirm } from "../components/dialog.tsx";
import { toast, toastError } from "../components/toasts.tsx";
import { change } from "../data/resource.ts";
import { may } from "../data/sign-in.ts";

interface RevisionActionsProps {
  name: string;
  rev: number;
  /** The skill's present revision. */
  present: number;
  /** The first revision of this skill: nothing is before it. */
  first: number;
}

export function RevisionActions({ name, rev, present, first }: RevisionActionsProps) {
  const [busy, setBusy] = useState<"undo" | "restore" | null>(null);
  if (!may("write")) return null;
  const act = async (what: "undo" | "restore"): Promise<void> => {
    setBusy(what);
    try {
      const head =
        what === "undo"
          ? await change("POST /v1/skills/{name}/revisions/{rev}/undo", { params: { name, rev } })
          : await change("POST /v1/skills/{name}/restore", { params: { name }, body: { rev } });
      const done = what === "undo" ? "was undone" : "was restored";
      toast(`Revision ${rev} ${done}. The skill is at revision ${head.rev} now.`);
    } catch (error) {
      toastError(error);
    } finally {
      setBusy(null);
    }
  };
  const purge = () =>
    confirm({
      title: `Purge revision ${rev}?`,
      text: (
        <p>
          Its files are erased, and their copies in reviews, pending changes, curations and the search. Contents that
          other revisions use stay. This cannot be undone.
        </p>
      ),
      action: "Purge",
      isDanger: true,
      async run() {
        // The list alone is read again: the files of the others are as they were, and this one has none.
        await change("POST /v1/skills/{name}/purge", { params: { name }, body: { rev } }, [
          `/v1/skills/${name}/revisions?`,
        ]);
        toast(`Revision ${rev} was purged.`);
      },
    });
  return (
    <div class="revision-actions">
      {rev > first && (
        <Button icon="undo" isBusy={busy === "undo"} onClick={() => void act("undo")}>
          Undo this change
        </Button>
      )}
      {rev < present && (
        <Button isBusy={busy === "restore"} onClick={() => void act("restore")}>
          Restore this revision
        </Button>
      )}
      {rev < present && (
        <Button kind="quiet" icon="trash" onClick={purge}>
          Purge
        </Button>
      )}
    </div>
  );
}
