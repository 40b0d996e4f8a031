// Gives the open card to somebody else.
import { useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { ErrorNote } from "../../components/states.tsx";
import { useAttempt } from "../../components/use-attempt.ts";
import { AssigneeField } from "../assignee-field.tsx";
import { say } from "../card-changes.ts";
import { type Assignee, nameAssignee, toAssigneeKey } from "../cards.ts";

export function AssigneeForm({ assignee, save }: { assignee: Assignee; save(assignee: Assignee): Promise<void> }) {
  const [chosen, setChosen] = useState(assignee);
  const { isBusy, error, run } = useAttempt();
  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    if (await run(() => save(chosen))) say(`Assigned to ${nameAssignee(chosen)}.`);
  }
  return (
    <form class="drawer-form" onSubmit={(event) => void submit(event)}>
      <AssigneeField label="Who works on it" value={chosen} onChange={setChosen} />
      {toAssigneeKey(chosen) !== toAssigneeKey(assignee) && (
        <Button type="submit" kind="primary" isBusy={isBusy}>
          Assign
        </Button>
      )}
      {error !== undefined && <ErrorNote error={error} />}
    </form>
  );
}
