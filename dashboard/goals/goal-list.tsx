// All goals by their state: what needs a person comes first.
import { Badge } from "../components/badge.tsx";
import { Section } from "../components/page.tsx";
import { Empty, Listed, MoreButton } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import { useList } from "../data/list.ts";
import { may } from "../data/sign-in.ts";
import { hrefOf } from "../pages.ts";
import { type Goal, describeState, groupGoals } from "./goal-words.ts";

const EVERY_MS = 10_000;

export function GoalList() {
  const list = useList("GET /v1/goals", { query: { limit: "100" } }, ({ goals }) => goals, { every: EVERY_MS });
  return (
    <>
      <Listed
        of={list}
        empty={
          <Empty icon="goal" title="No goals yet">
            <p>Set one with “New goal”, or start from a blueprint.</p>
            {may("write") && (
              <a class="button" href={hrefOf("jobs", "-", "blueprints")}>
                See the blueprints
              </a>
            )}
          </Empty>
        }
      >
        {(items) =>
          groupGoals(items).map(({ name, goals: group }) => (
            <Section key={name} title={name}>
              <ul class="goal-list">
                {group.map((goal) => (
                  <li key={goal.id}>
                    <GoalRow goal={goal} />
                  </li>
                ))}
              </ul>
            </Section>
          ))
        }
      </Listed>
      <MoreButton of={list} />
    </>
  );
}

function GoalRow({ goal }: { goal: Goal }) {
  const { name, tone } = describeState(goal);
  return (
    <div class="goal-row">
      <div class="row-main">
        <a class="goal-text" dir="auto" href={hrefOf("goals", goal.id)}>
          {goal.text}
        </a>
        {goal.reason !== "" && (
          <span class="muted small goal-text" dir="auto">
            {goal.reason}
          </span>
        )}
      </div>
      <div class="row-side">
        <Turns goal={goal} />
        <Badge tone={tone}>{name}</Badge>
        <Time at={goal.updatedAt} />
      </div>
    </div>
  );
}

/** Used of the allowed. */
export function Turns({ goal: { turns, maxTurns } }: { goal: Goal }) {
  return (
    <span class="turns">
      {turns} of {maxTurns} turns
    </span>
  );
}
