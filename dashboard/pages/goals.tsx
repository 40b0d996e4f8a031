// Goals: what sessions work at by themselves. Addresses: all of them by state, and one by its id.
import { useState } from "preact/hooks";
import "../styles/work.css";
import { Button } from "../components/button.tsx";
import { Page as Frame } from "../components/page.tsx";
import { ScopeNote } from "../components/scope-note.tsx";
import { may } from "../data/sign-in.ts";
import { GoalList } from "../goals/goal-list.tsx";
import { GoalPage } from "../goals/goal-page.tsx";
import { NewGoalDialog } from "../goals/new-goal.tsx";
import type { PageProps } from "../pages.ts";

export function Page({ rest: [id] }: PageProps) {
  const [isMaking, setMaking] = useState(false);
  if (id !== undefined) return <GoalPage key={id} id={id} />;
  return (
    <Frame
      title="Goals"
      lead="A session works towards a goal turn by turn, until a judge says that it is reached."
      actions={
        may("write") && (
          <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
            New goal
          </Button>
        )
      }
    >
      <ScopeNote scope="write" to="set or change goals" />
      <GoalList />
      {isMaking && <NewGoalDialog onClose={() => setMaking(false)} />}
    </Frame>
  );
}
