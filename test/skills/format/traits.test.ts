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
    "as the standard's metadata has them",
    'metadata:\n  tags: "csv, sums, csv"\n  parameters: "file: The export; column: Its name"\n  dependencies: pandas>=2',
  ],
  [
    "as other agents write them",
    "metadata:\n  hermes:\n    tags: [CSV, Sums]\n    parameters:\n      - {name: file, description: The export}\n      - 'column: Its name'\n    dependencies: pandas>=2",
  ],
])("reads tags, parameters with what they are, and dependencies, %s", (_words, fields) => {
  expect(traitsOf(skill(fields))).toEqual({
    ...{ tags: ["csv", "sums"], dependencies: ["pandas>=2"] },
    parameters: { file: "The export", column: "Its name" },
  });
});

it("finds none where there is none, or where they are something else", () => {
  expect(traitsOf(skill("license: MIT"))).toEqual(BARE);
  expect(traitsOf(skill("tags: {a: 1}\nparameters: 3\ndependencies: [[x]]"))).toEqual(BARE);
  expect(traitsOf("no frontmatter")).toEqual(BARE);
});

it("has them searched: tags and dependencies like headings, what parameters are like the text", () => {
  const found = readBodyWords(skill("tags: [ledger]\nparameters: {file: A spreadsheet}\ndependencies: [pandas]"));
  expect(found.headings.split(" ")).toEqual(expect.arrayContaining(["ledger", "panda", "titl"]));
  expect(found.body).toContain("spreadsheet");
});
