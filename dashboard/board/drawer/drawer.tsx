// The open card beside the board. It takes the focus when it opens, closes with Escape, and gives the focus back to the card's tile.
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Badge, type Tone } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Icon } from "../../components/icon.tsx";
import { Markdown } from "../../components/markdown.tsx";
import { Loaded } from "../../components/states.tsx";
import { Time } from "../../components/time.tsx";
import { call } from "../../data/api.ts";
import { useResource } from "../../data/resource.ts";
import { may } from "../../data/sign-in.ts";
import { AssigneeForm } from "./assignee-form.tsx";
import { CardActions } from "./card-actions.tsx";
import { Attachments } from "./attachments.tsx";
import { type CardDetail, type CardLine, STATUS_NAMES, type Status, nameAssignee, nameAuthor } from "../cards.ts";
import { Comments } from "./comments.tsx";
import { EditCard } from "./edit-card.tsx";
import { CardEvents, Runs } from "./history.tsx";
import { Links } from "./links.tsx";

interface DrawerProps {
  board: string;
  id: string;
  /** Of the board: what the card may be linked to. */
  cards: CardLine[];
  onChanged(card: CardLine): void;
  onDeleted(): void;
  onMove(card: CardLine): void;
  onClose(): void;
}

export function Drawer(props: DrawerProps) {
  const { board, id, onClose } = props;
  const titleId = useId();
  const drawer = useRef<HTMLDivElement>(null);
  const detail = useResource("GET /v1/boards/{board}/cards/{card}", { params: { board, card: id } });
  useEffect(() => {
    drawer.current?.focus();
    findTile(id)?.scrollIntoView({ block: "nearest", inline: "nearest" });
    return () => findTile(id)?.focus();
  }, []);
  function onKeyDown(event: KeyboardEvent): void {
    // A dialog, a list of proposals or a field's own Escape comes first.
    if (event.key !== "Escape" || event.defaultPrevented || (event.target as Element).closest("dialog")) return;
    onClose();
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Escape closes it from anywhere inside
    <div class="drawer" role="dialog" aria-labelledby={titleId} tabIndex={-1} ref={drawer} onKeyDown={onKeyDown}>
      <div class="drawer-bar">
        <span class="mono muted">{id}</span>
        <Button kind="quiet" icon="close" label="Close the card" onClick={onClose} />
      </div>
      <Loaded of={detail}>
        {(value) => <DrawerBody {...props} titleId={titleId} detail={value} reload={detail.reload} />}
      </Loaded>
      {detail.value === undefined && (
        <h2 id={titleId} class="visually-hidden">
          Card {id}
        </h2>
      )}
    </div>
  );
}

/** Absent while its column does not have it in sight. */
function findTile(id: string): HTMLElement | null {
  return document.querySelector(`[data-card="${CSS.escape(id)}"] .tile-title`);
}

const TONES: Partial<Record<Status, Tone>> = {
  done: "good",
  blocked: "bad",
  review: "warn",
  running: "accent",
};

function DrawerBody({
  board,
  detail,
  cards,
  titleId,
  reload,
  onChanged,
  onDeleted,
  onMove,
  onClose,
}: DrawerProps & { detail: CardDetail; titleId: string; reload(): Promise<void> }) {
  const { card, isOwners, implementer } = detail;
  const [isEditing, setEditing] = useState(false);
  const mayWrite = may("write");
  const params = { board, card: card.id };
  // A form or a button that had the focus may be gone: Escape must still reach the drawer.
  useEffect(() => {
    if (document.activeElement === document.body)
      document.getElementById(titleId)?.closest<HTMLElement>(".drawer")?.focus({ preventScroll: true });
  });
  /** Shows what a change has answered, at once. */
  async function show(changed: CardLine): Promise<void> {
    onChanged(changed);
    await reload();
  }
  return (
    <div class="drawer-body">
      {isEditing ? (
        <>
          <h2 id={titleId}>Edit the card</h2>
          <EditCard board={board} card={card} onSaved={show} onClose={() => setEditing(false)} />
        </>
      ) : (
        <>
          <div class="drawer-title">
            <h2 id={titleId} dir="auto">
              {card.title}
            </h2>
            {mayWrite && card.status !== "archived" && (
              <Button kind="quiet" icon="edit" label="Edit the card" onClick={() => setEditing(true)} />
            )}
          </div>
          <p class="drawer-facts">
            <Badge tone={TONES[card.status] ?? "plain"}>{STATUS_NAMES[card.status]}</Badge>
            {card.priority !== 0 && <Badge>{`Priority ${card.priority}`}</Badge>}
            {card.label !== null && (
              <span class="badge clip" dir="auto">
                {card.label}
              </span>
            )}
            <span class="muted small">
              <span dir="auto">{nameAuthor(card.author)}</span>, <Time at={card.createdAt} />
            </span>
          </p>
          {card.block && (
            <div class="note note-bad">
              <Icon name="warning" />
              <p dir="auto">{card.block.reason}</p>
            </div>
          )}
          {card.reason !== null && !card.block && (
            <div class="note">
              <p dir="auto">{card.reason}</p>
            </div>
          )}
          {card.notBefore !== null && (
            <p>
              Not before <Time at={card.notBefore} isExact />
            </p>
          )}
          {mayWrite && (
            <CardActions
              board={board}
              card={card}
              onChanged={show}
              onMove={() => onMove(card)}
              onDeleted={() => {
                onDeleted();
                onClose();
              }}
            />
          )}
          <section class="drawer-part" aria-label="Text">
            {card.body === "" ? <p class="muted">No text.</p> : <Markdown text={card.body} />}
            {!isOwners && <p class="muted small">Somebody else wrote on this card: its text is not your own word.</p>}
            {card.skills.length > 0 && <p class="muted small">Skills: {card.skills.join(", ")}</p>}
            {card.asked && (
              <details>
                <summary>What was asked at first</summary>
                <p dir="auto">
                  <strong>{card.asked.title}</strong>
                </p>
                <Markdown text={card.asked.body} />
              </details>
            )}
          </section>
          {card.summary !== null && (
            <section class="drawer-part" aria-label="Result">
              <h3>Result</h3>
              <Markdown text={card.summary} />
            </section>
          )}
        </>
      )}
      <section class="drawer-part" aria-label="Assignee">
        <h3>Assignee</h3>
        {mayWrite && card.status !== "running" && card.status !== "archived" ? (
          <AssigneeForm
            key={JSON.stringify(card.assignee)}
            assignee={card.assignee}
            save={async (assignee) =>
              show(await call("POST /v1/boards/{board}/cards/{card}/assign", { params, body: { assignee } }))
            }
          />
        ) : (
          <p dir="auto">{nameAssignee(card.assignee)}</p>
        )}
        {implementer !== null && card.status === "review" && (
          <p class="muted small" dir="auto">
            The work was done by {nameAssignee(implementer)}.
          </p>
        )}
      </section>
      <Links board={board} detail={detail} cards={cards} onChanged={show} />
      <Comments board={board} card={card.id} comments={detail.comments} reload={reload} />
      <Attachments board={board} card={card.id} attachments={detail.attachments} reload={reload} />
      <Runs runs={detail.runs} />
      <CardEvents board={board} card={card.id} />
    </div>
  );
}
