// A secret that the server shows once. It lives in this dialog only.
import { Button } from "./button.tsx";
import { CopyButton } from "./code.tsx";
import { Dialog } from "./dialog.tsx";

interface SecretDialogProps {
  title: string;
  secret: string;
  /** What it is for, in a sentence. */
  text: string;
  onClose(): void;
}

export function SecretDialog({ title, secret, text, onClose }: SecretDialogProps) {
  return (
    <Dialog title={title} isKept onClose={onClose}>
      <p>{text}</p>
      <p class="note note-warn">It is shown this once. Copy it now, and keep it where secrets are kept.</p>
      <div class="secret">
        <code>{secret}</code>
        <CopyButton text={secret} label="Copy the secret" />
      </div>
      <div class="dialog-foot">
        <Button kind="primary" onClick={onClose}>
          I have copied it
        </Button>
      </div>
    </Dialog>
  );
}
