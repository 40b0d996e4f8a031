// One profile that this one follows: the skills that it shares, which are here, and what goes back to it.
import { useState } from "preact/hooks";
import { Badge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { confirm } from "../components/dialog.tsx";
import { showHidden } from "../components/hidden-text.ts";
import { countOf } from "../components/numbers.ts";
import { Loaded } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import { toast } from "../components/toasts.tsx";
import { useAction } from "../components/use-action.ts";
import { change, useResource } from "../data/resource.ts";
import { may } from "../data/sign-in.ts";
import { hrefOf } from "../pages.ts";
import { type Followed as Profile, type Offered, nameProfile } from "./library-words.ts";

export function Followed({ followed }: { followed: Profile }) {
  const { profile, since, evidence, takesEvidence } = followed;
  const [isOpen, setOpen] = useState(false);
  const name = nameProfile(followed);
  const params = { profile };
  const stop = useAction();
  const route = "PATCH /v1/library/following/{profile}";
  const send = (wanted: boolean) =>
    wanted
      ? confirm({
          title: `Send counts to ${name}?`,
          text: <p>How often your copies were used, and how that ended. Texts, sessions and people are never sent.</p>,
          action: "Send them",
          run: () => change(route, { params, body: { evidence: true } }),
        })
      : stop.run(() => change(route, { params, body: { evidence: false } }));
  const leave = () =>
    confirm({
      title: `Unfollow ${name}?`,
      text: <p>Your copies stay. No updates are offered, and what it withdraws later is not archived here.</p>,
      action: "Unfollow",
      isDanger: true,
      run: () => change("DELETE /v1/library/following/{profile}", { params }),
    });
  return (
    <>
      <div class="hub-line">
        <div class="hub-words">
          <h3>{name}</h3>
          <p class="muted small">
            Since <Time at={since} />
          </p>
          <span class="badges">
            {evidence && takesEvidence && <Badge tone="good">Counts are sent</Badge>}
            {evidence && !takesEvidence && <Badge>Counts are not taken</Badge>}
          </span>
        </div>
        {may("admin") && (
          <div class="form-actions">
            <Button isBusy={stop.isBusy} onClick={() => send(!evidence)}>
              {evidence ? "Send no counts" : "Send counts"}
            </Button>
            <Button kind="quiet" icon="leave" label={`Unfollow ${name}`} onClick={leave}>
              Unfollow
            </Button>
          </div>
        )}
      </div>
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>Skills that it shares</summary>
        {isOpen && <OfferedSkills profile={profile} name={name} />}
      </details>
    </>
  );
}

function OfferedSkills({ profile, name }: { profile: string; name: string }) {
  const offered = useResource("GET /v1/library/following/{profile}/skills", { params: { profile } });
  return (
    <Loaded of={offered}>
      {({ skills }) => {
        const absent = skills.filter(({ installed }) => !installed).map((skill) => skill.name);
        if (skills.length === 0) return <p class="muted">It shares none.</p>;
        return (
          <div class="stack">
            <ul class="plain-list" aria-label={`Skills of ${name}`}>
              {skills.map((skill) => (
                <li key={skill.name} class="hub-line">
                  <OfferedLine skill={skill} onInstall={() => askToInstall(profile, name, [skill.name])} />
                </li>
              ))}
            </ul>
            {may("admin") && absent.length > 1 && (
              <div class="form-actions">
                <Button onClick={() => askToInstall(profile, name, absent)}>Install all {absent.length}</Button>
              </div>
            )}
          </div>
        );
      }}
    </Loaded>
  );
}

function OfferedLine({ skill, onInstall }: { skill: Offered; onInstall(): void }) {
  const { name, description, installed, update } = skill;
  return (
    <>
      <span class="hub-words">
        <strong>{name}</strong>
        <span class="muted small" dir="auto">
          {showHidden(description)}
        </span>
      </span>
      {installed ? (
        <a href={update ? hrefOf("hub", "installed") : hrefOf("skills", name)}>{update ? "Update" : "Installed"}</a>
      ) : (
        may("admin") && (
          <Button label={`Install ${name}`} onClick={onInstall}>
            Install
          </Button>
        )
      )}
    </>
  );
}

function askToInstall(profile: string, from: string, names: string[]): void {
  confirm({
    title: names.length === 1 ? `Install ${names[0]}?` : `Install ${countOf(names.length, "skill")}?`,
    text: (
      <p>
        The agent then uses copies of {names.join(", ")} from {from}, on trial. Each is scanned first. A text that{" "}
        {from} withdraws is archived here too.
      </p>
    ),
    action: "Install",
    async run() {
      let left = names;
      let refused: string[] = [];
      let count = 0;
      while (left.length > 0) {
        const route = "POST /v1/library/following/{profile}/install";
        const asked = { params: { profile }, body: { skills: left } };
        const done = await change(route, asked, ["/v1/library", "/v1/skills", "/v1/hub"]);
        count += done.installed.length;
        refused = [...refused, ...done.refused.map((one) => `${one.name}: ${one.detail}`)];
        if (done.left.length >= left.length) break;
        left = done.left;
      }
      if (refused.length > 0) throw new Error(`${countOf(count, "skill")} installed. Refused: ${refused.join(" ")}`);
      toast(`${countOf(count, "skill")} installed, on trial until proven.`);
    },
  });
}
