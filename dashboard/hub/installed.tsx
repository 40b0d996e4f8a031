// The skills that were installed from the hub: where each came from, what the last check saw, and what can be done with it.
import { useState } from "preact/hooks";
import { Badge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { confirm } from "../components/dialog.tsx";
import { showHidden } from "../components/hidden-text.ts";
import { countOf } from "../components/numbers.ts";
import { ScopeNote } from "../components/scope-note.tsx";
import { Empty, Listed } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import { toast } from "../components/toasts.tsx";
import { useAction } from "../components/use-action.ts";
import { call } from "../data/api.ts";
import { type List, useList } from "../data/list.ts";
import { invalidate } from "../data/resource.ts";
import { may } from "../data/sign-in.ts";
import { hrefOf } from "../pages.ts";
import { AuditReport } from "./audit-report.tsx";
import { type Audited, type Installed, SOURCES, TRUSTS, listStates, shortVersion } from "./hub-words.ts";
import { PinDialog } from "./pin-dialog.tsx";
import { UpdateDialog } from "./update-dialog.tsx";

export function InstalledSkills() {
  const list = useList("GET /v1/hub/skills", {}, ({ skills }) => skills, { isWhole: true });
  const [audited, setAudited] = useState<Audited[]>();
  const check = useAction();
  const audit = useAction();
  return (
    <div class="stack-wide">
      <ScopeNote scope="write" to="update or remove skills" />
      {list.items.length > 0 && may("write") && (
        <div class="form-actions">
          <Button icon="retry" isBusy={check.isBusy} onClick={() => check.run(() => checkAll(list))}>
            Check for updates
          </Button>
          <Button isBusy={audit.isBusy} onClick={() => audit.run(async () => setAudited(await auditAll()))}>
            Audit
          </Button>
        </div>
      )}
      {audited && <AuditReport audited={audited} onClose={() => setAudited(undefined)} />}
      <Listed
        of={list}
        empty={
          <Empty icon="skill" title="Nothing is installed from outside">
            <a class="button" href={hrefOf("hub")}>
              Find a skill
            </a>
          </Empty>
        }
      >
        {(items) => (
          <ul class="stack" aria-label="Installed skills">
            {items.map((skill) => (
              <li key={skill.name} class="panel">
                <InstalledSkill skill={skill} onChanged={() => void list.reload()} />
              </li>
            ))}
          </ul>
        )}
      </Listed>
    </div>
  );
}

function InstalledSkill({ skill, onChanged }: { skill: Installed; onChanged(): void }) {
  const { name, source, identifier, version, trust, updatedAt, seen, pinned, changedHere } = skill;
  const [open, setOpen] = useState<"update" | "pin" | null>(null);
  const unpin = useAction();
  const params = { name };
  const remove = () =>
    confirm({
      title: `Uninstall ${name}?`,
      text: (
        <p>
          The agent no longer has it, and no updates are offered. Its archive keeps its texts
          {changedHere && ", also as they were changed here,"} and what was learned of it.
        </p>
      ),
      action: "Uninstall",
      isDanger: true,
      async run() {
        await call("DELETE /v1/hub/skills/{name}", { params });
        await invalidate("/v1/skills");
        onChanged();
      },
    });
  return (
    <>
      <div class="section-head">
        <h2 class="clip">
          <a href={hrefOf("skills", name)}>{name}</a>
        </h2>
        <span class="badges">
          {listStates(skill).map((state) => (
            <Badge key={state.name} tone={state.tone}>
              {state.name}
            </Badge>
          ))}
        </span>
      </div>
      <p class="muted small">
        {SOURCES[source]} · <span class="mono">{showHidden(identifier)}</span> · version{" "}
        <span class="mono">{shortVersion(version)}</span> · {TRUSTS[trust].name} · <Time at={updatedAt} />
      </p>
      {seen?.detail !== undefined && <p class="note note-warn">{showHidden(seen.detail)}</p>}
      {may("write") && (
        <div class="form-actions">
          <Button kind={seen?.state === "update" ? "primary" : "plain"} onClick={() => setOpen("update")}>
            Update…
          </Button>
          {pinned === undefined ? (
            <Button icon="pin" onClick={() => setOpen("pin")}>
              Pin…
            </Button>
          ) : (
            <Button
              icon="pin"
              isBusy={unpin.isBusy}
              onClick={() =>
                unpin.run(async () => {
                  await call("PUT /v1/hub/skills/{name}/pin", { params, body: { version: null } });
                  onChanged();
                }, `${name} follows the newest version again.`)
              }
            >
              Unpin
            </Button>
          )}
          <Button kind="quiet" icon="trash" onClick={remove}>
            Uninstall
          </Button>
        </div>
      )}
      {open === "update" && <UpdateDialog name={name} onClose={() => setOpen(null)} onChanged={onChanged} />}
      {open === "pin" && <PinDialog skill={skill} onClose={() => setOpen(null)} onChanged={onChanged} />}
    </>
  );
}

/** Asks the sources of all skills, a page at a time, and says what there is to do. */
async function checkAll(list: List<Installed>): Promise<void> {
  let updates = 0;
  let odd = 0;
  for (let after: string | undefined; ;) {
    const body = after === undefined ? {} : { after };
    const { checked, next } = await call("POST /v1/hub/check", { body });
    updates += checked.filter(({ state }) => state === "update").length;
    odd += checked.filter(({ state }) => state === "gone" || state === "moved").length;
    if (next === undefined) break;
    after = next;
  }
  await list.reload();
  const found = [
    updates === 0 ? "No updates." : `${countOf(updates, "update")}.`,
    ...(odd === 0 ? [] : [`${countOf(odd, "skill")} gone or changed at the source.`]),
  ];
  toast(found.join(" "));
}

async function auditAll(): Promise<Audited[]> {
  const all: Audited[] = [];
  for (let after: string | undefined; ;) {
    const body = after === undefined ? {} : { after };
    const { audited, next } = await call("POST /v1/hub/audit", { body });
    all.push(...audited);
    if (next === undefined) return all;
    after = next;
  }
}
