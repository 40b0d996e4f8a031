// Policies over tool calls: by patterns of the tool and its arguments, allow, ask or deny; after a call, withhold its result.
import { useState } from "preact/hooks";
import { Badge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { confirm } from "../components/dialog.tsx";
import { Section } from "../components/page.tsx";
import { Listed, MoreButton } from "../components/states.tsx";
import { toast } from "../components/toasts.tsx";
import { call } from "../data/api.ts";
import { useList } from "../data/list.ts";
import { may } from "../data/sign-in.ts";
import { PolicyForm } from "./policy-form.tsx";
import { type NamedPolicy, describePolicy } from "./policy-words.ts";

const TONES = { allow: "good", ask: "warn", deny: "bad" } as const;

export function PolicySettings() {
  const list = useList("GET /v1/policies", { query: {} }, ({ policies }) => policies);
  const [edited, setEdited] = useState<NamedPolicy | "new">();
  return (
    <Section
      title="Policies"
      actions={
        may("admin") && (
          <Button icon="plus" onClick={() => setEdited("new")}>
            Add a policy
          </Button>
        )
      }
    >
      <Listed
        of={list}
        empty={
          <p class="muted">
            None yet. A policy allows, asks about or denies calls by patterns, such as: never write to deploy/*.
          </p>
        }
      >
        {(items) => (
          <ul class="items" aria-label="Policies">
            {items.map((one) => (
              <PolicyRow key={one.id} one={one} edit={() => setEdited(one)} reload={list.reload} />
            ))}
          </ul>
        )}
      </Listed>
      <MoreButton of={list} />
      {edited && (
        <PolicyForm
          given={edited === "new" ? undefined : edited}
          onClose={() => setEdited(undefined)}
          reload={list.reload}
        />
      )}
    </Section>
  );
}

interface RowProps {
  one: NamedPolicy;
  edit(): void;
  reload(): Promise<void>;
}

function PolicyRow({ one, edit, reload }: RowProps) {
  const { id, policy } = one;
  const remove = () =>
    confirm({
      title: `Remove the policy ${id}?`,
      text: "Calls that it decided on are decided by the other policies and by the mode.",
      action: "Remove",
      isDanger: true,
      run: async () => {
        await call("DELETE /v1/policies/{policy}", { params: { policy: id } });
        toast("The policy was removed.");
        void reload();
      },
    });
  return (
    <li>
      <div class="item-head">
        <div class="item-text">
          <h3>{id}</h3>
          <p class="item-facts">
            <Badge tone={TONES[policy.decision]}>{policy.decision}</Badge>
            <code class="plain-text">{describePolicy(policy)}</code>
          </p>
          {policy.reason && (
            <p class="muted small" dir="auto">
              {policy.reason}
            </p>
          )}
        </div>
        {may("admin") && (
          <div class="item-actions">
            <Button onClick={edit}>Edit</Button>
            <Button onClick={remove}>Remove</Button>
          </div>
        )}
      </div>
    </li>
  );
}
