// The cards of one board in columns, with search, choosing several, moving, and the open card beside them.
import { useState } from "preact/hooks";
import { Icon } from "../components/icon.tsx";
import { Failure, Loading } from "../components/states.tsx";
import { useList } from "../data/list.ts";
import { may } from "../data/sign-in.ts";
import { hrefOf } from "../pages.ts";
import { type BoardCards, MAX_CARDS } from "./board-cards.ts";
import { BulkBar } from "./bulk-bar.tsx";
import { type FailedChange, changeMany, moveCard, said, say } from "./card-changes.ts";
import {
  type CardLine,
  STATUSES,
  STATUS_NAMES,
  type Status,
  asksOf,
  filterCards,
  listAssignees,
  nameAssignee,
  fromAssigneeKey,
  toColumns,
} from "./cards.ts";
import { Column } from "./column.tsx";
import { Drawer } from "./drawer/drawer.tsx";
import { MoveDialog } from "./move-dialog.tsx";
import { BEGINNINGS, NewCardDialog } from "./new-card.tsx";
import { toastError } from "../components/toasts.tsx";

const SHOWN = STATUSES.filter((status) => status !== "archived");

export function BoardView({ board, store, open }: { board: string; store: BoardCards; open: string | undefined }) {
  const [words, setWords] = useState("");
  const [assignee, setAssignee] = useState<string | null>(null);
  const [showsArchived, setShowsArchived] = useState(false);
  const [selected, setSelected] = useState<Set<string>>(new Set());
  const [failed, setFailed] = useState<FailedChange[]>([]);
  const [making, setMaking] = useState<Status | null>(null);
  const [moving, setMoving] = useState<{ cards: CardLine[]; to?: Status } | null>(null);
  const archived = useList(
    "GET /v1/boards/{board}/cards",
    showsArchived ? { params: { board }, query: { status: "archived", limit: "100", counts: "1" } } : null,
    ({ cards }) => cards,
  );
  const mayWrite = may("write");
  const all = showsArchived ? [...store.cards, ...archived.items] : store.cards;
  const columns = toColumns(filterCards(all, { words, assignee }));
  const chosen = all.filter(({ id }) => selected.has(id));
  const withSelected = (card: CardLine) => (selected.has(card.id) ? chosen : [card]);

  /** Throws the refusal of a single card. */
  async function move(cards: CardLine[], to: Status, facts: Parameters<typeof moveCard>[3]): Promise<void> {
    const one = async (card: CardLine) => store.put(await moveCard(board, card, to, facts));
    if (cards.length === 1) await one(cards[0]!);
    else {
      const refused = await changeMany(cards, one);
      say(`Moved to ${STATUS_NAMES[to]}: ${cards.length - refused.length} of ${cards.length}.`);
      finish(refused);
    }
    if (showsArchived) void archived.reload();
  }

  function drop(cards: CardLine[], to: Status): void {
    if (cards.some((card) => asksOf(card, to) !== null)) return setMoving({ cards, to });
    void move(cards, to, {}).catch((error: unknown) => {
      say("The card stays where it is.");
      toastError(error);
    });
  }

  function finish(refused: FailedChange[]): void {
    setFailed(refused);
    setSelected(new Set(refused.map(({ id }) => id)));
    void store.reload();
    if (showsArchived) void archived.reload();
  }

  function select(card: CardLine, isSelected: boolean): void {
    const next = new Set(selected);
    if (isSelected) next.add(card.id);
    else next.delete(card.id);
    setSelected(next);
    setFailed([]);
  }

  return (
    <div class="board-frame" data-open={open !== undefined || undefined}>
      <div class="board-main">
        <div class="toolbar board-tools" role="search" aria-label="Cards">
          <input
            class="input board-search"
            type="search"
            aria-label="Search cards"
            placeholder="Search cards"
            value={words}
            onInput={({ currentTarget }) => setWords(currentTarget.value)}
          />
          <select
            class="input board-filter"
            aria-label="Assigned to"
            value={assignee ?? "all"}
            onChange={({ currentTarget }) => setAssignee(currentTarget.value === "all" ? null : currentTarget.value)}
          >
            <option value="all">Assigned to anybody</option>
            {listAssignees(all).map((key) => (
              <option key={key} value={key}>
                {nameAssignee(fromAssigneeKey(key))}
              </option>
            ))}
          </select>
          <label class="check">
            <input
              type="checkbox"
              checked={showsArchived}
              onChange={({ currentTarget }) => setShowsArchived(currentTarget.checked)}
            />
            Show archived
          </label>
          <LiveMark state={store.live} />
        </div>
        {store.error !== undefined && <Failure error={store.error} retry={() => void store.reload()} />}
        {archived.error !== undefined && <Failure error={archived.error} retry={() => void archived.reload()} />}
        {store.isCut && (
          <p class="note note-warn">
            <Icon name="warning" />
            Only the newest {MAX_CARDS} cards are shown. Archive what is done.
          </p>
        )}
        {selected.size > 0 && (
          <BulkBar
            board={board}
            cards={chosen}
            failed={failed}
            onDone={finish}
            onMove={() => setMoving({ cards: chosen })}
            onClear={() => setSelected(new Set())}
          />
        )}
        {!store.isReady ? (
          <Loading />
        ) : (
          <div class="columns" tabIndex={0} role="region" aria-label="Columns of the board">
            {(showsArchived ? STATUSES : SHOWN).map((status) => (
              <Column
                key={status}
                board={board}
                status={status}
                cards={columns[status]}
                selected={selected}
                open={open}
                onNew={mayWrite && BEGINNINGS.includes(status) ? () => setMaking(status) : undefined}
                onMove={mayWrite ? (card) => setMoving({ cards: withSelected(card) }) : undefined}
                onSelect={mayWrite ? select : undefined}
                withSelected={withSelected}
                onDrop={(cards) => drop(cards, status)}
                onEnd={status === "archived" ? archived.more : undefined}
              />
            ))}
          </div>
        )}
      </div>
      {open !== undefined && (
        <Drawer
          key={open}
          board={board}
          id={open}
          cards={store.cards}
          onChanged={store.put}
          onDeleted={() => store.remove(open)}
          onMove={(card) => setMoving({ cards: [card] })}
          onClose={() => {
            location.hash = hrefOf("board", board);
          }}
        />
      )}
      <p class="visually-hidden" role="status" aria-live="polite">
        {said.value}
      </p>
      {making && (
        <NewCardDialog
          board={board}
          status={making}
          cards={store.cards}
          onMade={store.put}
          onClose={() => setMaking(null)}
        />
      )}
      {moving && (
        <MoveDialog
          cards={moving.cards}
          to={moving.to}
          move={(to, facts) => move(moving.cards, to, facts)}
          onClose={() => setMoving(null)}
        />
      )}
    </div>
  );
}

const LIVE_NAMES = {
  connecting: "Connecting…",
  open: "Live",
  waiting: "Not connected. It is tried again by itself.",
  ended: "The connection has ended. Load the page again.",
} as const;

function LiveMark({ state }: { state: BoardCards["live"] }) {
  return (
    <span class="live-mark" data-state={state}>
      <span class="dot" aria-hidden="true" />
      {LIVE_NAMES[state]}
    </span>
  );
}
