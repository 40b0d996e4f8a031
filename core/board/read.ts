// What a board shows, and its attachments' bytes. Changes nothing. Used by core/board/board.ts.
import { err, ok } from "../errors.ts";
import { type CardId, CardStatus } from "../schemas/board/card.ts";
import type { BoardContext } from "./context.ts";
import type { Board, LinkedCard } from "./contract.ts";
import { fromAssigneeKey, toCard } from "./rows/card-rows.ts";

/** [hermes] */
const SHOWN_COMMENTS = 30;
const SHOWN_RUNS = 10;
/** [own] */
const MAX_RUNS = 200;
const PAGE_COMMENTS = 100;
const COUNTED_COMMENTS = 100;

type Read = Pick<
  Board,
  "show" | "list" | "stats" | "events" | "lastEvent" | "comments" | "runs" | "findRun" | "readAttachment"
>;

export function createRead({ find, cards, links, runs, log, attachments }: BoardContext): Read {
  const toLinked = (id: CardId): LinkedCard => {
    const { title, status, summary } = cards.find(id)!;
    return { id, title, status, summary };
  };
  return {
    show(id) {
      const found = find(id);
      if (!found.ok) return found;
      const card = found.value;
      return ok({
        card: toCard(card),
        isOwners: card.isOwners,
        parents: links.parents(id).map(toLinked),
        children: links.children(id).map(toLinked),
        comments: log.newestComments(id, SHOWN_COMMENTS),
        runs: runs.listOf(id, SHOWN_RUNS),
        attachments: attachments.listOf(id),
        implementer: card.lane === "review" ? card.implementer : card.assignee,
      });
    },
    list(filter) {
      const page = cards.list(filter);
      if (!filter.counts) return page;
      const count = (id: CardId) => ({ comments: log.countComments(id, COUNTED_COMMENTS), ...links.counts(id) });
      return { ...page, cards: page.cards.map((card) => ({ ...card, counts: count(card.id) })) };
    },
    stats() {
      const counts = cards.counts();
      const byStatus = Object.fromEntries(CardStatus.options.map((status) => [status, 0])) as Record<
        CardStatus,
        number
      >;
      for (const { status, n } of counts) byStatus[status] += n;
      const byAssignee = counts
        .filter(({ status }) => status !== "archived")
        .map(({ status, assignee, n }) => ({ assignee: fromAssigneeKey(assignee), status, cards: n }));
      return { byStatus, byAssignee, oldestReadyAt: cards.oldest("ready") };
    },
    events: (page) => log.events(page),
    lastEvent: () => log.lastEvent(),
    comments: (id, after) => log.commentsAfter(id, after, PAGE_COMMENTS),
    runs: (id) => runs.listOf(id, MAX_RUNS),
    findRun: (id) => runs.find(id),
    readAttachment(id, name) {
      const attachment = attachments.find(id, name);
      if (!attachment) return err("attachment_not_found", `The card '${id}' has no attachment '${name}'.`);
      return ok({ attachment, bytes: attachments.bytes(id, attachment) });
    },
  };
}
