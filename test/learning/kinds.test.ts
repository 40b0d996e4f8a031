import { describe, expect, it } from "vitest";
import { areSimilarKinds, leastShared, readKindLine, takeKinds, toKind } from "../../core/learning/kinds.ts";
import { contentWords } from "../../core/learning/requests.ts";
import type { Entry } from "../../core/schemas/entry.ts";

const alike = (a: string, b: string) => areSimilarKinds(contentWords(a), contentWords(b));

describe("a kind of work", () => {
  it.each([
    ["renew a TLS certificate", "renew a TLS certificate"],
    ["  **Renew a TLS certificate.**\n", "Renew a TLS certificate"],
    ["a\u202eb table\u0007 clean", "a b table clean"],
    ["x".repeat(81), null],
    ["one two three four five six seven eight nine ten eleven twelve thirteen", null],
    ["of the", null],
    ["…", null],
    ["use sk-ant-api03-0123456789abcdefghijklmnopqrstuvwxyz", expect.not.stringContaining("0123456789abcdef")],
  ])("from %j is a short clean phrase or none", (text, kind) => {
    expect(toKind(text)).toEqual(kind);
  });

  it.each([
    ["renew a TLS certificate", "renew TLS certificates", true],
    ["renew a TLS certificate", "renew a certificate", true],
    ["merge PDF files", "split PDF files", false],
    ["clean a CSV file", "merge CSV files", false],
    ["write a report", "review a contract", false],
  ])("%j is similar to %j: %j", (a, b, is) => {
    expect(alike(a, b)).toBe(is);
  });

  it("is like none that shares fewer words than the least", () => {
    const words = (n: number) => new Set(Array.from({ length: n }, (_, i) => `w${i}`));
    for (let own = 1; own <= 8; own++) {
      const shared = leastShared(words(own)) - 1;
      for (let other = shared; other <= 12; other++) {
        const rest = Array.from({ length: other - shared }, (_, i) => `x${i}`);
        expect(areSimilarKinds(words(own), new Set([...words(shared), ...rest]))).toBe(false);
      }
    }
  });
});

describe("a line that names one", () => {
  it.each([
    ["kind: renew a TLS certificate", { entry: 0, kind: "renew a TLS certificate" }],
    ["- **Kind 12**: renew a TLS certificate", { entry: 12, kind: "renew a TLS certificate" }],
    ["`kind 3: clean a table`", { entry: 3, kind: "clean a table" }],
    ["kind:", { entry: 0, kind: null }],
    ["A kind answer: yes", null],
    ["kindly: no", null],
  ])("is read from %j", (line, read) => {
    expect(readKindLine(line)).toEqual(read);
  });

  it("leaves a reviewer's closing words, and names the turn of its entry once", () => {
    const entries = [
      { n: 3, turn: 1 },
      { n: 7, turn: 2 },
      { n: 8, turn: 2 },
    ] as Entry[];
    const note =
      "Kept one skill.\nkind 3: clean a table\nkind 7: x\nkind 8: merge tables\nkind 7: plot a chart\nkind 99: none";
    expect(takeKinds(note, entries)).toEqual({
      note: "Kept one skill.",
      kinds: [
        { turn: 1, kind: "clean a table" },
        { turn: 2, kind: "merge tables" },
      ],
    });
    expect(takeKinds("kind 3: clean a table", entries)).toMatchObject({
      note: expect.stringContaining("no closing word"),
    });
    expect(takeKinds("Nothing.", entries)).toEqual({ note: "Nothing.", kinds: [] });
  });
});
