// What people do with cards: each a request, with a sentence for the live region once it is done. Throws ProblemError, UnreachableError.
import { signal } from "@preact/signals";
import { call } from "../data/api.ts";
import { type CardLine, STATUS_NAMES, type Status } from "./cards.ts";
import { quote } from "../components/hidden-text.ts";

/** What the last change did, for screen readers. */
export const said = signal("");

export function say(sentence: string): void {
  said.value = sentence;
}

export interface MoveFacts {
  kind?: "needs_input" | "capability" | "transient";
  reason?: string;
  summary?: string;
  /** Milliseconds since 1970. */
  notBefore?: number;
}

/** Answers the card as it is then, which may be elsewhere: the board has the last word. */
export async function moveCard(board: string, card: CardLine, to: Status, facts: MoveFacts = {}): Promise<CardLine> {
  const params = { board, card: card.id };
  const { kind, ...rest } = facts;
  const moved =
    to === "blocked"
      ? await call("POST /v1/boards/{board}/cards/{card}/block", {
          params,
          body: { kind: kind ?? "needs_input", reason: facts.reason ?? "Blocked by hand." },
        })
      : await call("POST /v1/boards/{board}/cards/{card}/move", { params, body: { to, ...rest } });
  say(`${quote(moved.title)} is in ${STATUS_NAMES[moved.status]} now.`);
  return moved;
}

export interface FailedChange {
  id: string;
  title: string;
  error: unknown;
}

const AT_ONCE = 4;

/** Does one thing with many cards, a few at a time. A refusal of one does not keep the others. */
export async function changeMany(
  cards: CardLine[],
  change: (card: CardLine) => Promise<unknown>,
): Promise<FailedChange[]> {
  const failed: FailedChange[] = [];
  const waiting = [...cards];
  async function work(): Promise<void> {
    for (let card = waiting.shift(); card; card = waiting.shift()) {
      try {
        await change(card);
      } catch (error) {
        failed.push({ id: card.id, title: card.title, error });
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return failed;
}
