// Dialogs by the browser's own element: it keeps the focus inside, closes with Escape, and gives the focus back.
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Button } from "./button.tsx";
import { showHidden } from "./hidden-text.ts";
import { ErrorNote } from "./states.tsx";
import { useAttempt } from "./use-attempt.ts";

export function Dialog({
  title,
  onClose,
  isKept = false,
  children,
}: {
  title: string;
  onClose: () => void;
  /** Escape does not close it: what it shows is shown once. */
  isKept?: boolean;
  children: ComponentChildren;
}) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
    // A form begins in its first field, not at the button that closes it.
    if (!dialog.current?.querySelector("[autofocus]"))
      dialog.current?.querySelector<HTMLElement>("input, textarea, select")?.focus();
  }, []);
  return (
    <dialog
      ref={dialog}
      class="dialog"
      tabIndex={-1}
      aria-labelledby={id}
      onClose={onClose}
      onKeyDown={(event) => {
        if (isKept && event.key === "Escape") event.preventDefault();
      }}
    >
      <div class="dialog-head">
        <h2 id={id} dir="auto">
          {showHidden(title)}
        </h2>
        <Button kind="quiet" icon="close" label="Close" onClick={() => dialog.current?.close()} />
      </div>
      {children}
    </dialog>
  );
}

export interface Confirmation {
  title: string;
  /** What happens, and what is lost. */
  text: ComponentChildren;
  /** The verb on the button. */
  action: string;
  isDanger?: boolean;
  /** May throw: the dialog then stays and says why. */
  run(): Promise<unknown>;
}

const asked = signal<Confirmation | null>(null);

/** Asks before something that cannot be taken back. One question at a time. */
export function confirm(question: Confirmation): void {
  asked.value = question;
}

/** Where `confirm` shows its question: once in the frame of the page. */
export function Confirmations() {
  const question = asked.value;
  return question && <Question key={question} question={question} onClose={() => (asked.value = null)} />;
}

function Question({ question, onClose }: { question: Confirmation; onClose: () => void }) {
  const { title, text, action, isDanger = false, run } = question;
  const attempt = useAttempt();
  async function act(): Promise<void> {
    if (await attempt.run(run)) onClose();
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="dialog-body">{text}</div>
      {attempt.error !== undefined && <ErrorNote error={attempt.error} />}
      <div class="dialog-foot">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind={isDanger ? "danger" : "primary"} isBusy={attempt.isBusy} onClick={() => void act()}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
