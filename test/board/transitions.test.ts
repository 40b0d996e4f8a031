// Each row of the table of transitions is carried out, and every operation is refused in every status for which the table has no row.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import type { Result } from "../../core/errors.ts";
import { type CardId, CardStatus } from "../../core/schemas/board/card.ts";
import { type Operation, TRANSITIONS, canBegin, renderTransitions } from "../../core/board/transitions.ts";
import { BY_AGENT, BY_OWNER, type Rig, SESSION, createRig, makeCard, value, workerOf } from "./board-rig.ts";

const LATER_MS = 600_000;
const REASON = { kind: "needs_input", reason: "which one?" } as const;

/** What brings about each row: makes the card, carries the operation out, answers the card's id. */
const ROWS: Record<string, (rig: Rig) => CardId> = {
  "–>triage create": (rig) => makeCard(rig, "triage"),
  "–>todo create": (rig) => makeCard(rig, "todo"),
  "–>scheduled create": (rig) => makeCard(rig, "scheduled"),
  "–>ready create": (rig) => makeCard(rig, "ready"),
  "–>blocked create": (rig) => makeCard(rig, "blocked"),
  "–>running create": ({ board }) => value(board.create(BY_OWNER, { title: "now", start: true })).card.id,
  "triage>ready promote": (rig) => on(rig, makeCard(rig, "triage"), (id) => rig.board.promote(BY_OWNER, id)),
  "triage>todo promote": (rig) => on(rig, behind(rig, "triage"), (id) => rig.board.promote(BY_OWNER, id)),
  "scheduled>ready promote": (rig) => on(rig, makeCard(rig, "scheduled"), (id) => rig.board.promote(BY_OWNER, id)),
  "scheduled>todo promote": (rig) => on(rig, behind(rig, "scheduled"), (id) => rig.board.promote(BY_OWNER, id)),
  "blocked>ready promote": (rig) => on(rig, makeCard(rig, "blocked"), (id) => rig.board.promote(BY_OWNER, id)),
  "scheduled>ready release": (rig) => later(rig, makeCard(rig, "scheduled")),
  "scheduled>todo release": (rig) => later(rig, behind(rig, "scheduled")),
  "todo>ready recompute": (rig) => {
    const id = makeCard(rig, "todo");
    value(rig.board.complete(BY_OWNER, value(rig.board.show(id)).parents[0]!.id, { summary: "" }));
    return id;
  },
  "blocked>ready release": (rig) => later(rig, transient(rig, makeCard(rig, "running"))),
  "blocked>todo release": (rig) => {
    const id = transient(rig, makeCard(rig, "running"));
    value(rig.board.link(BY_OWNER, { parent: makeCard(rig, "ready"), child: id }));
    return later(rig, id);
  },
  "blocked>review release": (rig) => later(rig, transient(rig, makeCard(rig, "running", { lane: "review" }))),
  "triage>scheduled update": (rig) => schedule(rig, makeCard(rig, "triage")),
  "todo>scheduled update": (rig) => schedule(rig, makeCard(rig, "todo")),
  "ready>scheduled update": (rig) => schedule(rig, makeCard(rig, "ready")),
  "ready>todo link": (rig) => behind(rig, "ready"),
  "ready>running claim": (rig) => on(rig, makeCard(rig, "ready"), () => claim(rig)),
  "review>running claim": (rig) => on(rig, makeCard(rig, "review"), () => claim(rig)),
  "ready>running start": (rig) => on(rig, makeCard(rig, "ready"), (id) => rig.board.start(BY_AGENT, id)),
  "review>running start": (rig) => on(rig, makeCard(rig, "review"), (id) => rig.board.start(BY_AGENT, id)),
  "running>done complete": (rig) => byWorker(rig, (call, id) => rig.board.complete(call, id, { summary: "did it" })),
  "ready>done complete": (rig) => makeCard(rig, "done"),
  "blocked>done complete": (rig) => finish(rig, makeCard(rig, "blocked")),
  "review>done complete": (rig) => finish(rig, makeCard(rig, "review")),
  "running>blocked block": (rig) => byWorker(rig, (call, id) => rig.board.block(call, id, REASON)),
  "ready>blocked block": (rig) => on(rig, makeCard(rig, "ready"), (id) => rig.board.block(BY_OWNER, id, REASON)),
  "running>todo block": (rig) =>
    byWorker(rig, (call, id) => {
      value(rig.board.link(call, { parent: makeCard(rig, "ready"), child: id }));
      return rig.board.block(call, id, { kind: "dependency", reason: "it comes first" });
    }),
  "running>review request_changes": (rig) => {
    const id = makeCard(rig, "ready");
    for (let round = 1; ; round++) {
      value(rig.board.start(BY_AGENT, id));
      value(rig.board.requestReview(workerOf(rig, id), id, { summary: "look", reviewer: { role: "reviewer" } }));
      value(rig.board.start(BY_AGENT, id));
      value(rig.board.requestChanges(workerOf(rig, id), id, "no"));
      if (round === 4) return id;
    }
  },
  "ready>triage block": (rig) => {
    const id = on(rig, makeCard(rig, "blocked"), (card) => rig.board.unblock(BY_OWNER, card));
    return on(rig, id, () => rig.board.block(BY_OWNER, id, REASON));
  },
  "running>triage block": (rig) => {
    const id = on(rig, makeCard(rig, "blocked"), (card) => rig.board.unblock(BY_OWNER, card));
    value(rig.board.start(BY_AGENT, id));
    return on(rig, id, () => rig.board.block(workerOf(rig, id), id, REASON));
  },
  "blocked>ready unblock": (rig) => on(rig, makeCard(rig, "blocked"), (id) => rig.board.unblock(BY_OWNER, id)),
  "blocked>todo unblock": (rig) => on(rig, behind(rig, "blocked"), (id) => rig.board.unblock(BY_OWNER, id)),
  "blocked>review unblock": (rig) =>
    on(rig, makeCard(rig, "blocked", { lane: "review" }), (id) => rig.board.unblock(BY_OWNER, id)),
  "running>review request_review": (rig) =>
    byWorker(rig, (call, id) => rig.board.requestReview(call, id, { summary: "look" })),
  "ready>review request_review": (rig) => makeCard(rig, "review"),
  "running>ready request_changes": (rig) =>
    byWorker(rig, (call, id) => rig.board.requestChanges(call, id, "too slow"), "review"),
  "review>ready request_changes": (rig) =>
    on(rig, makeCard(rig, "review"), (id) => rig.board.requestChanges(BY_OWNER, id, "too slow")),
  "running>todo request_changes": (rig) => {
    const id = linked(rig, makeCard(rig, "running", { lane: "review" }));
    return on(rig, id, () => rig.board.requestChanges(workerOf(rig, id), id, "too slow"));
  },
  "review>todo request_changes": (rig) =>
    on(rig, behind(rig, "review"), (id) => rig.board.requestChanges(BY_OWNER, id, "too slow")),
  "running>todo reclaim": (rig) => on(rig, behind(rig, "running"), (id) => rig.board.reclaim(BY_OWNER, id)),
  "running>todo end_run": (rig) => end(rig, behind(rig, "running"), "crashed"),
  "running>ready reclaim": (rig) => on(rig, makeCard(rig, "running"), (id) => rig.board.reclaim(BY_OWNER, id)),
  "running>review reclaim": (rig) =>
    on(rig, makeCard(rig, "running", { lane: "review" }), (id) => rig.board.reclaim(BY_OWNER, id)),
  "running>ready end_run": (rig) => end(rig, makeCard(rig, "running"), "crashed"),
  "running>blocked end_run": (rig) => {
    const id = end(rig, makeCard(rig, "running"), "timed_out");
    value(rig.board.start(BY_AGENT, id));
    return end(rig, id, "crashed");
  },
  "running>review end_run": (rig) => end(rig, makeCard(rig, "running", { lane: "review" }), "crashed"),
};

describe("the table of transitions", () => {
  it.each(TRANSITIONS.map((row) => [`${row.from ?? "–"} to ${row.to ?? "–"} by ${row.operation}`, row] as const))(
    "%s",
    (_title, { from, to, operation }) => {
      const rig = createRig();
      if (to === null) {
        const id = makeCard(rig, from!);
        value(rig.board.delete(BY_OWNER, id));
        expect(rig.board.show(id)).toMatchObject({ failure: { code: "card_not_found" } });
        return;
      }
      if (operation === "cancel" || operation === "archive") {
        const id = makeCard(rig, from!);
        value(operation === "cancel" ? rig.board.cancel(BY_OWNER, id, "no longer") : rig.board.archive(BY_OWNER, id));
        expect(statusOf(rig, id)).toBe("archived");
        return;
      }
      const id = ROWS[`${from ?? "–"}>${to} ${operation}`]!(rig);
      expect(statusOf(rig, id)).toBe(to);
    },
  );

  it.each(CardStatus.options)("refuses in `%s` every operation for which it has no row", (status) => {
    const calls: [Operation, (rig: Rig, id: CardId) => Result<unknown>][] = [
      ["promote", ({ board }, id) => board.promote(BY_OWNER, id)],
      ["start", ({ board }, id) => board.start(BY_OWNER, id)],
      ["complete", ({ board }, id) => board.complete(BY_OWNER, id, { summary: "" })],
      ["block", ({ board }, id) => board.block(BY_OWNER, id, REASON)],
      ["unblock", ({ board }, id) => board.unblock(BY_OWNER, id)],
      ["request_review", ({ board }, id) => board.requestReview(BY_OWNER, id, { summary: "" })],
      ["request_changes", ({ board }, id) => board.requestChanges(BY_OWNER, id, "no")],
      ["reclaim", ({ board }, id) => board.reclaim(BY_OWNER, id)],
      ["cancel", ({ board }, id) => board.cancel(BY_OWNER, id, "no")],
      ["archive", ({ board }, id) => board.archive(BY_OWNER, id)],
      ["delete", ({ board }, id) => board.delete(BY_OWNER, id)],
    ];
    const wrong = calls.filter(([operation, call]) => {
      const rig = createRig();
      const result = call(rig, makeCard(rig, status));
      if (canBegin(status, operation)) return !result.ok && result.failure.code === "bad_transition";
      return result.ok || !["bad_transition", "card_running", "parents_open"].includes(result.failure.code);
    });
    expect(wrong.map(([operation]) => operation)).toEqual([]);
  });

  it("is what docs/ARCHITECTURE.md shows", () => {
    const document = readFileSync(resolve(import.meta.dirname, "../../docs/ARCHITECTURE.md"), "utf8");
    expect(document).toContain(renderTransitions());
  });

  it("has each row once", () => {
    const rows = TRANSITIONS.map(({ from, to, operation }) => `${from} ${to} ${operation}`);
    expect(new Set(rows).size).toBe(rows.length);
  });
});

describe("move", () => {
  it.each(
    CardStatus.options.flatMap((from) =>
      CardStatus.options.filter((to) => to !== from).map((to) => [from, to] as const),
    ),
  )("from %s to %s ends there or is refused", (from, to) => {
    const rig = createRig();
    const id = makeCard(rig, from);
    const moved = rig.board.move(BY_OWNER, id, to, { notBefore: rig.clock.at + LATER_MS });
    expect(statusOf(rig, id)).toBe(moved.ok ? to : from);
    const isInTable = TRANSITIONS.some(
      (row) =>
        row.from === from &&
        row.to === to &&
        !["link", "create", "claim", "release", "recompute", "end_run"].includes(row.operation),
    );
    if (!isInTable) expect(moved).toMatchObject({ failure: { code: "bad_transition" } });
  });

  it.each([
    ["triage", "ready"],
    ["ready", "running"],
    ["ready", "scheduled"],
    ["ready", "done"],
    ["ready", "blocked"],
    ["running", "ready"],
    ["running", "done"],
    ["running", "review"],
    ["blocked", "ready"],
    ["review", "ready"],
    ["review", "done"],
    ["done", "archived"],
  ] as const)("brings a card from %s to %s", (from, to) => {
    const rig = createRig();
    const id = makeCard(rig, from);
    expect(value(rig.board.move(BY_OWNER, id, to, { notBefore: rig.clock.at + LATER_MS })).card.status).toBe(to);
  });
});

function statusOf({ board }: Rig, id: CardId): CardStatus {
  return value(board.show(id)).card.status;
}
function on(_rig: Rig, id: CardId, operation: (id: CardId) => Result<unknown>): CardId {
  value(operation(id));
  return id;
}
/** A card with an open parent. */
function behind(rig: Rig, status: CardStatus): CardId {
  return linked(rig, makeCard(rig, status));
}
function linked(rig: Rig, id: CardId): CardId {
  value(rig.board.link(BY_OWNER, { parent: makeCard(rig, "ready", { title: "before it" }), child: id }));
  return id;
}
function later(rig: Rig, id: CardId): CardId {
  rig.clock.at += LATER_MS;
  rig.board.releaseDue();
  return id;
}
function transient(rig: Rig, id: CardId): CardId {
  value(rig.board.block(workerOf(rig, id), id, { kind: "transient", reason: "503" }));
  return id;
}
function schedule(rig: Rig, id: CardId): CardId {
  value(rig.board.update(BY_OWNER, id, { notBefore: rig.clock.at + LATER_MS }));
  return id;
}
function claim({ board }: Rig): Result<unknown> {
  const claimed = board.claimNext(SESSION);
  expect(claimed?.run.session).toBe(SESSION);
  return { ok: true, value: claimed };
}
function byWorker(
  rig: Rig,
  operation: (call: ReturnType<typeof workerOf>, id: CardId) => Result<unknown>,
  lane: "work" | "review" = "work",
): CardId {
  const id = makeCard(rig, "running", { lane });
  return on(rig, id, () => operation(workerOf(rig, id), id));
}
function finish(rig: Rig, id: CardId): CardId {
  return on(rig, id, () => rig.board.complete(BY_OWNER, id, { summary: "did it" }));
}
function end(rig: Rig, id: CardId, how: "crashed" | "timed_out"): CardId {
  expect(rig.board.endRun(value(rig.board.show(id)).card.run!, { how, error: "it broke" })).not.toBe(null);
  return id;
}
