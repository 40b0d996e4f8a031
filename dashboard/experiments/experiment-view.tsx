// One experiment: its outcome in a sentence, what it cost, the sum of each arm, and of each turn the runs, two of them side by side.
import { useState } from "preact/hooks";
import { Badge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { confirm } from "../components/dialog.tsx";
import { Facts } from "../components/facts.tsx";
import { quote, showHidden } from "../components/hidden-text.ts";
import { formatNumber, formatShort } from "../components/numbers.ts";
import { Section } from "../components/page.tsx";
import { Empty, Loaded } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import { toast } from "../components/toasts.tsx";
import { change, useResource } from "../data/resource.ts";
import { may } from "../data/sign-in.ts";
import { hrefOf, hrefOfTurn } from "../pages.ts";
import { CompareRuns } from "./compare-runs.tsx";
import {
  ARM_NAMES,
  type Experiment,
  OCCASIONS,
  type TurnRuns,
  describeRun,
  describeState,
  describeTokens,
  describeVerdict,
  listArms,
  nameRun,
  toTurnRuns,
} from "./experiment-words.ts";

const EVERY_MS = 3_000;

export function ExperimentView({ name, id }: { name: string; id: string }) {
  const [isOpen, setOpen] = useState(true);
  const read = useResource(
    "GET /v1/experiments/{experiment}",
    { params: { experiment: id } },
    isOpen ? { every: EVERY_MS } : {},
  );
  if (isOpen && read.value?.state === "done") setOpen(false);
  return (
    <>
      <p>
        <a href={hrefOf("skills", name, "experiments")}>All experiments of this skill</a>
      </p>
      <Loaded of={read}>{(experiment) => <Shown experiment={experiment} />}</Loaded>
    </>
  );
}

function Shown({ experiment }: { experiment: Experiment }) {
  const { id, state, outcome, why, occasion, createdAt, endedAt, runsUntil, rev } = experiment;
  const { name, tone } = describeState(experiment);
  const turns = toTurnRuns(experiment);
  const stop = () =>
    confirm({
      title: "Stop the experiment?",
      text: <p>No further run is made, and it ends without an outcome. What it has used stays booked.</p>,
      action: "Stop",
      isDanger: true,
      async run() {
        await change("POST /v1/experiments/{experiment}/stop", { params: { experiment: id } });
        toast("The experiment was stopped.");
      },
    });
  return (
    <div class="stack-wide">
      <div aria-live="polite">
        <p>
          <Badge tone={tone}>{name}</Badge>{" "}
          <span dir="auto">
            {why === "" ? "Earlier turns are run again, with the text and without it." : showHidden(why)}
          </span>
        </p>
      </div>
      <Facts
        facts={{
          Reason: OCCASIONS[occasion],
          Text: rev === null ? "Not in the library" : `Revision ${rev}`,
          Begun: <Time at={createdAt} isExact />,
          Ended: endedAt === null ? null : <Time at={endedAt} isExact />,
          Cost: describeTokens(experiment),
          "Runs are kept until": runsUntil === null ? null : <Time at={runsUntil} isExact />,
        }}
      />
      {state !== "done" && may("write") && (
        <div>
          <Button icon="close" onClick={stop}>
            Stop it
          </Button>
        </div>
      )}
      <Sums experiment={experiment} />
      {turns.length === 0 && outcome === "not_replayable" && (
        <Empty icon="search" title="No earlier turn to try it on">
          <p>Nothing similar was found that can be run again.</p>
        </Empty>
      )}
      {turns.map((one) => (
        <OneTurn key={one.turn.turn} experiment={experiment} of={one} />
      ))}
    </div>
  );
}

function Sums({ experiment }: { experiment: Experiment }) {
  const arms = listArms(experiment);
  if (arms.length === 0) return null;
  const show = (value: number | null, format: (value: number) => string) => (value === null ? "–" : format(value));
  return (
    <Section title="With it and without it">
      <div class="table-frame" tabIndex={0} role="group" aria-label="The sum of each side">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Side</th>
              {["Right", "Calls", "Failed", "Tokens"].map((title) => (
                <th key={title} scope="col" class="number">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {arms.map(({ arm, sum }) => (
              <tr key={arm}>
                <th scope="row">{ARM_NAMES[arm]}</th>
                <td class="number">
                  {formatNumber(sum.right)} of {formatNumber(sum.runs)}
                </td>
                <td class="number">{show(sum.calls, formatNumber)}</td>
                <td class="number">{show(sum.failedCalls, formatNumber)}</td>
                <td class="number">{show(sum.tokens, formatShort)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="muted small">Calls and tokens are those of the middle run.</p>
    </Section>
  );
}

function OneTurn({ experiment, of: { turn, runs, pair } }: { experiment: Experiment; of: TurnRuns }) {
  const [isOpen, setOpen] = useState(false);
  const { request, cited, replayability } = turn;
  const title = request === null ? "A turn of a deleted session" : quote(request);
  const isKept = experiment.runsUntil === null || experiment.runsUntil > Date.now();
  return (
    <Section title={title}>
      <p class="item-facts">
        <span>{cited ? "The text was learned from this turn." : "Similar work, which the text does not cite."}</span>
        {request !== null && <a href={hrefOfTurn(turn.turn)}>Open the turn</a>}
      </p>
      {!replayability.replayable && (
        <p class="note" dir="auto">
          It could not be run again. {showHidden(replayability.why)}
        </p>
      )}
      {replayability.replayable && runs.length === 0 && <p class="muted small">It was not run again.</p>}
      {runs.length > 0 && (
        <ul class="items" aria-label="Runs">
          {runs.map((run) => (
            <li key={`${run.arm} ${run.nth} ${run.replay}`}>
              <div class="item-head">
                <strong>{nameRun(run)}</strong>
                <Badge tone={describeVerdict(run).tone}>{describeVerdict(run).name}</Badge>
              </div>
              <p class="item-facts">{describeRun(run)}</p>
            </li>
          ))}
        </ul>
      )}
      {pair && isKept && (
        <details class="more-below" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>Compare two runs side by side</summary>
          {isOpen && <CompareRuns experiment={experiment.id} pair={pair} />}
        </details>
      )}
    </Section>
  );
}
