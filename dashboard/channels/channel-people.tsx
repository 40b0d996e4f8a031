// People of a channel: requests that wait for a decision, and who has been approved.
import { useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { quote } from "../components/hidden-text.ts";
import { confirm } from "../components/dialog.tsx";
import { Field } from "../components/field.tsx";
import { Section } from "../components/page.tsx";
import { Listed, Loaded, MoreButton } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import { useAction } from "../components/use-action.ts";
import { type Answer, call } from "../data/api.ts";
import { useList } from "../data/list.ts";
import { change, useResource } from "../data/resource.ts";
import { may } from "../data/sign-in.ts";
import type { Platform } from "./platform.ts";

type Role = Answer<"GET /v1/channels/{platform}/people">["people"][number]["role"];
const ROLES: Role[] = ["user", "admin", "owner"];

export function ChannelPeople({ platform }: { platform: Platform["platform"] }) {
  const params = { platform };
  const waiting = useResource("GET /v1/channels/{platform}/pairings", { params });
  const people = useList(
    "GET /v1/channels/{platform}/people",
    { params, query: { limit: "100" } },
    (answer) => answer.people,
  );
  const [code, setCode] = useState("");
  const [role, setRole] = useState<Role>("user");
  const approval = useAction();
  const approve = (event: Event) => {
    event.preventDefault();
    approval.run(async () => {
      await change("POST /v1/channels/{platform}/pairings", { params, body: { code: code.trim(), role } });
      setCode("");
      await people.reload();
    }, "Approved.");
  };
  const dismiss = (person: string, name: string) =>
    confirm({
      title: `Take the approval of ${quote(name || person)} back?`,
      text: <p>They can no longer talk to the agent, unless the channel's options let them.</p>,
      action: "Take back",
      isDanger: true,
      async run() {
        await call("DELETE /v1/channels/{platform}/people/{person}", { params: { platform, person } });
        await people.reload();
      },
    });
  return (
    <Section title="People">
      <Loaded of={waiting}>
        {({ pairings }) =>
          pairings.length > 0 && (
            <ul class="stack" aria-label="Requests that wait">
              {pairings.map(({ id, person, name, expiresAt }) => (
                <li key={id} class="note">
                  <p dir="auto">
                    <strong>{quote(name || person)}</strong> wants to talk. Ask them for the code they were shown; it
                    ends <Time at={expiresAt} />.
                  </p>
                  {may("admin") && (
                    <Button
                      onClick={() =>
                        approval.run(
                          () =>
                            change("DELETE /v1/channels/{platform}/pairings/{pairing}", {
                              params: { platform, pairing: id },
                            }),
                          "Refused.",
                        )
                      }
                    >
                      Refuse
                    </Button>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {may("admin") && (
        <form class="toolbar" onSubmit={approve}>
          <Field label="Pairing code">
            {(props) => (
              <input
                {...props}
                autocomplete="off"
                value={code}
                onInput={(event) => setCode(event.currentTarget.value)}
              />
            )}
          </Field>
          <Field label="As">
            {(props) => (
              <select {...props} value={role} onChange={(event) => setRole(event.currentTarget.value as Role)}>
                {ROLES.map((one) => (
                  <option key={one}>{one}</option>
                ))}
              </select>
            )}
          </Field>
          <Button type="submit" isBusy={approval.isBusy} disabled={code.trim() === ""}>
            Approve
          </Button>
        </form>
      )}
      <Listed of={people} empty={<p class="muted">Nobody was approved by a code yet.</p>}>
        {(items) => (
          <ul class="rows" aria-label="People approved">
            {items.map(({ person, name, role: of, at }) => (
              <li key={person} class="row">
                <div class="row-main">
                  <span class="clip" dir="auto">
                    {name || person}
                  </span>
                  <span class="muted small clip">
                    {of}, {person}, since <Time at={at} />
                  </span>
                </div>
                {may("admin") && (
                  <Button
                    kind="quiet"
                    icon="trash"
                    label={`Take the approval of ${quote(name || person)} back`}
                    onClick={() => dismiss(person, name)}
                  />
                )}
              </li>
            ))}
          </ul>
        )}
      </Listed>
      <MoreButton of={people} />
    </Section>
  );
}
