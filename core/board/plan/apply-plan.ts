// Planning a card, without the model: what a plan is made from, and what a plan changes, each plan in one transaction. Nothing is locked between
// the two: a plan whose card has changed meanwhile is refused. Used by core/board/board.ts.
import { type Failure, type Result, err, ok } from "../../errors.ts";
import type { PlanKind } from "../../prompts/plan/plan.ts";
import type { AskedWords, CardId } from "../../schemas/board/card.ts";
import { BOARD, type BoardContext, badTransition, enter } from "../context.ts";
import type { Board, Call, Changed, PlanMaterial } from "../contract.ts";
import { toNewCard } from "../edit.ts";
import { type StoredCard, keyOfAssignee, toCard } from "../rows/card-rows.ts";
import { MAX_LINKS } from "../rows/link-rows.ts";
import type { CardPart } from "./read-plan.ts";

/** [hermes] Of what was said on the card. */
const SHOWN_COMMENTS = 30;

type Plan = Pick<Board, "beginPlan" | "applySpecification" | "applyParts">;
type Refused = { ok: false; failure: Failure };

export function createPlan(context: BoardContext): Plan {
  const { sql, limits, now, cards, links, log, find, replay, refuse, save } = context;

  /** What an earlier call has done already, or the card. */
  function look(
    call: Call,
    kind: PlanKind,
    id: CardId,
  ): Refused | { ok: true; done: Changed } | { ok: true; card: StoredCard; done: null } {
    const repeated = replay(call, id);
    if (repeated) return repeated.ok ? { ok: true, done: repeated.value } : repeated;
    const found = find(id);
    if (!found.ok) return found;
    const refused = refuse(call.author, kind, id);
    if (refused) return refused;
    const card = found.value;
    if (kind === "decompose" && card.divided !== undefined) {
      return { ok: true, done: { card: toCard(card), stopped: null, replayed: true } };
    }
    if (card.status !== "triage" && card.status !== "todo") return badTransition(card, kind);
    return { ok: true, card, done: null };
  }

  /** The frame of a plan's change. */
  function apply(
    call: Call,
    kind: PlanKind,
    { id, seen, decide }: { id: CardId; seen: PlanMaterial; decide(card: StoredCard): Result<StoredCard> },
  ): Result<Changed> {
    return sql.transaction((): Result<Changed> => {
      const looked = look(call, kind, id);
      if (!looked.ok) return looked;
      if (looked.done) return ok(looked.done);
      const { card } = looked;
      if (card.title !== seen.title || card.body !== seen.body || card.status !== seen.status) {
        return err(
          "card_changed",
          `The card '${id}' was changed while its plan was made. Nothing was done: ask again.`,
        );
      }
      const decided = decide(card);
      if (!decided.ok) return decided;
      context.noteOp(call, id);
      return ok({ card: toCard(decided.value), stopped: null, replayed: false });
    });
  }

  return {
    beginPlan(call, kind, id) {
      const looked = look(call, kind, id);
      if (!looked.ok) return looked;
      if (looked.done) return ok({ done: looked.done, material: null });
      const { title, body, status } = looked.card;
      const comments = log.newestComments(id, SHOWN_COMMENTS).map(({ text }) => text);
      return ok({ done: null, material: { title, body, status, comments } });
    },

    applySpecification: (call, id, seen, { title, body, priority = null }) =>
      apply(call, "specify", {
        ...{ id, seen },
        decide(card) {
          const text = { title, body, isOwners: false, asked: toAsked(card) };
          const next: StoredCard = { ...card, ...text, priority: priority ?? card.priority };
          const fields = ["title", "body", ...(priority === null ? [] : ["priority"])];
          const notes = [{ kind: "specified", facts: { fields, for: call.author } }];
          if (card.status !== "triage") return ok(save(card, { card: next, notes }, BOARD, null));
          const status = links.openParents(id).length > 0 ? "todo" : "ready";
          const promoted = { ...enter(next, status, "promote"), failures: 0 };
          return ok(save(card, { card: promoted, notes: [...notes, { kind: "promoted" }] }, BOARD, null));
        },
      }),

    applyParts: (call, id, seen, parts) =>
      apply(call, "decompose", {
        ...{ id, seen },
        decide(card) {
          const before = links.openParents(id);
          const refused = refuseParts(card, before, parts.length);
          if (refused) return refused;
          const children = addParts(card, before, parts);
          const next = { ...card, divided: parts.length };
          const status = card.status === "triage" ? { ...enter(next, "todo", "promote"), failures: 0 } : next;
          const notes = [{ kind: "decomposed", facts: { children, for: call.author } }];
          return ok(save(card, { card: status, notes }, BOARD, null));
        },
      }),
  };

  function refuseParts({ id }: StoredCard, before: CardId[], n: number): Refused | null {
    if (cards.countAll() + n > limits.maxCards) {
      return err(
        "too_many_cards",
        `This board may have ${limits.maxCards} cards, and the plan has ${n}. Delete some first.`,
      );
    }
    const isFull = before.some((parent) => links.children(parent).length + n > MAX_LINKS);
    if (!isFull && links.parents(id).length + n <= MAX_LINKS) return null;
    return err("too_many_links", `A card has at most ${MAX_LINKS} parents and ${MAX_LINKS} children.`);
  }

  /** The parts come before the card; those that wait for no other part wait for what the card waited for. */
  function addParts(whole: StoredCard, before: CardId[], parts: CardPart[]): CardId[] {
    const ids: CardId[] = [];
    const { label, priority, limits: ownLimits, skills, assignee } = whole;
    for (const { title, body, role, after } of parts) {
      const wanted = {
        title,
        body,
        assignee: role === null ? assignee : { role },
        label,
        priority,
        limits: ownLimits,
        skills,
      };
      const isOpen = after.length + before.length > 0;
      const card = { ...toNewCard(wanted, { context, author: BOARD, isOpen }), asked: toAsked(whole) };
      cards.add(card, null);
      ids.push(card.id);
      const facts = { status: card.status, assignee: keyOfAssignee(card.assignee), whole: whole.id };
      log.note({ card: card.id, run: null, kind: "created", author: BOARD, at: now(), facts });
    }
    for (const [i, { after }] of parts.entries()) {
      const parents = after.length > 0 ? after.map((n) => ids[n]!) : before;
      for (const parent of parents) links.add(parent, ids[i]!);
      links.add(ids[i]!, whole.id);
    }
    return ids;
  }
}

/** The words from which a plan was made, and whose they are. The first plan keeps them; later ones do not replace them. */
function toAsked({ title, body, isOwners, asked }: StoredCard): AskedWords {
  return asked ?? { title, body, isOwners };
}
