// A message of the person: its text as it was written, its images, and a way to send it again with other words.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { fillPath } from "../../../cli/connection/routes.ts";
import { Button } from "../../components/button.tsx";
import { ErrorNote } from "../../components/states.tsx";
import { useAttempt } from "../../components/use-attempt.ts";
import type { Turn } from "../session/conversation.ts";
import type { PersonItem } from "../session/items.ts";

export interface PersonActions {
  /** Sends another text in place of the turn's message, in a branch. Absent: the session cannot be branched. */
  edit?: (turn: Turn, text: string) => Promise<void>;
  /** Buttons under a turn. */
  ofTurn(turn: Turn): ComponentChildren;
}

interface PersonMessageProps {
  session: string;
  turn: Turn;
  item: PersonItem;
  text: string;
  actions: PersonActions;
}

export function PersonMessage({ session, turn, item, text, actions: { edit } }: PersonMessageProps) {
  const [isEdited, setEdited] = useState(false);
  const isFirst = turn.items[0] === item && !item.isGoal;
  if (isEdited && edit) {
    return <EditForm text={text} onCancel={() => setEdited(false)} onSend={(next) => edit(turn, next)} />;
  }
  return (
    <div class="person">
      {item.isGoal && <p class="muted small">Goes on with the goal</p>}
      {item.joined && <p class="muted small">Joined the running turn</p>}
      <div class="person-row">
        {isFirst && edit && turn.end !== null && text !== "" && (
          <Button
            kind="quiet"
            icon="edit"
            label="Edit in a branch"
            class="person-edit-button"
            onClick={() => setEdited(true)}
          />
        )}
        <span class="visually-hidden">You: </span>
        {text !== "" && <PersonText text={text} />}
      </div>
      {item.images.length > 0 && (
        <ul class="images" aria-label="Images">
          {item.images.map(({ sha256, name, width, height }) => (
            <li key={sha256}>
              <a
                href={fillPath("/v1/sessions/{session}/images/{sha256}", { session, sha256 })}
                target="_blank"
                rel="noopener"
              >
                <img
                  src={fillPath("/v1/sessions/{session}/images/{sha256}", { session, sha256 })}
                  alt={name ?? "Image"}
                  loading="lazy"
                  {...{ width, height }}
                />
              </a>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** A longer message is folded. */
const FOLDED_CHARS = 2_500;
const FOLDED_LINES = 30;

function PersonText({ text }: { text: string }) {
  const isLong = text.length > FOLDED_CHARS || text.split("\n").length > FOLDED_LINES;
  const [isWhole, setWhole] = useState(false);
  return (
    <div class={isLong && !isWhole ? "person-text person-folded" : "person-text"}>
      <div class="person-words" dir="auto">
        {text}
      </div>
      {isLong && (
        <button type="button" class="link small" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? "Show less" : "Show all of it"}
        </button>
      )}
    </div>
  );
}

function EditForm({
  text,
  onCancel,
  onSend,
}: {
  text: string;
  onCancel: () => void;
  onSend: (text: string) => Promise<void>;
}) {
  const [next, setNext] = useState(text);
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => area.current?.focus(), []);
  const { isBusy, error, run } = useAttempt();
  const submit = (event: Event) => {
    event.preventDefault();
    void run(() => onSend(next));
  };
  return (
    <form class="person-edit" onSubmit={submit}>
      <textarea
        ref={area}
        class="input"
        aria-label="Edited text"
        dir="auto"
        rows={Math.min(12, next.split("\n").length + 1)}
        value={next}
        onInput={(event) => setNext(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Escape" && onCancel()}
      />
      {error !== undefined && <ErrorNote error={error} />}
      <div class="ask-actions">
        <Button type="submit" kind="primary" isBusy={isBusy} disabled={next.trim() === ""}>
          Branch with this text
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
        <p class="muted small">This conversation stays as it is.</p>
      </div>
    </form>
  );
}
