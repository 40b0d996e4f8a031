// Who works on a card: nobody, a role, or a person by name.
import { useState } from "preact/hooks";
import { Field } from "../components/field.tsx";
import { useResource } from "../data/resource.ts";
import { type Assignee, fromAssigneeKey, toAssigneeKey } from "./cards.ts";

const PERSON = "person";

export function AssigneeField({
  label = "Assignee",
  value,
  onChange,
  nobody = "Nobody: the agent itself works on it",
}: {
  label?: string;
  value: Assignee;
  onChange(assignee: Assignee): void;
  /** What it means that nobody is chosen. */
  nobody?: string;
}) {
  const roles = useResource("GET /v1/roles", {}).value?.roles ?? [];
  const isGivenPerson = value !== null && "person" in value;
  const [isPerson, setPerson] = useState(isGivenPerson);
  const chosen = isPerson ? PERSON : toAssigneeKey(value);
  const names = roles.map(({ name }) => `role:${name}`);
  // A card may wait for a role that does not exist yet.
  if (chosen !== "" && chosen !== PERSON && !names.includes(chosen)) names.push(chosen);
  return (
    <>
      <Field label={label}>
        {(props) => (
          <select
            {...props}
            value={chosen}
            onChange={({ currentTarget }) => {
              setPerson(currentTarget.value === PERSON);
              if (currentTarget.value !== PERSON) onChange(fromAssigneeKey(currentTarget.value));
            }}
          >
            <option value="">{nobody}</option>
            {names.map((key) => (
              <option key={key} value={key}>
                Role: {key.slice(5)}
              </option>
            ))}
            <option value={PERSON}>A person…</option>
          </select>
        )}
      </Field>
      {isPerson && (
        <Field label="Name of the person" hint="A person is never started by the board: they work on it themselves.">
          {(props) => (
            <input
              {...props}
              maxLength={200}
              dir="auto"
              value={isGivenPerson ? (value as { person: string }).person : ""}
              onInput={({ currentTarget }) =>
                onChange(currentTarget.value.trim() === "" ? null : { person: currentTarget.value })
              }
            />
          )}
        </Field>
      )}
    </>
  );
}
