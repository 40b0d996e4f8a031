// Erasing messages from the index: no row and no word is left, and what was erased is not indexed again.
import { describe, expect, it } from "vitest";
import {
  type ArchivedTurn,
  MAX_ARCHIVE_BYTES,
  createMessageArchive,
} from "../../../core/archive/messages/message-archive.ts";
import { createNodeSql } from "../../support/bindings/node-sql.ts";

function createWorld(readBytes?: () => number) {
  const sql = createNodeSql();
  const archive = createMessageArchive(sql, { ...(readBytes && { readBytes }) });
  const put = (session: string, turn: number, ...texts: string[]) => archive.put(toTurn(session, turn, texts));
  const bytesOf = (index: string) =>
    sql
      .run<{ block: Uint8Array }>(`SELECT block FROM ${index}_data`)
      .map(({ block }) => Buffer.from(block).toString("latin1"))
      .join();
  const counts = () => ({
    ...sql.run("SELECT messages, words FROM message_sum")[0],
    rows: sql.run("SELECT id FROM message").length,
    turns: sql.run("SELECT turn FROM message_turn WHERE turn > 0").length,
  });
  const check = () => {
    for (const index of ["message_words", "message_pieces"])
      sql.run(`INSERT INTO ${index}(${index}, rank) VALUES('integrity-check', 1)`);
  };
  /** As the Archive object's alarm does. */
  const merge = () => {
    while (archive.merge(100));
  };
  return { sql, archive, put, bytesOf, counts, check, merge };
}

function toTurn(session: string, turn: number, texts: string[]): ArchivedTurn {
  return {
    session,
    turn,
    messages: texts.map((text, i) => ({ n: turn * 100 + i, role: i % 2 ? "assistant" : "user", at: turn, text })),
  };
}

describe("the messages of a session that is erased", () => {
  it("leave no row and no word, those of other sessions stay, and no late turn of it comes back", () => {
    const world = createWorld();
    for (let turn = 1; turn <= 60; turn++) world.put("a", turn, `Quokka number ${turn}`, "Noted.");
    world.put("b", 1, "Numbers of otters");
    expect(world.bytesOf("message_words")).toContain("uokka");
    expect(world.archive.eraseSession("a")).toBe(120);
    expect(world.counts()).toEqual({ messages: 1, words: 2, rows: 1, turns: 1 });
    world.merge();
    expect(world.bytesOf("message_words")).not.toContain("uokka");
    expect(world.bytesOf("message_pieces")).not.toContain("uok");
    expect(world.archive.search({ query: "quokka number", limit: 9 }).map(({ session }) => session)).toEqual(["b"]);
    world.check();
    expect(world.archive.eraseSession("a")).toBe(0);
    expect(world.put("a", 61, "Back again")).toEqual({ ok: true, value: null });
    expect(world.counts()).toMatchObject({ messages: 1, rows: 1, turns: 1 });
  });
});

describe("the messages that hold an erased text", () => {
  const isMeant = (text: string) => text.includes("wedding");

  it("leave no row and no word, are not indexed again, and their neighbours stay", () => {
    const world = createWorld();
    world.put("a", 1, "The wedding is in May.", "Congratulations!");
    world.put("b", 1, "What is due in May?");
    expect(world.archive.eraseWhere(isMeant)).toEqual({ erased: 1, next: null });
    expect(world.put("a", 1, "The wedding is in May.", "Congratulations!")).toMatchObject({ ok: true });
    expect(world.counts()).toMatchObject({ messages: 2, rows: 2, turns: 2 });
    world.merge();
    expect(world.bytesOf("message_words")).not.toContain("wed");
    expect(world.archive.search({ query: "wedding", limit: 9 })).toEqual([]);
    expect(world.archive.around("a", 1, 5, 5).map(({ text }) => text)).toEqual(["Congratulations!"]);
    world.check();
  });

  it("are erased in parts, so that a large archive needs no endless call", () => {
    const world = createWorld();
    world.put("a", 1, ...Array.from({ length: 5_100 }, (_, i) => (i % 5_050 === 7 ? "a wedding" : "a day")));
    const first = world.archive.eraseWhere(isMeant);
    expect(first).toEqual({ erased: 1, next: 5_000 });
    expect(world.archive.eraseWhere(isMeant, first.next!)).toEqual({ erased: 1, next: null });
  });
});

it("gives no id again, so that a message put between two parts of an erasure is read by the second", () => {
  const { archive, put } = createWorld();
  const isMeant = (text: string) => text.includes("zebra");
  put("one", 1, ...Array.from({ length: 4_999 }, () => "a"), "zebra");
  const { next } = archive.eraseWhere(isMeant);
  put("one", 2, "zebra");
  expect(archive.eraseWhere(isMeant, next ?? 0)).toEqual({ erased: 1, next: null });
});

describe("an archive without room", () => {
  it("refuses a new turn with a code, stores nothing of it, and still knows and finds what it has", () => {
    let bytes = 0;
    const world = createWorld(() => bytes);
    world.put("a", 1, "A wedding in May");
    bytes = MAX_ARCHIVE_BYTES + 1;
    const before = world.counts();
    expect(world.put("a", 2, "Another one")).toMatchObject({ ok: false, failure: { code: "archive_full" } });
    expect(world.put("a", 1, "A wedding in May")).toEqual({ ok: true, value: null });
    expect(world.counts()).toEqual(before);
    expect(world.archive.search({ query: "wedding", limit: 9 })).toHaveLength(1);
  });
});
