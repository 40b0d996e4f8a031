// Random histories of a board, compared with a reference model after every command: what is refused and with which code, every card's state, and
// the board's own books (counts, open runs, the next deadline). Also late workers: none of their writes changes anything.
// TALARIA_BOARD_SEQUENCES=10000 tries that many.
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Result } from "../../core/errors.ts";
import type { Assignee, CardId, RunId } from "../../core/schemas/board/card.ts";
import { runs } from "../support/thorough.ts";
import { BY_OWNER, type Rig, SESSION, START, createRig, value } from "./board-rig.ts";
import { type How, type Kind, LIMITS, Model } from "./reference-model.ts";

const SEQUENCES = Number(process.env.TALARIA_BOARD_SEQUENCES ?? runs(400));

interface Real extends Rig {
  ids: CardId[];
  /** Runs that have ended, with the card they had. */
  ended: { run: RunId; card: number }[];
}

const assignee = (who: string): Assignee | null => (who === "" ? null : who === "p" ? { person: "p" } : { role: who });
const nameOf = (given: Assignee | null) => (given === null ? "" : "role" in given ? given.role : given.person);
const MISSING = "c000000000000";

/** One step of a history. It is possible in every state: what must be refused is compared too. */
class Act implements fc.Command<Model, Real> {
  readonly title: string;
  readonly act: (model: Model, real: Real) => [expected: string, actual: Result<unknown> | null];
  constructor(title: string, act: Act["act"]) {
    [this.title, this.act] = [title, act];
  }
  check = () => true;
  toString = () => this.title;
  run(model: Model, real: Real): void {
    const open = new Map(real.ids.map((id, n) => [n, runOf(real, id)] as const));
    const [expected, actual] = this.act(model, real);
    expect(actual === null || actual.ok ? "ok" : actual.failure.code).toBe(expected);
    for (const [n, run] of open) if (run && runOf(real, real.ids[n]!) !== run) real.ended.push({ run, card: n });
    compare(model, real);
  }
}

function runOf({ board }: Rig, id: CardId): RunId | null {
  const shown = board.show(id);
  return shown.ok ? shown.value.card.run : null;
}

function compare(model: Model, { board, sql, ids, clock }: Real): void {
  const actual = ids.map((id) => {
    const shown = board.show(id);
    if (!shown.ok) return null;
    const { card, parents } = shown.value;
    return {
      ...{ status: card.status, who: nameOf(card.assignee), failures: card.failures, same: card.recurrences },
      ...{ claimUntil: card.claimUntil, isOpen: card.run !== null, parents: parents.map((parent) => parent.id).sort() },
    };
  });
  const expected = model.cards.map((card) => {
    if (!card) return null;
    const { status, who, failures, same, claimUntil } = card;
    const parents = [...card.parents].map((n) => ids[n]!).sort();
    return {
      ...{ status, who, failures, same, claimUntil: claimUntil === null ? null : claimUntil + START },
      ...{ isOpen: status === "running", parents },
    };
  });
  expect(actual).toEqual(expected);
  for (const card of model.cards)
    if (card?.status === "todo" || card?.status === "ready") expect(model.waits(card)).toBe(card.status === "todo");
  const counted = sql.run(
    "SELECT status, assignee, count(*) AS n FROM card GROUP BY status, assignee ORDER BY assignee, status",
  );
  expect(sql.run("SELECT status, assignee, n FROM card_count ORDER BY assignee, status")).toEqual(counted);
  const openRuns = sql.run<{ card: string }>("SELECT card FROM card_run WHERE due IS NOT NULL ORDER BY card");
  const running = sql.run<{ id: string }>("SELECT id FROM card WHERE status = 'running' ORDER BY id");
  expect(openRuns.map(({ card }) => card)).toEqual(running.map(({ id }) => id));
  expect(board.countRunning()).toBe(model.dispatched.size);
  const wakes = model.cards.flatMap((card) => card?.wakes ?? []);
  if (wakes.length > 0) expect(board.nextDue()!).toBeLessThanOrEqual(Math.min(...wakes) + START);
  const due = board.nextDue();
  if (due !== null && due < clock.at) throw new Error(`the board is late: ${due} < ${clock.at}`);
}

const at = fc.nat({ max: 6 });
const idOf = ({ ids }: Real, n: number) => ids[n] ?? MISSING;
const who = fc.constantFrom("", "a", "b", "p");
const of = (title: string, act: (model: Model, real: Real, n: number) => [string, Result<unknown>]) =>
  at.map((n) => new Act(`${title} ${n}`, (model, real) => act(model, real, n)));

const commands = [
  fc
    .record({
      parents: fc.uniqueArray(at, { maxLength: 2 }),
      ...{ triage: fc.boolean(), later: fc.boolean(), block: fc.boolean(), who },
      plain: fc.nat({ max: 2 }),
    })
    .map(({ plain, ...more }) => {
      const wanted = plain > 0 ? { ...more, triage: false, later: false, block: false } : more;
      return new Act(`create ${JSON.stringify(wanted)}`, (model, real) => {
        const created = real.board.create(BY_OWNER, {
          title: "a card",
          assignee: assignee(wanted.who),
          parents: wanted.parents.map((n) => idOf(real, n)),
          triage: wanted.triage,
          ...(wanted.later ? { notBefore: real.clock.at + 1_000 } : {}),
          ...(wanted.block ? { block: { kind: "needs_input" as const, reason: "which?" } } : {}),
        });
        if (created.ok) real.ids.push(created.value.card.id);
        return [model.create(wanted), created];
      });
    }),
  fc
    .tuple(at, at)
    .map(
      ([parent, child]) =>
        new Act(`link ${parent} ${child}`, (model, real) => [
          model.link(parent, child),
          real.board.link(BY_OWNER, { parent: idOf(real, parent), child: idOf(real, child) }),
        ]),
    ),
  fc
    .tuple(at, at)
    .map(
      ([parent, child]) =>
        new Act(`unlink ${parent} ${child}`, (model, real) => [
          model.unlink(parent, child),
          real.board.unlink(BY_OWNER, { parent: idOf(real, parent), child: idOf(real, child) }),
        ]),
    ),
  of("promote", (model, real, n) => [model.promote(n), real.board.promote(BY_OWNER, idOf(real, n))]),
  of("schedule", (model, real, n) => [
    model.schedule(n),
    real.board.update(BY_OWNER, idOf(real, n), { notBefore: real.clock.at + 1_000 }),
  ]),
  fc
    .tuple(at, who)
    .map(
      ([n, name]) =>
        new Act(`assign ${n} '${name}'`, (model, real) => [
          model.assign(n, name),
          real.board.assign(BY_OWNER, idOf(real, n), assignee(name)),
        ]),
    ),
  of("start", (model, real, n) => [model.start(n), real.board.start(BY_OWNER, idOf(real, n))]),
  fc.constant(
    new Act("claim", (model, real) => {
      const claimed = real.board.claimNext(SESSION);
      const expected = model.claim();
      expect(claimed?.card.id ?? null).toBe(expected === null ? null : real.ids[expected]);
      return ["ok", null];
    }),
  ),
  of("complete", (model, real, n) => [
    model.complete(n),
    real.board.complete(BY_OWNER, idOf(real, n), { summary: "" }),
  ]),
  of("complete by its worker", (model, real, n) => {
    const run = runOf(real, idOf(real, n));
    const author = { by: "agent" as const, session: SESSION, ...(run ? { run } : {}) };
    // A worker whose claim has expired is late, even before the board has looked at it.
    const isLate = run !== null && (model.get(n)?.claimUntil ?? 0) <= model.now;
    const expected = isLate ? "claim_lost" : model.complete(n);
    return [expected, real.board.complete({ author }, idOf(real, n), { summary: "" })];
  }),
  fc
    .tuple(at, fc.constantFrom<Kind>("dependency", "needs_input", "capability", "transient"))
    .map(
      ([n, kind]) =>
        new Act(`block ${n} ${kind}`, (model, real) => [
          model.block(n, kind),
          real.board.block(BY_OWNER, idOf(real, n), { kind, reason: "so" }),
        ]),
    ),
  of("unblock", (model, real, n) => [model.unblock(n), real.board.unblock(BY_OWNER, idOf(real, n))]),
  fc
    .tuple(at, who)
    .map(
      ([n, name]) =>
        new Act(`review ${n} '${name}'`, (model, real) => [
          model.requestReview(n, name),
          real.board.requestReview(BY_OWNER, idOf(real, n), { summary: "", reviewer: assignee(name) }),
        ]),
    ),
  of("changes", (model, real, n) => [
    model.requestChanges(n),
    real.board.requestChanges(BY_OWNER, idOf(real, n), "no"),
  ]),
  of("reclaim", (model, real, n) => [model.reclaim(n), real.board.reclaim(BY_OWNER, idOf(real, n))]),
  fc
    .tuple(
      at,
      fc.constantFrom<How>("crashed", "timed_out", "spawn_failed", "lost", "rate_limited", "handed_over", "cancelled"),
    )
    .map(
      ([n, how]) =>
        new Act(`end ${n} ${how}`, (model, real) => {
          const run = runOf(real, idOf(real, n));
          if (run === null) return ["ok", null];
          expect(real.board.endRun(run, { how })).not.toBe(null);
          return [model.endRun(n, how), null];
        }),
    ),
  of("cancel", (model, real, n) => [model.putAway(n, true), real.board.cancel(BY_OWNER, idOf(real, n), "no")]),
  of("archive", (model, real, n) => [model.putAway(n, false), real.board.archive(BY_OWNER, idOf(real, n))]),
  of("delete", (model, real, n) => [model.remove(n), real.board.delete(BY_OWNER, idOf(real, n))]),
  fc.constantFrom(1, 50, 400, 1_100).map(
    (ms) =>
      new Act(`wait ${ms}`, (model, real) => {
        model.wait(ms);
        real.clock.at += ms;
        real.board.releaseDue();
        // A run whose claim has expired is looked after, as the board's alarm does.
        for (const expired of real.board.listExpired(100)) {
          const n = real.ids.indexOf(expired.card);
          expect(model.get(n)!.claimUntil! <= model.now).toBe(true);
          expect(real.board.endRun(expired.id, { how: "lost" })).not.toBe(null);
          model.endRun(n, "lost");
        }
        return ["ok", null];
      }),
  ),
  fc.nat({ max: 9 }).map(
    (n) =>
      new Act(`late worker ${n}`, (_model, real) => {
        const late = real.ended[n];
        if (!late) return ["ok", null];
        const call = { author: { by: "agent" as const, session: SESSION, run: late.run } };
        const events = real.board.lastEvent();
        const id = idOf(real, late.card);
        const writes = [
          ...[
            real.board.heartbeat(call, id),
            real.board.complete(call, id, { summary: "" }),
            real.board.comment(call, id, "hi"),
          ],
          ...[
            real.board.block(call, id, { kind: "needs_input", reason: "" }),
            real.board.create(call, { title: "one more" }),
          ],
        ];
        const known = new Set(writes.map((write) => (write.ok ? "ok" : write.failure.code)));
        expect([...known].filter((code) => code !== "claim_lost" && code !== "card_not_found")).toEqual([]);
        expect(real.board.lastEvent()).toBe(events);
        expect(real.board.endRun(late.run, { how: "crashed" })).toBe(null);
        return ["ok", null];
      }),
  ),
];

it(
  "a board does what the reference model says, whatever is asked of it and in whichever order",
  { timeout: 1_200_000 },
  () => {
    const setup = () => {
      const { maxRunning, failures, recurrences, claimMs, retryMs, coolMs, transientMs } = LIMITS;
      const rig = createRig({ maxRunning, failures, recurrences, claimMs, retryMs, coolMs, transientMs });
      const [model, real] = [new Model(), { ...rig, ids: [], ended: [] } as Real];
      // Some cards from the start, so that most commands meet one.
      for (const who of ["", "a", "a", "p"]) {
        model.create({ parents: [], triage: false, later: false, block: false, who });
        real.ids.push(value(rig.board.create(BY_OWNER, { title: "a card", assignee: assignee(who) })).card.id);
      }
      return { model, real };
    };
    fc.assert(
      fc.property(fc.commands(commands, { maxCommands: 60, size: "max" }), (history) => fc.modelRun(setup, history)),
      { numRuns: SEQUENCES },
    );
  },
);
