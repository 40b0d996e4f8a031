// The fields of a platform, as a form that the platform itself describes. Secrets are written, never read back.
import { useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { Field } from "../components/field.tsx";
import { ErrorNote } from "../components/states.tsx";
import { toast } from "../components/toasts.tsx";
import { change } from "../data/resource.ts";
import type { Platform } from "./platform.ts";

export function ChannelFields({ platform: { platform, form, channel } }: { platform: Platform }) {
  const [values, setValues] = useState<Record<string, string>>(() => readKnown(form, channel?.fields));
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const set = (name: string, value: string) => setValues((before) => ({ ...before, [name]: value }));

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    const filled = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
    try {
      const params = { platform };
      // A new channel is set whole; one that is there keeps what was left empty.
      if (channel) await change("PATCH /v1/channels/{platform}", { params, body: filled });
      else await change("PUT /v1/channels/{platform}", { params, body: filled });
      setValues(readKnown(form, { ...channel?.fields, ...filled }));
      toast("Saved. Test the channel to see whether the platform accepts it.");
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  }

  return (
    <form class="form" onSubmit={(event) => void submit(event)}>
      {form.map(({ name, help, secret, required, file }) => (
        <Field
          key={name}
          label={`${toWords(name)}${required ? "" : " (optional)"}`}
          hint={hintOf(help, secret && channel?.fields[name] != null)}
        >
          {(props) =>
            file ? (
              <textarea
                {...props}
                rows={4}
                spellcheck={false}
                value={values[name] ?? ""}
                onInput={(event) => set(name, event.currentTarget.value)}
              />
            ) : secret ? (
              <input
                {...props}
                type="password"
                autocomplete="off"
                required={required && !channel}
                value={values[name] ?? ""}
                onInput={(event) => set(name, event.currentTarget.value)}
              />
            ) : (
              <input
                {...props}
                required={required}
                value={values[name] ?? ""}
                onInput={(event) => set(name, event.currentTarget.value)}
              />
            )
          }
        </Field>
      ))}
      {error !== undefined && <ErrorNote error={error} />}
      <div class="form-actions">
        <Button type="submit" kind="primary" isBusy={isBusy}>
          Save
        </Button>
      </div>
    </form>
  );
}

function hintOf(help: string, isKept: boolean | undefined): string {
  return isKept ? `${help} A value is kept; leave this empty to keep it.` : help;
}

/** `webhookSecret` as "Webhook secret". */
export function toWords(name: string): string {
  const words = name.replaceAll(/(?<=[a-z\d])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What is known of the fields: never a secret. */
export function readKnown(form: Platform["form"], fields: Record<string, unknown> = {}): Record<string, string> {
  return Object.fromEntries(
    form.map(({ name, secret }) => {
      const value = fields[name];
      return [name, secret || value == null ? "" : String(value as string | number | boolean)];
    }),
  );
}
