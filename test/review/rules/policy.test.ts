// Each rule that a review enforces in code, tested through a whole review. A violation is refused with advice on what to do
// instead, and is accepted when that one rule is switched off.
import { describe, expect, it } from "vitest";
import { POLICY, type ReviewPolicy } from "../../../core/learning/review/rules/policy.ts";
import type { JsonObject } from "../../../core/schemas/entry.ts";
import { seeds } from "../../../skills-seed/index.ts";
import { HELD, PARAPHRASED } from "../../learning/review/duplicate-pairs.ts";
import { SESSION } from "../../learning/sample.ts";
import type { ScriptLine } from "../../support/wires/scripted-model.ts";
import { CITED, SKILL, SKILL_MD } from "../script.ts";
import { createWorld } from "../world.ts";

const manage = (args: JsonObject): ScriptLine => ({
  calls: [{ name: "skill_manage", args: { citations: CITED, ...args } }],
});
const create = (name: string, text = SKILL_MD): ScriptLine =>
  manage({ action: "create", name, content: text.replace(/^name: .*$/m, `name: ${name}`) });
const patch = (line: string): ScriptLine =>
  manage({ action: "patch", name: SKILL, old_string: "## Verify", new_string: `- ${line}\n\n## Verify` });
const remember = (content: string): ScriptLine => ({
  calls: [{ name: "memory", args: { action: "add", store: "memory", content, citations: CITED } }],
});
const textOf = ({ name, description, body }: (typeof HELD)[number]) =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n# ${name}\n\n${body}\n`;

const [, paraphrase] = PARAPHRASED[1]!;
const held = HELD[1]!;

interface Rule {
  rule: keyof ReviewPolicy;
  code: string;
  advice: string;
  /** All calls but the last are accepted. */
  lines: ScriptLine[];
  /** Whether the skill already exists when the review begins. */
  exists?: true;
}

const RULES: Rule[] = [
  {
    rule: "readFirst",
    code: "read_first",
    advice: "with skill_view",
    lines: [patch("Skip the footer.")],
    exists: true,
  },
  {
    ...{ rule: "citations", code: "citation_own", advice: "Cite what a tool answered" },
    lines: [manage({ action: "create", name: SKILL, content: SKILL_MD, citations: [`${SESSION}/8#own`] })],
  },
  {
    ...{ rule: "duplicates", code: "near_duplicate", advice: "'restoring-postgres-backups'" },
    lines: [create(held.name, textOf(held)), create(paraphrase.name, textOf(paraphrase))],
  },
  { rule: "names", code: "artefact_name", advice: "name the class of work", lines: [create("adding-up-rates-txt")] },
  {
    ...{ rule: "claims", code: "tool_claim", advice: "say under which condition" },
    lines: [create(SKILL), patch("The terminal does not work.")],
  },
  {
    ...{ rule: "claims", code: "passing_failure", advice: "say what to do when it comes again" },
    lines: [create(SKILL), patch("The call timed out.")],
  },
  {
    ...{ rule: "claims", code: "tool_claim", advice: "say under which condition" },
    lines: [remember("The browser tool is broken.")],
  },
  {
    ...{ rule: "stories", code: "one_off", advice: "write what varies as {{name}}" },
    lines: [create(SKILL), patch("Totals were wrong on 1970-01-01.")],
  },
];

async function review(lines: ScriptLine[], policy: ReviewPolicy, { exists = false } = {}) {
  const world = await createWorld([...lines, { text: "Done." }], { seeds, policy });
  if (exists) {
    const value = {
      files: { "SKILL.md": SKILL_MD },
      description: "Adding up.",
      state: "trial",
      origin: "review",
    } as const;
    await world.skills.change({ name: SKILL, op: "before", since: 0, decide: () => ({ ok: true, value }) });
  }
  expect(await world.start().deliver()).toEqual({ act: "ack" });
  const result = await world.reviews.outcome(world.job.review);
  if (!result || !("lessons" in result)) throw new Error("no result");
  return result;
}

describe("a review", () => {
  // Other tests cover the taint rule.
  const all = { ...POLICY, taint: false };

  it.each(RULES)("enforces $rule ($code), unless it is switched off", async ({ rule, code, advice, lines, exists }) => {
    const { refused, lessons } = await review(lines, all, { exists });
    expect(refused).toEqual([expect.objectContaining({ code, message: expect.stringContaining(advice) })]);
    expect(lessons).toHaveLength(lines.length - 1);
    const free = await review(lines, { ...all, [rule]: false }, { exists });
    expect([free.refused, free.lessons.length]).toEqual([[], lines.length]);
  });

  it("keeps a lesson for a protected skill in its companion, unless companions are switched off", async () => {
    const lines = [create("using-the-workspace-local")];
    const { lessons } = await review(lines, POLICY);
    expect(lessons).toHaveLength(1);
    const { refused } = await review(lines, { ...POLICY, companions: false });
    expect(refused).toEqual([expect.objectContaining({ code: "skill_protected" })]);
    expect(refused[0]?.message).not.toContain("-local");
  });

  it("is refused every tool but its own, and the refusal lists its own", async () => {
    const { refused } = await review([{ calls: [{ name: "terminal", args: { command: "ls" } }] }], POLICY);
    expect(refused).toHaveLength(1);
    for (const name of ["skills_list", "skill_view", "skill_manage", "memory"]) {
      expect(refused[0]?.message).toContain(name);
    }
  });
});
