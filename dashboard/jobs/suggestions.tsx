// Jobs that are suggested from what the owner has asked for again and again, each with the requests that it comes from.
import { useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { quote } from "../components/hidden-text.ts";
import { Section } from "../components/page.tsx";
import { Time } from "../components/time.tsx";
import { toast } from "../components/toasts.tsx";
import { useAction } from "../components/use-action.ts";
import type { Answer } from "../data/api.ts";
import { change, useResource } from "../data/resource.ts";
import { may } from "../data/sign-in.ts";
import { hrefOf } from "../pages.ts";
import { SlotForm } from "./slot-form.tsx";

type Suggestion = Answer<"GET /v1/suggestions">["suggestions"][number];

/** Shows nothing while there are none. */
export function Suggestions() {
  const list = useResource("GET /v1/suggestions", {}).value?.suggestions ?? [];
  if (list.length === 0) return null;
  return (
    <Section title="Suggestions">
      <ul class="cards">
        {list.map((suggestion) => (
          <li key={suggestion.id} class="card">
            <SuggestionCard suggestion={suggestion} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function SuggestionCard({ suggestion }: { suggestion: Suggestion }) {
  const { id, title, why, sources, blueprint: of, slots } = suggestion;
  const [isOpen, setOpen] = useState(false);
  const action = useAction();
  const blueprint = useResource("GET /v1/blueprints", {}).value?.blueprints.find((one) => one.id === of);
  const params = { suggestion: id };
  return (
    <>
      <h3 dir="auto">{title}</h3>
      <p class="muted" dir="auto">
        {why}
      </p>
      <details>
        <summary>What you asked for</summary>
        <ul class="sources">
          {sources.map(({ session, turn, at, request }) => (
            <li key={turn}>
              <a href={hrefOf("chat", session)} dir="auto">
                {request}
              </a>{" "}
              <span class="muted small">
                <Time at={at} />
              </span>
            </li>
          ))}
        </ul>
      </details>
      {may("write") && (
        <div class="card-foot">
          <Button kind="primary" disabled={!blueprint} onClick={() => setOpen(true)}>
            Accept…
          </Button>
          <Button
            isBusy={action.isBusy}
            onClick={() =>
              action.run(
                () => change("POST /v1/suggestions/{suggestion}/dismiss", { params }),
                "It will not be suggested again.",
              )
            }
          >
            Dismiss
          </Button>
        </div>
      )}
      {isOpen && blueprint && (
        <SlotForm
          blueprint={blueprint}
          given={slots}
          onClose={() => setOpen(false)}
          make={async ({ name, slots: filled }) => {
            const body = { slots: filled, ...(name !== undefined && { name }) };
            const affected = ["/v1/suggestions", "/v1/jobs"];
            const made = await change("POST /v1/suggestions/{suggestion}/accept", { params, body }, affected);
            if (made.kind !== "job") return;
            toast(`The job ${quote(made.job.name)} was made.`);
            location.hash = hrefOf("jobs", made.job.name);
          }}
        />
      )}
    </>
  );
}
