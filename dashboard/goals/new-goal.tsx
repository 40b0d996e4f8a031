// Sets a goal for a session: a new one, or one that exists.
import { useState } from "preact/hooks";
import { Field } from "../components/field.tsx";
import { FormDialog } from "../components/form-dialog.tsx";
import { call } from "../data/api.ts";
import { change, useResource } from "../data/resource.ts";
import { hrefOf } from "../pages.ts";
import { CLAUSES, EMPTY_GOAL, type GoalFields, toNewGoal } from "./goal-words.ts";

const NEW = "";
const SHOWN_SESSIONS = "50";
const TITLE_CHARS = 80;

export function NewGoalDialog({ onClose }: { onClose(): void }) {
  const [fields, setFields] = useState(EMPTY_GOAL);
  const [session, setSession] = useState(NEW);
  const sessions = useResource("GET /v1/sessions", { query: { kind: "chat", limit: SHOWN_SESSIONS } }).value?.sessions;
  const set =
    (name: keyof GoalFields) =>
    ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
      setFields({ ...fields, [name]: currentTarget.value });

  async function make(): Promise<void> {
    const title = fields.text.split("\n", 1)[0]!.slice(0, TITLE_CHARS).toWellFormed();
    const id = session === NEW ? (await call("POST /v1/sessions", { body: { title } })).session : session;
    // If the goal is refused, the next attempt takes the session that is there already.
    setSession(id);
    const goal = await change("POST /v1/goals", { body: toNewGoal(fields, id) }, ["/v1/goals", "/v1/sessions"]);
    location.hash = hrefOf("goals", goal.id);
  }

  return (
    <FormDialog title="New goal" action="Set goal" run={make} onClose={onClose}>
      <Field label="Goal" hint="What is to be reached. The session works at it turn by turn.">
        {(props) => (
          <textarea
            {...props}
            rows={4}
            required
            autofocus
            maxLength={4_000}
            dir="auto"
            value={fields.text}
            onInput={set("text")}
          />
        )}
      </Field>
      <Field label="Session">
        {(props) => (
          <select {...props} value={session} onChange={({ currentTarget }) => setSession(currentTarget.value)}>
            <option value={NEW}>A new session</option>
            {session !== NEW && !sessions?.some((one) => one.session === session) && (
              <option value={session}>The session that was made for it</option>
            )}
            {sessions?.map(({ session: id, title }) => (
              <option key={id} value={id}>
                {(title || "Untitled").slice(0, TITLE_CHARS)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Turns" hint="Judged turns until it pauses. Empty: the operator's limit.">
        {(props) => (
          <input {...props} type="number" min={1} max={200} value={fields.maxTurns} onInput={set("maxTurns")} />
        )}
      </Field>
      <Field
        label="Checks"
        hint="Shell commands that must succeed before the goal counts as reached. One a line, at most 5."
      >
        {(props) => (
          <textarea
            {...props}
            class="input mono"
            rows={2}
            spellcheck={false}
            value={fields.checks}
            onInput={set("checks")}
          />
        )}
      </Field>
      <details class="more-fields">
        <summary>What the judge holds it against</summary>
        <div class="form">
          {CLAUSES.map(({ name, label, hint }) => (
            <Field key={name} label={label} hint={hint}>
              {(props) => (
                <textarea {...props} rows={2} maxLength={2_000} dir="auto" value={fields[name]} onInput={set(name)} />
              )}
            </Field>
          ))}
          <Field label="Subgoals" hint="One a line, at most 20.">
            {(props) => <textarea {...props} rows={3} dir="auto" value={fields.subgoals} onInput={set("subgoals")} />}
          </Field>
        </div>
      </details>
    </FormDialog>
  );
}
