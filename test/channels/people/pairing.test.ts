// Pairing: its limits, and that a code cannot be guessed, used twice, or approved by a stranger.
import { beforeEach, describe, expect, it } from "vitest";
import { type Pairing, createPairing } from "../../../core/channels/people/pairing.ts";
import { PAIRING_SCHEMA, createPairingRows } from "../../../core/channels/people/pairing-rows.ts";
import { PEOPLE_SCHEMA, createPeopleRows } from "../../../core/channels/people/people-rows.ts";
import type { Sql } from "../../../core/ports.ts";
import { createNodeSql } from "../../support/bindings/node-sql.ts";
import { type TestClock, createTestClock } from "../../support/clock.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let sql: Sql;
let clock: TestClock;
let compared: number;
let pairing: Pairing;

/** What a crash or an eviction leaves is in the tables only. */
function open(): Pairing {
  return createPairing({
    sql,
    clock,
    randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
    isSame(a, b) {
      compared += 1;
      return a === b;
    },
  });
}

const person = (n: number) => ({ id: `U${n}`, name: `Person ${n}` });

function ask(n: number): string {
  const answer = pairing.request("telegram", person(n), `chat${n}`);
  if (answer.tell !== "code") throw new Error(`told ${answer.tell}`);
  return answer.code;
}
const codeOf = (result: { ok: boolean; failure?: { code: string } }) => (result.ok ? "approved" : result.failure!.code);

beforeEach(() => {
  sql = createNodeSql();
  for (const statement of [...PAIRING_SCHEMA, PEOPLE_SCHEMA]) sql.run(statement);
  clock = createTestClock();
  compared = 0;
  pairing = open();
});

it("an old request and an old lock are removed, and none that counts", () => {
  ask(1);
  expect(codeOf(pairing.approve("telegram", "WRONGONE", "user"))).toBe("pairing_code_wrong");
  const rows = createPairingRows(sql);
  rows.tidy(clock.now() - HOUR);
  expect([rows.list("telegram").length, rows.lock("telegram").wrong]).toEqual([1, 1]);
  rows.tidy(clock.now());
  expect([rows.list("telegram"), rows.lock("telegram").wrong]).toEqual([[], 0]);
});

describe("a code", () => {
  it("is eight signs that nobody mistakes, and is not stored", () => {
    const code = ask(1);
    expect(code).toMatch(/^[A-HJ-NP-Z2-9]{8}$/);
    expect(JSON.stringify(createPairingRows(sql).list("telegram"))).not.toContain(code);
    expect(JSON.stringify(pairing.list("telegram"))).not.toContain(code);
  });

  it("has each of the 32 signs equally often", () => {
    const counts = new Map<string, number>();
    for (let byte = 0; byte < 256; byte += 1) {
      const all = createPairing({
        ...{ sql, clock, isSame: () => false },
        randomBytes: (length) => new Uint8Array(length).fill(byte),
      });
      createPairingRows(sql).remove("telegram", "U1");
      const answer = all.request("telegram", person(1), "c");
      const [sign = ""] = answer.tell === "code" ? answer.code : "";
      counts.set(sign, (counts.get(sign) ?? 0) + 1);
    }
    expect([...counts.keys()].toSorted().join("")).toBe("23456789ABCDEFGHJKLMNPQRSTUVWXYZ");
    expect(new Set(counts.values())).toEqual(new Set([8]));
  });

  it("makes its person what the approver says", () => {
    const approved = pairing.approve("telegram", ask(1), "admin");
    expect(approved).toEqual({
      ok: true,
      value: { person: "U1", name: "Person 1", role: "admin", chat: "chat1" },
    });
    expect(createPeopleRows(sql).find("telegram", "U1")).toEqual({
      ...{ id: "U1", name: "Person 1", role: "admin", by: "pairing", at: clock.now() },
    });
    expect(pairing.list("telegram")).toEqual([]);
  });

  it("may be typed in small letters and with spaces", () => {
    const code = ask(1);
    expect(codeOf(pairing.approve("telegram", ` ${code.slice(0, 4).toLowerCase()}-${code.slice(4)} `, "user"))).toBe(
      "approved",
    );
  });

  it("works once", () => {
    const code = ask(1);
    expect(codeOf(pairing.approve("telegram", code, "user"))).toBe("approved");
    expect(codeOf(pairing.approve("telegram", code, "owner"))).toBe("pairing_code_wrong");
    expect(createPeopleRows(sql).find("telegram", "U1")?.role).toBe("user");
  });

  it("works on its own platform only", () => {
    expect(codeOf(pairing.approve("slack", ask(1), "user"))).toBe("pairing_code_wrong");
    expect(createPeopleRows(sql).list("slack")).toEqual([]);
  });

  it("works for an hour", () => {
    const code = ask(1);
    clock.advance(HOUR - 1);
    expect(pairing.list("telegram")).toHaveLength(1);
    clock.advance(1);
    expect([pairing.list("telegram"), codeOf(pairing.approve("telegram", code, "user"))]).toEqual([
      [],
      "pairing_code_wrong",
    ]);
  });

  it("stops working when it was refused, or when its person got a new one", () => {
    const first = ask(1);
    clock.advance(10 * MINUTE);
    const second = ask(1);
    expect(codeOf(pairing.approve("telegram", first, "user"))).toBe("pairing_code_wrong");
    expect(pairing.refuse("telegram", pairing.list("telegram")[0]!.id)).toBe(true);
    expect(codeOf(pairing.approve("telegram", second, "user"))).toBe("pairing_code_wrong");
    expect(pairing.refuse("telegram", "0".repeat(16))).toBe(false);
  });

  it("is compared in constant time with every code that waits", () => {
    const codes = [1, 2, 3].map((n) => {
      clock.advance(MINUTE);
      pairing = open();
      return ask(n);
    });
    pairing.approve("telegram", codes[0]!, "user");
    expect(compared).toBe(3);
  });
});

describe("a stranger", () => {
  it("is answered once in ten minutes, also after an eviction", () => {
    ask(1);
    clock.advance(10 * MINUTE - 1);
    pairing = open();
    expect(pairing.request("telegram", person(1), "chat1")).toEqual({ tell: "nothing" });
    clock.advance(1);
    expect(pairing.request("telegram", person(1), "chat1").tell).toBe("code");
  });

  it("is told that too many wait when three do, and gets a code when one has left", () => {
    const [first] = [ask(1), ask(2), ask(3)];
    expect(pairing.request("telegram", person(4), "chat4")).toEqual({ tell: "full" });
    expect(pairing.request("telegram", person(4), "chat4")).toEqual({ tell: "nothing" });
    expect(pairing.list("telegram").map(({ person: id }) => id)).toEqual(["U1", "U2", "U3"]);
    expect(pairing.request("slack", person(4), "chat4").tell).toBe("code");
    pairing.approve("telegram", first!, "user");
    clock.advance(10 * MINUTE);
    expect(pairing.request("telegram", person(4), "chat4").tell).toBe("code");
  });

  it("cannot fill the table", () => {
    for (let n = 0; n < 200; n += 1) pairing.request("telegram", person(n), "chat");
    expect(createPairingRows(sql).list("telegram").length).toBeLessThanOrEqual(51);
    clock.advance(HOUR);
    pairing.request("telegram", person(999), "chat");
    expect(
      createPairingRows(sql)
        .list("telegram")
        .map((row) => row.person),
    ).toEqual(["U999"]);
  });

  it("who is refused is not answered at once", () => {
    ask(1);
    pairing.refuse("telegram", pairing.list("telegram")[0]!.id);
    expect(pairing.request("telegram", person(1), "chat1")).toEqual({ tell: "nothing" });
  });
});

describe("wrong codes", () => {
  it("lock approving for an hour after the fifth, for the right code too, also after an eviction", () => {
    const code = ask(1);
    const tried = Array.from({ length: 5 }, () => codeOf(pairing.approve("telegram", "AAAAAAAA", "user")));
    expect(new Set(tried)).toEqual(new Set(["pairing_code_wrong"]));
    pairing = open();
    expect(pairing.approve("telegram", code, "user")).toMatchObject({
      failure: { code: "pairing_locked", facts: { retryAfterMs: HOUR } },
    });
    expect(codeOf(pairing.approve("slack", "AAAAAAAA", "user"))).toBe("pairing_code_wrong");
    clock.advance(HOUR);
    expect(codeOf(pairing.approve("telegram", ask(1), "user"))).toBe("approved");
  });

  it("no longer count after an hour or after a right one", () => {
    for (let n = 0; n < 4; n += 1) pairing.approve("telegram", "AAAAAAAA", "user");
    expect(codeOf(pairing.approve("telegram", ask(1), "user"))).toBe("approved");
    for (let n = 0; n < 4; n += 1) pairing.approve("telegram", "AAAAAAAA", "user");
    clock.advance(HOUR);
    for (let n = 0; n < 4; n += 1) pairing.approve("telegram", "AAAAAAAA", "user");
    expect(codeOf(pairing.approve("telegram", ask(2), "user"))).toBe("approved");
  });

  it("stay counted when the channel is removed and set up again", () => {
    for (let n = 0; n < 5; n += 1) pairing.approve("telegram", "AAAAAAAA", "user");
    createPairingRows(sql).forget("telegram");
    expect(codeOf(pairing.approve("telegram", "AAAAAAAA", "user"))).toBe("pairing_locked");
  });
});

describe("approved people", () => {
  it("are counted, and a full list refuses a code without using it up", () => {
    const people = createPeopleRows(sql);
    for (let n = 0; n < 1_000; n += 1) people.put("telegram", { ...person(n + 10), role: "user", by: "owner", at: n });
    const code = ask(1);
    expect(codeOf(pairing.approve("telegram", code, "user"))).toBe("too_many_people");
    people.remove("telegram", "U10");
    expect(codeOf(pairing.approve("telegram", code, "user"))).toBe("approved");
  });

  it("keep their name when their role changes, and are forgotten with the channel", () => {
    const people = createPeopleRows(sql);
    people.put("telegram", { ...person(1), role: "user", by: "pairing", at: 1 });
    people.put("telegram", { id: "U1", name: "", role: "owner", by: "owner", at: 2 });
    people.put("slack", { ...person(1), role: "user", by: "owner", at: 3 });
    expect(people.list("telegram")).toEqual([{ ...person(1), role: "owner", by: "owner", at: 1 }]);
    people.forget("telegram");
    expect([people.list("telegram").length, people.list("slack").length]).toEqual([0, 1]);
    expect([people.remove("slack", "U1"), people.remove("slack", "U1")]).toEqual([true, false]);
  });
});
