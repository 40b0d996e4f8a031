// Which titles are recognised as made of a purged text, also of a very long one.
import fc from "fast-check";
import { expect, it } from "vitest";
import { eraseIn } from "../../../core/archive/messages/split-archive.ts";
import { createMessageArchive } from "../../../core/archive/messages/message-archive.ts";
import { createTitleMatcher } from "../../../core/archive/messages/purged-titles.ts";
import { squeeze, toPieces } from "../../../core/skills/search/text-pieces.ts";
import { createNodeSql } from "../../support/bindings/node-sql.ts";
import { createSeededRandom } from "../../support/seeded-random.ts";
import { runs } from "../../support/thorough.ts";

it("are those that hold a piece, or share twelve letters or digits in a row with one", () => {
  const anyWords = fc.array(fc.constantFrom("the", "vault", "of", "orchid", "house", "4711", "Zoë"), { maxLength: 9 });
  fc.assert(
    fc.property(anyWords, anyWords, (said, titled) => {
      const pieces = toPieces([said.join(" ")]);
      const title = titled.join(" ");
      const squeezed = squeeze(title);
      const parts = Array.from({ length: squeezed.length }, (_, at) => squeezed.slice(at, at + 12));
      const shares = parts.some((part) => part.length === 12 && pieces.some((piece) => piece.includes(part)));
      const holds = pieces.some((piece) => squeezed.includes(piece));
      expect(createTitleMatcher(pieces)(title)).toBe(holds || shares);
    }),
    { numRuns: runs(500) },
  );
});

it("are found in a text of 20,000 lines in little memory, of which an object has 128 MB", () => {
  const random = createSeededRandom(1);
  const line = () => Array.from({ length: 60 }, () => "abcdefghijklmnopqrstuvwxyz"[Math.floor(random() * 26)]).join("");
  const texts = toPieces([Array.from({ length: 20_000 }, line).join("\n")]);
  const archive = createMessageArchive(createNodeSql());
  const put = (session: string, title: string) =>
    archive.put({ session, turn: 1, title, messages: [{ n: 1, role: "user", at: 1, text: "Hello" }] });
  put("a", `About ${texts[19_999]!.slice(20, 32)}`);
  put("b", "Orchid care");
  const before = process.memoryUsage();
  expect(eraseIn(archive, { texts }, { after: 0, salt: "" })).toBeNull();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  expect((heapUsed - before.heapUsed + arrayBuffers - before.arrayBuffers) / 1e6).toBeLessThan(40);
  expect(archive.search({ query: texts[19_999]!.slice(20, 32), limit: 9 })).toEqual([]);
  expect(archive.search({ query: "orchid", limit: 9 })).toHaveLength(1);
});
