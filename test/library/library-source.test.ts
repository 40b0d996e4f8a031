// The hub's source `library`: what it shows and gives, by what the publishers' Accounts say.
import { describe, expect, it } from "vitest";
import { type LibraryPort, createLibrarySource } from "../../core/hub/sources/library.ts";
import { decideCopy, isShared, parseLibraryId, toOfferMark } from "../../core/library/offer.ts";
import type { SkillIndex } from "../../core/schemas/skill.ts";

const [A, B] = ["a", "b"].map((sign) => sign.repeat(26)) as [string, string];
const [TEXT, OTHER] = ["1", "2"].map((sign) => sign.repeat(64)) as [string, string];
const { signal } = new AbortController();

function createSource(port: Partial<LibraryPort> = {}) {
  const taken: string[] = [];
  const source = createLibrarySource({
    publishers: async () => [A, B],
    list: async (publisher) =>
      publisher === A
        ? [
            { name: "reading-tables", description: "Reads tables of numbers.", text: TEXT },
            { name: "sorting-mail", description: "Sorts mail.", text: OTHER },
          ]
        : null,
    async take(publisher, name) {
      taken.push(`${publisher}/${name}`);
      return { text: TEXT, files: { "SKILL.md": "A" } };
    },
    ...port,
  });
  return { source, taken };
}

const ref = (identifier: string, version?: string) => ({
  ...{ source: "library" as const, identifier },
  ...(version !== undefined && { version }),
});

describe("the source library", () => {
  it("finds shared skills by their words, and asks only publishers that are followed", async () => {
    const { source } = createSource();
    const found = await source.search("a table", { limit: 5, signal });
    expect(found).toMatchObject({ ok: true, value: [{ name: "reading-tables", ref: ref(`${A}/reading-tables`) }] });
    expect(await source.search("nothing such", { limit: 5, signal })).toEqual({ ok: true, value: [] });
  });

  it("gives a text as it is, with its own hash as the version, and notes only what it gives", async () => {
    const { source, taken } = createSource();
    expect(await source.look(ref(`${A}/reading-tables`), signal)).toMatchObject({
      value: { version: TEXT, moves: true },
    });
    expect(taken).toEqual([]);
    const fetched = await source.fetch(ref(`${A}/reading-tables`), signal);
    expect(fetched).toMatchObject({ value: { version: TEXT, content: TEXT, files: { "SKILL.md": "A" } } });
    expect(taken).toEqual([`${A}/reading-tables`]);
  });

  it.each([
    ["another profile's", `${B}/reading-tables`, undefined, "hub_not_found"],
    ["not shared", `${A}/secret`, undefined, "hub_not_found"],
    ["another text", `${A}/reading-tables`, OTHER, "hub_not_found"],
    ["a path", `${A}/../secret`, undefined, "bad_hub_ref"],
    ["a name", "reading-tables", undefined, "bad_hub_ref"],
  ])("refuses what is %s", async (_, identifier, version, code) => {
    const { source, taken } = createSource();
    for (const ask of [source.look, source.fetch]) {
      expect(await ask(ref(identifier, version), signal)).toMatchObject({ ok: false, failure: { code } });
    }
    expect(taken).toEqual([]);
  });

  it("gives nothing of a skill that changed or ended while it was read", async () => {
    for (const take of [async () => null, async () => ({ text: OTHER, files: {} })]) {
      const { source } = createSource({ take });
      expect(await source.fetch(ref(`${A}/reading-tables`, TEXT), signal)).toMatchObject({ ok: false });
    }
  });
});

describe("what is shared", () => {
  const line = { shared: true, state: "active", origin: "review", text: TEXT } as const;

  it("is in use, marked by its owner, and not bundled", () => {
    expect(
      [line, { ...line, shared: undefined, public: true }, { ...line, state: "trial" as const }].map(isShared),
    ).toEqual([true, true, true]);
    const not = [{ shared: false }, { state: "archived" }, { state: "pending" }, { origin: "bundled" }] as const;
    expect(not.map((more) => isShared({ ...line, ...more }))).toEqual([false, false, false, false]);
  });

  it("has a mark that changes with its names and texts alone", () => {
    const mark = (skills: object) => toOfferMark({ v: 1, seq: 0, skills } as SkillIndex);
    const one = mark({ a: line });
    expect(mark({ a: { ...line, seq: 9 }, b: { ...line, shared: false } })).toBe(one);
    expect(new Set([one, mark({}), mark({ b: line }), mark({ a: { ...line, text: OTHER } })]).size).toBe(4);
  });

  it("reaches only a copy that still has the installed text", () => {
    const own = { text: TEXT, state: "trial", pinned: false } as const;
    const gone = { archive: expect.stringContaining("Withdrawn by its publisher"), seen: { state: "gone" } };
    expect(decideCopy(TEXT, null, own)).toMatchObject(gone);
    expect(decideCopy(TEXT, { ...line, text: OTHER, rev: 2, withdrawn: [TEXT] }, own)).toMatchObject(gone);
    expect(decideCopy(TEXT, null, { ...own, text: OTHER })).toMatchObject({ archive: null, seen: { state: "gone" } });
    expect(decideCopy(TEXT, { ...line, rev: 1, withdrawn: undefined }, own)).toEqual({
      archive: null,
      seen: { state: "current" },
    });
  });

  it("is named by a profile and a skill", () => {
    expect(parseLibraryId(`${A}/reading-tables`)).toEqual({ publisher: A, name: "reading-tables" });
    for (const wrong of ["", A, `${A}/`, `${A}/a/b`, `x/${A}`, `${A}/A`]) expect(parseLibraryId(wrong)).toBeNull();
  });
});
