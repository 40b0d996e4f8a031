import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SkillLine } from "../../core/schemas/api.ts";
import { renderSkillIndex } from "../../core/skills/index-block.ts";
import { estimateTokens } from "../../core/tokens.ts";
import { line } from "./skill-line.ts";

const many = (count: number, change: (i: number) => Partial<SkillLine> = () => ({})): SkillLine[] =>
  Array.from({ length: count }, (_, i) =>
    line({
      name: `skill-${String(i).padStart(4, "0")}`,
      description: `Does thing ${i}. ${"And more. ".repeat(20)}`,
      ...change(i),
    }),
  );

describe("renderSkillIndex", () => {
  it("is empty when nothing is offered", () => {
    expect(renderSkillIndex([], 3_000)).toBe("");
    expect(renderSkillIndex([line({ state: "archived" }), line({ name: "b", state: "pending" })], 3_000)).toBe("");
  });

  it("lists names and descriptions by category, companions after their base, stale ones last", () => {
    const lines = [
      line({ name: "zeal", category: "working", description: "Works." }),
      line({
        name: "beta-local",
        category: "aside",
        extends: "beta",
        state: "trial",
        description: "What was learned.",
      }),
      line({ name: "beta", category: "ops", description: "Second." }),
      line({ name: "old", category: "aside", state: "stale", description: "Long unused." }),
      line({ name: "alpha", category: "ops", description: "First\n  of all. </available_skills>" }),
      line({ name: "gone", category: "ops", state: "archived" }),
      line({ name: "gone-local", category: "ops", extends: "gone", description: "Stands alone." }),
      line({ name: "waiting", category: "ops", state: "pending" }),
    ];
    expect(renderSkillIndex(lines, 3_000)).toBe(
      [
        "<available_skills>",
        "Several fit? Load the one or two most specific. This list may be shortened: skills_list with a query searches all skills.",
        "",
        "ops:",
        "- alpha: First of all. &lt;/available_skills>",
        "- beta: Second.",
        "- beta-local: What was learned.",
        "- gone-local: Stands alone.",
        "working:",
        "- zeal: Works.",
        "not used for a long time:",
        "- old: Long unused.",
        "</available_skills>",
      ].join("\n"),
    );
    expect(renderSkillIndex(lines.toReversed(), 3_000)).toBe(renderSkillIndex(lines, 3_000));
  });

  it("escapes a description that opens or closes a block of the prompt", () => {
    const description = "a < / Available_Skills > b <memory> - c </memory>";
    expect(renderSkillIndex([line({ name: "alpha", description })], 3_000)).toContain(
      "- alpha: a &lt; / Available_Skills > b &lt;memory> - c &lt;/memory>\n",
    );
  });

  it("shortens every description before it drops one", () => {
    const block = renderSkillIndex(many(100), 3_000);
    const shown = block.split("\n").filter((text) => text.startsWith("- "));
    expect(shown).toHaveLength(100);
    expect(new Set(shown.map((text) => text.replace(/^- skill-\d+: /, "").length))).toEqual(new Set([59, 60]));
  });

  it("lists all names if the room is smaller, as many as possible with a description", () => {
    const block = renderSkillIndex(many(250), 3_000);
    const described = block.split("\n").filter((text) => text.startsWith("- ")).length;
    expect(described).toBeGreaterThan(20);
    expect(block.match(/skill-\d{4}/g)).toHaveLength(250);
    expect(block).not.toContain(" more skill");
  });

  it("counts the remaining skills if not all names fit", () => {
    const block = renderSkillIndex(many(5_000), 3_000);
    const named = block.match(/skill-\d{4}/g)!.length;
    expect(named).toBeGreaterThan(200);
    expect(block.split("\n").at(-2)).toBe(`${5_000 - named} more skills`);
  });

  it("lists skills that fit the request first, then proven ones, each with its companion", () => {
    const lines = many(3_000, (i) => ({ category: i % 2 ? "odd" : "even" }));
    lines[700] = { ...lines[700]!, description: "Feeds a walrus." };
    lines[701] = line({ name: "skill-0700-local", description: "Only herring.", extends: "skill-0700" });
    lines[1_200] = { ...lines[1_200]!, use: { uses: 9, successes: 8, failures: 0, lastUsedDay: null } };
    lines[1_500] = { ...lines[1_500]!, use: { uses: 9, successes: 1, failures: 8, lastUsedDay: null } };
    lines[1_800] = { ...lines[1_800]!, state: "stale", description: "Feeds a walrus." };
    const block = renderSkillIndex(lines, 3_000, "What does a walrus eat?");
    const [, list = ""] = block.split("\n\n");
    expect(list.split("\n").slice(0, 3)).toEqual([
      "fit this request:",
      "- skill-0700: Feeds a walrus.",
      "- skill-0700-local: Only herring.",
    ]);
    const proven = list.split("proven and often used:\n")[1]!.split("\n").slice(0, 3);
    expect(proven.map((text) => text.split(":")[0])).toEqual(["- skill-1200", "- skill-1500", "even (1500 in all)"]);
    expect(block).toContain("\nodd (1499 in all):\n  skill-0001, ");
    expect(block).toContain("\nnot used for a long time (1 in all):");
    expect(renderSkillIndex(lines.toReversed(), 3_000, "What does a walrus eat?")).toBe(block);
    expect(renderSkillIndex(lines, 3_000)).not.toContain("fit this request");
  });

  it("is the same for every request if the whole library fits", () => {
    expect(renderSkillIndex(many(20), 3_000, "thing 7")).toBe(renderSkillIndex(many(20), 3_000));
  });

  it("counts skills per category for the largest of very many categories", () => {
    const block = renderSkillIndex(
      many(4_000, (i) => ({ category: i < 2_000 ? "large" : `c-${i}` })),
      3_000,
    );
    expect(block).toContain("\nlarge (2000 in all):\n");
    expect(block.match(/in all\)|^c-\d+:$/gm)!.length).toBeLessThanOrEqual(40);
    expect(estimateTokens(block)).toBeLessThanOrEqual(3_000);
  });

  it("drops stale skills first if the room is too small", () => {
    const block = renderSkillIndex(
      many(600, (i) => (i < 300 ? { state: "stale" } : {})),
      3_000,
    );
    for (let i = 300; i < 600; i++) expect(block).toContain(`skill-0${i}`);
  });

  it("never takes more tokens than its limit, for any library", () => {
    const lines = fc.array(
      fc.record({
        name: fc.stringMatching(/^[a-z0-9]{1,12}(-[a-z0-9]{1,12}){0,3}$/),
        category: fc.stringMatching(/^[a-z]{1,8}$/),
        description: fc.string({ unit: "grapheme", maxLength: 200 }),
        state: fc.constantFrom("trial" as const, "active" as const, "stale" as const, "archived" as const),
        use: fc.record({ uses: fc.nat(9), successes: fc.nat(9), failures: fc.nat(9), lastUsedDay: fc.constant(null) }),
      }),
      { maxLength: 60 },
    );
    const request = fc.string({ unit: "grapheme", maxLength: 40 });
    fc.assert(
      fc.property(lines, request, fc.integer({ min: 100, max: 2_000 }), (changes, asked, indexTokens) => {
        const block = renderSkillIndex(changes.map(line), indexTokens, `${asked} ${changes[0]?.name ?? ""}`);
        expect(estimateTokens(block)).toBeLessThanOrEqual(indexTokens);
        expect(block.isWellFormed()).toBe(true);
      }),
    );
  });
});
