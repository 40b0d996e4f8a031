// The form of a blueprint, made from its slots: for a blueprint of the gallery, or for a suggestion.
import { useState } from "preact/hooks";
import { Field } from "../components/field.tsx";
import { quote } from "../components/hidden-text.ts";
import { FormDialog } from "../components/form-dialog.tsx";
import { DeliverField } from "./deliver-field.tsx";
import { readOwnZone } from "./job-words.ts";
import { type Blueprint, type Slot, type SlotTexts, readLimits, toSlots, toTexts } from "./slots.ts";
import { ZoneField } from "./zone-field.tsx";

interface SlotFormProps {
  blueprint: Blueprint;
  /** Values that are proposed. */
  given?: Record<string, string | number>;
  /** Throws why it was refused: the form then stays. */
  make(made: { name: string | undefined; slots: Record<string, string | number> }): Promise<void>;
  onClose(): void;
}

export function SlotForm({ blueprint, given = {}, make, onClose }: SlotFormProps) {
  const [name, setName] = useState("");
  const [texts, setTexts] = useState<SlotTexts>(() => toTexts(blueprint, given, readOwnZone()));
  const isJob = blueprint.kind === "job";
  return (
    <FormDialog
      title={blueprint.title}
      action={isJob ? "Make job" : "Set goal"}
      run={() => make({ name: name || undefined, slots: toSlots(blueprint, texts) })}
      onClose={onClose}
    >
      <p class="muted">{blueprint.purpose}</p>
      {blueprint.slots.map((slot) => (
        <SlotField
          key={slot.name}
          blueprint={blueprint}
          slot={slot}
          value={texts[slot.name]!}
          onChange={(value) => setTexts({ ...texts, [slot.name]: value })}
        />
      ))}
      {isJob && (
        <Field label="Name of the job" hint={`Empty: ${quote(blueprint.id)}.`}>
          {(props) => (
            <input
              {...props}
              pattern="[a-z0-9](?:[a-z0-9\-]{0,62}[a-z0-9])?"
              spellcheck={false}
              value={name}
              onInput={({ currentTarget }) => setName(currentTarget.value)}
            />
          )}
        </Field>
      )}
    </FormDialog>
  );
}

interface SlotFieldProps {
  blueprint: Blueprint;
  slot: Slot;
  value: string;
  onChange(value: string): void;
}

/** Longer texts get more room. */
const LONG_CHARS = 300;
const DAYS_HINT = "weekdays, every day, weekends, or days such as monday and friday";

function SlotField({ blueprint, slot, value, onChange }: SlotFieldProps) {
  const { name, type, ask, required, options } = slot;
  const limits = readLimits(blueprint, name);
  const label = required ? ask : `${ask} (optional)`;
  const onInput = ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
    onChange(currentTarget.value);
  if (type === "deliver") return <DeliverField value={value} onChange={onChange} />;
  if (type === "timeZone") return <ZoneField label={ask} value={value} onChange={onChange} />;
  if (options) {
    return (
      <Field label={ask}>
        {(props) => (
          <select {...props} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
            {options.map((option) => (
              <option key={option} value={option}>
                {option}
              </option>
            ))}
          </select>
        )}
      </Field>
    );
  }
  if (type === "text" && (limits.maxLength ?? 0) > LONG_CHARS) {
    return (
      <Field label={label}>
        {(props) => (
          <textarea
            {...props}
            rows={3}
            required={required}
            maxLength={limits.maxLength}
            dir="auto"
            value={value}
            onInput={onInput}
          />
        )}
      </Field>
    );
  }
  const kind = type === "time" || type === "number" || type === "url" ? type : "text";
  return (
    <Field label={label} hint={type === "days" ? DAYS_HINT : undefined}>
      {(props) => (
        <input
          {...props}
          {...limits}
          type={kind as "text"}
          step={type === "number" ? "any" : undefined}
          required={required}
          dir={type === "text" ? "auto" : undefined}
          value={value}
          onInput={onInput}
        />
      )}
    </Field>
  );
}
