// Headings: a message is found by its session's title, by a new one after a rename, and not by one that held a purged text.
import { describe, expect, it } from "vitest";
import { createMessageArchive } from "../../../core/archive/messages/message-archive.ts";
import { hashPieces } from "../../../core/archive/messages/purged-texts.ts";
import { eraseIn } from "../../../core/archive/messages/split-archive.ts";
import { toPieces } from "../../../core/skills/search/text-pieces.ts";
import { createNodeSql } from "../../support/bindings/node-sql.ts";

const AT = Date.UTC(2026, 10, 26);

function createWorld() {
  const sql = createNodeSql();
  const archive = createMessageArchive(sql);
  const put = (turn: number, title: string | undefined, ...texts: string[]) =>
    archive.put({
      ...{ session: "a", turn, ...(title !== undefined && { title }) },
      messages: texts.map((text, i) => ({
        ...{ n: turn * 10 + i, role: i % 2 ? "tool" : "user", at: AT, text },
        ...(i % 2 === 1 && { speaker: "terminal" }),
      })),
    });
  const find = (query: string) =>
    archive
      .search({ query, limit: 9 })
      .map(({ n }) => n)
      .toSorted();
  const headings = () =>
    sql.run<{ heading: string }>("SELECT heading FROM message ORDER BY id").map(({ heading }) => heading);
  const check = () => {
    for (const index of ["message_words", "message_pieces"])
      sql.run(`INSERT INTO ${index}(${index}, rank) VALUES('integrity-check', 1)`);
  };
  const merge = () => {
    while (archive.merge(100));
  };
  const bytes = () =>
    ["message_words_data", "message_words_idx", "message", "message_title"]
      .map((table) =>
        JSON.stringify(sql.run(`SELECT * FROM ${table}`), (_, value) =>
          value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : value,
        ),
      )
      .join();
  return { sql, archive, put, find, headings, check, merge, bytes };
}

const DATE = "thursdai 26 novemb 2026";

describe("the title of a session", () => {
  it("that is given later counts for its earlier messages too", () => {
    const { archive, put, find, headings, check } = createWorld();
    put(1, undefined, "Hello", "ok");
    put(2, "The pottery", "More", "ok");
    expect(archive.isMergeDue()).toBe(false); // no word is gone
    expect(headings()).toEqual([
      `potteri ${DATE}`,
      `termin potteri ${DATE}`,
      `potteri ${DATE}`,
      `termin potteri ${DATE}`,
    ]);
    expect(find("pottery")).toEqual([10, 11, 20, 21]);
    put(3, undefined, "Last");
    expect(headings().at(-1)).toBe(`potteri ${DATE}`);
    check();
  });

  it("that changes leaves no word of the old one", () => {
    const { put, find, headings, check, merge, bytes } = createWorld();
    put(1, "Kowalski wedding", "Hello", "ok");
    expect(bytes()).toContain("kowalski");
    put(2, "Plans", "More");
    merge();
    expect(headings()).toEqual([`plan ${DATE}`, `termin plan ${DATE}`, `plan ${DATE}`]);
    expect([find("Kowalski"), find("plans")]).toEqual([[], [10, 11, 20]]);
    expect(bytes()).not.toContain("kowalski");
    check();
  });

  it("that holds a purged text is taken away, and does not come back with the next turn", () => {
    const { archive, put, find, headings, check, merge, bytes } = createWorld();
    put(1, "Kowalski wedding in Gdansk", "Hello", "ok");
    const pieces = toPieces(["Kowalski wedding in Gdansk"]);
    archive.putPurge({ subject: "s", at: AT, pieces: hashPieces(pieces, "") });
    expect(archive.eraseWhere((text) => text.includes("Kowalski"))).toEqual({ erased: 0, next: null });
    merge();
    put(2, "Kowalski wedding in Gdansk", "More");
    expect(headings()).toEqual([DATE, `termin ${DATE}`, DATE]);
    expect(find("Kowalski")).toEqual([]);
    expect(bytes().toLowerCase()).not.toContain("kowalski");
    check();
  });

  it("that is a part of a purged text is taken away too", () => {
    const archive = createMessageArchive(createNodeSql());
    const toTurn = (session: string, turn: number, title: string) =>
      archive.put({ session, turn, title, messages: [{ n: turn, role: "user", at: AT, text: "Hello" }] });
    toTurn("a", 1, "The vault of the orchid house");
    toTurn("b", 1, "Orchid care");
    const texts = toPieces(["Remember: the vault of the orchid house opens with 4711."]);
    archive.putPurge({ subject: "s", at: AT, pieces: hashPieces(texts, "") });
    expect(eraseIn(archive, { texts }, { after: 0, salt: "" })).toBeNull();
    toTurn("a", 2, "The vault of the orchid house");
    expect(archive.search({ query: "orchid", limit: 9 }).map(({ session }) => session)).toEqual(["b"]);
    expect(archive.search({ query: "vault", limit: 9 })).toEqual([]);
  });

  it("of an earlier version, which stored none, is replaced too", () => {
    const { sql, put, headings, find, check, archive } = createWorld();
    put(1, "Kowalski wedding", "Hello", "ok");
    sql.run("DELETE FROM message_title");
    put(2, "Kowalski wedding", "More");
    expect(headings()).toEqual([`kowalski wed ${DATE}`, `termin kowalski wed ${DATE}`, `kowalski wed ${DATE}`]);
    put(3, "Plans", "Last");
    expect([find("Kowalski"), find("plans")]).toEqual([[], [10, 11, 20, 30]]);
    check();
    expect(archive.eraseSession("a")).toBe(4);
    expect(sql.run("SELECT * FROM message_title")).toEqual([]);
  });
});
