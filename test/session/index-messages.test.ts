// The messages of a session's finished turns in the profile's index: which, in which order, once, and what happens when the Archive fails.
import { describe, expect, it } from "vitest";
import { MAX_ARCHIVE_BYTES } from "../../core/archive/messages/message-archive.ts";
import { toMessages } from "../../core/session/index-messages.ts";
import type { ScriptLine } from "../support/wires/scripted-model.ts";
import { SESSION } from "../support/session/session-harness.ts";
import { type SessionOptions, createLearningSession, done, ticks, write } from "../support/session/scripted-session.ts";

const HOUR_MS = 3_600_000;

async function setUp(script: ScriptLine[], options: SessionOptions = {}) {
  const world = await createLearningSession(script, options);
  /** What the index has, in its order. */
  const indexed = () =>
    world.archiveSql
      .run<{ turn: number; role: string; text: string }>("SELECT turn, role, text FROM message ORDER BY id")
      .map(({ turn, role, text }) => `${turn} ${role} ${text.slice(0, 20)}`);
  /** Wakes the session until it has no job. */
  const drainAll = async (most = 200) => {
    const began = world.clock.now();
    let wakes = 0;
    for (; world.rows().length > 0 && wakes < most; wakes++) await world.life.wake();
    return { wakes, ms: world.clock.now() - began };
  };
  /** The session is as an earlier version left it: without a mark, and with nothing in the index. */
  const forgetIndex = () => {
    world.sql.run("UPDATE meta SET value = json_remove(value, '$.indexed') WHERE key = 'session'");
    world.messages.eraseSession(SESSION);
    world.archiveSql.run("DELETE FROM message_turn");
    world.life.kill();
    return world.boot();
  };
  return { ...world, indexed, drainAll, forgetIndex };
}

const said = (life: { engine: { post(input: { text: string }): Promise<unknown> }; settled(): Promise<void> }) => ({
  async say(text: string) {
    expect(await life.engine.post({ text })).toMatchObject({ ok: true });
    await life.settled();
  },
});

describe("the messages of a turn", () => {
  it("are indexed after its answer: what was said and what tools returned, without notes and arguments", async () => {
    const world = await setUp([write, { text: "Saved it.", reasoning: "secret thoughts" } as ScriptLine]);
    await world.say("Save the letter x");
    expect(world.indexed().map((line) => line.replace(/\{.*/, "{"))).toEqual([
      "1 user Save the letter x",
      "1 tool {",
      "1 assistant Saved it.",
    ]);
    const [found] = world.messages.search({ query: "saving letters", limit: 1 });
    expect(found).toMatchObject({ session: SESSION, turn: 1, n: 1, role: "user", text: "Save the letter x" });
    expect(world.messages.search({ query: "thoughts", limit: 9 })).toEqual([]);
    expect(world.rows()).toEqual([]);
  });

  it("need no job of their own if the turn is observed", async () => {
    const jobs: string[] = [];
    const world = await setUp([done], { onMessages: () => void jobs.push(...world.rows()) });
    await world.say("Hello");
    expect([jobs, world.rows()]).toEqual([["active:2026-01-05", "observe:1"], []]);
    expect(world.indexed()).toEqual(["1 user Hello", "1 assistant Done."]);
  });

  it("are indexed if learning is off, if no model worked, and if the turn failed", async () => {
    const world = await setUp([done, { fail: { code: "bad_request", message: "no", retry: false } } as never], {
      learning: "off",
    });
    await world.say("Hello");
    await world.say("/pending");
    await world.say("And now?").catch(() => undefined);
    await world.drainAll();
    expect(world.indexed().filter((line) => line.includes("user"))).toEqual([
      "1 user Hello",
      "2 user /pending",
      "3 user And now?",
    ]);
    expect(world.rows()).toEqual([]);
  });

  it("have no secret in them, and are cut", () => {
    const key = `sk-ant-api03-${"a1B2c3D4".repeat(8)}`;
    const user = { v: 1, n: 1, turn: 1, at: 0, kind: "user" } as const;
    const [message] = toMessages([
      { ...user, parts: [{ source: "principal", text: `Use ${key} ${"long ".repeat(9_000)}` }] },
    ]);
    expect(message!.text).not.toContain("a1B2c3D4");
    expect(message!.text).toHaveLength(16_000);
    expect(toMessages([{ ...user, parts: [{ source: "principal", text: " \n" }] }])).toEqual([]);
  });

  it("carry the session's title, if it has one already", async () => {
    const titles: (string | undefined)[] = [];
    const world = await setUp([done, { text: "Greetings to the walrus" }, done], {
      settings: { turn: { titles: true }, review: { afterModelCalls: 1_000, minValue: 1 } },
      onMessages: ({ title }) => void titles.push(title),
    });
    await world.say("Hello");
    await world.say("Hello again");
    expect(titles).toEqual(["Greetings to the walrus", "Greetings to the walrus"]);
    expect(world.messages.search({ query: "walrus", limit: 9 })).toHaveLength(4);
  });
});

describe("an Archive that does not take messages", () => {
  it("delays neither the observation nor the booking, and gets them later in the order of turns", async () => {
    let isDown = true;
    const world = await setUp([done, done, done], {
      onMessages() {
        if (isDown) throw new Error("unreachable");
      },
    });
    await world.say("One");
    await world.say("Two");
    await world.say("/pending");
    expect(world.rows()).toEqual(["index:1"]); // later turns join the job
    expect([1, 2].map((n) => world.observation(n)?.judge)).toEqual(["exit", "exit"]);
    expect(world.booked.map(({ id }) => id)).toEqual([`${SESSION}-1`, `${SESSION}-2`]);
    isDown = false;
    await world.drainAll();
    expect(world.indexed()).toEqual([
      "1 user One",
      "1 assistant Done.",
      "2 user Two",
      "2 assistant Done.",
      "3 user /pending",
    ]);
    expect(world.rows()).toEqual([]);
  });

  it.each([false, true])(
    "gets a turn too that ends while one before it is sent, and that put fails: %s",
    async (fails) => {
      const first = Promise.withResolvers<void>();
      let asked = 0;
      const world = await setUp([done, done], {
        learning: "off",
        onMessages: () => (++asked === 1 ? first.promise : undefined),
      });
      for (const text of ["One", "Two"]) {
        expect(await world.engine.post({ text })).toMatchObject({ ok: true });
        await ticks(2_000);
      }
      expect(world.rows().filter((id) => id.startsWith("index"))).toEqual(["index:1"]);
      if (fails) first.reject(new Error("unreachable"));
      else first.resolve();
      await world.life.settled();
      await world.drainAll();
      expect(world.indexed()).toEqual(["1 user One", "1 assistant Done.", "2 user Two", "2 assistant Done."]);
    },
  );

  it("is asked for hours, and then the messages of that turn are given up with a report", async () => {
    let isDown = true;
    const world = await setUp([done, done], {
      onMessages({ turn }) {
        if (isDown && turn === 1) throw new Error("unreachable");
      },
    });
    await world.say("One");
    await world.say("Two");
    const { wakes, ms } = await world.drainAll();
    expect([ms > 2 * HOUR_MS, ms < 24 * HOUR_MS, wakes < 60]).toEqual([true, true, true]);
    expect(world.life.reports.at(-1)).toContain("given up: the messages of turn 1 are not found");
    expect(world.indexed()).toEqual(["2 user Two", "2 assistant Done."]);
    isDown = false;
  });

  it("and never answers costs a turn one timeout", async () => {
    let asked = 0;
    const world = await setUp([done], { onMessages: () => (++asked === 1 ? new Promise(() => {}) : undefined) });
    void world.say("One");
    for (let i = 0; (i < 20 && world.rows().length > 0) || i < 2; i++) {
      await ticks(500);
      world.clock.advance(60_000);
    }
    await world.life.settled();
    await world.drainAll();
    expect(world.indexed()).toEqual(["1 user One", "1 assistant Done."]);
  });

  it("because it is full says so, keeps what it has, and takes them once there is room", async () => {
    let bytes = 0;
    const world = await setUp([done, done], { archiveBytes: () => bytes });
    await world.say("One");
    bytes = MAX_ARCHIVE_BYTES + 1;
    await world.say("Two");
    expect(world.life.reports.join("\n")).toContain("archive_full: This profile's archive is full (9.0 GB)");
    expect([world.indexed(), world.rows()]).toEqual([["1 user One", "1 assistant Done."], ["index:2"]]);
    expect(world.entries().filter(({ turn }) => turn === 2)).toHaveLength(2);
    bytes = 0;
    await world.drainAll();
    expect(world.indexed().slice(2)).toEqual(["2 user Two", "2 assistant Done."]);
  });
});

describe("a session from before the index existed", () => {
  it("has its earlier turns indexed, in order, when it next ends a turn", async () => {
    const world = await setUp([done, done, done, done]);
    for (const text of ["One", "Two", "/pending"]) await world.say(text);
    const before = world.indexed();
    const next = world.forgetIndex();
    expect(world.indexed()).toEqual([]);
    await said(next).say("Four");
    for (let wakes = 0; world.rows().length > 0 && wakes < 9; wakes++) await next.wake();
    expect(world.indexed()).toEqual([...before, "4 user Four", "4 assistant Done."]);
    await said(next).say("Five");
    expect(world.indexed().slice(-2)).toEqual(["5 user Five", "5 assistant Done."]);
  });

  it("sends at most twenty turns in one attempt", async () => {
    const puts: number[] = [];
    let rowsAt21: string[] | null = null;
    const world = await setUp(
      Array.from({ length: 60 }, () => done),
      {
        onMessages({ turn }) {
          puts.push(turn);
          if (turn === 21) rowsAt21 = world.sql.run<{ body: string }>("SELECT body FROM job").map(({ body }) => body);
        },
      },
    );
    for (let n = 1; n <= 50; n++) await world.say(`Message ${n}`);
    const next = world.forgetIndex();
    puts.length = 0;
    await said(next).say("Last");
    for (let wakes = 0; world.rows().length > 0 && wakes < 9; wakes++) await next.wake();
    expect(puts).toEqual(Array.from({ length: 51 }, (_, i) => i + 1));
    expect(rowsAt21!.join("\n")).toContain('"from":21,"to":51');
    expect(world.indexed()).toHaveLength(102);
  });
});

describe("a session from before the index existed, in trouble", () => {
  /** A session of eight turns that its index does not know. */
  async function setUpOld(turns: number, options: SessionOptions = {}) {
    const world = await createLearningSession(
      Array.from({ length: 30 }, () => done),
      options,
    );
    for (let i = 1; i <= turns; i++) await world.say(`Turn number ${i}`);
    world.sql.run("UPDATE meta SET value = json_remove(value, '$.indexed') WHERE key = 'session'");
    world.messages.eraseSession(SESSION);
    world.archiveSql.run("DELETE FROM message_turn");
    world.life.kill();
    const life = world.boot();
    const say = async (text: string) => {
      expect(await life.engine.post({ text })).toMatchObject({ ok: true });
      await life.settled();
      for (let i = 0; i < 400 && world.rows().length > 0; i++) await life.wake();
    };
    const indexed = () =>
      world.archiveSql.run<{ turn: number }>("SELECT DISTINCT turn FROM message ORDER BY turn").map(({ turn }) => turn);
    return { world, life, say, indexed };
  }

  it("gives up the turn that cannot be sent and no other, and sends those before it once", async () => {
    const sent: number[] = [];
    let isOld = false;
    const { world, life, say, indexed } = await setUpOld(8, {
      learning: "off",
      onMessages: ({ turn }) => {
        if (!isOld) return;
        sent.push(turn);
        if (turn === 5) throw new Error("refused");
      },
    });
    isOld = true;
    const began = world.clock.now();
    await say("Again");
    expect(life.reports.filter((line) => line.includes("given up"))).toEqual([
      "job index:8: given up: the messages of turn 5 are not found by searches",
    ]);
    expect(indexed()).toEqual([1, 2, 3, 4, 6, 7, 8, 9]);
    expect(sent.filter((turn) => turn !== 5)).toEqual([1, 2, 3, 4, 6, 7, 8, 9]);
    expect(world.clock.now() - began).toBeLessThan(15 * 3_600_000);
  });

  it("is indexed in order although the transaction that planned it was rolled back once", async () => {
    const { world, say, indexed } = await setUpOld(3);
    const { run } = world.sql;
    let failures = 0;
    world.sql.run = (query, ...values) => {
      if (failures > 0 || !query.includes("INTO job") || !String(values[0]).startsWith("index:")) {
        return run(query, ...values);
      }
      failures += 1;
      throw new Error("a write failed");
    };
    await say("Four");
    await say("Five");
    expect(failures).toBe(1);
    expect(indexed()).toEqual([1, 2, 3, 4, 5]);
    const places = world.archiveSql.run<{ n: number }>("SELECT n FROM message ORDER BY place").map(({ n }) => n);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });
});

describe("a session that lives through two New Years", () => {
  it("asks the first part once for each later year, and then sends its turns to that year's", async () => {
    const sent: number[] = [];
    const world = await setUp(
      Array.from({ length: 9 }, () => done),
      { onMessages: ({ turn }) => void sent.push(turn) },
    );
    for (const year of [2026, 2027, 2028]) {
      world.clock.advance(Math.max(0, Date.UTC(year, 1, 1) - world.clock.now()));
      for (const text of ["a", "b", "c"]) await world.say(`${text} of ${year}`);
    }
    expect(sent).toEqual([1, 2, 3, 4, 4, 5, 6, 7, 7, 8, 9]);
    expect(world.parts.calls.filter((call) => call.startsWith("put"))).toEqual([
      ...["put 2027", "put 2027", "put 2027", "put 2028", "put 2028", "put 2028"],
    ]);
    const all = await world.parts.split.around(SESSION, 0, 0, 100);
    expect(all.filter(({ role }) => role === "user").map(({ text }) => text)).toEqual(
      [2026, 2027, 2028].flatMap((year) => ["a", "b", "c"].map((text) => `${text} of ${year}`)),
    );
  });

  it("waits for a part that is out of reach, and keeps the order of its turns", async () => {
    const world = await setUp(Array.from({ length: 9 }, () => done));
    await world.say("One");
    world.clock.advance(Date.UTC(2027, 1, 1) - world.clock.now());
    world.parts.unreachable.add(2027);
    await world.say("Two");
    await world.say("Three");
    expect((await world.parts.split.search({ query: "one two three", limit: 9 })).missing).toEqual([2027]);
    world.parts.unreachable.clear();
    await world.drainAll();
    const all = await world.parts.split.around(SESSION, 0, 0, 100);
    expect(all.filter(({ role }) => role === "user").map(({ text }) => text)).toEqual(["One", "Two", "Three"]);
  });
});

describe("a session that is erased", () => {
  it("leaves nothing in the index, also if a job of it waits, and its object sends nothing after that", async () => {
    let isDown = false;
    const world = await setUp([done, done], {
      onMessages() {
        if (isDown) throw new Error("unreachable");
      },
    });
    await world.say("One");
    isDown = true;
    await world.say("Two");
    expect([world.rows(), world.indexed().length]).toEqual([["index:2"], 2]);
    isDown = false;
    world.engine.end();
    expect(world.messages.eraseSession(SESSION)).toBe(2);
    await world.life.wake();
    expect(world.indexed()).toEqual([]);
  });
});
