// Which sockets are closed when a key or one of its secrets ends, and that nothing is closed before.
import { describe, expect, test } from "vitest";
import { createKeySockets } from "../../../durable-objects/keys/key-sockets.ts";
import { createNodeSql } from "../../support/bindings/node-sql.ts";

const NOW = 1_000_000;
const socket = (owner: string, session: string, ownerEnd: number | null = null, keyEnd: number | null = null) => ({
  ...{ owner, session, ownerEnd, keyEnd },
  key: owner.split(".")[0]!,
});

function open() {
  const sockets = createKeySockets(createNodeSql());
  const closed: string[] = [];
  let isDown = false;
  const closeDue = (now: number) =>
    sockets.closeDue(now, async (session, owner, reason) => {
      if (isDown) throw new Error("the session does not answer");
      closed.push(`${owner} ${session} ${reason}`);
    });
  const take = async (now: number) => {
    await closeDue(now);
    return closed.splice(0).toSorted();
  };
  return { sockets, take, setDown: (down: boolean) => void (isDown = down) };
}

describe("sockets of a key", () => {
  test("cost no table before there is one, and no alarm before an end is known", async () => {
    const { sockets, take } = open();
    sockets.endKey("a", NOW, "revoked");
    expect([sockets.nextDue(), await take(NOW)]).toEqual([null, []]);
    sockets.note(socket("a.0", "s"), NOW);
    expect([sockets.nextDue(), await take(NOW + 1e9)]).toEqual([null, []]);
  });

  test("are closed when it is revoked, a second time for a connect that was under way, and then forgotten", async () => {
    const { sockets, take } = open();
    for (const session of ["s", "t"]) sockets.note(socket("a.0", session), NOW);
    sockets.note(socket("b.0", "s"), NOW);
    sockets.endKey("a", NOW, "revoked");
    expect(sockets.nextDue()).toBe(NOW);
    expect(await take(NOW)).toEqual(["a.0 s revoked", "a.0 t revoked"]);
    const second = sockets.nextDue()!;
    expect(second - NOW).toBeLessThan(30_000);
    expect([await take(second - 1), await take(second), sockets.nextDue()]).toEqual([
      [],
      ["a.0 s revoked", "a.0 t revoked"],
      null,
    ]);
  });

  test("are closed although the first attempts fail or the work dies between them", async () => {
    const { sockets, take, setDown } = open();
    sockets.note(socket("a.0", "s"), NOW);
    sockets.endKey("a", NOW, "revoked");
    setDown(true);
    expect(await take(NOW)).toEqual([]);
    const again = sockets.nextDue()!;
    expect(again).toBeGreaterThan(NOW);
    expect(again - NOW).toBeLessThan(30_000);
    expect(await take(again)).toEqual([]);
    expect(sockets.nextDue()! - again).toBeGreaterThan(again - NOW);
    setDown(false);
    expect(await take(sockets.nextDue()!)).toEqual(["a.0 s revoked"]);
  });

  test("are closed at its expiry, or at another one that it gets", async () => {
    const { sockets, take } = open();
    sockets.note(socket("a.0", "s", null, NOW + 50), NOW);
    expect(sockets.nextDue()).toBe(NOW + 50);
    sockets.moveEnd("a", NOW + 20);
    expect(await take(NOW + 20)).toEqual(["a.0 s expired"]);
    sockets.note(socket("a.0", "s", null, NOW + 50), NOW + 21);
    sockets.moveEnd("a", null);
    expect([sockets.nextDue(), await take(NOW + 60)]).toEqual([null, []]);
  });

  test("are closed at its expiry although it is rotated with a longer grace time", async () => {
    const { sockets, take } = open();
    sockets.note(socket("a.0", "s", null, NOW + 20), NOW);
    sockets.endOwner("a.0", NOW + 60, "rotated");
    expect([await take(NOW + 19), await take(NOW + 20)]).toEqual([[], ["a.0 s expired"]]);
  });

  test("of a sign-in end with the sign-in or with its key, whichever is first", async () => {
    const { sockets, take } = open();
    sockets.note({ owner: "sign_1", key: "a", session: "s", ownerEnd: NOW + 10, keyEnd: NOW + 50 }, NOW);
    sockets.note({ owner: "sign_2", key: "a", session: "s", ownerEnd: NOW + 90, keyEnd: NOW + 50 }, NOW);
    expect(await take(NOW + 10)).toEqual(["sign_1 s expired"]);
    sockets.endKey("a", NOW + 40, "revoked");
    expect(await take(NOW + 40)).toEqual(["sign_1 s revoked", "sign_2 s revoked"]);
  });

  test("of an old secret end with its grace time; those of the new secret stay", async () => {
    const { sockets, take } = open();
    sockets.note(socket("a.0", "s"), NOW);
    sockets.endOwner("a.0", NOW + 30, "rotated");
    sockets.note(socket("a.1", "s"), NOW + 1);
    sockets.moveEnd("a", NOW + 70);
    expect([await take(NOW + 29), await take(NOW + 30)]).toEqual([[], ["a.0 s rotated"]]);
  });

  test("that are opened again between the two passes are not closed by the second", async () => {
    const { sockets, take } = open();
    sockets.note(socket("a.0", "s", null, NOW + 5), NOW);
    await take(NOW + 5);
    sockets.note(socket("a.0", "s", null, null), NOW + 6); // the key's expiry was taken away
    expect([sockets.nextDue(), await take(NOW + 1e9)]).toEqual([null, []]);
  });

  test("are bounded: with sockets on too many sessions, those opened first are closed", async () => {
    const { sockets, take } = open();
    for (let n = 0; n <= 1_000; n++) sockets.note(socket("a.0", `s${n}`), NOW + n);
    expect(await take(NOW + 2_000)).toEqual(["a.0 s0 tooMany"]);
  });

  test("of a deleted session are forgotten", async () => {
    const { sockets, take } = open();
    sockets.note(socket("a.0", "s"), NOW);
    sockets.forgetSession("s");
    sockets.endKey("a", NOW, "revoked");
    expect(await take(NOW)).toEqual([]);
  });
});
