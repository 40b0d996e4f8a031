// What can be done with several selected cards at once, and for which of them it was refused.
import { useState } from "preact/hooks";
import { quote } from "../components/hidden-text.ts";
import { Button } from "../components/button.tsx";
import { confirm } from "../components/dialog.tsx";
import { FormDialog } from "../components/form-dialog.tsx";
import { Icon } from "../components/icon.tsx";
import { countOf } from "../components/numbers.ts";
import { call, describeError } from "../data/api.ts";
import { AssigneeField } from "./assignee-field.tsx";
import { type FailedChange, changeMany, say } from "./card-changes.ts";
import { type Assignee, type CardLine, STATUSES, targetsOf } from "./cards.ts";

interface BulkBarProps {
  board: string;
  cards: CardLine[];
  failed: FailedChange[];
  /** Carried out: which were refused. These stay selected. */
  onDone(failed: FailedChange[]): void;
  onMove(): void;
  onClear(): void;
}

export function BulkBar({ board, cards, failed, onDone, onMove, onClear }: BulkBarProps) {
  const [isAssigning, setAssigning] = useState(false);
  const [assignee, setAssignee] = useState<Assignee>(null);
  const [isBusy, setBusy] = useState(false);
  const count = countOf(cards.length, "card");

  async function run(verb: string, change: (card: CardLine) => Promise<unknown>): Promise<void> {
    setBusy(true);
    const refused = await changeMany(cards, change);
    setBusy(false);
    const done = cards.length - refused.length;
    say(`${verb}: ${done} of ${cards.length}.`);
    onDone(refused);
  }

  const paramsOf = ({ id }: CardLine) => ({ params: { board, card: id } });
  const archive = () =>
    confirm({
      title: `Archive ${count}?`,
      text: "They leave the board. Their events and runs are kept for 30 days. Work on them is stopped.",
      action: "Archive",
      run: () => run("Archived", (card) => call("POST /v1/boards/{board}/cards/{card}/archive", paramsOf(card))),
    });
  const remove = () =>
    confirm({
      title: `Delete ${count}?`,
      text: "Their comments, runs and attachments are lost. This cannot be undone.",
      action: "Delete",
      isDanger: true,
      run: () => run("Deleted", (card) => call("DELETE /v1/boards/{board}/cards/{card}", paramsOf(card))),
    });
  const hasTargets = STATUSES.some((to) => cards.some(({ status }) => targetsOf(status).includes(to)));

  return (
    <section class="bulk" aria-label="Selected cards">
      <strong>{count} selected</strong>
      <Button isBusy={isBusy} disabled={!hasTargets} onClick={onMove}>
        Move to…
      </Button>
      <Button isBusy={isBusy} onClick={() => setAssigning(true)}>
        Assign…
      </Button>
      <Button isBusy={isBusy} icon="archive" onClick={archive}>
        Archive
      </Button>
      <Button isBusy={isBusy} icon="trash" onClick={remove}>
        Delete
      </Button>
      <Button kind="quiet" onClick={onClear}>
        Clear selection
      </Button>
      {failed.length > 0 && (
        <div class="note note-bad bulk-failed" role="alert">
          <Icon name="warning" />
          <div>
            <p>{failed.length === 1 ? "One card was refused:" : `${failed.length} cards were refused:`}</p>
            <ul>
              {failed.map(({ id, title, error }) => (
                <li key={id} dir="auto">
                  <span class="mono">{id}</span> {quote(title)}: {describeError(error)}
                </li>
              ))}
            </ul>
          </div>
        </div>
      )}
      {isAssigning && (
        <FormDialog
          title={`Assign ${count}`}
          action="Assign"
          onClose={() => setAssigning(false)}
          run={() =>
            run("Assigned", (card) =>
              call("POST /v1/boards/{board}/cards/{card}/assign", { ...paramsOf(card), body: { assignee } }),
            )
          }
        >
          <AssigneeField value={assignee} onChange={setAssignee} />
        </FormDialog>
      )}
    </section>
  );
}
