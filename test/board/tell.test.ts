// What webhooks are told of cards: which changes, once each over a crash, and again while the Account is away.
import { expect, it } from "vitest";
import { createNewsRows } from "../../core/board/rows/news-rows.ts";
import { createTeller } from "../../core/board/tell.ts";
import type { HookEvent } from "../../core/schemas/profile/hooks.ts";
import { createNodeSql } from "../support/bindings/node-sql.ts";
import { BY_AGENT, BY_OWNER, SESSION, createRig, makeCard, value, workerOf } from "./board-rig.ts";

const PROFILE = "01JZ0000000000000000000001";

function createWorld(limits: Parameters<typeof createRig>[0] = {}) {
  const sql = createNodeSql();
  const rig = createRig({ sql, ...limits });
  const rows = createNewsRows(sql);
  const state = { isAway: false, isErased: false, removes: true };
  const sent: HookEvent[] = [];
  /** As a new object, which has the rows alone. */
  const begin = () =>
    createTeller({
      ...{ profile: PROFILE, board: "main", clock: rig.clock },
      rows: { ...rows, remove: (n) => state.removes && rows.remove(n) },
      exists: () => !state.isErased,
      async take(event) {
        if (state.isAway) throw new Error("away");
        sent.push(event);
        if (!state.removes) state.isErased = true; // the object dies before it removes the row
      },
      report: () => {},
    });
  const told = () => sent.map(({ type, body }) => [type, JSON.parse(body).data]);
  return { ...rig, rig, rows, state, sent, begin, told };
}

it("tells that a card waits for a person, and that it is done, and nothing else", async () => {
  const { rig, board, rows, begin, told } = createWorld({ recurrences: 2 });
  const need = { kind: "needs_input" as const, reason: "Which one?" };
  const card = makeCard(rig, "ready", { title: "paint" });
  value(board.comment(BY_OWNER, card, "Hello."));
  value(board.update(BY_OWNER, card, { priority: 2 }));
  value(board.start(BY_AGENT, card));
  expect(rows.first()).toBeNull();
  value(board.block(workerOf(rig, card), card, need));
  value(board.unblock(BY_OWNER, card));
  value(board.block(BY_OWNER, card, { ...need, reason: "Again." }));
  value(board.promote(BY_OWNER, card));
  value(board.block(BY_OWNER, card, { kind: "transient", reason: "Busy." }));
  value(board.unblock(BY_OWNER, card));
  value(board.requestReview(BY_OWNER, card, { summary: "Look.", reviewer: { role: "reviewer" } }));
  value(board.assign(BY_OWNER, card, { person: "Ann" }));
  value(board.assign(BY_OWNER, card, null));
  value(board.complete(BY_OWNER, card, { summary: "x".repeat(5_000) }));
  await begin().tell();
  const about = { profile: PROFILE, board: "main", card, title: "paint" };
  expect(told()).toEqual([
    ["card.waiting", { ...about, session: SESSION, status: "blocked", reason: "Which one?" }],
    ["card.waiting", { ...about, status: "triage", reason: "Again." }],
    ["card.waiting", { ...about, status: "review", reason: "Look." }],
    ["card.done", { ...about, summary: `${"x".repeat(3_999)}…` }],
  ]);
});

it("tells once: a crash before the row is removed sends the same event, and a card that is deleted is not told", async () => {
  const { board, state, sent, begin, rows } = createWorld();
  const block = { kind: "needs_input" as const, reason: "Why?" };
  value(board.create(BY_OWNER, { title: "one", block }));
  const two = value(board.create(BY_OWNER, { title: "two", block })).card.id;
  Object.assign(state, { removes: false });
  await begin().tell();
  Object.assign(state, { removes: true, isErased: false });
  value(board.delete(BY_OWNER, two));
  const teller = begin();
  await teller.tell();
  expect(sent).toHaveLength(2);
  expect(sent[1]).toEqual(sent[0]);
  expect([teller.tell(), teller.nextDue(), rows.first()]).toEqual([null, null, null]);
});

it("asks an Account that is away again, later each time, and stops with its board", async () => {
  const { board, state, sent, begin, clock } = createWorld();
  value(board.create(BY_OWNER, { title: "one", block: { kind: "capability", reason: "Why?" } }));
  const teller = begin();
  state.isAway = true;
  const waits = [];
  for (let n = 0; n < 10; n++) {
    await teller.tell();
    expect(teller.tell()).toBeNull();
    waits.push(teller.nextDue()! - clock.at);
    clock.at = teller.nextDue()!;
  }
  expect([waits.slice(0, 3), waits.at(-1)]).toEqual([[2_000, 4_000, 8_000], 300_000]);
  Object.assign(state, { isAway: false, isErased: true });
  expect([teller.tell(), sent]).toEqual([null, []]);
  state.isErased = false;
  await teller.tell();
  expect([sent.length, teller.nextDue()]).toEqual([1, null]);
});
