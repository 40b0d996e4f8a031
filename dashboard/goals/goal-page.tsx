// One goal: what is to be reached, where it stands, and what the judge said of each turn.
import { useState } from "preact/hooks";
import { Badge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { confirm } from "../components/dialog.tsx";
import { Facts } from "../components/facts.tsx";
import { Field } from "../components/field.tsx";
import { FormDialog } from "../components/form-dialog.tsx";
import { Icon } from "../components/icon.tsx";
import { Markdown } from "../components/markdown.tsx";
import { Page as Frame, Section } from "../components/page.tsx";
import { ScopeNote } from "../components/scope-note.tsx";
import { Failure, Loading } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import { useAction } from "../components/use-action.ts";
import { change, useResource } from "../data/resource.ts";
import { may } from "../data/sign-in.ts";
import { hrefOf } from "../pages.ts";
import {
  CLAUSES,
  type Goal,
  type GoalDetail,
  type Verdict,
  describeState,
  describeVerdict,
  splitLines,
} from "./goal-words.ts";

/** Goals have no live stream. */
const EVERY_MS = 5_000;

export function GoalPage({ id }: { id: string }) {
  const read = useResource("GET /v1/goals/{goal}", { params: { goal: id } }, { every: EVERY_MS });
  const goal = read.value;
  return (
    <Frame
      title="Goal"
      lead={<a href={hrefOf("goals")}>All goals</a>}
      actions={goal && may("write") && <Actions goal={goal} />}
    >
      <ScopeNote scope="write" to="change goals" />
      {read.error !== undefined && <Failure error={read.error} retry={() => void read.reload()} />}
      {goal === undefined ? read.error === undefined && <Loading /> : <About goal={goal} />}
      {goal !== undefined && <Verdicts goal={goal} />}
    </Frame>
  );
}

function Actions({ goal }: { goal: Goal }) {
  const action = useAction();
  const [open, setOpen] = useState<"subgoals" | "wait" | null>(null);
  const params = { goal: goal.id };
  const isOpen = goal.state !== "done" && goal.state !== "cleared";
  const isWaiting = goal.state === "active" && (goal.waitUntil ?? 0) > Date.now();
  if (!isOpen) return null;
  const act = (body: Parameters<typeof changeGoal>[1], said: string) =>
    action.run(() => changeGoal(goal.id, body), said);
  const clear = () =>
    confirm({
      title: "Clear the goal?",
      text: "Nobody works at it any more, and it cannot be resumed. It stays in the list.",
      action: "Clear goal",
      isDanger: true,
      run: () => change("POST /v1/goals/{goal}", { params, body: { do: "clear" } }),
    });
  return (
    <>
      {goal.state === "active" ? (
        <Button icon="pause" isBusy={action.isBusy} onClick={() => act({ do: "pause" }, "The goal pauses.")}>
          Pause
        </Button>
      ) : (
        <Button
          kind="primary"
          icon="play"
          isBusy={action.isBusy}
          onClick={() => act({ do: "resume" }, `The goal goes on, for ${goal.maxTurns} more turns.`)}
        >
          Resume
        </Button>
      )}
      {goal.state === "active" &&
        (isWaiting ? (
          <Button isBusy={action.isBusy} onClick={() => act({ do: "unwait" }, "It waits no longer.")}>
            Go on now
          </Button>
        ) : (
          <Button icon="clock" onClick={() => setOpen("wait")}>
            Wait…
          </Button>
        ))}
      <Button icon="edit" onClick={() => setOpen("subgoals")}>
        Subgoals
      </Button>
      <Button icon="close" onClick={clear}>
        Clear
      </Button>
      {open === "subgoals" && <Subgoals goal={goal} onClose={() => setOpen(null)} />}
      {open === "wait" && <Wait goal={goal} onClose={() => setOpen(null)} />}
    </>
  );
}

type Change = Parameters<typeof change<"POST /v1/goals/{goal}">>[1]["body"];

function changeGoal(goal: string, body: Change): Promise<unknown> {
  return change("POST /v1/goals/{goal}", { params: { goal }, body });
}

function Subgoals({ goal, onClose }: { goal: Goal; onClose(): void }) {
  const [text, setText] = useState(goal.subgoals?.join("\n") ?? "");
  return (
    <FormDialog
      title="Subgoals"
      action="Save"
      run={() => changeGoal(goal.id, { do: "subgoals", subgoals: splitLines(text) })}
      onClose={onClose}
    >
      <Field label="Subgoals" hint="One a line, at most 20. The session reads them with its next turn.">
        {(props) => (
          <textarea
            {...props}
            rows={6}
            autofocus
            dir="auto"
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}

function Wait({ goal, onClose }: { goal: Goal; onClose(): void }) {
  const [minutes, setMinutes] = useState("60");
  return (
    <FormDialog
      title="Wait"
      action="Wait"
      run={() => changeGoal(goal.id, { do: "wait", seconds: Math.round(Number(minutes) * 60) })}
      onClose={onClose}
    >
      <Field label="Minutes" hint="The session does not go on by itself before.">
        {(props) => (
          <input
            {...props}
            type="number"
            required
            autofocus
            min={1}
            max={43_200}
            value={minutes}
            onInput={({ currentTarget }) => setMinutes(currentTarget.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}

function About({ goal }: { goal: GoalDetail }) {
  const { name, tone } = describeState(goal);
  const isWaiting = goal.state === "active" && (goal.waitUntil ?? 0) > Date.now();
  return (
    <>
      <div class="panel goal-about">
        <Markdown text={goal.text} />
        <div class="goal-meter">
          <progress
            aria-label="Turns used"
            aria-valuetext={`${goal.turns} of ${goal.maxTurns}`}
            max={goal.maxTurns}
            value={goal.turns}
          />
          <span class="muted small">
            {goal.turns} of {goal.maxTurns} turns used
          </span>
        </div>
        <Facts
          facts={{
            State: <Badge tone={tone}>{name}</Badge>,
            Why: goal.reason || undefined,
            "Waits until": isWaiting ? <Time at={goal.waitUntil!} isExact /> : undefined,
            Session: <a href={hrefOf("chat", goal.session)}>Open the session</a>,
            Set: <Time at={goal.createdAt} isExact />,
          }}
        />
        {goal.source === "content" && (
          <p class="note note-warn">
            <Icon name="warning" />
            Somebody else set this goal. Its words are not your own.
          </p>
        )}
      </div>
      <Contract goal={goal} />
    </>
  );
}

function Contract({ goal: { contract = {}, subgoals = [], checks = [] } }: { goal: Goal }) {
  const clauses = CLAUSES.filter(({ name }) => contract[name] !== undefined);
  if (clauses.length + subgoals.length + checks.length === 0) return null;
  return (
    <Section title="What it is held against">
      <div class="panel goal-about">
        <Facts facts={Object.fromEntries(clauses.map(({ name, label }) => [label, contract[name]]))} />
        {subgoals.length > 0 && (
          <>
            <h3>Subgoals</h3>
            <ol class="prose goal-steps">
              {subgoals.map((subgoal) => (
                <li key={subgoal} dir="auto">
                  {subgoal}
                </li>
              ))}
            </ol>
          </>
        )}
        {checks.length > 0 && (
          <>
            <h3>Checks that must succeed</h3>
            <ul class="goal-checks">
              {checks.map(({ command }) => (
                <li key={command}>
                  <code>{command}</code>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </Section>
  );
}

function Verdicts({ goal: { verdicts } }: { goal: GoalDetail }) {
  return (
    <Section title="What the judge said">
      {verdicts.length === 0 ? (
        <p class="muted">No turn has been judged yet.</p>
      ) : (
        <ol class="verdicts" reversed>
          {verdicts.toReversed().map((verdict) => (
            <li key={`${verdict.session} ${verdict.turn}`} data-tone={describeVerdict(verdict).tone}>
              <VerdictLine verdict={verdict} />
            </li>
          ))}
        </ol>
      )}
    </Section>
  );
}

function VerdictLine({ verdict }: { verdict: Verdict }) {
  const { name, tone } = describeVerdict(verdict);
  return (
    <>
      <p class="run-head">
        <Badge tone={tone}>{name}</Badge>
        <a href={hrefOf("chat", verdict.session, verdict.turn)}>Turn {verdict.turn}</a>
        <span class="muted small">
          <Time at={verdict.at} isExact />
        </span>
      </p>
      {verdict.reason !== "" && <p dir="auto">{verdict.reason}</p>}
      {verdict.failed !== undefined && (
        <details>
          <summary>What the check printed</summary>
          <pre class="goal-check-output" tabIndex={0}>
            {verdict.failed}
          </pre>
        </details>
      )}
    </>
  );
}
