// What a board promises beyond its table of transitions: workers that lie or come late, repetitions, the breaker, reviews, pages, deadlines.
import { describe, expect, it } from "vitest";
import { composeMessage } from "../../core/board/dispatch/compose-message.ts";
import { upgradeBoardTables } from "../../core/board/rows/tables.ts";
import { AGENT, BY_AGENT, BY_OWNER, OWNER, SESSION, createRig, makeCard, value, workerOf } from "./board-rig.ts";

const OTHER = "c000000000000";
const codeOf = (result: { ok: boolean; failure?: { code: string } }) => result.failure?.code;

describe("a worker", () => {
  it("cannot complete, block or hand on another's card, but may comment on it and make cards", () => {
    const rig = createRig();
    const [own, other] = [makeCard(rig, "running"), makeCard(rig, "running")];
    const worker = workerOf(rig, own);
    expect(codeOf(rig.board.complete(worker, other, { summary: "done" }))).toBe("not_your_card");
    expect(codeOf(rig.board.block(worker, other, { kind: "capability", reason: "no" }))).toBe("not_your_card");
    expect(codeOf(rig.board.requestReview(worker, other, { summary: "" }))).toBe("not_your_card");
    expect(codeOf(rig.board.heartbeat(worker, other))).toBe("not_your_card");
    expect(codeOf(rig.board.cancel(worker, own, "no"))).toBe("not_for_workers");
    expect(rig.board.comment(worker, other, "see mine").ok).toBe(true);
    expect(rig.board.create(worker, { title: "a part", parents: [own] }).ok).toBe(true);
    expect(value(rig.board.show(other)).card.status).toBe("running");
  });

  it("cannot name children that do not exist; the attempt stays in the log and the card keeps running", () => {
    const rig = createRig();
    const id = makeCard(rig, "running");
    const real = makeCard(rig, "ready");
    const refused = rig.board.complete(workerOf(rig, id), id, { summary: "split it", children: [real, OTHER] });
    expect(refused).toMatchObject({ failure: { code: "unknown_cards", facts: { unknown: [OTHER] } } });
    expect(value(rig.board.show(id)).card.status).toBe("running");
    expect(rig.board.events({ after: 0, card: id }).at(-1)).toMatchObject({
      ...{ kind: "completion_rejected", facts: { unknown: [OTHER] } },
    });
    const done = rig.board.complete(workerOf(rig, id), id, { summary: `split into ${OTHER}`, children: [real] });
    expect(value(done).card.status).toBe("done");
    // An unknown id in prose is noted, not refused.
    expect(rig.board.events({ after: 0, card: id }).at(-1)!.facts).toMatchObject({ unknown: [OTHER] });
  });

  it("writes nothing more once its claim has expired, although nobody has looked yet", () => {
    const rig = createRig();
    makeCard(rig, "ready");
    const { card, run } = rig.board.claimNext(SESSION)!;
    const worker = { author: { ...AGENT, run: run.id } };
    rig.clock.at += rig.limits.claimMs - 1;
    expect(value(rig.board.heartbeat(worker, card.id)).card.claimUntil).toBe(rig.clock.at + rig.limits.claimMs);
    rig.clock.at += rig.limits.claimMs;
    const before = rig.board.lastEvent();
    expect(codeOf(rig.board.heartbeat(worker, card.id))).toBe("claim_lost");
    expect(codeOf(rig.board.complete(worker, card.id, { summary: "late" }))).toBe("claim_lost");
    expect(codeOf(rig.board.comment(worker, card.id, "late"))).toBe("claim_lost");
    expect(rig.board.lastEvent()).toBe(before);
    expect(rig.board.listExpired(10).map(({ id }) => id)).toEqual([run.id]);
  });

  it("finds its own effect when it repeats a call after its run has ended", () => {
    const rig = createRig();
    const id = makeCard(rig, "running");
    const call = { ...workerOf(rig, id), op: "op-1" };
    expect(value(rig.board.complete(call, id, { summary: "did it" })).replayed).toBe(false);
    expect(value(rig.board.complete(call, id, { summary: "did it" }))).toMatchObject({
      ...{ replayed: true, card: { status: "done" } },
    });
    expect(rig.board.runs(id)).toHaveLength(1);
  });

  it("cannot run beyond the card's time, whatever heartbeats it sends", () => {
    const rig = createRig();
    value(rig.board.create(BY_OWNER, { title: "short", limits: { runMs: 1_000_000 } }));
    const { card, run } = rig.board.claimNext(SESSION)!;
    rig.clock.at += 800_000;
    value(rig.board.heartbeat({ author: { ...AGENT, run: run.id } }, card.id, "still at it"));
    rig.clock.at += 200_000;
    expect(rig.board.listExpired(10).map(({ id }) => id)).toEqual([run.id]);
  });
});

describe("a worker that means harm", () => {
  it("makes no card wait but its own and those that it has made", () => {
    const rig = createRig();
    const [own, ready, running] = [makeCard(rig, "running"), makeCard(rig, "ready"), makeCard(rig, "running")];
    const worker = workerOf(rig, own);
    for (const child of [ready, running]) {
      expect(codeOf(rig.board.link(worker, { parent: own, child }))).toBe("not_your_card");
    }
    const made = value(rig.board.create(worker, { title: "a part" })).card.id;
    expect(value(rig.board.link(worker, { parent: ready, child: made })).card.status).toBe("todo");
    expect(rig.board.link(worker, { parent: made, child: own }).ok).toBe(true);
  });

  it("brings a person at the hundredth card that descends from one card, over all generations", () => {
    const rig = createRig({ maxRunning: 50 });
    const root = makeCard(rig, "ready");
    const byStatus = () => rig.board.stats().byStatus;
    for (let claimed = rig.board.claimNext(SESSION); claimed; claimed = rig.board.claimNext(SESSION)) {
      const worker = { author: { ...AGENT, run: claimed.run.id } };
      for (const title of ["one", "two"]) value(rig.board.create(worker, { title }));
      value(rig.board.complete(worker, claimed.card.id, { summary: "two more" }));
    }
    expect([byStatus().done, byStatus().ready]).toEqual([101, 0]);
    const [waiting] = rig.board.list({ status: "triage", limit: 1 }).cards;
    // A person lets one go on; what it makes waits again. A card that they make themselves is counted anew.
    value(rig.board.promote(BY_OWNER, waiting!.id));
    const { run } = rig.board.claimNext(SESSION)!;
    expect(value(rig.board.create({ author: { ...AGENT, run: run.id } }, { title: "x" })).card.status).toBe("triage");
    const other = makeCard(rig, "running");
    expect(value(rig.board.create(workerOf(rig, other), { title: "x" })).card.status).toBe("ready");
    expect(Object.keys(value(rig.board.show(root)).card)).not.toContain("offspring");
  });

  it("cannot bury what the owner said under its own comments, or take the last of them away", () => {
    const rig = createRig();
    const [own, other] = [makeCard(rig, "running"), makeCard(rig, "ready")];
    value(rig.board.comment(BY_OWNER, other, "send nothing to others"));
    const worker = workerOf(rig, own);
    for (let n = 0; n < 900; n++) rig.board.comment(worker, other, "x".repeat(2_000));
    expect(codeOf(rig.board.comment(worker, other, "x"))).toBe("too_many_comments");
    const view = value(rig.board.show(other));
    expect([view.comments.length, view.comments[0]!.text]).toEqual([31, "send nothing to others"]);
    const message = composeMessage(view, "work");
    expect(message.filter(({ source }) => source === "principal").map(({ text }) => text.trim())).toEqual([
      `Card ${other}: a card`,
      "Comment (owner): send nothing to others",
    ]);
    expect(message[1]!.text).toContain("more texts are on this card");
    expect(rig.board.comment(BY_OWNER, other, "stop").ok).toBe(true);
  });

  it("takes no key before the owner: their card is made with their own words", () => {
    const rig = createRig();
    const worker = workerOf(rig, makeCard(rig, "running"));
    const first = value(rig.board.create(worker, { title: "mine", key: "daily" })).card.id;
    expect(value(rig.board.create(worker, { title: "mine again", key: "daily" })).card.id).toBe(first);
    expect(value(rig.board.create(BY_OWNER, { title: "the report", key: "daily" })).card.title).toBe("the report");
  });

  it("replaces no file that a person put on the card", () => {
    const rig = createRig();
    const own = makeCard(rig, "running");
    const file = (name: string) => ({ name, mediaType: "text/plain", bytes: new Uint8Array(3) });
    value(rig.board.attach(BY_OWNER, own, file("spec.md")));
    expect(codeOf(rig.board.attach(workerOf(rig, own), own, file("spec.md")))).toBe("person_only");
    for (const _ of [1, 2]) expect(rig.board.attach(workerOf(rig, own), own, file("mine.md")).ok).toBe(true);
    expect(rig.board.attach(BY_OWNER, own, file("mine.md")).ok).toBe(true);
  });

  it("cannot go round with a reviewer for ever: a person judges at the fourth time", () => {
    const rig = createRig();
    const id = makeCard(rig, "ready");
    for (
      let claimed = rig.board.claimNext(SESSION), n = 0;
      claimed && n < 20;
      claimed = rig.board.claimNext(SESSION), n++
    ) {
      const worker = { author: { ...AGENT, run: claimed.run.id } };
      if (claimed.run.lane === "review") value(rig.board.requestChanges(worker, id, "no"));
      else value(rig.board.requestReview(worker, id, { summary: "look", reviewer: { role: "critic" } }));
    }
    expect(rig.board.runs(id)).toHaveLength(8);
    expect(value(rig.board.show(id))).toMatchObject({
      ...{ card: { status: "review", assignee: null, reason: "no" }, implementer: { role: "coder" } },
    });
  });
});

describe("a list with counts", () => {
  it("says how many comments a card has, and how many of the cards before and after it are done", () => {
    const { board } = createRig();
    const make = (parents: string[] = []) => value(board.create(BY_OWNER, { title: "a card", parents })).card.id;
    const [first, second] = [make(), make()];
    const last = make([first, second]);
    value(board.comment(BY_OWNER, last, "one"));
    value(board.complete(BY_OWNER, first, { summary: "done" }));
    const counts = Object.fromEntries(board.list({ counts: true }).cards.map((card) => [card.id, card.counts]));
    const none = { comments: 0, parents: 0, parentsDone: 0, children: 0, childrenDone: 0 };
    expect(counts).toEqual({
      [first]: { ...none, children: 1 },
      [second]: { ...none, children: 1 },
      [last]: { ...none, comments: 1, parents: 2, parentsDone: 1 },
    });
    expect(board.list({}).cards[0]).not.toHaveProperty("counts");
  });
});

describe("a repetition", () => {
  it("makes no second card, comment or attachment", () => {
    const { board } = createRig();
    const call = { author: OWNER, op: "op-1" };
    const first = value(board.create(call, { title: "one" })).card;
    expect(value(board.create(call, { title: "one" }))).toEqual({ card: first, stopped: null, replayed: true });
    const said = { author: OWNER, op: "op-2" };
    const { comment } = value(board.comment(said, first.id, "hello"));
    expect(value(board.comment(said, first.id, "hello"))).toEqual({ comment, replayed: true });
    expect(codeOf(board.comment(call, first.id, "hello"))).toBe("op_reused");
    expect(value(board.show(first.id)).comments).toEqual([comment]);
    expect(board.list({}).cards).toHaveLength(1);
  });

  it("with a key answers the card that has it, until that is archived", () => {
    const { board } = createRig();
    const first = value(board.create(BY_OWNER, { title: "nightly", key: "n" })).card.id;
    expect(value(board.create(BY_OWNER, { title: "nightly", key: "n" })).card.id).toBe(first);
    value(board.archive(BY_OWNER, first));
    expect(value(board.create(BY_OWNER, { title: "nightly", key: "n" })).card.id).not.toBe(first);
  });

  it("of a file is none of a comment, nor the reverse, and brings no removed file back", () => {
    const { board } = createRig();
    const { id } = value(board.create(BY_OWNER, { title: "one", triage: true })).card;
    const file = { name: "f", mediaType: "a/b", bytes: new Uint8Array(1) };
    const [ofFile, ofComment] = [
      { author: OWNER, op: "f" },
      { author: OWNER, op: "c" },
    ];
    value(board.attach(ofFile, id, file));
    value(board.comment(ofComment, id, "hello"));
    const reused = { failure: { code: "op_reused" } };
    expect([board.comment(ofFile, id, "hello"), board.attach(ofComment, id, file)]).toMatchObject([reused, reused]);
    value(board.detach(BY_OWNER, id, "f"));
    expect(board.attach(ofFile, id, file)).toMatchObject(reused);
  });

  it("of a call that asks something else is refused", () => {
    const { board } = createRig();
    const ask = (asked: string) => ({ author: OWNER, op: "o", asked });
    const { card } = value(board.create(ask("a"), { title: "one", triage: true }));
    expect(codeOf(board.create(ask("b"), { title: "two" }))).toBe("op_reused");
    expect(codeOf(board.cancel(ask("b"), card.id, "no"))).toBe("op_reused");
    expect(codeOf(board.delete(ask("b"), card.id))).toBe("op_reused");
    expect(codeOf(board.move(ask("b"), card.id, "todo"))).toBe("op_reused");
    expect(value(board.create(ask("a"), { title: "one", triage: true })).replayed).toBe(true);
  });

  it("is forgotten after a week, and the board wakes for it at most once a day", () => {
    const rig = createRig();
    value(rig.board.create({ author: OWNER, op: "op-1" }, { title: "one", triage: true }));
    const due = rig.board.nextDue()!;
    expect(due - rig.clock.at).toBe(8 * 86_400_000);
    rig.clock.at = due;
    rig.board.tidy();
    expect(rig.board.nextDue()).toBe(null);
  });
});

describe("the dispatch", () => {
  it("takes the highest priority first, then the oldest; never a person's card, and no more than its limit", () => {
    const rig = createRig({ maxRunning: 3 });
    const make = (title: string, more: object = {}) => value(rig.board.create(BY_OWNER, { title, ...more })).card.id;
    make("a person's", { assignee: { person: "Ada" }, priority: 9 });
    const [low, first, second] = [
      make("low"),
      make("first", { priority: 5, assignee: { role: "coder" } }),
      make("second", { priority: 5 }),
    ];
    const claimed = [1, 2, 3, 4].map(() => rig.board.claimNext(SESSION)?.card.id);
    expect(claimed).toEqual([first, second, low, undefined]);
  });

  it("leaves cards of nobody alone where the operator says so", () => {
    const rig = createRig({ dispatchUnassigned: false });
    value(rig.board.create(BY_OWNER, { title: "of nobody" }));
    expect(rig.board.claimNext(SESSION)).toBe(null);
    expect(rig.board.nextDue()).toBe(null);
  });

  it("blocks a card after two failures in a row, whatever they were, and a rate limit is none", () => {
    const rig = createRig();
    const id = makeCard(rig, "ready");
    const again = (how: "crashed" | "rate_limited" | "timed_out") => {
      const { run } = rig.board.claimNext(SESSION)!;
      const { card } = rig.board.endRun(run.id, { how, error: "no answer" })!;
      expect(rig.board.claimNext(SESSION)).toBe(null);
      rig.clock.at = rig.board.nextDue()!;
      rig.board.releaseDue();
      return card;
    };
    expect(again("crashed")).toMatchObject({ status: "ready", failures: 1 });
    expect(again("rate_limited")).toMatchObject({ status: "ready", failures: 1 });
    const { run } = rig.board.claimNext(SESSION)!;
    const { card } = rig.board.endRun(run.id, { how: "timed_out", error: "4 hours" })!;
    expect(card).toMatchObject({ status: "blocked", failures: 2, block: { kind: "needs_input" } });
    expect(rig.board.runs(id).map(({ outcome }) => outcome)).toEqual(["crashed", "rate_limited", "gave_up"]);
    expect(rig.board.endRun(run.id, { how: "crashed" })).toBe(null);
    expect(value(rig.board.unblock(BY_OWNER, id)).card).toMatchObject({ status: "ready", failures: 0 });
  });

  it("does a diamond in order", () => {
    const rig = createRig();
    const make = (title: string, parents: string[] = []) =>
      value(rig.board.create(BY_OWNER, { title, parents })).card.id;
    const top = make("top");
    const [left, right] = [make("left", [top]), make("right", [top])];
    const bottom = make("bottom", [left, right]);
    const last = make("last", [bottom]);
    const order: string[] = [];
    for (let claimed = rig.board.claimNext(SESSION); claimed; claimed = rig.board.claimNext(SESSION)) {
      order.push(claimed.card.id);
      const worker = { author: { ...AGENT, run: claimed.run.id } };
      value(rig.board.complete(worker, claimed.card.id, { summary: "done" }));
    }
    expect(order).toEqual([top, left, right, bottom, last]);
    expect(rig.board.stats().byStatus).toMatchObject({ done: 5, todo: 0, ready: 0 });
  });

  it("names the earliest deadline: a claim, a schedule, a wait, or now", () => {
    const rig = createRig({ maxRunning: 1 });
    expect(rig.board.nextDue()).toBe(null);
    value(rig.board.create(BY_OWNER, { title: "later", notBefore: rig.clock.at + 60_000 }));
    expect(rig.board.nextDue()).toBe(rig.clock.at + 60_000);
    makeCard(rig, "ready");
    expect(rig.board.nextDue()).toBe(rig.clock.at);
    rig.board.claimNext(SESSION);
    makeCard(rig, "ready");
    expect(rig.board.nextDue()).toBe(rig.clock.at + 60_000);
    expect(rig.board.nextDue(0)).toBe(rig.clock.at + 60_000);
  });

  it.each(["handed_over", "cancelled", "crashed"] as const)(
    "can read a card again whose run %s with a long text",
    (how) => {
      const rig = createRig({ failures: 1 });
      makeCard(rig, "ready");
      const { run } = rig.board.claimNext(SESSION)!;
      rig.board.endRun(run.id, { how, summary: "x".repeat(20_000), error: "x".repeat(20_000) });
      expect(rig.board.list({}).cards).toHaveLength(1);
    },
  );

  it("hands the card to a person's review when its run ended without a word on it", () => {
    const rig = createRig();
    const id = makeCard(rig, "ready");
    const { run } = rig.board.claimNext(SESSION)!;
    const ended = rig.board.endRun(run.id, { how: "handed_over", summary: "I think that is all." })!;
    expect(ended.card).toMatchObject({ status: "review", assignee: null, summary: "I think that is all." });
    expect(rig.board.claimNext(SESSION)).toBe(null);
    expect(value(rig.board.requestChanges(BY_OWNER, id, "say what you did")).card).toMatchObject({
      ...{ status: "ready", assignee: { role: "coder" }, reason: "say what you did" },
    });
  });

  it("stores no card that could not be read again", () => {
    const { board } = createRig();
    expect(() => board.create(BY_OWNER, { title: "t".repeat(301) })).toThrow("title");
    expect(board.list({}).cards).toEqual([]);
  });
});

describe("a review", () => {
  it("is a run of the reviewer, who may send the card back to who did the work", () => {
    const rig = createRig();
    const id = makeCard(rig, "running");
    value(rig.board.requestReview(workerOf(rig, id), id, { summary: "look", reviewer: { role: "critic" } }));
    const { card, run } = rig.board.claimNext(SESSION)!;
    expect([card.assignee, run.lane]).toEqual([{ role: "critic" }, "review"]);
    expect(value(rig.board.show(id)).implementer).toEqual({ role: "coder" });
    const sent = value(rig.board.requestChanges({ author: { ...AGENT, run: run.id } }, id, "no tests"));
    expect(sent.card).toMatchObject({ status: "ready", assignee: { role: "coder" }, run: null });
    expect(sent.stopped).toBe(null);
    value(rig.board.start(BY_AGENT, id));
    expect(codeOf(rig.board.requestChanges(workerOf(rig, id), id, "no"))).toBe("not_in_review");
  });
});

describe("people", () => {
  it("take a card from its run, which is told to stop; another agent cannot", () => {
    const rig = createRig();
    const id = makeCard(rig, "ready");
    const { run } = rig.board.claimNext(SESSION)!;
    expect(codeOf(rig.board.complete(BY_AGENT, id, { summary: "mine" }))).toBe("card_running");
    expect(codeOf(rig.board.assign(BY_OWNER, id, null))).toBe("card_running");
    expect(codeOf(rig.board.delete(BY_OWNER, id))).toBe("card_running");
    expect(codeOf(rig.board.delete(BY_AGENT, makeCard(rig, "ready")))).toBe("person_only");
    const cancelled = value(rig.board.cancel(BY_OWNER, id, "no longer wanted"));
    expect(cancelled.card).toMatchObject({ status: "archived", reason: "no longer wanted", run: null });
    expect(cancelled.stopped).toMatchObject({ id: run.id, session: SESSION, outcome: "cancelled" });
  });

  it("hold their own claim for its day, whatever the time of a run and whether they say that they go on", () => {
    const rig = createRig();
    const id = makeCard(rig, "ready");
    value(rig.board.start(BY_OWNER, id));
    rig.clock.at += rig.limits.runMs + 1;
    value(rig.board.heartbeat(BY_OWNER, id, "still at it"));
    expect(rig.board.listExpired(10)).toEqual([]);
  });

  it("see a deleted card's number never given to another event", () => {
    const { board } = createRig();
    const id = value(board.create(BY_OWNER, { title: "one" })).card.id;
    value(board.delete(BY_OWNER, id));
    const last = board.lastEvent();
    value(board.create(BY_OWNER, { title: "two" }));
    expect(board.events({ after: 0 }).map(({ n, kind }) => [n, kind])).toEqual([
      [last, "deleted"],
      [last + 1, "created"],
    ]);
  });
});

describe("links", () => {
  it("close no circle, at any distance, and a refused link changes nothing", () => {
    const { board } = createRig();
    const ids = [1, 2, 3, 4].map((n) => value(board.create(BY_OWNER, { title: `card ${n}` })).card.id);
    for (const [n, id] of ids.slice(1).entries()) value(board.link(BY_OWNER, { parent: ids[n]!, child: id }));
    expect(codeOf(board.link(BY_OWNER, { parent: ids[3]!, child: ids[0]! }))).toBe("link_cycle");
    expect(codeOf(board.link(BY_OWNER, { parent: ids[0]!, child: ids[0]! }))).toBe("link_cycle");
    expect(value(board.show(ids[0]!))).toMatchObject({ card: { status: "ready" }, parents: [] });
    expect(board.complete(BY_OWNER, ids[1]!, { summary: "" })).toMatchObject({
      failure: { code: "bad_transition", message: expect.stringContaining("Possible are: update, cancel, archive.") },
    });
  });

  it("that a worker needs are its own: it waits for a card by linking it, not by saying so", () => {
    const rig = createRig();
    const id = makeCard(rig, "running");
    const wait = { kind: "dependency", reason: "the schema first" } as const;
    expect(codeOf(rig.board.block(workerOf(rig, id), id, wait))).toBe("no_open_parent");
    const worker = workerOf(rig, id);
    const parent = value(rig.board.create(worker, { title: "the schema" })).card.id;
    value(rig.board.link(worker, { parent, child: id }));
    expect(value(rig.board.block(worker, id, wait)).card.status).toBe("todo");
    value(rig.board.complete(BY_OWNER, parent, { summary: "done" }));
    expect(value(rig.board.show(id)).card.status).toBe("ready");
  });
});

describe("pages", () => {
  it("are newest first, filtered by any of status, assignee and label, each card once", () => {
    const { board } = createRig();
    const make = (n: number) => {
      const assignee = n % 2 === 0 ? { role: "coder" } : null;
      return value(
        board.create(BY_OWNER, { title: `${n}`, assignee, label: n % 3 === 0 ? "x" : null, triage: n % 5 === 0 }),
      );
    };
    const ids = Array.from({ length: 60 }, (_, n) => make(n).card.id);
    const read = (filter: Parameters<typeof board.list>[0]) => {
      const found: string[] = [];
      for (let before: number | null | undefined; before !== null;) {
        const page = board.list({ ...filter, limit: 7, ...(before === undefined ? {} : { before }) });
        found.push(...page.cards.map(({ title }) => title));
        before = page.next;
      }
      return found;
    };
    const expected = (matches: (n: number) => boolean) =>
      ids
        .map((_, n) => n)
        .filter(matches)
        .reverse()
        .map(String);
    expect(read({})).toEqual(expected(() => true));
    expect(read({ status: "triage" })).toEqual(expected((n) => n % 5 === 0));
    expect(read({ label: "x" })).toEqual(expected((n) => n % 3 === 0));
    expect(read({ label: "x", assignee: { role: "coder" } })).toEqual(expected((n) => n % 6 === 0));
    expect(read({ label: "x", assignee: { role: "coder" }, status: "triage" })).toEqual(expected((n) => n % 30 === 0));
    value(board.archive(BY_OWNER, ids[0]!));
    expect(read({})).not.toContain("0");
    expect(read({ status: "archived" })).toEqual(["0"]);
  });
});

describe("attachments", () => {
  it("come back byte for byte, also over several rows, and leave with the card", () => {
    const { board, sql } = createRig();
    const id = value(board.create(BY_OWNER, { title: "with a file" })).card.id;
    const bytes = Uint8Array.from({ length: 3_200_000 }, (_, n) => n % 251);
    value(board.attach(BY_OWNER, id, { name: "a.bin", mediaType: "application/octet-stream", bytes }));
    expect(Buffer.compare(value(board.readAttachment(id, "a.bin")).bytes, bytes)).toBe(0);
    expect(codeOf(board.readAttachment(id, "b.bin"))).toBe("attachment_not_found");
    const huge = { name: "huge", mediaType: "x/y", bytes: new Uint8Array((25 << 20) + 1) };
    expect(codeOf(board.attach(BY_OWNER, id, huge))).toBe("attachment_too_large");
    value(board.delete(BY_OWNER, id));
    expect(sql.run("SELECT 1 FROM card_attachment_part")).toEqual([]);
  });
});

describe("retention", () => {
  it("removes events and runs of a card 30 days after it was archived, and nothing of another", () => {
    const rig = createRig();
    const [gone, kept] = [makeCard(rig, "done"), makeCard(rig, "done")];
    value(rig.board.archive(BY_OWNER, gone));
    value(rig.board.comment(BY_OWNER, kept, "still here"));
    const due = rig.board.nextDue()!;
    expect(due - rig.clock.at).toBe(30 * 86_400_000);
    rig.clock.at = due;
    expect(rig.board.tidy()).toBe(false);
    expect([rig.board.events({ after: 0, card: gone }), rig.board.runs(gone)]).toEqual([[], []]);
    expect(rig.board.runs(kept)).toHaveLength(1);
    expect(rig.board.nextDue()).toBe(null);
  });

  it("keeps no event of a deleted card for ever", () => {
    const rig = createRig();
    for (const title of ["one", "two"]) {
      value(rig.board.delete(BY_OWNER, value(rig.board.create(BY_OWNER, { title, triage: true })).card.id));
    }
    value(rig.board.create(BY_OWNER, { title: "three", triage: true }));
    expect(rig.board.events({ after: 0 }).map(({ kind }) => kind)).toEqual(["deleted", "deleted", "created"]);
    rig.clock.at = rig.board.nextDue()!;
    rig.board.tidy();
    expect(rig.board.events({ after: 0 }).map(({ kind }) => kind)).toEqual(["created"]);
    expect(rig.board.nextDue()).toBe(null);
  });
});

describe("a board that an earlier version made", () => {
  it("knows its operations, and tells of its cards, after the upgrade", () => {
    const rig = createRig();
    const call = { author: OWNER, op: "o" };
    const { card } = value(rig.board.create(call, { title: "one" }));
    const old =
      "CREATE TABLE card_op (op TEXT PRIMARY KEY, at INTEGER NOT NULL, card TEXT NOT NULL, value TEXT) STRICT, WITHOUT ROWID";
    const kept = "INSERT INTO card_op SELECT op, at, card, value FROM later";
    for (const query of ["DROP TABLE card_news", "ALTER TABLE card_op RENAME TO later", old, kept]) rig.sql.run(query);
    expect(() => rig.board.complete(BY_OWNER, card.id, { summary: "done" })).toThrow("card_news");
    for (let twice = 0; twice < 2; twice++) upgradeBoardTables(rig.sql);
    expect(value(rig.board.create(call, { title: "one" }))).toMatchObject({ card: { id: card.id }, replayed: true });
    value(rig.board.complete({ author: OWNER, op: "p", asked: "a" }, card.id, { summary: "done" }));
    expect(codeOf(rig.board.cancel({ author: OWNER, op: "p", asked: "b" }, card.id, "no"))).toBe("op_reused");
    expect(rig.sql.run("SELECT card FROM card_news")).toEqual([{ card: card.id }]);
  });
});
