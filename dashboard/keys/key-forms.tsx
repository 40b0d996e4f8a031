// The forms of a key: its name, what it may do, how long it is valid, and when an old secret ends.
import { useState } from "preact/hooks";
import { Dialog } from "../components/dialog.tsx";
import { quote } from "../components/hidden-text.ts";
import { Field } from "../components/field.tsx";
import { FormDialog } from "../components/form-dialog.tsx";
import { Time } from "../components/time.tsx";
import { toast } from "../components/toasts.tsx";
import { call } from "../data/api.ts";
import { may } from "../data/sign-in.ts";
import { GRACES, type KeyInfo, RIGHTS, listExpiries, nameKey, outlives } from "./keys-words.ts";

interface FormProps {
  /** When this browser's sign-in ends, in ms: no key that it makes lasts longer. `null`: unknown. */
  end: number | null;
  onClose(): void;
  reload(): Promise<void>;
}

interface SecretFormProps extends FormProps {
  show(secret: { name: string; key: string }): void;
}

/** The server then gives the key the end of the sign-in. */
const WITH_SIGN_IN = "";

export function MakeKey({ end, onClose, show, reload }: SecretFormProps) {
  const [label, setLabel] = useState("");
  const [right, setRight] = useState(0);
  const [expiry, setExpiry] = useState(WITH_SIGN_IN);
  async function make(): Promise<void> {
    const made = await call("POST /v1/keys", {
      body: {
        label: label.trim(),
        scopes: RIGHTS[right]!.scopes,
        ...(expiry !== WITH_SIGN_IN && { expiresAt: Number(expiry) }),
      },
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
      <ExpiryField
        value={expiry}
        onChange={setExpiry}
        end={end}
        first={{ value: WITH_SIGN_IN, name: "With this sign-in" }}
      />
    </FormDialog>
  );
}

const KEEP = "";

export function ChangeKey({ info, end, onClose, reload }: FormProps & { info: KeyInfo }) {
  const [label, setLabel] = useState(info.label);
  const [expiry, setExpiry] = useState(KEEP);
  async function change(): Promise<void> {
    await call("PATCH /v1/keys/{id}", {
      params: { id: info.id },
      body: { label: label.trim(), ...(expiry !== KEEP && { expiresAt: Number(expiry) }) },
    });
    toast("The key was changed.");
    void reload();
  }
  return (
    <FormDialog title={`Change ${quote(nameKey(info))}`} action="Save" run={change} onClose={onClose}>
      <LabelField value={label} onChange={setLabel} />
      <ExpiryField value={expiry} onChange={setExpiry} end={end} first={{ value: KEEP, name: "As it is" }} />
    </FormDialog>
  );
}

export function RotateKey({ info, end, onClose, show, reload }: SecretFormProps & { info: KeyInfo }) {
  const [seconds, setSeconds] = useState(String(GRACES[1]!.seconds));
  async function rotate(): Promise<void> {
    const made = await call("POST /v1/keys/{id}/rotate", {
      params: { id: info.id },
      body: { graceSeconds: Number(seconds) },
    });
    show({ name: nameKey(made), key: made.key });
    void reload();
  }
  if (outlives(info, end))
    return (
      <Dialog title={`Rotate ${quote(nameKey(info))}`} onClose={onClose}>
        <p>
          This key is valid for longer than this browser's sign-in, so its new secret is not shown here. Rotate it in
          the terminal: <code>npm run chat -- keys rotate {info.id}</code>
        </p>
      </Dialog>
    );
  return (
    <FormDialog title={`Rotate ${quote(nameKey(info))}`} action="Rotate key" run={rotate} onClose={onClose}>
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

interface ExpiryProps extends ValueProps {
  end: number | null;
  first: { value: string; name: string };
}

function ExpiryField({ value, onChange, end, first }: ExpiryProps) {
  const [choices] = useState(() => listExpiries(Date.now(), end));
  const hint = (
    <>
      A key of a browser ends with the sign-in at the latest
      {end !== null && (
        <>
          : <Time at={end} isExact />
        </>
      )}
      . For one that lasts: <code>npm run chat -- keys make</code>
    </>
  );
  return (
    <Field label="Expires" hint={hint}>
      {(props) => (
        <select {...props} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          <option value={first.value}>{first.name}</option>
          {choices.map(({ name, at }) => (
            <option key={at} value={at}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
