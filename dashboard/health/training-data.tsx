// Whether the profile's conversations may leave as data to train on, and which models came of it. Nothing is trained from here.
import { Badge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { confirm } from "../components/dialog.tsx";
import { showHidden } from "../components/hidden-text.ts";
import { Section } from "../components/page.tsx";
import { Loaded } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import { useAction } from "../components/use-action.ts";
import type { Answer } from "../data/api.ts";
import { change, useResource } from "../data/resource.ts";
import { describeEvaluation } from "./evaluation.ts";

type Consent = Answer<"GET /v1/trajectories/consent">;

export function TrainingData() {
  const consent = useResource("GET /v1/trajectories/consent", {});
  return (
    <Section title="Data to train on">
      <Loaded of={consent}>{(value) => <ConsentLine consent={value} />}</Loaded>
      <Models />
    </Section>
  );
}

function ConsentLine({ consent: { allowed, changedAt } }: { consent: Consent }) {
  const withdrawal = useAction();
  const put = (wanted: boolean) => change("PUT /v1/trajectories/consent", { body: { allowed: wanted } });
  const ask = () =>
    confirm({
      title: "Let conversations leave as data to train on?",
      text: (
        <p>
          An administrator can then export this profile's conversations, or have a model trained from them. Secrets and
          personal ids are redacted, as far as their form shows them. What has left cannot be called back.
        </p>
      ),
      action: "Allow",
      run: () => put(true),
    });
  return (
    <div class="item-head">
      <div class="item-text">
        <p>
          <Badge tone={allowed ? "accent" : "plain"}>{allowed ? "Allowed" : "Not allowed"}</Badge>{" "}
          {changedAt !== undefined && (
            <span class="muted small">
              since <Time at={changedAt} />
            </span>
          )}
        </p>
        <p class="muted">
          With consent, <code>talaria export --trajectories</code> writes the conversations of this profile as data, and{" "}
          <code>talaria training</code> has an adapter trained from them.
        </p>
      </div>
      {allowed ? (
        <Button
          isBusy={withdrawal.isBusy}
          onClick={() => withdrawal.run(() => put(false), "No conversation leaves any more.")}
        >
          Withdraw
        </Button>
      ) : (
        <Button onClick={ask}>Allow…</Button>
      )}
    </div>
  );
}

function Models() {
  const { value } = useResource("GET /v1/training/models", { query: { limit: "20" } });
  if (!value || value.models.length === 0) return null;
  return (
    <ul class="items" aria-label="Trained models">
      {value.models.map(({ job, name, adapter, evaluation, at }) => (
        <li key={job}>
          <h3 class="mono small">{showHidden(name)}</h3>
          <p class="muted small">
            Adapter <span class="mono">{showHidden(adapter)}</span> · <Time at={at} />
          </p>
          {evaluation && <p class="small">Before → after: {showHidden(describeEvaluation(evaluation))}</p>}
        </li>
      ))}
    </ul>
  );
}
