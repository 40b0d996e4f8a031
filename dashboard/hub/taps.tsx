// Taps: repositories and indexes whose skills a search also names, and the token with which GitHub is asked. The token is never shown again.
import { useState } from "preact/hooks";
import { Badge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { confirm } from "../components/dialog.tsx";
import { Facts } from "../components/facts.tsx";
import { Field } from "../components/field.tsx";
import { FormDialog } from "../components/form-dialog.tsx";
import { showHidden } from "../components/hidden-text.ts";
import { Section } from "../components/page.tsx";
import { ScopeNote } from "../components/scope-note.tsx";
import { Empty, Loaded } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import type { Answer } from "../data/api.ts";
import { change, useResource } from "../data/resource.ts";
import { may } from "../data/sign-in.ts";
import { SOURCES } from "./hub-words.ts";

type TapList = Answer<"GET /v1/hub/taps">;
type Tap = TapList["taps"][number];

/** More than a profile can have. */
const ALL = { query: { limit: "50" } };
const TAPS = ["/v1/hub/taps"];

export function Taps() {
  const taps = useResource("GET /v1/hub/taps", ALL);
  const [isAdding, setAdding] = useState(false);
  return (
    <div class="stack-wide">
      <ScopeNote scope="admin" to="change taps and the token" />
      <Loaded of={taps}>
        {(value) => (
          <>
            <Section
              title="Taps"
              actions={
                may("admin") && (
                  <Button icon="plus" onClick={() => setAdding(true)}>
                    Add a tap
                  </Button>
                )
              }
            >
              <TapRows taps={value.taps} />
            </Section>
            <GithubToken token={value.githubToken} />
          </>
        )}
      </Loaded>
      {isAdding && <TapForm onClose={() => setAdding(false)} />}
    </div>
  );
}

function TapRows({ taps }: { taps: Tap[] }) {
  if (taps.length === 0) {
    return (
      <Empty icon="branch" title="No taps yet">
        <p>A tap is a repository or a site whose skills your searches also name, such as your company's own.</p>
      </Empty>
    );
  }
  return (
    <ul class="stack" aria-label="Taps">
      {taps.map(({ tap, source, identifier, addedAt }) => (
        <li key={tap} class="panel">
          <div class="hub-line">
            <div class="hub-words">
              <h3>{tap}</h3>
              <p class="muted small">
                {SOURCES[source]} · <span class="mono">{showHidden(identifier)}</span> · <Time at={addedAt} />
              </p>
            </div>
            {may("admin") && (
              <Button kind="quiet" icon="trash" label={`Remove ${tap}`} onClick={() => askToRemove(tap)}>
                Remove
              </Button>
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}

function askToRemove(tap: string): void {
  confirm({
    title: `Remove the tap ${tap}?`,
    text: <p>Searches no longer name its skills. Those that are installed stay.</p>,
    action: "Remove",
    isDanger: true,
    run: () => change("DELETE /v1/hub/taps/{tap}", { params: { tap } }, TAPS),
  });
}

function TapForm({ onClose }: { onClose(): void }) {
  const [tap, setTap] = useState("");
  const [source, setSource] = useState("");
  const params = { tap: tap.trim() };
  return (
    <FormDialog
      title="Add a tap"
      action="Add"
      run={() => change("PUT /v1/hub/taps/{tap}", { params, body: { source: source.trim() } }, TAPS)}
      onClose={onClose}
    >
      <Field label="Name" hint="Small letters, digits and hyphens.">
        {(props) => <input {...props} required value={tap} onInput={(event) => setTap(event.currentTarget.value)} />}
      </Field>
      <Field
        label="Repository or address"
        hint="owner/repository on GitHub, or the address of a site with an index of skills."
      >
        {(props) => (
          <input
            {...props}
            required
            spellcheck={false}
            value={source}
            onInput={(event) => setSource(event.currentTarget.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}

function GithubToken({ token }: { token: TapList["githubToken"] }) {
  const [isOpen, setOpen] = useState(false);
  const remove = () =>
    confirm({
      title: "Remove the GitHub token?",
      text: <p>Private repositories can no longer be read, and nothing can be published. Revoke it at GitHub too.</p>,
      action: "Remove",
      isDanger: true,
      run: () => change("DELETE /v1/hub/github-token", {}, TAPS),
    });
  return (
    <Section title="GitHub token">
      {token === null ? (
        <p class="muted">None is set. Public repositories can be read without one; publishing needs one.</p>
      ) : (
        <Facts
          facts={{
            Server: <span class="mono">{token.server}</span>,
            Set: <Time at={token.setAt} />,
            State: token.usable ? (
              <Badge tone="good">In use</Badge>
            ) : (
              <Badge tone="warn">For another server: set it again</Badge>
            ),
          }}
        />
      )}
      {may("admin") && (
        <div class="form-actions">
          <Button onClick={() => setOpen(true)}>{token === null ? "Set a token" : "Replace it"}</Button>
          {token !== null && (
            <Button kind="quiet" icon="trash" onClick={remove}>
              Remove the token
            </Button>
          )}
        </div>
      )}
      {isOpen && <TokenForm onClose={() => setOpen(false)} />}
    </Section>
  );
}

function TokenForm({ onClose }: { onClose(): void }) {
  const [token, setToken] = useState("");
  return (
    <FormDialog
      title="Set the GitHub token"
      action="Set"
      run={() => change("PUT /v1/hub/github-token", { body: { token: token.trim() } }, TAPS)}
      onClose={onClose}
    >
      <Field label="Token" hint="It is sealed, sent to this deployment's GitHub server only, and never shown again.">
        {(props) => (
          <input
            {...props}
            type="password"
            autocomplete="off"
            required
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}
