// Moves cards by keyboard or pointer: where to, and what that asks for. Also opened by a drop that needs a word.
import { useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { quote } from "../components/hidden-text.ts";
import { Dialog } from "../components/dialog.tsx";
import { Field } from "../components/field.tsx";
import { ErrorNote } from "../components/states.tsx";
import { useAttempt } from "../components/use-attempt.ts";
import type { MoveFacts } from "./card-changes.ts";
import { type CardLine, STATUS_HINTS, STATUS_NAMES, type Status, asksOf, targetsOf } from "./cards.ts";
import { fromLocalTime } from "./local-time.ts";

interface MoveDialogProps {
  cards: CardLine[];
  /** Known after a drop. */
  to?: Status | undefined;
  /** Throws what keeps one card from moving; of many cards, failures are shown elsewhere. */
  move(to: Status, facts: MoveFacts): Promise<void>;
  onClose(): void;
}

export function MoveDialog({ cards, to: given, move, onClose }: MoveDialogProps) {
  const [to, setTo] = useState(given);
  const [facts, setFacts] = useState<MoveFacts>({ kind: "needs_input", reason: "" });
  const [time, setTime] = useState("");
  const { isBusy, error, run: attempt } = useAttempt();
  const one = cards.length === 1 ? cards[0]! : undefined;
  const targets = one ? targetsOf(one.status) : [...new Set(cards.flatMap(({ status }) => targetsOf(status)))];
  const asks = to && (cards.map((card) => asksOf(card, to)).find((ask) => ask !== null) ?? null);

  async function run(target: Status, more: MoveFacts): Promise<void> {
    if (await attempt(() => move(target, more))) onClose();
  }

  function choose(target: Status): void {
    if (cards.some((card) => asksOf(card, target) !== null)) setTo(target);
    else void run(target, {});
  }

  function submit(event: Event): void {
    event.preventDefault();
    const { kind, reason } = facts;
    if (asks === "time") void run(to!, { notBefore: fromLocalTime(time) });
    else if (asks === "confirm") void run(to!, {});
    else void run(to!, { ...(asks === "block" && { kind }), reason });
  }

  const what = one ? `${quote(one.title)}` : `${cards.length} cards`;
  const title = to ? `Move to ${STATUS_NAMES[to]}` : "Move to…";
  return (
    <Dialog title={title} onClose={onClose}>
      <p class="dialog-body muted move-what" dir="auto">
        {what}
      </p>
      {error !== undefined && <ErrorNote error={error} />}
      {to === undefined ? (
        <ul class="move-targets" aria-label="Columns">
          {targets.map((target, i) => (
            <li key={target}>
              <button
                type="button"
                class="move-target"
                autofocus={i === 0}
                disabled={isBusy}
                onClick={() => choose(target)}
              >
                <span class={`dot dot-${target}`} aria-hidden="true" />
                <strong>{STATUS_NAMES[target]}</strong>
                <span class="muted">{STATUS_HINTS[target]}</span>
              </button>
            </li>
          ))}
          {targets.length === 0 && <li class="muted">An archived card stays where it is.</li>}
        </ul>
      ) : (
        <form class="form" onSubmit={submit}>
          {asks === "block" && (
            <BlockFields
              value={{ kind: facts.kind ?? "needs_input", reason: facts.reason ?? "" }}
              onChange={(block) => setFacts(block)}
            />
          )}
          {to === "archived" && <p>An archived card cannot come back. Its events and runs are kept for 30 days.</p>}
          {cards.some(({ status }) => status === "running") && <p>A session that works on it is stopped.</p>}
          {asks === "reason" && (
            <Field label="What is wrong" hint="Who works on it next reads it as your word.">
              {(props) => (
                <textarea
                  {...props}
                  rows={4}
                  required
                  autofocus
                  maxLength={4_000}
                  dir="auto"
                  value={facts.reason ?? ""}
                  onInput={({ currentTarget }) => setFacts({ reason: currentTarget.value })}
                />
              )}
            </Field>
          )}
          {asks === "time" && (
            <Field label="Not before" hint="In your own time zone.">
              {(props) => (
                <input
                  {...props}
                  type="datetime-local"
                  required
                  autofocus
                  value={time}
                  onInput={({ currentTarget }) => setTime(currentTarget.value)}
                />
              )}
            </Field>
          )}
          <div class="dialog-foot">
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" kind="primary" isBusy={isBusy}>
              Move
            </Button>
          </div>
        </form>
      )}
    </Dialog>
  );
}

export interface Block {
  kind: "needs_input" | "capability" | "transient";
  reason: string;
}

const KINDS: { kind: Block["kind"]; name: string }[] = [
  { kind: "needs_input", name: "Somebody must answer or decide something" },
  { kind: "capability", name: "Something is missing: a tool, a right, a machine" },
  { kind: "transient", name: "It is tried again by itself after a while" },
];

export function BlockFields({ value, onChange }: { value: Block; onChange(block: Block): void }) {
  return (
    <>
      <Field label="Kind of block">
        {(props) => (
          <select
            {...props}
            value={value.kind}
            onChange={({ currentTarget }) => onChange({ ...value, kind: currentTarget.value as Block["kind"] })}
          >
            {KINDS.map(({ kind, name }) => (
              <option key={kind} value={kind}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Reason">
        {(props) => (
          <textarea
            {...props}
            rows={3}
            required
            maxLength={4_000}
            dir="auto"
            value={value.reason}
            onInput={({ currentTarget }) => onChange({ ...value, reason: currentTarget.value })}
          />
        )}
      </Field>
    </>
  );
}
