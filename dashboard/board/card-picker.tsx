// Chooses another card by its title or its id.
import { useId } from "preact/hooks";
import { Field } from "../components/field.tsx";
import { type CardLine, STATUS_NAMES } from "./cards.ts";

const MAX_OPTIONS = 200;

export function CardPicker({
  label,
  hint,
  cards,
  value,
  onChange,
}: {
  label: string;
  hint?: string;
  cards: CardLine[];
  /** Its id, or the beginning of what is typed. */
  value: string;
  onChange(value: string): void;
}) {
  const list = useId();
  const chosen = cards.find(({ id }) => id === value);
  return (
    <Field label={label} hint={chosen ? `${chosen.title} (${STATUS_NAMES[chosen.status]})` : hint}>
      {(props) => (
        <>
          <input
            {...props}
            list={list}
            autocomplete="off"
            spellcheck={false}
            placeholder="Type a title or an id"
            value={value}
            onInput={({ currentTarget }) => onChange(currentTarget.value.trim())}
          />
          <datalist id={list}>
            {cards.slice(0, MAX_OPTIONS).map(({ id, title, status }) => (
              <option key={id} value={id}>
                {`${title.slice(0, 80)} (${STATUS_NAMES[status]})`}
              </option>
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}
