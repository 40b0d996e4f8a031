// Edits the fields of a card. Only what was changed is sent, so that what others changed meanwhile stays.
import { useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { Field } from "../../components/field.tsx";
import { ErrorNote } from "../../components/states.tsx";
import { useAttempt } from "../../components/use-attempt.ts";
import type { Asked } from "../../../cli/connection/routes.ts";
import { call } from "../../data/api.ts";
import { say } from "../card-changes.ts";
import type { CardDetail, CardLine } from "../cards.ts";
import { fromLocalTime, toLocalTime } from "../local-time.ts";

type Card = CardDetail["card"];
type Patch = NonNullable<Asked<"PATCH /v1/boards/{board}/cards/{card}">["body"]>;

const WAITING = ["triage", "todo", "scheduled", "ready"];

export function EditCard({
  board,
  card,
  onSaved,
  onClose,
}: {
  board: string;
  card: Card;
  onSaved(card: CardLine): Promise<void>;
  onClose(): void;
}) {
  const [before] = useState(() => toForm(card));
  const [form, setForm] = useState(before);
  const { isBusy, error, run } = useAttempt();
  const set =
    (name: keyof typeof form) =>
    ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
      setForm({ ...form, [name]: currentTarget.value });

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    const isSaved = await run(async () => {
      const body = toPatch(before, form);
      const saved = await call("PATCH /v1/boards/{board}/cards/{card}", { params: { board, card: card.id }, body });
      say("The card was saved.");
      await onSaved(saved);
    });
    if (isSaved) onClose();
  }

  return (
    <form class="form" onSubmit={(event) => void submit(event)}>
      <Field label="Title">
        {(props) => (
          <input {...props} required autofocus maxLength={300} dir="auto" value={form.title} onInput={set("title")} />
        )}
      </Field>
      <Field label="Text" hint="Markdown">
        {(props) => (
          <textarea {...props} rows={10} maxLength={64_000} dir="auto" value={form.body} onInput={set("body")} />
        )}
      </Field>
      <div class="field-row">
        <Field label="Priority" hint="Higher first">
          {(props) => (
            <input
              {...props}
              type="number"
              min={-1000}
              max={1000}
              required
              value={form.priority}
              onInput={set("priority")}
            />
          )}
        </Field>
        <Field label="Label" hint="A word to group cards">
          {(props) => <input {...props} maxLength={100} dir="auto" value={form.label} onInput={set("label")} />}
        </Field>
      </div>
      {WAITING.includes(card.status) && (
        <Field label="Not before" hint="In your own time zone. Empty: at once.">
          {(props) => <input {...props} type="datetime-local" value={form.notBefore} onInput={set("notBefore")} />}
        </Field>
      )}
      <Field label="Skills" hint="Loaded at the start of its runs, with commas between them.">
        {(props) => <input {...props} spellcheck={false} value={form.skills} onInput={set("skills")} />}
      </Field>
      <details>
        <summary>Limits of its own</summary>
        <div class="field-row">
          <Field label="Minutes a run">
            {(props) => <input {...props} type="number" min={1} value={form.minutes} onInput={set("minutes")} />}
          </Field>
          <Field label="Tokens a turn">
            {(props) => <input {...props} type="number" min={1000} value={form.tokens} onInput={set("tokens")} />}
          </Field>
          <Field label="Failures in a row">
            {(props) => <input {...props} type="number" min={1} value={form.failures} onInput={set("failures")} />}
          </Field>
        </div>
      </details>
      {error !== undefined && <ErrorNote error={error} />}
      <div class="form-actions">
        <Button type="submit" kind="primary" isBusy={isBusy}>
          Save
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </form>
  );
}

function toForm({ title, body, priority, label, notBefore, skills, limits }: Card) {
  const text = (value: number | undefined) => (value === undefined ? "" : String(value));
  return {
    title,
    body,
    priority: String(priority),
    label: label ?? "",
    notBefore: notBefore === null ? "" : toLocalTime(notBefore),
    skills: skills.join(", "),
    minutes: limits.runMs === undefined ? "" : String(limits.runMs / 60_000),
    tokens: text(limits.tokens),
    failures: text(limits.failures),
  };
}

type Form = ReturnType<typeof toForm>;

function toPatch(before: Form, form: Form): Patch {
  const differs = (...names: (keyof Form)[]) => names.some((name) => before[name] !== form[name]);
  const number = (text: string) => (text === "" ? undefined : Number(text));
  const minutes = number(form.minutes);
  return {
    ...(differs("title") && { title: form.title }),
    ...(differs("body") && { body: form.body }),
    ...(differs("priority") && { priority: Number(form.priority) }),
    ...(differs("label") && { label: form.label.trim() || null }),
    ...(differs("notBefore") && { notBefore: form.notBefore === "" ? null : fromLocalTime(form.notBefore) }),
    ...(differs("skills") && { skills: form.skills.split(/[\s,]+/).filter(Boolean) }),
    ...(differs("minutes", "tokens", "failures") && {
      limits: {
        runMs: minutes === undefined ? undefined : minutes * 60_000,
        tokens: number(form.tokens),
        failures: number(form.failures),
      },
    }),
  };
}
