// The form of a new card. The column that it was opened from decides what it asks.
import { useState } from "preact/hooks";
import { Field } from "../components/field.tsx";
import { quote } from "../components/hidden-text.ts";
import { FormDialog } from "../components/form-dialog.tsx";
import type { Asked } from "../../cli/connection/routes.ts";
import { call } from "../data/api.ts";
import { AssigneeField } from "./assignee-field.tsx";
import { type Block, BlockFields } from "./move-dialog.tsx";
import { say } from "./card-changes.ts";
import { CardPicker } from "./card-picker.tsx";
import { type Assignee, type CardLine, STATUS_NAMES, type Status } from "./cards.ts";
import { fromLocalTime } from "./local-time.ts";

type NewCard = Asked<"POST /v1/boards/{board}/cards">["body"];

/** Columns that a new card can begin in. */
export const BEGINNINGS: Status[] = ["triage", "todo", "scheduled", "ready", "running", "blocked"];

export function NewCardDialog({
  board,
  status,
  cards,
  onMade,
  onClose,
}: {
  board: string;
  status: Status;
  /** Which it may wait for. */
  cards: CardLine[];
  onMade(card: CardLine): void;
  onClose(): void;
}) {
  const [title, setTitle] = useState("");
  const [body, setBody] = useState("");
  const [assignee, setAssignee] = useState<Assignee>(null);
  const [priority, setPriority] = useState("0");
  const [parent, setParent] = useState("");
  const [time, setTime] = useState("");
  const [block, setBlock] = useState<Block>({ kind: "needs_input", reason: "" });
  async function make(): Promise<void> {
    const wanted: NewCard = {
      title,
      body,
      assignee,
      priority: Number(priority) || 0,
      ...(status === "triage" && { triage: true }),
      ...(status === "running" && { start: true }),
      ...(status === "scheduled" && { notBefore: fromLocalTime(time) }),
      ...(status === "blocked" && { block }),
      ...(parent !== "" && { parents: [parent] }),
    };
    const card = await call("POST /v1/boards/{board}/cards", { params: { board }, body: wanted });
    say(`${quote(card.title)} was made. It is in ${STATUS_NAMES[card.status]}.`);
    onMade(card);
  }

  return (
    <FormDialog title={`New card in ${STATUS_NAMES[status]}`} action="Make card" run={make} onClose={onClose}>
      <Field label="Title">
        {(props) => (
          <input
            {...props}
            required
            autofocus
            maxLength={300}
            dir="auto"
            value={title}
            onInput={({ currentTarget }) => setTitle(currentTarget.value)}
          />
        )}
      </Field>
      <Field label="Text" hint="Markdown. Who works on the card reads it as your own word.">
        {(props) => (
          <textarea
            {...props}
            rows={5}
            dir="auto"
            value={body}
            onInput={({ currentTarget }) => setBody(currentTarget.value)}
          />
        )}
      </Field>
      {status === "scheduled" && (
        <Field label="Not before" hint="In your own time zone.">
          {(props) => (
            <input
              {...props}
              type="datetime-local"
              required
              value={time}
              onInput={({ currentTarget }) => setTime(currentTarget.value)}
            />
          )}
        </Field>
      )}
      {status === "blocked" && <BlockFields value={block} onChange={setBlock} />}
      <AssigneeField value={assignee} onChange={setAssignee} />
      <Field label="Priority" hint="Higher comes first. From -1000 to 1000.">
        {(props) => (
          <input
            {...props}
            type="number"
            min={-1000}
            max={1000}
            value={priority}
            onInput={({ currentTarget }) => setPriority(currentTarget.value)}
          />
        )}
      </Field>
      {status !== "running" && (
        <CardPicker
          label="Waits for"
          hint={
            status === "todo"
              ? "A card that is not done. Without one, the card is ready at once."
              : "Optional: a card that must be done first."
          }
          cards={cards}
          value={parent}
          onChange={setParent}
        />
      )}
    </FormDialog>
  );
}
