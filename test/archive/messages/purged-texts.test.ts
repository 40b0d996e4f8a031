// A purged text stays out of the index: messages that arrive after the purge are compared with hashes of it, and no text is kept.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMessageArchive } from "../../../core/archive/messages/message-archive.ts";
import { createPurgedMatcher, hashPieces } from "../../../core/archive/messages/purged-texts.ts";
import type { ArchivedTurn } from "../../../core/schemas/archived-message.ts";
import { holdsAny, toPieces } from "../../../core/skills/search/text-pieces.ts";
import { anyText } from "../../support/any-text.ts";
import { createArchiveParts } from "../../support/archive-parts.ts";
import { createNodeSql } from "../../support/bindings/node-sql.ts";
import { createTestClock } from "../../support/clock.ts";
import { toUlid } from "../../support/ulid.ts";
import { runs } from "../../support/thorough.ts";

const FACT =
  "Anna's safe opens with 4711-0815. Her sister keeps the spare key under the third flower pot beside the shed door.";
const MINUTE = 60_000;
const PURGED_AT = Date.UTC(2016, 6, 30);
const BEFORE = toUlid(PURGED_AT - 10 * MINUTE, "A");
const AFTER = toUlid(PURGED_AT + 60 * MINUTE, "B");

const purge = (text = FACT, subject = "memory/user/1", at = PURGED_AT) => ({
  ...{ subject, at },
  pieces: hashPieces(toPieces([text]), "profile"),
});
const toTurn = (session: string, turn: number, ...texts: string[]): ArchivedTurn => ({
  ...{ session, turn },
  messages: texts.map((text, i) => ({ n: turn * 10 + i, role: "user", at: PURGED_AT + MINUTE, text })),
});

function createWorld() {
  const sql = createNodeSql();
  const archive = createMessageArchive(sql, { salt: "profile" });
  const texts = () => sql.run<{ text: string }>("SELECT text FROM message ORDER BY id").map(({ text }) => text);
  const bytes = () => JSON.stringify(sql.run("SELECT * FROM message_purge")).toLowerCase();
  return { sql, archive, texts, bytes };
}

describe("hashes of a text", () => {
  it("recognise it in any wrapping, and each line or piece of it, and nothing else", () => {
    const isPurged = createPurgedMatcher(hashPieces(toPieces([FACT, "short one", "tiny"]), "s"), "s");
    for (const text of [
      FACT,
      `She said "${FACT.toUpperCase()}"`,
      JSON.stringify({ a: JSON.stringify(FACT) }),
      `> ${FACT.slice(0, 80).replaceAll(" ", "\n")}`,
      FACT.slice(20),
      "a SHORT one",
    ]) {
      expect(isPurged(text), text).toBe(true);
    }
    for (const text of ["", "Anna's safe", "the third flower pot", "a short on"])
      expect(isPurged(text), text).toBe(false);
    expect(createPurgedMatcher(hashPieces(toPieces([FACT]), "another"), "s")(FACT)).toBe(false);
  });

  it("decide as the text itself does", () => {
    const anyLine = fc.oneof(anyText({ maxLength: 90 }), fc.stringMatching(/^[ab ]{0,90}$/));
    fc.assert(
      fc.property(fc.array(anyLine, { maxLength: 4 }), anyLine, fc.nat(3), (lines, other, which) => {
        const pieces = toPieces(lines);
        const isPurged = createPurgedMatcher(hashPieces(pieces, "s"), "s");
        for (const text of [other, `${other}${lines[which] ?? ""}${other}`])
          expect(isPurged(text)).toBe(holdsAny(text, pieces));
      }),
      { numRuns: runs(500) },
    );
  });

  it("take time in proportion to a hostile text", () => {
    const isPurged = createPurgedMatcher(hashPieces([`${"a".repeat(59)}b`], "s"), "s");
    const began = process.cpuUsage();
    expect(isPurged("a".repeat(16_000))).toBe(false);
    expect(process.cpuUsage(began).user / 1_000).toBeLessThan(2_000);
  });
});

describe("after a purge", () => {
  it("a message of an earlier session that holds the text is not indexed, its neighbours are, and no text is kept", () => {
    const { archive, texts, bytes } = createWorld();
    archive.putPurge(purge());
    archive.put(toTurn(BEFORE, 1, "What do you know?", `I know this: ${FACT}`, "Thanks."));
    expect(texts()).toEqual(["What do you know?", "Thanks."]);
    expect(archive.around(BEFORE, 10, 5, 5).map(({ n }) => n)).toEqual([10, 12]);
    for (const word of ["anna", "safe", "4711", "flower"]) expect(bytes()).not.toContain(word);
  });

  it("a session that began later may say it again, but not one that could still be shown it", () => {
    const { archive, texts } = createWorld();
    archive.putPurge(purge());
    archive.put(toTurn(AFTER, 1, FACT));
    expect(texts()).toEqual([FACT]);
    archive.putPurge(purge(FACT, "memory/user/1", PURGED_AT + 59 * MINUTE));
    archive.put(toTurn(AFTER, 2, FACT));
    expect(texts()).toEqual([FACT]);
  });

  it("a repeated purge keeps what the first knew, and adds what it knows", () => {
    const { archive } = createWorld();
    const piecesOf = (subject: string) => archive.purges(subject).flatMap(({ pieces }) => pieces);
    archive.putPurge(purge());
    archive.putPurge({ ...purge(), pieces: [] });
    expect(piecesOf("memory/user/1")).toEqual(purge().pieces);
    archive.putPurge(purge("Another line of the same skill."));
    archive.putPurge(purge("Another line of the same skill."));
    expect(piecesOf("memory/user/1")).toHaveLength(purge().pieces.length + 1);
    expect(piecesOf("memory/user/2")).toEqual([]);
  });

  it("the part of a year that begins later knows it, and one that exists is told", async () => {
    const parts = createArchiveParts({ clock: createTestClock() });
    const inYear = (year: number, turn: number, ...texts: string[]): ArchivedTurn => ({
      ...toTurn(BEFORE, turn, ...texts),
      endedAt: Date.UTC(year, 5),
    });
    const texts = () =>
      parts.sqls().map((sql) => sql.run<{ text: string }>("SELECT text FROM message").map(({ text }) => text));
    await parts.put(inYear(2016, 1, "Hello"), null);
    await parts.put(inYear(2017, 2, "Hello again"), null);
    await parts.put(inYear(2017, 2, "Hello again"), 2017);
    await parts.split.putPurge(purge());
    await parts.put(inYear(2017, 3, FACT), 2017);
    await parts.put(inYear(2018, 4, FACT, "Bye"), null);
    await parts.put(inYear(2018, 4, FACT, "Bye"), 2018);
    expect(texts()).toEqual([["Hello"], ["Hello again"], ["Bye"]]);
  });

  it("that a part cannot be told, the purge fails, and succeeds when it is repeated", async () => {
    const parts = createArchiveParts({ clock: createTestClock() });
    await parts.put({ ...toTurn(BEFORE, 1, "Hello"), endedAt: Date.UTC(2016, 5) }, null);
    await parts.put({ ...toTurn(BEFORE, 2, "Hello"), endedAt: Date.UTC(2017, 5) }, null);
    parts.unreachable.add(2017);
    await expect(parts.split.putPurge(purge())).rejects.toThrow("unreachable");
    parts.unreachable.clear();
    await parts.split.putPurge(purge());
    await parts.put({ ...toTurn(BEFORE, 2, FACT), endedAt: Date.UTC(2017, 5) }, 2017);
    expect(parts.others.get(2017)!.sql.run("SELECT id FROM message")).toEqual([]);
  });
});
