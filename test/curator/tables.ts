// Two overlapping skills and the umbrella that absorbs them. Used by the tests of a curation's model work.
import type { MergeItem } from "../../core/schemas/learning/curation.ts";
import type { JsonObject } from "../../core/schemas/entry.ts";

export const FIRST = "summing-csv-columns";
export const SECOND = "summing-tsv-columns";
export const UMBRELLA = "summing-columns";

function skill(name: string, description: string, body: string): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n\n# ${name}\n\nFor tables.\n\n## When to use\n\nA column is to be added up.\n\n${body}`;
}

export const FIRST_MD = skill(
  FIRST,
  "Adding up a column of a CSV file.",
  `## Steps

1. Look at the first lines with \`head -3 {{file}}\`.
2. Add up with \`awk -F, '{ sum += $2 } END { print sum }'\`.

## Pitfalls

- Do not take the comma for granted, because some files use semicolons.
- The last line may be a total; see references/totals.md.

## Verify

The count of rows is the count of lines less the header.
`,
);

export const SECOND_MD = skill(
  SECOND,
  "Adding up a column of a TSV file.",
  `## Steps

1. Look at the first three lines.
2. Add up with \`awk -F'\\t' '{ sum += $2 } END { print sum }'\`.

## Pitfalls

- Never strip the tabs at the end of a line: an empty cell is one of them.

## Verify

The count of rows is the count of lines less the header.
`,
);

export const UMBRELLA_MD = skill(
  UMBRELLA,
  "Adding up a column of a delimited file, whatever divides its cells.",
  `## Steps

1. Look at the first lines with \`head -3 {{file}}\`: which sign divides the cells?
2. Where it is a comma, add up with \`awk -F, '{ sum += $2 } END { print sum }'\`.
3. Where it is a tab, add up with \`awk -F'\\t' '{ sum += $2 } END { print sum }'\`.

## Pitfalls

- Do not take the comma for granted, because some files use semicolons.
- Never strip the tabs at the end of a line: an empty cell is one of them.
- The last line may be a total; see references/totals.md.

## Verify

The count of rows is the count of lines less the header.
`,
);

export const TOTALS = "A total repeats the sum of what stands above it.\n";

const kept = (...ids: string[]): MergeItem[] => ids.map((id) => ({ id, fate: "kept" }));

export const ITEMS: MergeItem[] = [
  ...kept(...[1, 2, 3, 4, 5].map((n) => `${FIRST}/${n}`), `${FIRST}/references/totals.md`),
  { id: `${SECOND}/1`, fate: "superseded", reason: "The step with the command says the same." },
  ...kept(...[2, 3, 4].map((n) => `${SECOND}/${n}`)),
];

export const MERGE: JsonObject = {
  umbrella: UMBRELLA,
  content: UMBRELLA_MD,
  absorbs: [FIRST, SECOND],
  items: ITEMS.map((item) => ({ ...item })),
};
