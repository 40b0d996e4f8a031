// What can be done with a session in the list: another title, a file of it, its deletion.
import { useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { quote } from "../components/hidden-text.ts";
import { Dialog, confirm } from "../components/dialog.tsx";
import { Field } from "../components/field.tsx";
import { FormDialog } from "../components/form-dialog.tsx";
import { toast, toastError } from "../components/toasts.tsx";
import { call } from "../data/api.ts";
import { change } from "../data/resource.ts";
import { may } from "../data/sign-in.ts";
import { exportSession } from "./export-session.ts";

interface SessionActionsProps {
  session: string;
  title: string;
  /** `null`: it was deleted. */
  onChange(title: string | null): void;
}

export function SessionActions({ session, title, onChange }: SessionActionsProps) {
  const [open, setOpen] = useState<"rename" | "export" | null>(null);
  const name = title || "Untitled";
  const remove = () =>
    confirm({
      title: "Delete this session?",
      text: (
        <p>
          {quote(name)}, its messages and its files are erased. What was learned from it stays. This cannot be undone.
        </p>
      ),
      action: "Delete",
      isDanger: true,
      async run() {
        await call("DELETE /v1/sessions/{session}", { params: { session } });
        toast("The session was deleted.");
        onChange(null);
      },
    });
  return (
    <>
      {may("write") && <Button kind="quiet" icon="edit" label={`Rename ${name}`} onClick={() => setOpen("rename")} />}
      <Button kind="quiet" icon="download" label={`Export ${name}`} onClick={() => setOpen("export")} />
      {may("write") && <Button kind="quiet" icon="trash" label={`Delete ${name}`} onClick={remove} />}
      {open === "rename" && <RenameDialog {...{ session, title, onChange }} onClose={() => setOpen(null)} />}
      {open === "export" && <ExportDialog session={session} onClose={() => setOpen(null)} />}
    </>
  );
}

/** The longest title that the API takes, in characters. */
const MAX_TITLE = 200;

function RenameDialog({ session, title, onChange, onClose }: SessionActionsProps & { onClose: () => void }) {
  const [text, setText] = useState(title);
  async function rename(): Promise<void> {
    await change("PATCH /v1/sessions/{session}", { params: { session }, body: { title: text.trim() } });
    onChange(text.trim());
  }
  return (
    <FormDialog
      title="Rename the session"
      action="Rename"
      isInvalid={text.trim() === ""}
      run={rename}
      onClose={onClose}
    >
      <Field label="Title">
        {(props) => (
          <input
            {...props}
            dir="auto"
            maxLength={MAX_TITLE}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}

const FORMS = [
  { form: "markdown", name: "As Markdown", hint: "The conversation as people read it." },
  { form: "json", name: "As JSON", hint: "Every entry whole, with calls, results and cost." },
] as const;

function ExportDialog({ session, onClose }: { session: string; onClose: () => void }) {
  const [busy, setBusy] = useState<string | null>(null);
  const save = (form: (typeof FORMS)[number]["form"]) => {
    setBusy(form);
    exportSession(session, form)
      .then(onClose, toastError)
      .finally(() => setBusy(null));
  };
  return (
    <Dialog title="Export the session" onClose={onClose}>
      <ul class="action-list">
        {FORMS.map(({ form, name, hint }) => (
          <li key={form}>
            <Button icon="download" isBusy={busy === form} onClick={() => save(form)}>
              {name}
            </Button>
            <span class="muted">{hint}</span>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
