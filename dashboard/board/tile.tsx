// One card in its column: what it is, who has it, and what it waits for. Dragged by pointer; moved by its menu, or by
// the key M. The arrow keys go from card to card.
import { signal } from "@preact/signals";
import { Badge } from "../components/badge.tsx";
import { quote } from "../components/hidden-text.ts";
import { Button } from "../components/button.tsx";
import { Icon } from "../components/icon.tsx";
import { Time } from "../components/time.tsx";
import { hrefOf } from "../pages.ts";
import { focusNeighbour } from "./arrow-keys.ts";
import { type CardLine, nameAssignee } from "./cards.ts";

/** Cards under the pointer, from one that was taken hold of until it is dropped. */
export const dragged = signal<CardLine[]>([]);

const BLOCK_NAMES = {
  dependency: "Waits for a card",
  needs_input: "Needs an answer",
  capability: "Cannot go on",
  transient: "Tries again",
} as const;

export interface TileActions {
  /** Absent: nothing can be changed. */
  onMove?: ((card: CardLine) => void) | undefined;
  onSelect?: ((card: CardLine, isSelected: boolean) => void) | undefined;
  /** The cards that are moved together with this one. */
  withSelected(card: CardLine): CardLine[];
}

interface TileProps extends TileActions {
  board: string;
  card: CardLine;
  isSelected: boolean;
  isOpen: boolean;
}

export function Tile({ board, card, isSelected, isOpen, onMove, onSelect, withSelected }: TileProps) {
  const { id, title, priority, assignee, label, block, counts } = card;
  const isHeld = dragged.value.some((one) => one.id === id);
  function onKeyDown(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const link = event.target as HTMLElement;
    if (!link.matches(".tile-title")) return;
    if (event.key === "m" && onMove) onMove(card);
    else if (!focusNeighbour(link, event.key)) return;
    event.preventDefault();
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the key M of its link and its button do the same
    <div
      class="tile"
      data-card={id}
      data-selected={isSelected || undefined}
      data-open={isOpen || undefined}
      data-held={isHeld || undefined}
      draggable={onMove !== undefined}
      onKeyDown={onKeyDown}
      onDragStart={(event) => {
        event.dataTransfer!.setData("text/plain", id);
        event.dataTransfer!.effectAllowed = "move";
        dragged.value = withSelected(card);
      }}
      onDragEnd={() => {
        dragged.value = [];
      }}
    >
      <div class="tile-head">
        {onSelect && (
          <input
            type="checkbox"
            aria-label={`Select ${quote(title)}`}
            checked={isSelected}
            onChange={({ currentTarget }) => onSelect(card, currentTarget.checked)}
          />
        )}
        <span class="mono tile-id">{id}</span>
        {priority !== 0 && (
          <span class={`badge badge-${priority > 0 ? "accent" : "plain"}`} title="Priority">
            <span class="visually-hidden">Priority </span>P{priority}
          </span>
        )}
        {onMove && <Button kind="quiet" icon="more" label={`Move ${quote(title)} to…`} onClick={() => onMove(card)} />}
      </div>
      <a
        class="tile-title"
        dir="auto"
        href={hrefOf("board", board, id)}
        draggable={false}
        aria-current={isOpen || undefined}
      >
        {title}
      </a>
      <div class="tile-foot">
        {assignee && (
          <span class="tile-assignee" dir="auto" title={`Assigned to ${nameAssignee(assignee)}`}>
            <Icon name={"role" in assignee ? "spark" : "person"} />
            <span class="clip">{nameAssignee(assignee)}</span>
          </span>
        )}
        {block && <Badge tone="bad">{BLOCK_NAMES[block.kind]}</Badge>}
        {card.status === "scheduled" && card.notBefore !== null && <Time at={card.notBefore} />}
        {label !== null && (
          <span class="badge clip" dir="auto" title="Label">
            {label}
          </span>
        )}
        <span class="tile-counts">
          {counts !== undefined && counts.parents > 0 && (
            <Count icon="link" text={`${counts.parentsDone}/${counts.parents}`} title="cards before it are done" />
          )}
          {counts !== undefined && counts.children > 0 && (
            <Count icon="branch" text={`${counts.childrenDone}/${counts.children}`} title="cards after it are done" />
          )}
          {counts !== undefined && counts.comments > 0 && (
            <Count
              icon="chat"
              text={counts.comments === 100 ? "100+" : String(counts.comments)}
              title={counts.comments === 1 ? "comment" : "comments"}
            />
          )}
        </span>
      </div>
    </div>
  );
}

function Count({ icon, text, title }: { icon: "link" | "branch" | "chat"; text: string; title: string }) {
  return (
    <span class="tile-count" title={`${text} ${title}`}>
      <Icon name={icon} />
      {text}
      <span class="visually-hidden"> {title}</span>
    </span>
  );
}
