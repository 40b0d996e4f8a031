// The forms of a key: its name, what it may do, how long it is valid, and when an old secret ends.
import { useState } from "preact/hooks";
import { Field } from "../components/field.tsx";
import { FormDialog } from "../components/form-dialog.tsx";
import { toast } from "../components/toasts.tsx";
import { call } from "../data/api.ts";
import { may } from "../data/sign-in.ts";
import { EXPIRIES, GRACES, type KeyInfo, RIGHTS, nameKey, toExpiry } from "./keys-words.ts";

interface FormProps {
  onClose(): void;
  reload(): Promise<void>;
}

interface SecretFormProps extends FormProps {
  show(secret: { name: string; key: string }): void;
}

const IN_90_DAYS = "90";

export function MakeKey({ onClose, show, reload }: SecretFormProps) {
  const [label, setLabel] = useState("");
  const [right, setRight] = useState(0);
  const [days, setDays] = useState(IN_90_DAYS);
  async function make(): Promise<void> {
    const expiresAt = toExpiry(toDays(days), Date.now());
    const made = await call("POST /v1/keys", {
      body: { label: label.trim(), scopes: RIGHTS[right]!.scopes, ...(expiresAt !== null && { expiresAt }) },
    });
    show({ name: nameKey(made), key: made.key });
    void reload();
  }
  return (
    <FormDialog title="Make a key" action="Make key" run={make} onClose={onClose}>
      <LabelField value={label} onChange={setLabel} />
      <fieldset class="choices">
        <legend>What it may do</legend>
        {RIGHTS.filter(({ scopes }) => scopes.every(may)).map(({ name, about }, i) => (
          <label key={name} class="choice">
            <input type="radio" name="rights" checked={right === i} onChange={() => setRight(i)} />
            <span>
              {name}
              <span class="field-hint">{about}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <ExpiryField value={days} onChange={setDays} />
    </FormDialog>
  );
}

/** What stays as it is. */
const KEEP = "keep";

export function ChangeKey({ info, onClose, reload }: FormProps & { info: KeyInfo }) {
  const [label, setLabel] = useState(info.label);
  const [days, setDays] = useState(KEEP);
  async function change(): Promise<void> {
    await call("PATCH /v1/keys/{id}", {
      params: { id: info.id },
      body: { label: label.trim(), ...(days !== KEEP && { expiresAt: toExpiry(toDays(days), Date.now()) }) },
    });
    toast("The key was changed.");
    void reload();
  }
  return (
    <FormDialog title={`Change ${nameKey(info)}`} action="Save" run={change} onClose={onClose}>
      <LabelField value={label} onChange={setLabel} />
      <ExpiryField value={days} onChange={setDays} mayKeep />
    </FormDialog>
  );
}

export function RotateKey({ info, onClose, show, reload }: SecretFormProps & { info: KeyInfo }) {
  const [seconds, setSeconds] = useState(String(GRACES[1]!.seconds));
  async function rotate(): Promise<void> {
    const made = await call("POST /v1/keys/{id}/rotate", {
      params: { id: info.id },
      body: { graceSeconds: Number(seconds) },
    });
    show({ name: nameKey(made), key: made.key });
    void reload();
  }
  return (
    <FormDialog title={`Rotate ${nameKey(info)}`} action="Rotate key" run={rotate} onClose={onClose}>
      <p>
        The key gets a new secret, which is shown once. Programs that use the old one need the new one before it ends.
      </p>
      <Field label="The old secret ends">
        {(props) => (
          <select {...props} value={seconds} onChange={(event) => setSeconds(event.currentTarget.value)}>
            {GRACES.map((grace) => (
              <option key={grace.seconds} value={grace.seconds}>
                {grace.name}
              </option>
            ))}
          </select>
        )}
      </Field>
    </FormDialog>
  );
}

interface ValueProps {
  value: string;
  onChange(value: string): void;
}

function LabelField({ value, onChange }: ValueProps) {
  return (
    <Field label="Name" hint="Who or what uses it, such as: the nightly report.">
      {(props) => (
        <input
          {...props}
          dir="auto"
          autocomplete="off"
          maxLength={100}
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

function ExpiryField({ value, onChange, mayKeep = false }: ValueProps & { mayKeep?: boolean }) {
  return (
    <Field label="Expires">
      {(props) => (
        <select {...props} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          {mayKeep && <option value={KEEP}>As it is</option>}
          {EXPIRIES.map(({ name, days }) => (
            <option key={name} value={days ?? ""}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** The value of the choice "Never" is empty. */
function toDays(value: string): number | null {
  return value === "" ? null : Number(value);
}
