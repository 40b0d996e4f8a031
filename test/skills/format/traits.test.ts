import { expect, it } from "vitest";
import { readBodyWords } from "../../../core/skills/search/skill-words.ts";
import { traitsOf } from "../../../core/skills/format/traits.ts";

const skill = (fields: string) => `---\nname: x\ndescription: y\n${fields}\n---\n# Title\n\nText.\n`;
const BARE = { tags: [], parameters: {}, dependencies: [] };

it.each([
  [
    "as YAML",
    "tags: [CSV, Sums]\nparameters: {file: The export, column: {description: Its name}}\ndependencies: [pandas>=2]",
  ],
  [
    "as metadata of the standard",
    'metadata:\n  tags: "csv, sums, csv"\n  parameters: "file: The export; column: Its name"\n  dependencies: pandas>=2',
  ],
  [
    "in the form of other agents",
    "metadata:\n  hermes:\n    tags: [CSV, Sums]\n    parameters:\n      - {name: file, description: The export}\n      - 'column: Its name'\n    dependencies: pandas>=2",
  ],
])("tags, parameters with descriptions, and dependencies are read %s", (_words, fields) => {
  expect(traitsOf(skill(fields))).toEqual({
    ...{ tags: ["csv", "sums"], dependencies: ["pandas>=2"] },
    parameters: { file: "The export", column: "Its name" },
  });
});

it("traits are empty if the fields are absent or have another type", () => {
  expect(traitsOf(skill("license: MIT"))).toEqual(BARE);
  expect(traitsOf(skill("tags: {a: 1}\nparameters: 3\ndependencies: [[x]]"))).toEqual(BARE);
  expect(traitsOf("no frontmatter")).toEqual(BARE);
});

it("tags and dependencies are searched like headings, and descriptions of parameters like the body", () => {
  const found = readBodyWords(skill("tags: [ledger]\nparameters: {file: A spreadsheet}\ndependencies: [pandas]"));
  expect(found.headings.split(" ")).toEqual(expect.arrayContaining(["ledger", "panda", "titl"]));
  expect(found.body).toContain("spreadsheet");
});
