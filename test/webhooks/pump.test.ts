// The pump over the real rows: what was accepted is posted once and in order, whatever a session answers and wherever the object dies.
import { beforeEach, describe, expect, it } from "vitest";
import { err, ok } from "../../core/errors.ts";
import { DELIVERY_SCHEMA, createDeliveryRows, type WaitingDelivery } from "../../core/webhooks/delivery-rows.ts";
import { type PumpDeps, createPump } from "../../core/webhooks/pump.ts";
import { createTestClock } from "../support/clock.ts";
import { createNodeSql } from "../support/bindings/node-sql.ts";

const S1 = "01ARZ3NDEKTSV4RRFFQ69G5FA1";
const S2 = "01ARZ3NDEKTSV4RRFFQ69G5FA2";

let world: ReturnType<typeof createWorld>;
beforeEach(() => void (world = createWorld()));

function createWorld() {
  const sql = createNodeSql();
  for (const statement of DELIVERY_SCHEMA) sql.run(statement);
  const rows = createDeliveryRows(sql);
  const clock = createTestClock();
  /** The messages of each session, by their keys. */
  const sessions = new Map<string, Map<string, string>>();
  let posts = 0;
  let most = 0;
  const open = new Set<string>();
  const take = (row: WaitingDelivery) => {
    const messages = sessions.get(row.session!) ?? new Map<string, string>();
    sessions.set(row.session!, messages.set(row.id, row.text));
    open.add(row.session!);
    most = Math.max(most, open.size);
    return ok({ turn: `${row.session!}-${messages.size}` });
  };
  const deps: PumpDeps = {
    rows,
    clock,
    sessions: {
      async post(row) {
        posts++;
        return take(row);
      },
      async isOpen(session) {
        return !open.delete(session);
      },
    },
    sendOn: async () => ok(null),
    report: () => {},
  };
  const add = (id: string, session: string | null, more: object = {}) =>
    rows.add({
      ...{
        route: "r",
        id,
        at: clock.now(),
        event: null,
        state: "waiting",
        session,
        due: clock.now(),
        text: `text ${id}`,
      },
      ...{ lane: session ?? "only:r", ...more },
    });
  const states = () =>
    rows
      .list("r", { before: null, limit: 100 })
      .map(({ delivery }) => `${delivery.id} ${delivery.state}`)
      .toReversed();
  return { rows, clock, sessions, deps, add, take, states, posts: () => posts, most: () => most };
}

describe("the pump", () => {
  it("posts the rows of a session in their order, and forgets their texts", async () => {
    for (const id of ["b", "a", "c"]) world.add(id, S1);
    await createPump(world.deps).run();
    expect([...world.sessions.get(S1)!]).toEqual([
      ["b", "text b"],
      ["a", "text a"],
      ["c", "text c"],
    ]);
    expect(world.states()).toEqual(["b posted", "a posted", "c posted"]);
    expect(world.rows.nextDue([])).toBeNull();
  });

  it("posts a row again under its key after the object died between the post and its end", async () => {
    world.add("a", S1);
    world.add("b", S1);
    const { end } = world.rows;
    const dying = {
      ...world.rows,
      end: () => {
        throw new Error("the object died");
      },
    };
    await createPump({ ...world.deps, rows: dying }).run();
    expect(world.states()).toEqual(["a waiting", "b waiting"]);
    world.clock.advance(60_000);
    world.rows.end = end;
    await createPump(world.deps).run();
    expect(world.posts()).toBe(3);
    expect([...world.sessions.get(S1)!.keys()]).toEqual(["a", "b"]);
    expect(world.states()).toEqual(["a posted", "b posted"]);
  });

  it("keeps the order of a session whose first row must wait, and does not hold others up", async () => {
    for (const id of ["a", "b"]) world.add(id, S1);
    world.add("x", S2);
    let isFull = true;
    const post: PumpDeps["sessions"]["post"] = async (row) =>
      row.session === S1 && isFull ? err("too_many_queued", "20 messages are waiting.") : world.take(row);
    const pump = createPump({ ...world.deps, sessions: { ...world.deps.sessions, post } });
    await pump.run();
    expect(world.states()).toEqual(["a waiting", "b waiting", "x posted"]);
    const due = pump.nextDue()!;
    expect(due).toBeGreaterThan(world.clock.now());
    isFull = false;
    world.clock.advance(due - world.clock.now());
    await pump.run();
    expect([...world.sessions.get(S1)!.keys()]).toEqual(["a", "b"]);
  });

  it("does not wake for rows behind one that waits, also in a new life of the object", async () => {
    for (const id of ["a", "b"]) world.add(id, S1);
    const failing = {
      ...world.deps.sessions,
      post: async () => {
        throw new Error("unreachable");
      },
    };
    await createPump({ ...world.deps, sessions: failing }).run();
    const pump = createPump(world.deps);
    await pump.run();
    expect(world.states()).toEqual(["a waiting", "b waiting"]);
    expect(pump.nextDue()).toBeGreaterThan(world.clock.now());
  });

  it("works for ten sessions at a time", async () => {
    for (let n = 0; n < 60; n++) world.add(`d${n}`, `01ARZ3NDEKTSV4RRFFQ69G5F${String(n).padStart(2, "0")}`);
    await createPump(world.deps).run();
    expect(world.posts()).toBe(60);
    expect(world.most()).toBeLessThanOrEqual(10);
  });

  it("gives a row up whose message cannot be posted, and one that failed for a day", async () => {
    world.add("long", S1);
    world.add("b", S1);
    const post: PumpDeps["sessions"]["post"] = async (row) =>
      row.id === "long" ? err("message_too_long", "Too long.") : err("internal", "It does not work.");
    const pump = createPump({ ...world.deps, sessions: { ...world.deps.sessions, post } });
    const from = world.clock.now();
    for (let due: number | null = from; due !== null; due = pump.nextDue()) {
      world.clock.advance(Math.max(0, due - world.clock.now()));
      await pump.run();
    }
    expect(world.states()).toEqual(["long failed", "b failed"]);
    expect(world.clock.now() - from).toBeGreaterThan(20 * 3_600_000);
  });

  it("sends texts on in their order, and ends those that nobody takes", async () => {
    world.add("a", null);
    world.add("b", null);
    const sent: string[] = [];
    const sendOn: PumpDeps["sendOn"] = async ({ id }) => {
      sent.push(id);
      return id === "a" ? err("channel_no_home", "There is no home chat.", { isFinal: true }) : ok(null);
    };
    await createPump({ ...world.deps, sendOn }).run();
    expect([sent, world.states()]).toEqual([
      ["a", "b"],
      ["a failed", "b delivered"],
    ]);
  });

  it("leaves a group alone until its time, and fixes its text before it is posted", async () => {
    world.add("g", S1, { due: world.clock.now() + 30_000, part: "r 1" });
    world.add("x", S1);
    await createPump(world.deps).run();
    expect(world.states()).toEqual(["g waiting", "x posted"]);
    expect(world.rows.openGroup("r 1", world.clock.now())?.id).toBe("g");
    world.clock.advance(30_000);
    expect(world.rows.openGroup("r 1", world.clock.now())).toBeNull();
    await createPump(world.deps).run();
    expect(world.states()).toEqual(["g posted", "x posted"]);
  });
});

describe("the rows", () => {
  it("take an id once an hour, and keep what waits and the last hour beyond the limit", () => {
    world.add("a", S1);
    expect(world.rows.acceptedAt("r", "a", world.clock.now())).not.toBeNull();
    expect(world.rows.acceptedAt("other", "a", world.clock.now())).toBeNull();
    world.clock.advance(3_600_000);
    expect(world.rows.acceptedAt("r", "a", world.clock.now())).not.toBeNull(); // it still waits
    world.rows.end(1, "posted", {});
    expect(world.rows.acceptedAt("r", "a", world.clock.now())).toBeNull();
    expect(world.states()).toEqual([]);
    for (let n = 0; n < 600; n++)
      world.rows.add({ route: "r", id: `${n}`, at: world.clock.now(), event: null, state: "ignored" });
    world.rows.tidy(world.clock.now());
    expect(world.rows.countSince(0).get("r")).toBe(600);
    world.clock.advance(3_600_001);
    world.rows.tidy(world.clock.now());
    expect(world.rows.countSince(0).get("r")).toBe(500);
    world.clock.advance(7 * 86_400_000);
    world.rows.tidy(world.clock.now());
    expect(world.rows.countSince(0).get("r")).toBeUndefined();
  });
});
