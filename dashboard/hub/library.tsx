// The library of a team: profiles of this deployment that this one follows, and those that follow it. Names of other profiles are their own
// words.
import { useState } from "preact/hooks";
import { Badge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { confirm } from "../components/dialog.tsx";
import { countOf } from "../components/numbers.ts";
import { Section } from "../components/page.tsx";
import { ScopeNote } from "../components/scope-note.tsx";
import { SecretDialog } from "../components/secret-dialog.tsx";
import { Empty, Loaded } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import { change, useResource } from "../data/resource.ts";
import { may } from "../data/sign-in.ts";
import { hrefOf } from "../pages.ts";
import { Followed } from "./followed.tsx";
import { FollowForm, InviteForm } from "./library-forms.tsx";
import { type Library, nameProfile } from "./library-words.ts";

export function LibraryPart() {
  const library = useResource("GET /v1/library", {});
  const [open, setOpen] = useState<"follow" | "invite" | null>(null);
  const [code, setCode] = useState<string>();
  const add = (what: "follow" | "invite", words: string) =>
    may("admin") && (
      <Button icon="plus" onClick={() => setOpen(what)}>
        {words}
      </Button>
    );
  return (
    <div class="stack-wide">
      <ScopeNote scope="admin" to="follow, invite or install" />
      <Loaded of={library}>
        {({ following, followers, invitations }) => (
          <>
            <Section title="You follow" actions={add("follow", "Follow a library")}>
              {following.length === 0 && (
                <Empty icon="person" title="You follow nobody">
                  <p>Another profile of this deployment can give you a code. You then see the skills that it shares.</p>
                </Empty>
              )}
              <ul class="stack" aria-label="Profiles that you follow">
                {following.map((one) => (
                  <li key={one.profile} class="panel">
                    <Followed followed={one} />
                  </li>
                ))}
              </ul>
            </Section>
            <Section title="They follow you" actions={add("invite", "Invite")}>
              <div class="stack">
                <p class="muted">
                  They read the skills that you share, and nothing else. Share one under More on{" "}
                  <a href={hrefOf("skills")}>its page</a>.
                </p>
                <ul class="stack" aria-label="Profiles that follow you">
                  {followers.map((one) => (
                    <li key={one.profile} class="panel">
                      <Follower follower={one} />
                    </li>
                  ))}
                </ul>
                <Invitations invitations={invitations} />
              </div>
            </Section>
          </>
        )}
      </Loaded>
      {open === "follow" && <FollowForm onClose={() => setOpen(null)} />}
      {open === "invite" && <InviteForm onClose={() => setOpen(null)} onCode={setCode} />}
      {code !== undefined && (
        <SecretDialog
          title="The code of this invitation"
          secret={code}
          text="Anyone who has it can follow you: give it to the people of that profile only."
          onClose={() => setCode(undefined)}
        />
      )}
    </div>
  );
}

function Follower({ follower }: { follower: Library["followers"][number] }) {
  const { profile, since, evidence, sendsEvidence, told } = follower;
  const name = nameProfile(follower);
  const params = { profile };
  const take = (wanted: boolean) =>
    confirm({
      title: wanted ? `Take counts from ${name}?` : `Take no more counts from ${name}?`,
      text: wanted ? (
        <p>
          How often its copies were used, and how that ended, is shown beside your own evidence. It decides nothing.
        </p>
      ) : (
        <p>What it has sent is forgotten.</p>
      ),
      action: wanted ? "Take them" : "Forget them",
      isDanger: !wanted,
      run: () => change("PATCH /v1/library/followers/{profile}", { params, body: { evidence: wanted } }),
    });
  const remove = () =>
    confirm({
      title: `Remove ${name}?`,
      text: (
        <p>It reads nothing more, and its counts are forgotten. Its copies stay, and later withdrawals miss them.</p>
      ),
      action: "Remove",
      isDanger: true,
      run: () => change("DELETE /v1/library/followers/{profile}", { params }),
    });
  return (
    <div class="hub-line">
      <div class="hub-words">
        <h3>{name}</h3>
        <p class="muted small">
          Since <Time at={since} />
          {!told && " · does not know your newest changes yet"}
        </p>
        <span class="badges">
          {evidence && sendsEvidence && <Badge tone="good">Sends counts</Badge>}
          {evidence && !sendsEvidence && <Badge>Sends no counts</Badge>}
          {!evidence && sendsEvidence && <Badge tone="accent">Offers counts</Badge>}
        </span>
      </div>
      {may("admin") && (
        <div class="form-actions">
          <Button onClick={() => take(!evidence)}>{evidence ? "Take no counts" : "Take counts"}</Button>
          <Button kind="quiet" icon="trash" label={`Remove ${name}`} onClick={remove}>
            Remove
          </Button>
        </div>
      )}
    </div>
  );
}

function Invitations({ invitations }: Pick<Library, "invitations">) {
  if (invitations.length === 0) return null;
  const takeBack = (invitation: string) =>
    confirm({
      title: "Take the invitation back?",
      text: <p>Its code is worth nothing then. Profiles that followed with it stay.</p>,
      action: "Take back",
      isDanger: true,
      run: () => change("DELETE /v1/library/invitations/{invitation}", { params: { invitation } }),
    });
  return (
    <>
      <h3>Open invitations</h3>
      <ul class="plain-list" aria-label="Open invitations">
        {invitations.map(({ id, label, expiresAt, uses }) => (
          <li key={id} class="hub-line">
            <span>
              {label === "" ? "Without a name" : label}, for {countOf(uses, "profile")}, until{" "}
              <Time at={expiresAt} isExact />
            </span>
            {may("admin") && (
              <Button kind="quiet" icon="trash" onClick={() => takeBack(id)}>
                Take back
              </Button>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
