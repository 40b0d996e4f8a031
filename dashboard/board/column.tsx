// One column of a board: cards of one status, of which only those in sight exist.
import { useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { WindowedList } from "../components/windowed-list.tsx";
import { formatNumber } from "../components/numbers.ts";
import { type CardLine, STATUS_HINTS, STATUS_NAMES, type Status, targetsOf } from "./cards.ts";
import { Tile, type TileActions, dragged } from "./tile.tsx";

/** Of a card and its gap, in rem. The styles give the card the same. */
const CARD_REM = 7;

interface ColumnProps extends TileActions {
  board: string;
  status: Status;
  cards: CardLine[];
  selected: Set<string>;
  open: string | undefined;
  /** Absent: no card can begin here. */
  onNew?: (() => void) | undefined;
  onDrop(cards: CardLine[]): void;
  /** Reads more, where the column is read page by page. */
  onEnd?: (() => void) | undefined;
}

export function Column(props: ColumnProps) {
  const { board, status, cards, selected, open, onNew, onDrop, onEnd, ...actions } = props;
  const [isOver, setOver] = useState(false);
  const name = STATUS_NAMES[status];
  const held = dragged.value;
  const takes = held.some((card) => targetsOf(card.status).includes(status));
  const rowHeight = CARD_REM * parseFloat(getComputedStyle(document.documentElement).fontSize);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a drop has the menu "Move to…" as its equal
    <section
      class="column"
      aria-label={name}
      data-drop={held.length === 0 ? undefined : takes ? (isOver ? "over" : "yes") : "no"}
      onDragOver={(event) => {
        if (!takes) return;
        event.preventDefault();
        event.dataTransfer!.dropEffect = "move";
        setOver(true);
      }}
      onDragLeave={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        if (takes) onDrop(held);
        dragged.value = [];
      }}
    >
      <div class="column-head">
        <span class={`dot dot-${status}`} aria-hidden="true" />
        <h2>{name}</h2>
        <span class="muted small">{formatNumber(cards.length)}</span>
        {onNew && <Button kind="quiet" icon="plus" label={`New card in ${name}`} onClick={onNew} />}
      </div>
      <div class="column-body">
        {cards.length === 0 ? (
          <p class="column-hint">{STATUS_HINTS[status]}</p>
        ) : (
          <WindowedList
            label={`Cards in ${name}`}
            items={cards}
            rowHeight={rowHeight}
            keyOf={({ id }) => id}
            onEnd={onEnd}
            row={(card) => (
              <Tile
                board={board}
                card={card}
                isSelected={selected.has(card.id)}
                isOpen={open === card.id}
                {...actions}
              />
            )}
          />
        )}
      </div>
    </section>
  );
}
