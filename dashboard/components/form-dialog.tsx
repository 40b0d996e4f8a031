// A dialog with a form: it stays open with the reason while the server refuses, and closes once the server has accepted.
import type { ComponentChildren } from "preact";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { ErrorNote } from "./states.tsx";
import { useAttempt } from "./use-attempt.ts";

interface FormDialogProps {
  title: string;
  /** The verb on the button. */
  action: string;
  isDanger?: boolean;
  /** Something in the form cannot be sent as it is. */
  isInvalid?: boolean;
  /** May throw: the dialog then stays and says why. */
  run(): Promise<unknown>;
  onClose(): void;
  children: ComponentChildren;
}

export function FormDialog({
  title,
  action,
  isDanger = false,
  isInvalid = false,
  run,
  onClose,
  children,
}: FormDialogProps) {
  const attempt = useAttempt();
  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    if (await attempt.run(run)) onClose();
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="form" onSubmit={(event) => void submit(event)}>
        {children}
        {attempt.error !== undefined && <ErrorNote error={attempt.error} />}
        <div class="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind={isDanger ? "danger" : "primary"} isBusy={attempt.isBusy} disabled={isInvalid}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
