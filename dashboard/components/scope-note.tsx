// Why a page has fewer buttons than it could: the key of this sign-in may not use them.
import { may } from "../data/sign-in.ts";

interface ScopeNoteProps {
  scope: "write" | "admin";
  /** What cannot be done here, such as "change memory". */
  to: string;
}

/** Shows nothing where the sign-in has the scope. */
export function ScopeNote({ scope, to }: ScopeNoteProps) {
  if (may(scope)) return null;
  return (
    <div class="note scope-note">
      <p>
        To {to}, sign in with a key that has the scope <code>{scope}</code>.
      </p>
    </div>
  );
}
