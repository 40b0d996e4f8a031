// Which calls of tools ask a person first: the mode, what is always allowed, and policies by patterns.
import { useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { confirm } from "../components/dialog.tsx";
import { Section } from "../components/page.tsx";
import { ScopeNote } from "../components/scope-note.tsx";
import { Listed, MoreButton } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import { toast } from "../components/toasts.tsx";
import { useAction } from "../components/use-action.ts";
import { type Answer, call } from "../data/api.ts";
import { useList } from "../data/list.ts";
import { may } from "../data/sign-in.ts";
import { PolicySettings } from "./policy-settings.tsx";

type Policy = Answer<"GET /v1/approvals">;
type Mode = Policy["mode"];

/** The strictest first. */
const MODES: { mode: Mode; name: string; about: string }[] = [
  { mode: "manual", name: "Ask about every call", about: "Except for what is always allowed below." },
  { mode: "rules", name: "Ask about dangerous calls", about: "Those that a rule calls dangerous." },
  { mode: "smart", name: "Let a model decide first", about: "It asks you about dangerous calls that it doubts." },
  { mode: "off", name: "Ask about nothing", about: "Policies that ask still ask." },
];

const nameMode = (mode: Mode) => MODES.find((one) => one.mode === mode)!.name;

export function ApprovalSettings() {
  // Whole pages as items: each also says the mode.
  const list = useList("GET /v1/approvals", { query: {} }, (page) => [page]);
  const allowances = list.items.flatMap((page) => page.allowances);
  return (
    <>
      <ScopeNote scope="admin" to="change the mode and the policies" />
      <Listed of={list} empty={null}>
        {([policy]) => (
          <>
            <ModeChoice policy={policy!} reload={list.reload} />
            <Section title="Always allowed">
              {allowances.length === 0 ? (
                <p class="muted">Nothing yet. When a call asks for your approval, “Always” adds it here.</p>
              ) : (
                <ul class="items" aria-label="Always allowed">
                  {allowances.map((one) => (
                    <AllowanceRow key={one.id} one={one} reload={list.reload} />
                  ))}
                </ul>
              )}
              <MoreButton of={list} />
            </Section>
          </>
        )}
      </Listed>
      <PolicySettings />
    </>
  );
}

function ModeChoice({ policy, reload }: { policy: Policy; reload(): Promise<void> }) {
  const { isBusy, run } = useAction();
  const [wanted, setWanted] = useState<Mode | null>(null);
  // What is being saved is shown at once.
  const chosen = isBusy ? wanted : policy.profile;
  const put = (mode: Mode | null) => {
    setWanted(mode);
    run(async () => {
      const { mode: now } = await call("PUT /v1/approvals", { body: { mode } });
      toast(`In force: ${nameMode(now)}.`);
      await reload();
    });
  };
  const choices = [{ mode: null, name: "As the operator has set it", about: nameMode(policy.operator) }, ...MODES];
  const isStricter = policy.profile !== null && policy.profile !== policy.mode;
  return (
    <Section title="When to ask">
      <div class="panel">
        <fieldset class="choices" disabled={!may("admin")}>
          <legend class="visually-hidden">When to ask</legend>
          {choices.map(({ mode, name, about }) => (
            <label key={name} class="choice">
              <input type="radio" name="mode" checked={chosen === mode} onChange={() => put(mode)} />
              <span>
                {name}
                <span class="field-hint">{about}</span>
              </span>
            </label>
          ))}
          {isStricter && (
            <p class="field-hint">In force: {nameMode(policy.mode)}, since the operator has set a stricter mode.</p>
          )}
        </fieldset>
      </div>
    </Section>
  );
}

function AllowanceRow({ one, reload }: { one: Policy["allowances"][number]; reload(): Promise<void> }) {
  const revoke = () =>
    confirm({
      title: "Ask about these calls again?",
      text: (
        <p class="plain-text">
          <code>{one.key}</code>
        </p>
      ),
      action: "Revoke",
      run: async () => {
        await call("DELETE /v1/approvals/{allowance}", { params: { allowance: one.id } });
        toast("Such calls ask again.");
        void reload();
      },
    });
  return (
    <li>
      <div class="item-head">
        <p class="item-text">
          <code class="plain-text">{one.key}</code>
        </p>
        {may("write") && <Button onClick={revoke}>Revoke</Button>}
      </div>
      <p class="item-facts">
        <span>{one.kind === "exact" ? "Exactly this call" : "All calls of this kind"}</span>
        <span>
          Allowed <Time at={one.at} />
        </span>
      </p>
    </li>
  );
}
