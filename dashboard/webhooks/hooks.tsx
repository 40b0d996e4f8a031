// Outbound webhooks: which addresses get which events.
import { useState } from "preact/hooks";
import { Badge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { confirm } from "../components/dialog.tsx";
import { Field } from "../components/field.tsx";
import { FormDialog } from "../components/form-dialog.tsx";
import { SecretDialog } from "../components/secret-dialog.tsx";
import { Empty, Listed, MoreButton } from "../components/states.tsx";
import { toast } from "../components/toasts.tsx";
import { useAction } from "../components/use-action.ts";
import { type Answer, call } from "../data/api.ts";
import { useList } from "../data/list.ts";
import { may } from "../data/sign-in.ts";
import { hrefOf } from "../pages.ts";
import { HOOK_EVENTS, type HookEvent } from "./events.ts";

type Hook = Answer<"GET /v1/hooks">["hooks"][number];

export function Hooks() {
  const list = useList("GET /v1/hooks", { query: { limit: "100" } }, ({ hooks }) => hooks);
  const [isAdding, setAdding] = useState(false);
  const [secret, setSecret] = useState<string>();
  return (
    <>
      {may("admin") && (
        <div class="toolbar">
          <Button kind="primary" icon="plus" onClick={() => setAdding(true)}>
            Add an address
          </Button>
        </div>
      )}
      <Listed
        of={list}
        empty={
          <Empty icon="hook" title="No address gets events yet">
            <p>Add the address of a program of yours: it gets a signed request for each event that you choose.</p>
          </Empty>
        }
      >
        {(items) => (
          <ul class="stack" aria-label="Addresses that get events">
            {items.map((hook) => (
              <li key={hook.id} class="panel">
                <HookPanel hook={hook} onSecret={setSecret} onGone={() => void list.reload()} />
              </li>
            ))}
          </ul>
        )}
      </Listed>
      <MoreButton of={list} />
      {isAdding && (
        <HookForm
          onClose={() => setAdding(false)}
          onMade={(made) => {
            setSecret(made);
            void list.reload();
          }}
        />
      )}
      {secret !== undefined && (
        <SecretDialog
          title="The secret of this hook"
          secret={secret}
          text="Your program checks the signature of each request with it (Standard Webhooks)."
          onClose={() => setSecret(undefined)}
        />
      )}
    </>
  );
}

function HookPanel({ hook, onSecret, onGone }: { hook: Hook; onSecret(secret: string): void; onGone(): void }) {
  const { id, url, events, description, disabledAt } = hook;
  const params = { hook: id };
  const testing = useAction();
  const test = () =>
    testing.run(async () => {
      const { status, error, ms } = await call("POST /v1/hooks/{hook}/test", { params });
      toast(error ?? `It answered ${status} after ${ms} ms.`);
    });
  const rotate = () =>
    confirm({
      title: "Make a new secret?",
      text: <p>Requests are signed with both secrets for a day, so that your program can change over.</p>,
      action: "Make a new secret",
      run: async () => onSecret((await call("POST /v1/hooks/{hook}/rotate", { params })).secret),
    });
  const remove = () =>
    confirm({
      title: "Remove this address?",
      text: <p class="mono">{url}</p>,
      action: "Remove",
      isDanger: true,
      async run() {
        await call("DELETE /v1/hooks/{hook}", { params });
        onGone();
      },
    });
  return (
    <>
      <div class="section-head">
        <h2 class="mono">{url}</h2>
        {disabledAt !== undefined && <Badge tone="bad">Off: it refused too often</Badge>}
      </div>
      {description && <p dir="auto">{description}</p>}
      <p class="muted">Gets a request when {events.map((event) => HOOK_EVENTS[event] ?? event).join("; when ")}.</p>
      <div class="form-actions">
        <a class="button" href={hrefOf("webhooks", "out", id)}>
          Deliveries
        </a>
        {may("admin") && (
          <>
            <Button isBusy={testing.isBusy} onClick={test}>
              Test
            </Button>
            <Button onClick={rotate}>New secret</Button>
            <Button kind="quiet" icon="trash" onClick={remove}>
              Remove
            </Button>
          </>
        )}
      </div>
    </>
  );
}

function HookForm({ onClose, onMade }: { onClose(): void; onMade(secret: string): void }) {
  const [url, setUrl] = useState("");
  const [description, setDescription] = useState("");
  const [events, setEvents] = useState<HookEvent[]>(["turn.ended"]);
  const toggle = (event: HookEvent) =>
    setEvents((before) => (before.includes(event) ? before.filter((one) => one !== event) : [...before, event]));
  async function add(): Promise<void> {
    const body = { url, events, ...(description !== "" && { description }) };
    onMade((await call("POST /v1/hooks", { body })).secret);
  }
  return (
    <FormDialog title="Add an address" action="Add" isInvalid={events.length === 0} run={add} onClose={onClose}>
      <Field label="Address">
        {(props) => (
          <input
            {...props}
            type="url"
            required
            placeholder="https://…"
            value={url}
            onInput={(event) => setUrl(event.currentTarget.value)}
          />
        )}
      </Field>
      <Field label="What it is for (optional)">
        {(props) => (
          <input {...props} value={description} onInput={(event) => setDescription(event.currentTarget.value)} />
        )}
      </Field>
      <fieldset>
        <legend>Tell it when</legend>
        {Object.entries(HOOK_EVENTS).map(([event, words]) => (
          <label key={event} class="check">
            <input
              type="checkbox"
              checked={events.includes(event as HookEvent)}
              onChange={() => toggle(event as HookEvent)}
            />
            {words}
          </label>
        ))}
      </fieldset>
    </FormDialog>
  );
}
