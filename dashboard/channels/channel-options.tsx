// Who may talk in a channel, and how the agent behaves there. Each choice is stored as it is made.
import { useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { Field } from "../components/field.tsx";
import { useAction } from "../components/use-action.ts";
import type { Answer } from "../data/api.ts";
import { change } from "../data/resource.ts";
import { may } from "../data/sign-in.ts";
import type { Platform } from "./platform.ts";
import { readNames } from "../components/read-fields.ts";

type Options = Answer<"GET /v1/channels/{platform}">["options"];

const CHOICES = [
  {
    name: "strangers",
    label: "A stranger's direct message",
    values: { pair: "gets a pairing code", ignore: "is not answered" },
  },
  {
    name: "listen",
    label: "In groups",
    values: { mention: "answers when mentioned", all: "answers everything", off: "says nothing" },
  },
  {
    name: "busy",
    label: "A message while it works",
    values: { queue: "waits for its turn", steer: "goes into the running turn", interrupt: "stops the running turn" },
  },
  {
    name: "progress",
    label: "While it works it shows",
    values: { off: "nothing", typing: "that it types", tools: "the tools it uses", stream: "the answer as it grows" },
  },
] as const;

const LISTS = [
  { name: "owners", label: "Owners", hint: "May do everything; what they say counts as yours." },
  { name: "admins", label: "Admins", hint: "May use every command of the channel, and decide approvals." },
  { name: "users", label: "Users", hint: "May talk." },
] as const;

export function ChannelOptions({ platform, options }: { platform: Platform["platform"]; options: Options }) {
  const saving = useAction();
  const isLocked = !may("admin");
  /** `null` takes a choice away. */
  const save = (options: Record<string, unknown>) =>
    saving.run(() => change("PATCH /v1/channels/{platform}", { params: { platform }, body: { options } }), "Saved.");
  return (
    <div class="form">
      {LISTS.map(({ name, label, hint }) => (
        <ListField
          key={`${name} ${options[name]?.join()}`}
          {...{ label, hint, isLocked }}
          values={options[name] ?? []}
          onSave={(values) => save({ [name]: values })}
        />
      ))}
      {CHOICES.map(({ name, label, values }) => (
        <Field key={name} label={label}>
          {(props) => (
            <select
              {...props}
              disabled={isLocked}
              value={options[name] ?? ""}
              onChange={(event) => save({ [name]: event.currentTarget.value || null })}
            >
              <option value="">default</option>
              {Object.entries(values).map(([value, words]) => (
                <option key={value} value={value}>
                  {words}
                </option>
              ))}
            </select>
          )}
        </Field>
      ))}
      <label class="check">
        <input
          type="checkbox"
          disabled={isLocked}
          checked={options.everyone ?? false}
          onChange={(event) => save({ everyone: event.currentTarget.checked })}
        />
        Everybody on the platform may talk to it
      </label>
    </div>
  );
}

interface ListFieldProps {
  label: string;
  hint: string;
  values: string[];
  isLocked: boolean;
  onSave(values: string[]): void;
}

function ListField({ label, hint, values, isLocked, onSave }: ListFieldProps) {
  const [text, setText] = useState(values.join(", "));
  const next = readNames(text);
  return (
    <Field label={label} hint={`${hint} Ids or handles of the platform, with commas between them.`}>
      {(props) => (
        <div class="input-row">
          <input {...props} disabled={isLocked} value={text} onInput={(event) => setText(event.currentTarget.value)} />
          {next.join() !== values.join() && <Button onClick={() => onSave(next)}>Save</Button>}
        </div>
      )}
    </Field>
  );
}
