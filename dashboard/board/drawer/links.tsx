// Which cards come before the open one, and which wait for it.
import { useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { quote } from "../../components/hidden-text.ts";
import { ErrorNote } from "../../components/states.tsx";
import { useAttempt } from "../../components/use-attempt.ts";
import { call } from "../../data/api.ts";
import { may } from "../../data/sign-in.ts";
import { hrefOf } from "../../pages.ts";
import { say } from "../card-changes.ts";
import { CardPicker } from "../card-picker.tsx";
import { type CardDetail, type CardLine, STATUS_NAMES } from "../cards.ts";

type Linked = CardDetail["parents"][number];

export function Links({
  board,
  detail: { card, parents, children },
  cards,
  onChanged,
}: {
  board: string;
  detail: CardDetail;
  cards: CardLine[];
  onChanged(card: CardLine): Promise<void>;
}) {
  const [wanted, setWanted] = useState("");
  const { isBusy, error, run: attempt } = useAttempt();
  const mayWrite = may("write") && card.status !== "archived";
  const known = new Set([card.id, ...parents.map(({ id }) => id)]);

  const run = (change: () => Promise<unknown>, sentence: string) =>
    attempt(async () => {
      await change();
      say(sentence);
      // The link may have changed the status of the card.
      const { card: changed } = await call("GET /v1/boards/{board}/cards/{card}", { params: { board, card: card.id } });
      await onChanged(changed);
    });

  async function add(event: Event): Promise<void> {
    event.preventDefault();
    const params = { board, card: card.id, parent: wanted };
    const put = () => call("PUT /v1/boards/{board}/cards/{card}/parents/{parent}", { params });
    if (await run(put, "The card waits for another one now.")) setWanted("");
  }

  const unlink = (child: string, parent: string) =>
    void run(
      () => call("DELETE /v1/boards/{board}/cards/{card}/parents/{parent}", { params: { board, card: child, parent } }),
      "The link was removed.",
    );

  return (
    <section class="drawer-part" aria-label="Links">
      <h3>Waits for</h3>
      <Chips
        board={board}
        cards={parents}
        empty="No other card."
        onRemove={mayWrite ? (id) => unlink(card.id, id) : undefined}
      />
      {mayWrite && card.status !== "done" && (
        <form class="drawer-form" onSubmit={(event) => void add(event)}>
          <CardPicker
            label="Another card that comes before it"
            cards={cards.filter(({ id }) => !known.has(id))}
            value={wanted}
            onChange={setWanted}
          />
          <Button type="submit" icon="link" isBusy={isBusy} disabled={wanted === ""}>
            Add link
          </Button>
        </form>
      )}
      {error !== undefined && <ErrorNote error={error} />}
      {children.length > 0 && (
        <>
          <h3>Comes before</h3>
          <Chips
            board={board}
            cards={children}
            empty=""
            onRemove={mayWrite ? (id) => unlink(id, card.id) : undefined}
          />
        </>
      )}
    </section>
  );
}

function Chips({
  board,
  cards,
  empty,
  onRemove,
}: {
  board: string;
  cards: Linked[];
  empty: string;
  onRemove: ((id: string) => void) | undefined;
}) {
  if (cards.length === 0) return <p class="muted">{empty}</p>;
  return (
    <ul class="chips">
      {cards.map(({ id, title, status }) => (
        <li key={id} class="chip">
          <span class={`dot dot-${status}`} aria-hidden="true" />
          <a href={hrefOf("board", board, id)} dir="auto" title={`${title} (${STATUS_NAMES[status]})`}>
            {title}
          </a>
          <span class="visually-hidden">{STATUS_NAMES[status]}</span>
          {onRemove && (
            <Button
              kind="quiet"
              icon="close"
              label={`Remove the link to ${quote(title)}`}
              onClick={() => onRemove(id)}
            />
          )}
        </li>
      ))}
    </ul>
  );
}
