// Recalled text that a model repeats is removed, however its answer is cut into chunks.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createScrubber, scrub } from "../../core/memory/scrub.ts";
import { runs } from "../support/thorough.ts";

const OPEN = "<memory-context>";
const CLOSE = "</memory-context>";

const ALIKE = "<memory-contexts> <memory-con> </memory> <memory-context-2>";

const CASES: [string, string, string][] = [
  ["plain text", "Two < three, a <b>tag</b> & <memory>.", "Two < three, a <b>tag</b> & <memory>."],
  ["a fence between words", `Before ${OPEN}secret${CLOSE} after`, "Before  after"],
  ["a fence in lines of its own", `A\n${OPEN}\n- one\n- two\n${CLOSE}\nB`, "A\n\nB"],
  ["two fences", `${OPEN}a${CLOSE}x${OPEN}b${CLOSE}y`, "xy"],
  ["a fence in a fence", `a${OPEN}b${OPEN}c${CLOSE}d`, "ad"],
  ["a fence that is never closed", `Answer. ${OPEN}\nsecret < and more`, "Answer. "],
  ["a closing tag alone", `a${CLOSE}b`, "ab"],
  ["capitals and blanks", `a< Memory-Context >b</ MEMORY-CONTEXT >c`, "ac"],
  ["a tag that closes itself", "a<memory-context/>b", "ab"],
  ["tags with a similar beginning", ALIKE, ALIKE],
  ["a tag in a code span", `The \`${OPEN}\` and \`${CLOSE}\` tags`, `The \`${OPEN}\` and \`${CLOSE}\` tags`],
  ["a bracket before the tag", `a <${OPEN}b${CLOSE}`, "a <"],
  ["an unfinished tag at the end", "a <memory-cont", "a <memory-cont"],
  ["an open bracket at the end", "a <", "a <"],
  ["an empty text", "", ""],
  ["only a fence", `${OPEN}a${CLOSE}`, ""],
];

describe("scrubbing a whole answer", () => {
  it.each(CASES)("removes recalled text from %s", (_what, text, kept) => {
    expect(scrub(text)).toBe(kept);
  });
});

describe("a streaming scrubber", () => {
  it.each(CASES)("gives the same result for every cut into three: %s", (_what, text, kept) => {
    for (let first = 0; first <= text.length; first++) {
      for (let second = first; second <= text.length; second++) {
        const chunks = [text.slice(0, first), text.slice(first, second), text.slice(second)];
        expect(stream(chunks), JSON.stringify(chunks)).toBe(kept);
      }
    }
  });

  it.each(CASES)("gives the same result character by character: %s", (_what, text, kept) => {
    expect(stream([...text])).toBe(kept);
  });

  it("gives the same result for any text and any cuts, and never retracts output", () => {
    const piece = fc.oneof(
      fc.constantFrom(OPEN, CLOSE, "<", ">", "/", "`", " ", "\n", "memory-context", "<memory", "</mem", "-context>"),
      fc.string({ maxLength: 6 }),
    );
    fc.assert(
      fc.property(fc.array(fc.array(piece, { maxLength: 4 }), { maxLength: 8 }), (parts) => {
        const chunks = parts.map((part) => part.join(""));
        const whole = scrub(chunks.join(""));
        const scrubber = createScrubber();
        let shown = "";
        for (const chunk of chunks) {
          shown += scrubber.push(chunk);
          expect(whole.startsWith(shown)).toBe(true);
        }
        expect(shown + scrubber.end()).toBe(whole);
      }),
      { numRuns: runs(2_000) },
    );
  });

  it("leaves a text without tags unchanged, and delays no more than might be a tag", () => {
    const text = fc.array(fc.constantFrom("<", "a", "m", " ", "memory", "/", "-", "`", "\n"), { maxLength: 30 });
    fc.assert(
      fc.property(text, (parts) => {
        const scrubber = createScrubber();
        let given = "";
        let shown = "";
        for (const part of parts) {
          given += part;
          shown += scrubber.push(part);
          const held = given.slice(shown.length);
          expect(given.startsWith(shown)).toBe(true);
          expect(held === "" || held.startsWith("<")).toBe(true);
          expect(held.length).toBeLessThanOrEqual(`<    /    memory-context    /`.length);
        }
        expect(shown + scrubber.end()).toBe(given);
      }),
    );
  });

  it("shows text at once if nothing in it can begin a tag", () => {
    const scrubber = createScrubber();
    expect(scrubber.push("Hello ")).toBe("Hello ");
    expect(scrubber.push("a < b")).toBe("a < b");
    expect(scrubber.push("x <mem")).toBe("x ");
    expect(scrubber.push("ber>")).toBe("<member>");
  });
});

function stream(chunks: string[]): string {
  const scrubber = createScrubber();
  return chunks.map((chunk) => scrubber.push(chunk)).join("") + scrubber.end();
}
