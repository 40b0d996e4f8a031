// Inbound webhooks: the routes of this profile, each with its proof, its prompt and what becomes of the answer.
import { useState } from "preact/hooks";
import { Badge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { CopyButton } from "../components/code.tsx";
import { confirm } from "../components/dialog.tsx";
import { Facts } from "../components/facts.tsx";
import { SecretDialog } from "../components/secret-dialog.tsx";
import { Empty, Listed, MoreButton } from "../components/states.tsx";
import { type Answer, call } from "../data/api.ts";
import { useList } from "../data/list.ts";
import { may } from "../data/sign-in.ts";
import { hrefOf } from "../pages.ts";
import { RouteForm } from "./route-form.tsx";

export type Webhook = Answer<"GET /v1/webhooks">["webhooks"][number];

export function Routes() {
  const list = useList("GET /v1/webhooks", { query: { limit: "100" } }, ({ webhooks }) => webhooks);
  const [edited, setEdited] = useState<Webhook | "new" | null>(null);
  const [secret, setSecret] = useState<string>();
  return (
    <>
      {may("admin") && (
        <div class="toolbar">
          <Button kind="primary" icon="plus" onClick={() => setEdited("new")}>
            Add a webhook
          </Button>
        </div>
      )}
      <Listed
        of={list}
        empty={
          <Empty icon="hook" title="No webhooks yet">
            <p>Add one, and give its address and secret to the system that sends the events.</p>
          </Empty>
        }
      >
        {(items) => (
          <ul class="stack" aria-label="Webhooks">
            {items.map((webhook) => (
              <li key={webhook.name} class="panel">
                <RoutePanel
                  {...{ webhook }}
                  onEdit={() => setEdited(webhook)}
                  onSecret={setSecret}
                  onGone={() => void list.reload()}
                />
              </li>
            ))}
          </ul>
        )}
      </Listed>
      <MoreButton of={list} />
      {edited && (
        <RouteForm
          webhook={edited === "new" ? undefined : edited}
          onClose={() => setEdited(null)}
          onSaved={(made) => {
            setSecret(made);
            void list.reload();
          }}
        />
      )}
      {secret !== undefined && (
        <SecretDialog
          title="The secret of this webhook"
          secret={secret}
          text="Give it to the system that sends the events: it proves each of them."
          onClose={() => setSecret(undefined)}
        />
      )}
    </>
  );
}

interface RoutePanelProps {
  webhook: Webhook;
  onEdit(): void;
  onSecret(secret: string): void;
  onGone(): void;
}

function RoutePanel({ webhook, onEdit, onSecret, onGone }: RoutePanelProps) {
  const { name, scheme, description, prompt, events, url, path, deliver } = webhook;
  const params = { webhook: name };
  const address = url ?? new URL(path, location.origin).href;
  const rotate = () =>
    confirm({
      title: "Make a new secret?",
      text: <p>The old one is taken for a while longer, so that the sender can change over.</p>,
      action: "Make a new secret",
      run: async () => onSecret((await call("POST /v1/webhooks/{webhook}/rotate", { params, body: {} })).secret),
    });
  const remove = () =>
    confirm({
      title: `Remove ${name}?`,
      text: <p>Its events are refused from now on. Sessions that it began stay.</p>,
      action: "Remove",
      isDanger: true,
      async run() {
        await call("DELETE /v1/webhooks/{webhook}", { params });
        onGone();
      },
    });
  return (
    <>
      <div class="section-head">
        <h2 class="clip">{name}</h2>
        <Badge>{scheme}</Badge>
      </div>
      {description && <p dir="auto">{description}</p>}
      <Facts
        facts={{
          Address: (
            <span class="secret">
              <code>{address}</code>
              <CopyButton text={address} label="Copy the address" />
            </span>
          ),
          Prompt: prompt ? <span class="pre-line">{prompt}</span> : undefined,
          Events: events?.length ? events.join(", ") : undefined,
          "The answer": deliver === undefined || deliver === null ? "stays in its session" : describeDelivery(deliver),
        }}
      />
      <div class="form-actions">
        <a class="button" href={hrefOf("webhooks", "in", name)}>
          Deliveries
        </a>
        {may("admin") && (
          <>
            <Button onClick={onEdit}>Change</Button>
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

function describeDelivery(deliver: NonNullable<Webhook["deliver"]>): string {
  switch (deliver.to) {
    case "home":
      return deliver.platform === undefined ? "goes to the home chat" : `goes to the home chat on ${deliver.platform}`;
    case "chat":
      return `goes to the chat ${deliver.chat}`;
    case "hooks":
      return "goes to your outbound webhooks";
  }
}
