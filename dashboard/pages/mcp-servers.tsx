// MCP servers: what tools they bring, whether they answer, and access to them.
import { useState } from "preact/hooks";
import { Badge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { confirm } from "../components/dialog.tsx";
import { Facts } from "../components/facts.tsx";
import { Page as Frame } from "../components/page.tsx";
import { Empty, Listed } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import { useAction } from "../components/use-action.ts";
import { ServerForm } from "../mcp-servers/server-form.tsx";
import { type Answer, call } from "../data/api.ts";
import { type List, useList } from "../data/list.ts";
import { may } from "../data/sign-in.ts";

type Server = Answer<"GET /v1/mcp/servers">["servers"][number];
type Tested = Answer<"POST /v1/mcp/servers/{server}/test">;

const STATES = {
  ready: { tone: "good", word: "Ready" },
  unknown: { tone: "plain", word: "Not asked yet" },
  unavailable: { tone: "bad", word: "Does not answer" },
  unauthorized: { tone: "warn", word: "Needs access" },
} as const;

export function Page() {
  const list = useList("GET /v1/mcp/servers", {}, ({ servers }) => servers);
  const [edited, setEdited] = useState<Server | "new" | null>(null);
  const add = may("admin") && (
    <Button kind="primary" icon="plus" onClick={() => setEdited("new")}>
      Add a server
    </Button>
  );
  return (
    <Frame
      title="MCP servers"
      lead="Other programs whose tools the agent may call. A call asks first, unless you allow it."
      actions={add}
    >
      <Listed
        of={list}
        empty={
          <Empty icon="plug" title="No MCP servers yet">
            {may("admin") ? (
              <p>Add one by its address. Its tools are there from the next message on.</p>
            ) : (
              <p>Ask an administrator of this profile to add one.</p>
            )}
          </Empty>
        }
      >
        {(items) => (
          <ul class="stack" aria-label="MCP servers">
            {items.map((server) => (
              <li key={server.server} class="panel">
                <ServerPanel server={server} list={list} onEdit={() => setEdited(server)} />
              </li>
            ))}
          </ul>
        )}
      </Listed>
      {edited && (
        <ServerForm
          server={edited === "new" ? undefined : edited}
          onClose={() => setEdited(null)}
          onSaved={() => void list.reload()}
        />
      )}
    </Frame>
  );
}

function ServerPanel({ server: shown, list, onEdit }: { server: Server; list: List<Server>; onEdit(): void }) {
  const { server, state, enabled, address, tools, checkedAt, reason, secrets, authorization } = shown;
  const [tested, setTested] = useState<Tested>();
  const test = useAction();
  const access = useAction();
  const [accessPage, setAccessPage] = useState<string>();
  const params = { server };
  const askAgain = () =>
    test.run(async () => {
      setTested(await call("POST /v1/mcp/servers/{server}/test", { params }));
      await list.reload();
    });
  const giveAccess = () =>
    access.run(async () => setAccessPage((await call("POST /v1/mcp/servers/{server}/authorize", { params })).open));
  const remove = () =>
    confirm({
      title: `Remove ${server}?`,
      text: <p>Its tools are gone from the next message on, and its headers and access are erased.</p>,
      action: "Remove",
      isDanger: true,
      async run() {
        await call("DELETE /v1/mcp/servers/{server}", { params });
        await list.reload();
      },
    });
  return (
    <>
      <div class="section-head">
        <h2 class="clip">{server}</h2>
        <Badge tone={enabled ? STATES[state].tone : "plain"}>{enabled ? STATES[state].word : "Off"}</Badge>
      </div>
      <Facts
        facts={{
          Address: <span class="mono">{address}</span>,
          Tools: String(tools),
          "Last asked": checkedAt && <Time at={checkedAt} />,
          Why: reason?.message,
          Secrets: secrets.length > 0 ? `${secrets.join(", ")} (sealed)` : undefined,
          Access: authorization === "none" ? undefined : authorization === "granted" ? "Given by OAuth" : "Asked for",
        }}
      />
      <div class="form-actions">
        {may("write") && (
          <Button isBusy={test.isBusy} onClick={askAgain}>
            Test
          </Button>
        )}
        {may("admin") && state === "unauthorized" && (
          <Button kind="primary" isBusy={access.isBusy} onClick={giveAccess}>
            Give access
          </Button>
        )}
        {may("admin") && <Button onClick={onEdit}>Change</Button>}
        {may("admin") && (
          <Button kind="quiet" icon="trash" onClick={remove}>
            Remove
          </Button>
        )}
      </div>
      {accessPage !== undefined && (
        <p class="note">
          <a href={accessPage} target="_blank" rel="noopener noreferrer">
            Open the server's own page
          </a>
          and give access there. Then test the server.
        </p>
      )}
      {tested && <TestedTools tested={tested} />}
    </>
  );
}

function TestedTools({ tested: { tools, others, state, reason } }: { tested: Tested }) {
  if (state !== "ready") return <p class="note note-bad">{reason?.message ?? "The server does not answer."}</p>;
  return (
    <details open>
      <summary>{tools.length} tools are offered to the agent</summary>
      <ul class="stack small">
        {tools.map(({ name, tool, description, effect, findings = [] }) => (
          <li key={tool}>
            <strong class="mono">{name}</strong> {effect === "read" && <Badge>only reads</Badge>}
            {findings.length > 0 && <Badge tone="warn">{`suspicious: ${findings.join(", ")}`}</Badge>}
            <p class="muted" dir="auto">
              {description}
            </p>
          </li>
        ))}
        {others.length > 0 && <li class="muted">Left out by your choice: {others.join(", ")}</li>}
      </ul>
    </details>
  );
}
