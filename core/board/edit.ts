// What people and agents do with cards at rest: make, change, assign, order, comment, put away. Used by core/board/board.ts.
import { type Result, err, ok } from "../errors.ts";
import type { CardId, RunId } from "../schemas/board/card.ts";
import {
  type BoardContext,
  badTransition,
  enter,
  isOver,
  opReused,
  parentsOpen,
  refuseBegin,
  runOf,
} from "./context.ts";
import type { Board, Call, Changed, NewCard } from "./contract.ts";
import { type StoredCard, keyOfAssignee, toCard, touchesText } from "./rows/card-rows.ts";
import { MAX_BEFORE, MAX_LINKS } from "./rows/link-rows.ts";
import { toNews } from "./news.ts";
import { openRun } from "./open-run.ts";

/** [own] */
const MAX_COMMENTS = 1_000;
/** [own] Of these, the last are the owner's: nobody else can write so much that they cannot. */
const OWNERS_COMMENTS = 100;
/** [own] Cards that workers make and that descend from one card. More of them wait in triage for a person. */
const MAX_OFFSPRING = 100;
const TOO_MANY_LINKS = err("too_many_links", `A card has at most ${MAX_LINKS} parents and ${MAX_LINKS} children.`);

type Edit = Pick<
  Board,
  "create" | "update" | "delete" | "assign" | "comment" | "link" | "unlink" | "promote" | "cancel" | "archive"
>;

export function createEdit(context: BoardContext): Edit {
  const { sql, limits, now, cards, links, runs, log, news, attachments, find, change, refuse } = context;

  function create(call: Call, wanted: NewCard): Result<Changed> {
    const { author } = call;
    return sql.transaction((): Result<Changed> => {
      const repeated = context.replay(call, null);
      if (repeated) return repeated;
      const refused = refuse(author, wanted.start ? "start" : "create", null);
      if (refused) return refused;
      // A worker's keys are apart: else its card would stand in for one that the owner makes later, whose text would be lost.
      const isWorkers = author.by === "agent" && author.run !== undefined;
      const key = wanted.key === undefined ? null : isWorkers ? `worker ${wanted.key}` : wanted.key;
      const same = key === null ? null : cards.findByKey(key);
      if (same) return ok({ card: toCard(same), stopped: null, replayed: true });
      if (cards.countAll() >= limits.maxCards) {
        return err("too_many_cards", `This board has ${limits.maxCards} cards, the limit. Delete some first.`);
      }
      const parents = [...new Set(wanted.parents)];
      if (parents.length > MAX_LINKS) return TOO_MANY_LINKS;
      const open: CardId[] = [];
      for (const id of parents) {
        const parent = find(id);
        if (!parent.ok) return parent;
        if (links.children(id).length >= MAX_LINKS) return TOO_MANY_LINKS;
        if (!isOver(parent.value.status)) open.push(id);
      }
      const origin = originOf(author);
      const isTooMany = origin !== null && (origin.offspring ?? 0) >= MAX_OFFSPRING;
      const card = {
        ...toNewCard(isTooMany ? { ...wanted, triage: true } : wanted, { context, author, isOpen: open.length > 0 }),
        ...(origin && { origin: origin.id }),
      };
      if (wanted.start && card.status !== "ready") {
        return open.length > 0 ? parentsOpen(card.id, open) : badTransition(card, "start");
      }
      cards.add(card, key);
      for (const parent of parents) links.add(parent, card.id);
      if (origin) cards.save(origin, { ...origin, offspring: (origin.offspring ?? 0) + 1 });
      const facts = { status: card.status, assignee: keyOfAssignee(card.assignee), parents };
      const n = log.note({ card: card.id, run: runOf(author), kind: "created", author, at: now(), facts });
      const told = toNews(null, card, { kinds: [], isLimited: isTooMany });
      context.tell(n, card.id, told, { author, run: null });
      const started = wanted.start ? openRun(context, card, { author, session: null }) : card;
      context.noteOp(call, card.id);
      return ok({ card: toCard(started), stopped: null, replayed: false });
    });
  }

  return {
    create,

    update: (call, id, patch) =>
      change(call, "update", id, (card) => {
        const { notBefore, ...rest } = patch;
        const fields = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
        const isOwners = card.isOwners && (call.author.by === "owner" || !touchesText(Object.keys(fields)));
        const edited: StoredCard = { ...card, ...fields, isOwners };
        const notes =
          Object.keys(fields).length === 0 ? [] : [{ kind: "edited", facts: { fields: Object.keys(fields) } }];
        if (notBefore === undefined || (notBefore === null && card.status !== "scheduled")) {
          return ok({ card: edited, notes });
        }
        const at = notBefore ?? now();
        if (card.status === "scheduled") {
          return ok({
            card: { ...edited, notBefore: at, due: at },
            notes: [...notes, { kind: "scheduled", facts: { at } }],
          });
        }
        if (at <= now()) return ok({ card: edited, notes });
        const refused = refuseBegin(card, "update");
        if (refused) return refused;
        const scheduled = { ...enter(edited, "scheduled", "update", at), notBefore: at };
        return ok({ card: scheduled, notes: [...notes, { kind: "scheduled", facts: { at } }] });
      }),

    delete: (call, id) =>
      sql.transaction((): Result<null> => {
        const { author } = call;
        const earlier = context.findOp(call, id);
        if (earlier) return earlier.ok ? ok(null) : earlier;
        const found = find(id);
        if (!found.ok) return found;
        if (author.by !== "owner" && author.by !== "person") {
          return err("person_only", "Only a person deletes a card. Archive or cancel it instead.");
        }
        const refused = refuseBegin(found.value, "delete");
        if (refused) return err("card_running", `The card '${id}' is running. Cancel it first.`);
        const children = links.children(id);
        for (const child of children) links.remove(id, child);
        for (const parent of links.parents(id)) links.remove(parent, id);
        cards.remove(found.value);
        // The event comes before the removal of the others, which never removes the newest.
        log.note({ card: id, run: null, kind: "deleted", author, at: now(), facts: {} });
        log.removeEventsOf(id);
        log.noteDeletion(id, now());
        log.removeCommentsOf(id);
        news.removeOf(id);
        runs.removeOf(id);
        attachments.removeOf(id);
        context.recompute(children);
        context.noteOp(call, id);
        return ok(null);
      }),

    assign: (call, id, assignee) =>
      change(call, "assign", id, (card) => {
        if (card.status === "running") {
          return err("card_running", `The card '${id}' is running. Reclaim it first.`);
        }
        const due = card.status === "ready" || card.status === "review" ? null : card.due;
        const facts = { from: keyOfAssignee(card.assignee), to: keyOfAssignee(assignee) };
        const next = { ...card, assignee, due, failures: 0, waitsForRole: false };
        return ok({ card: next, notes: [{ kind: "assigned", facts }] });
      }),

    comment: (call, id, text) =>
      sql.transaction(() => {
        const { author } = call;
        const earlier = context.findOp(call, id);
        if (earlier && !earlier.ok) return earlier;
        const stored = earlier && log.findComment(Number(earlier.value.value));
        if (stored) return ok({ comment: stored, replayed: true });
        const found = find(id);
        if (!found.ok) return found;
        if (earlier) return opReused(call.op!); // that of something else
        const refused = refuse(author, "comment", id);
        if (refused) return refused;
        const most = author.by === "owner" ? MAX_COMMENTS : MAX_COMMENTS - OWNERS_COMMENTS;
        if (log.countComments(id, most) >= most) {
          return err("too_many_comments", `The card '${id}' has ${most} comments, the limit.`);
        }
        const at = now();
        const n = log.addComment(id, { author, at, text });
        log.note({ card: id, run: runOf(author), kind: "commented", author, at, facts: { comment: n } });
        context.noteOp(call, id, String(n));
        return ok({ comment: { n, author, at, text }, replayed: false });
      }),

    link: (call, { parent, child }) =>
      change(call, "link", child, (card) => {
        const before = find(parent);
        if (!before.ok) return before;
        const { author } = call;
        if (author.by === "agent" && author.run !== undefined && !isOfRun(card, author.run)) {
          return err("not_your_card", "Only the card of this run, and cards that its runs made, may be told to wait.");
        }
        if (isOver(card.status)) return badTransition(card, "link");
        if (links.parents(child).includes(parent)) return ok({ card, notes: [] });
        const isFull = links.parents(child).length >= MAX_LINKS || links.children(parent).length >= MAX_LINKS;
        if (isFull) return TOO_MANY_LINKS;
        const earlier = links.before(parent);
        if (earlier.includes(child)) {
          return err("link_cycle", `'${parent}' waits for '${child}' already: the link would close a circle.`);
        }
        if (earlier.length > MAX_BEFORE) return err("too_many_links", `More than ${MAX_BEFORE} cards come before it.`);
        links.add(parent, child);
        const notes = [{ kind: "linked", facts: { parent } }];
        const waits = card.status === "ready" && !isOver(before.value.status);
        return ok({ card: waits ? enter(card, "todo", "link") : card, notes });
      }),

    unlink: (call, { parent, child }) =>
      change(call, "unlink", child, (card) => {
        if (!links.remove(parent, child)) return ok({ card, notes: [] });
        const unlinked = { kind: "unlinked", facts: { parent } };
        const isFree = card.status === "todo" && links.openParents(child).length === 0;
        if (!isFree) return ok({ card, notes: [unlinked] });
        return ok({ card: enter(card, "ready", "recompute"), notes: [unlinked, { kind: "promoted" }] });
      }),

    promote: (call, id) =>
      change(call, "promote", id, (card) => {
        const open = links.openParents(id);
        const waits = open.length > 0;
        if (waits && (card.status === "todo" || card.status === "blocked")) return parentsOpen(id, open);
        const refused = refuseBegin(card, "promote");
        if (refused) return refused;
        const next = { ...enter(card, waits ? "todo" : "ready", "promote"), failures: 0 };
        return ok({ card: next, notes: [{ kind: "promoted_manual" }] });
      }),

    cancel: (call, id, reason) => change(call, "cancel", id, (card) => putAway(card, "cancel", reason)),
    archive: (call, id) => change(call, "archive", id, (card) => putAway(card, "archive", null)),
  };

  /** Of a worker's new card: the card from which its own descends. One that was deleted is forgotten. `null`: not a worker's. */
  function originOf(author: StoredCard["author"]): StoredCard | null {
    const run = author.by === "agent" && author.run !== undefined ? runs.find(author.run) : null;
    const own = run && cards.find(run.card);
    if (!own) return null;
    return (own.origin === undefined ? null : cards.find(own.origin)) ?? own;
  }

  /** The run's own card, or one that a run of that card made. */
  function isOfRun({ id, author }: StoredCard, run: RunId): boolean {
    const own = runs.find(run)!.card;
    if (id === own) return true;
    return author.by === "agent" && author.run !== undefined && runs.find(author.run)?.card === own;
  }

  function putAway(card: StoredCard, operation: "cancel" | "archive", reason: string | null) {
    const refused = refuseBegin(card, operation);
    if (refused) return refused;
    const ended = card.status === "running" ? context.endRunOf(card, { outcome: "cancelled" }) : null;
    const archived = { ...enter(card, "archived", operation), reason, endedAt: card.endedAt ?? now() };
    const kind = operation === "cancel" ? "cancelled" : "archived";
    return ok({ card: archived, notes: [{ kind, facts: { from: card.status, reason } }], ended });
  }
}

/** Adds no row. */
export function toNewCard(
  wanted: NewCard,
  { context, author, isOpen }: { context: BoardContext; author: StoredCard["author"]; isOpen: boolean },
): StoredCard {
  const now = context.now();
  const { notBefore = null, block = null } = wanted;
  const isLater = notBefore !== null && notBefore > now;
  const status = wanted.triage ? "triage" : block ? "blocked" : isLater ? "scheduled" : isOpen ? "todo" : "ready";
  return {
    v: 2,
    id: context.newId("c"),
    title: wanted.title,
    body: wanted.body ?? "",
    author,
    isOwners: author.by === "owner",
    assignee: wanted.assignee ?? null,
    status,
    priority: wanted.priority ?? 0,
    label: wanted.label ?? null,
    createdAt: now,
    changedAt: now,
    startedAt: null,
    endedAt: null,
    notBefore: status === "scheduled" ? notBefore : null,
    run: null,
    claimUntil: null,
    block: status === "blocked" ? block : null,
    reason: null,
    summary: null,
    failures: 0,
    recurrences: status === "blocked" ? 1 : 0,
    limits: wanted.limits ?? {},
    skills: wanted.skills ?? [],
    lane: "work",
    waitsForRole: false,
    implementer: null,
    lastBlock: status === "blocked" ? block!.kind : null,
    due: status === "scheduled" ? notBefore : dueOfBlock(status === "blocked" ? block!.kind : null, context),
  };
}

/** A `transient` block ends by itself. */
export function dueOfBlock(kind: string | null, { now, limits }: BoardContext): number | null {
  return kind === "transient" ? now() + limits.transientMs : null;
}
