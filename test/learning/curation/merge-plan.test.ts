import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkMerge } from "../../../core/learning/curation/work/merge-plan.ts";
import { isKept, itemsOf } from "../../../core/learning/skill-items.ts";
import type { SkillSnapshot } from "../../../core/ports.ts";
import { hashFiles, textOfFiles } from "../../../core/schemas/learning/digest.ts";
import type { FileBodies } from "../../../core/schemas/file-body.ts";
import { SkillHead } from "../../../core/schemas/skill.ts";
import { FIRST, FIRST_MD, ITEMS, SECOND, SECOND_MD, TOTALS, UMBRELLA, UMBRELLA_MD } from "../../curator/tables.ts";

function snapshot(name: string, files: FileBodies, over: Partial<SkillHead> = {}): SkillSnapshot {
  const head = SkillHead.parse({
    ...{ v: 1, name, seq: 3, rev: 2, text: textOfFiles(hashFiles(files)), description: name, category: "data" },
    ...{ state: "active", pinned: false, origin: "review", files: hashFiles(files), citations: [], op: "op" },
    ...{ createdAt: 1, revisedAt: 1, updatedAt: 1 },
    ...over,
  });
  return { head, files };
}

const first = snapshot(FIRST, { "SKILL.md": FIRST_MD, "references/totals.md": TOTALS });
const second = snapshot(SECOND, { "SKILL.md": SECOND_MD });
const proposal = { umbrella: UMBRELLA, content: UMBRELLA_MD, absorbs: [FIRST, SECOND], items: ITEMS };

function check(
  over: Partial<typeof proposal> = {},
  sources: { umbrella?: SkillSnapshot; absorbs?: SkillSnapshot[] } = {},
) {
  const absorbs = new Map((sources.absorbs ?? [first, second]).map((skill) => [skill.head.name, skill]));
  const made = checkMerge({ ...proposal, ...over }, { umbrella: sources.umbrella ?? null, absorbs });
  return made.ok ? "accepted" : made.failure.code;
}

const without = (id: string) => ITEMS.filter((item) => item.id !== id);
const withItem = (id: string, change: object) => ITEMS.map((item) => (item.id === id ? { ...item, ...change } : item));

describe("the items of a skill", () => {
  it("are its files and the lines under all headings except the title and When to use", () => {
    const body = [
      "# Title\n\nIntro.\n\n## When to use\n\n- When x.\n\n## Steps\n\n1. One",
      "   goes on.\n   - Nested\n\n```sh\n# no heading\nls\n```\n\nA paragraph\nof two lines.\n\n## Verify\n\nCount.",
    ].join("\n");
    const md = `---\nname: a\ndescription: b\n---\n\n${body}\n`;
    expect(itemsOf("a", { "SKILL.md": md, "scripts/x.sh": "ls" })).toEqual([
      { id: "a/1", skill: "a", section: "Steps", text: "1. One\n   goes on." },
      { id: "a/2", skill: "a", section: "Steps", text: "   - Nested\n```sh\n# no heading\nls\n```" },
      { id: "a/3", skill: "a", section: "Steps", text: "A paragraph\nof two lines." },
      { id: "a/4", skill: "a", section: "Verify", text: "Count." },
      { id: "a/scripts/x.sh", skill: "a", text: "scripts/x.sh" },
    ]);
  });

  it("include every word under a heading", () => {
    const line = fc.stringMatching(/^[a-z]{3,8}( [a-z]{3,8}){0,5}$/);
    const piece = fc.oneof(
      line,
      line.map((text) => `- ${text}`),
      line.map((text) => `  ${text}`),
      line.map((text) => `\`\`\`\n${text}\n\`\`\``),
      fc.constant(""),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const md = `---\nname: a\ndescription: b\n---\n\n## Steps\n\n${pieces.join("\n")}\n`;
        const said = itemsOf("a", { "SKILL.md": md }).map(({ text }) => text);
        const words = (text: string): string[] => text.match(/[a-z]+/g) ?? [];
        // A block without words is not an item.
        const lost = words(pieces.join("\n")).filter((word) => !words(said.join("\n")).includes(word));
        expect(lost.filter((word) => !["all", "and", "any", "are", "can", "for", "the"].includes(word))).toEqual([]);
      }),
    );
  });
});

describe("an item of a merged skill", () => {
  it.each([
    ["the same words", "- Count the rows first.", "2. Count the rows first.", true],
    [
      "nearly the same words",
      "- Look at the first lines before you sum.",
      "- Before you sum, look at the first lines.",
      true,
    ],
    [
      "a longer line with the same words",
      "Count the rows.",
      "Count the rows, then the columns, and compare both with the header.",
      true,
    ],
    ["other words", "- Count the rows first.", "- Ask the person for the file.", false],
    ["half of its words", "- Sort the rows by date before you group them by month.", "- Sort the rows.", false],
    ["a different option", "Use `--encoding latin1` for exports.", "Use `--encoding utf8` for exports.", false],
    ["a different figure", "Wait 30 seconds before the next call.", "Wait 60 seconds before the next call.", false],
    ["a different path", "Read conf/app.yaml before the start.", "Read conf/web.yaml before the start.", false],
    ["the opposite", "Do not sort the rows by date.", "Sort the rows by date.", false],
    ["the opposite of a positive", "Sort the rows by date.", "Never sort the rows by date.", false],
    ["the same negation in other words", "Do not sort the rows by date.", "Never sort the rows by date.", true],
    ["a different command in its block", "Run it:\n```sh\nmake test\n```", "Run it:\n```sh\nmake all\n```", false],
  ])("counts as kept by %s: %j in %j is %s", (_by, item, block, kept) => {
    expect(isKept(item, ["Something else.", block])).toBe(kept);
  });

  it("itself, whatever it says", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(isKept(text, [text])).toBe(true);
      }),
    );
  });
});

describe("a merge", () => {
  it("is accepted when every item is accounted for, and includes kept files", () => {
    const absorbs = new Map([first, second].map((skill) => [skill.head.name, skill]));
    const made = checkMerge(proposal, { umbrella: null, absorbs });
    expect(made).toMatchObject({
      ok: true,
      value: { files: [{ path: "references/totals.md", sha256: first.head.files["references/totals.md"]!.sha256 }] },
    });
  });

  it.each<[string, Parameters<typeof check>[0], Parameters<typeof check>[1], string]>([
    ["absorbs nothing", { absorbs: [] }, {}, "bad_merge"],
    ["absorbs a skill twice", { absorbs: [FIRST, FIRST] }, {}, "bad_merge"],
    ["absorbs itself", { umbrella: FIRST }, {}, "bad_merge"],
    ["absorbs a skill that does not exist", { absorbs: [FIRST, "absent"] }, {}, "bad_merge"],
    ["is a companion", { umbrella: "tables-local" }, {}, "bad_merge"],
    [
      "absorbs a pinned skill",
      {},
      { absorbs: [{ ...first, head: { ...first.head, pinned: true } }, second] },
      "bad_merge",
    ],
    [
      "absorbs a person's own skill",
      {},
      { absorbs: [{ ...first, head: { ...first.head, origin: "user" as const } }, second] },
      "bad_merge",
    ],
    [
      "absorbs an archived skill",
      {},
      { absorbs: [{ ...first, head: { ...first.head, state: "archived" as const } }, second] },
      "bad_merge",
    ],
    [
      "absorbs a companion",
      {},
      { absorbs: [{ ...first, head: { ...first.head, extends: "base" } }, second] },
      "bad_merge",
    ],
    [
      "puts everything into a person's own skill",
      {},
      { umbrella: snapshot(UMBRELLA, { "SKILL.md": UMBRELLA_MD }, { origin: "user" }) },
      "bad_merge",
    ],
    ["leaves an item out", { items: without(`${SECOND}/3`) }, {}, "item_unmarked"],
    ["leaves a file out", { items: without(`${FIRST}/references/totals.md`) }, {}, "item_unmarked"],
    [
      "names an item that does not exist",
      { items: [...ITEMS, { id: `${FIRST}/99`, fate: "kept" as const }] },
      {},
      "item_unknown",
    ],
    ["drops an item without a reason", { items: withItem(`${SECOND}/3`, { fate: "archived" }) }, {}, "reason_missing"],
    ["claims to keep a lost line", { content: UMBRELLA_MD.replace(/- Never strip.*\n/, "") }, {}, "item_lost"],
    [
      "claims to keep a line that it reversed",
      { content: UMBRELLA_MD.replace("Never strip", "Always strip") },
      {},
      "item_lost",
    ],
    ["changes a command it keeps", { content: UMBRELLA_MD.replace("awk -F,", "awk -F;") }, {}, "item_lost"],
    [
      "does not mention a file that it keeps",
      {
        content: UMBRELLA_MD.replace("; see references/totals.md", ""),
        items: withItem(`${FIRST}/4`, { fate: "archived", reason: "It is known by now." }),
      },
      {},
      "file_not_mentioned",
    ],
    [
      "keeps nothing of a skill",
      {
        items: ITEMS.map((item) =>
          item.id.startsWith(SECOND) ? { ...item, fate: "archived" as const, reason: "Nobody uses it." } : item,
        ),
      },
      {},
      "nothing_kept",
    ],
  ])("is refused if it %s", (_what, over, sources, code) => {
    expect(check(over, sources)).toBe(code);
  });

  it("can move a file to another path if the text mentions that path", () => {
    const content = UMBRELLA_MD.replace("references/totals.md", "references/csv-totals.md");
    const items = withItem(`${FIRST}/references/totals.md`, { where: "references/csv-totals.md" });
    expect(check({ content, items })).toBe("accepted");
    expect(check({ items })).toBe("item_lost");
  });

  it("must keep the items of an existing umbrella, unless it gives a reason", () => {
    const extra = "- Round to cents only at the end.\n";
    const before = UMBRELLA_MD.replace("## Verify", `${extra}\n## Verify`);
    const umbrella = snapshot(UMBRELLA, { "SKILL.md": before });
    expect(check({}, { umbrella })).toBe("item_lost");
    const [item] = itemsOf(UMBRELLA, umbrella.files).filter(({ text }) => text.includes("Round"));
    const fate = { id: item!.id, fate: "archived" as const, reason: "Sums are exact now." };
    expect(check({ items: [...ITEMS, fate] }, { umbrella })).toBe("accepted");
    expect(check({ content: before }, { umbrella })).toBe("accepted");
    const archived = { ...umbrella, head: { ...umbrella.head, state: "archived" as const } };
    expect(check({}, { umbrella: archived })).toBe("accepted");
  });
});
