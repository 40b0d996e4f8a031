// The experiments of one skill: what came of each, and a button to try it now, which asks for tokens.
import { useState } from "preact/hooks";
import { navigate } from "wouter-preact/use-hash-location";
import { Button } from "../components/button.tsx";
import { Field } from "../components/field.tsx";
import { FormDialog } from "../components/form-dialog.tsx";
import { formatNumber } from "../components/numbers.ts";
import { Empty, Listed, MoreButton } from "../components/states.tsx";
import { useList } from "../data/list.ts";
import { change, useResource } from "../data/resource.ts";
import { may } from "../data/sign-in.ts";
import { ExperimentRow } from "./experiment-row.tsx";
import { ExperimentView } from "./experiment-view.tsx";

const EVERY_MS = 10_000;

interface PartProps {
  name: string;
  /** The id of the experiment that is shown. Absent: all of the skill. */
  chosen: string | undefined;
  /** Absent: a text of this name was tried without being installed, so there is nothing to try again. */
  isInstalled?: boolean;
}

export function ExperimentsPart({ name, chosen, isInstalled = false }: PartProps) {
  if (chosen !== undefined) return <ExperimentView key={chosen} name={name} id={chosen} />;
  return <ExperimentList name={name} isInstalled={isInstalled} />;
}

function ExperimentList({ name, isInstalled }: { name: string; isInstalled: boolean }) {
  const list = useList("GET /v1/experiments", { query: { skill: name } }, ({ experiments }) => experiments, {
    every: EVERY_MS,
  });
  return (
    <div class="stack">
      <p class="muted">
        An experiment runs earlier turns again, with the text and without it. Nothing outside their workspace is
        touched.
      </p>
      {isInstalled && may("write") && <TryButton name={name} />}
      <Listed
        of={list}
        empty={
          <Empty icon="search" title="Not tried yet">
            <p>A review’s lesson is tried by itself once tokens are granted for a day.</p>
          </Empty>
        }
      >
        {(experiments) => (
          <ul class="items" aria-label="Experiments, newest first">
            {experiments.map((one) => (
              <li key={one.id}>
                <ExperimentRow experiment={one} />
              </li>
            ))}
          </ul>
        )}
      </Listed>
      <MoreButton of={list} />
    </div>
  );
}

function TryButton({ name }: { name: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div>
      <Button kind="primary" icon="search" onClick={() => setOpen(true)}>
        Try it now
      </Button>
      {isOpen && <TryDialog name={name} onClose={() => setOpen(false)} />}
    </div>
  );
}

const TOKENS = /^[1-9]\d{0,8}$/;

function TryDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const [tokens, setTokens] = useState("");
  const [key] = useState(() => crypto.randomUUID());
  const { value } = useResource("GET /v1/settings", {});
  const grant = Number(value?.settings["review.replayTokens"]?.value ?? 0);
  const isGiven = tokens.trim() !== "";
  const isWrong = isGiven && !TOKENS.test(tokens.trim());
  async function run(): Promise<void> {
    const { id } = await change(
      "POST /v1/skills/{name}/replay",
      {
        params: { name },
        body: isGiven ? { tokens: Number(tokens.trim()) } : {},
        headers: { "idempotency-key": key },
      },
      ["/v1/experiments"],
    );
    navigate(`/skills/${encodeURIComponent(name)}/experiments/${id}`);
  }
  const hint =
    grant > 0
      ? `Empty: what is left of the day’s ${formatNumber(grant)} tokens.`
      : "No tokens are granted for a day, so this experiment needs its own. A run costs about what the turn cost; at most 16 are made.";
  return (
    <FormDialog
      title={`Try ${name} on past work?`}
      action="Try it"
      isInvalid={isWrong || (!isGiven && grant === 0)}
      run={run}
      onClose={onClose}
    >
      <p>
        Up to four earlier turns are run again, with the text and without it. It stops as soon as the answer is clear. A
        text that does harm is withdrawn at once; one that made no difference twice is offered last.
      </p>
      <Field
        label="Tokens that it may use"
        hint={hint}
        error={isWrong ? "A whole number from 1, such as 200000." : undefined}
      >
        {(props) => (
          <input
            {...props}
            inputMode="numeric"
            autocomplete="off"
            value={tokens}
            onInput={(event) => setTokens(event.currentTarget.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}
