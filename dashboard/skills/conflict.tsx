// The skill has a newer revision than the one being edited: both are shown, and the person decides. What was typed stays in its fields.
import { Button } from "../components/button.tsx";
import { Icon } from "../components/icon.tsx";
import { hrefOf } from "../pages.ts";
import type { Draft } from "./draft.ts";
import { Changes } from "./revision-changes.tsx";
import type { Detail } from "./words.ts";

interface ConflictProps {
  draft: Draft;
  present: Detail;
  /** Bases what was typed on the newer revision. */
  onKeep(): void;
  onDiscard(): void;
}

export function Conflict({ draft, present, onKeep, onDiscard }: ConflictProps) {
  const rev = present.head?.rev ?? 0;
  return (
    <section class="panel conflict" aria-label="The skill has changed">
      <p class="note note-warn" role="alert">
        <Icon name="warning" />
        <span>
          The skill has changed since you began: you edit revision {draft.base}, and it is at{" "}
          <a href={hrefOf("skills", present.name, "history")}>revision {rev}</a> now. Nothing was saved, and what you
          typed is still here.
        </span>
      </p>
      <h2>What saving would change in revision {rev}</h2>
      <Changes before={present.files} after={draft.files} />
      <div class="form-actions">
        <Button kind="primary" onClick={onKeep}>
          Go on with my text
        </Button>
        <Button onClick={onDiscard}>Take revision {rev}, and drop my text</Button>
      </div>
    </section>
  );
}
