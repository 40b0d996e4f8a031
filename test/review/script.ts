// A reviewer's whole conversation: it lists skills, is refused in several ways, creates a skill, improves it, keeps a fact.
import { SESSION } from "../learning/sample.ts";
import type { ScriptLine } from "../support/wires/scripted-model.ts";

export const SKILL = "adding-up-columns";
export const CITED = [`${SESSION}/5#outcome`, `${SESSION}/7#outcome`];
export const SKILL_MD = `---
name: ${SKILL}
description: Adding up a column of a delimited text file when the first attempt fails.
---

# Adding up columns

## When to use

When a total over a column is wanted.

## Steps

1. Look at the first lines.
2. Name the separator that you see there.

## Pitfalls

- Do not take the separator for granted, because files differ.

## Verify

The count of rows is the count of lines less the header.
`;

/** A call that replaces the skill's first step with `step`. */
export const patchStep = (step: string) => ({
  name: "skill_manage",
  args: { action: "patch", name: SKILL, old_string: "Look at the first lines.", new_string: step, citations: CITED },
});

export const LINES: ScriptLine[] = [
  { text: "I look first.", calls: [{ name: "skills_list", args: { query: "add up a column" } }] },
  {
    calls: [
      { name: "terminal", args: { command: "ls" } },
      {
        name: "skill_manage",
        args: { action: "create", name: SKILL, content: SKILL_MD, citations: [`${SESSION}/8#own`] },
      },
    ],
  },
  { calls: [{ name: "skill_manage", args: { action: "create", name: SKILL, content: SKILL_MD, citations: CITED } }] },
  { calls: [{ name: "skill_view", args: { name: SKILL } }] },
  {
    calls: [
      patchStep("Look at the first three lines."),
      {
        name: "memory",
        args: { action: "add", store: "memory", content: "Rates come as  text files.", citations: CITED },
      },
    ],
  },
  { text: "Kept how to add up a column." },
];
