// The form of an inbound webhook. Filters and groups of events are shown and kept; they are written over the API.
import { useState } from "preact/hooks";
import { Field } from "../components/field.tsx";
import { FormDialog } from "../components/form-dialog.tsx";
import { type Answer, call } from "../data/api.ts";
import { readNames } from "../components/read-fields.ts";

type Webhook = Answer<"GET /v1/webhooks">["webhooks"][number];

const SCHEMES: Record<Webhook["scheme"], string> = {
  github: "GitHub",
  gitlab: "GitLab",
  standard: "Standard Webhooks",
  hmac: "A signature (HMAC) of another form",
  bearer: "A secret in the header Authorization",
};
const ANSWERS = { "": "stays in its session", home: "goes to the home chat", hooks: "goes to outbound webhooks" };

interface RouteFormProps {
  /** Absent: a new one. */
  webhook: Webhook | undefined;
  onClose(): void;
  /** `secret`: of a new one. */
  onSaved(secret: string | undefined): void;
}

export function RouteForm({ webhook, onClose, onSaved }: RouteFormProps) {
  const [name, setName] = useState(webhook?.name ?? "");
  const [scheme, setScheme] = useState<Webhook["scheme"]>(webhook?.scheme ?? "github");
  const [header, setHeader] = useState(webhook?.hmac?.header ?? "");
  const [prompt, setPrompt] = useState(webhook?.prompt ?? "");
  const [events, setEvents] = useState((webhook?.events ?? []).join(", "));
  const to = webhook?.deliver?.to;
  const [answer, setAnswer] = useState<string>(to ?? "");

  async function save(): Promise<void> {
    const only = readNames(events);
    const body = {
      ...(prompt !== "" && { prompt }),
      ...((only.length > 0 || webhook?.events) && { events: only }),
      ...(scheme === "hmac" && header !== "" && { hmac: { ...webhook?.hmac, header } }),
      ...(answer !== (to ?? "") && { deliver: answer === "" ? null : { to: answer as "home" | "hooks" } }),
    };
    if (webhook) {
      await call("PATCH /v1/webhooks/{webhook}", { params: { webhook: webhook.name }, body });
      onSaved(undefined);
    } else {
      onSaved((await call("POST /v1/webhooks", { body: { name, scheme, ...body } })).secret);
    }
  }

  return (
    <FormDialog title={webhook ? `Change ${webhook.name}` : "Add a webhook"} action="Save" run={save} onClose={onClose}>
      {!webhook && (
        <>
          <Field label="Name" hint="It becomes a part of the address.">
            {(props) => (
              <input {...props} required value={name} onInput={(event) => setName(event.currentTarget.value)} />
            )}
          </Field>
          <Field label="How the sender proves itself">
            {(props) => (
              <select
                {...props}
                value={scheme}
                onChange={(event) => setScheme(event.currentTarget.value as Webhook["scheme"])}
              >
                {Object.entries(SCHEMES).map(([value, words]) => (
                  <option key={value} value={value}>
                    {words}
                  </option>
                ))}
              </select>
            )}
          </Field>
        </>
      )}
      {scheme === "hmac" && (
        <Field label="Header of the signature" hint="As the sender's documents name it.">
          {(props) => <input {...props} value={header} onInput={(event) => setHeader(event.currentTarget.value)} />}
        </Field>
      )}
      <Field
        label="What the agent is to do"
        hint="Fields of the event in braces: {issue.title}. Empty: it gets the event as it is."
      >
        {(props) => (
          <textarea
            {...props}
            rows={4}
            dir="auto"
            value={prompt}
            onInput={(event) => setPrompt(event.currentTarget.value)}
          />
        )}
      </Field>
      <Field label="Only these events" hint="Names with commas between them. Empty: all.">
        {(props) => <input {...props} value={events} onInput={(event) => setEvents(event.currentTarget.value)} />}
      </Field>
      <Field label="The answer">
        {(props) => (
          <select {...props} value={answer} onChange={(event) => setAnswer(event.currentTarget.value)}>
            {Object.entries(ANSWERS).map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
            {to === "chat" && <option value="chat">goes to its chat, as now</option>}
          </select>
        )}
      </Field>
      {webhook?.filters && <p class="muted">It has {webhook.filters.length} filters, which stay as they are.</p>}
    </FormDialog>
  );
}
