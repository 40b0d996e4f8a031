// A time zone by its name, with the browser's list of names.
import { useId } from "preact/hooks";
import { Field } from "../components/field.tsx";

export function ZoneField({
  label = "Time zone",
  hint,
  value,
  onChange,
}: {
  label?: string;
  hint?: string;
  value: string;
  onChange(zone: string): void;
}) {
  const list = useId();
  return (
    <Field label={label} hint={hint}>
      {(props) => (
        <>
          <input
            {...props}
            list={list}
            maxLength={64}
            autocomplete="off"
            spellcheck={false}
            placeholder="UTC"
            value={value}
            onInput={({ currentTarget }) => onChange(currentTarget.value)}
          />
          <datalist id={list}>
            {["UTC", ...Intl.supportedValuesOf("timeZone")].map((zone) => (
              <option key={zone} value={zone}>
                {zone}
              </option>
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}
