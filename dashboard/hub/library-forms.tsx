// The forms of a library: following with a code, and inviting others.
import { useState } from "preact/hooks";
import { Field } from "../components/field.tsx";
import { FormDialog } from "../components/form-dialog.tsx";
import { change } from "../data/resource.ts";

const MAX_LABEL = 80;
const DAYS = [1, 7, 30, 90];
const DAY_MS = 24 * 60 * 60_000;

export function FollowForm({ onClose }: { onClose(): void }) {
  const [code, setCode] = useState("");
  const [label, setLabel] = useState("");
  const [evidence, setEvidence] = useState(false);
  const body = { code: code.trim(), label: label.trim(), evidence };
  return (
    <FormDialog
      title="Follow a library"
      action="Follow"
      run={() => change("POST /v1/library/following", { body })}
      onClose={onClose}
    >
      <p>Nothing is installed by that. A text that its publisher withdraws is then archived here too.</p>
      <Field label="Code" hint="From a person of the profile that you want to follow.">
        {(props) => (
          <input
            {...props}
            required
            autocomplete="off"
            spellcheck={false}
            maxLength={200}
            value={code}
            onInput={(event) => setCode(event.currentTarget.value)}
          />
        )}
      </Field>
      <LabelField label={label} onInput={setLabel} hint="What the publisher sees of you." />
      <label class="check">
        <input type="checkbox" checked={evidence} onChange={(event) => setEvidence(event.currentTarget.checked)} />
        Send how often its skills were used, as counts without texts
      </label>
    </FormDialog>
  );
}

export function InviteForm({ onClose, onCode }: { onClose(): void; onCode(code: string): void }) {
  const [label, setLabel] = useState("");
  const [uses, setUses] = useState("1");
  const [days, setDays] = useState("7");
  const body = { label: label.trim(), uses: Number(uses), expiresInMs: Number(days) * DAY_MS };
  return (
    <FormDialog
      title="Invite profiles to follow you"
      action="Make a code"
      run={async () => onCode((await change("POST /v1/library/invitations", { body })).code)}
      onClose={onClose}
    >
      <p>Who follows you reads the skills that you share, always the newest text. Nothing else is shown.</p>
      <LabelField label={label} onInput={setLabel} hint="What followers see of you." />
      <Field label="Profiles that may follow with it">
        {(props) => (
          <input
            {...props}
            required
            type="number"
            min={1}
            max={100}
            value={uses}
            onInput={(event) => setUses(event.currentTarget.value)}
          />
        )}
      </Field>
      <Field label="It ends after">
        {(props) => (
          <select {...props} value={days} onChange={(event) => setDays(event.currentTarget.value)}>
            {DAYS.map((count) => (
              <option key={count} value={count}>
                {count === 1 ? "1 day" : `${count} days`}
              </option>
            ))}
          </select>
        )}
      </Field>
    </FormDialog>
  );
}

function LabelField({ label, hint, onInput }: { label: string; hint: string; onInput(label: string): void }) {
  return (
    <Field label="Your name" hint={hint}>
      {(props) => (
        <input {...props} maxLength={MAX_LABEL} value={label} onInput={(event) => onInput(event.currentTarget.value)} />
      )}
    </Field>
  );
}
