import { expect, it } from "vitest";
import type { SkillFacts } from "../../../core/learning/curation/curate.ts";
import { dueForCheck } from "../../../core/learning/curation/health.ts";
import { NO_NOTES } from "../../../core/schemas/learning/curation.ts";
import type { SkillIndex } from "../../../core/schemas/skill.ts";

const NOW = Date.UTC(2026, 4, 20);

function factsOf(name: string, uses: number, state = "active"): SkillFacts {
  return {
    name,
    mirror: { state },
    stats: { uses, successes: 0, lastUsedDay: null, texts: {} },
    seen: "2026-01-01",
  } as unknown as SkillFacts;
}

it("broken skills are checked first and always, then the most used, each once a week", () => {
  const skills = [
    factsOf("seldom", 1),
    factsOf("often", 90),
    factsOf("ill", 0),
    factsOf("fresh", 500),
    factsOf("away", 9, "archived"),
  ];
  const line = { health: { checkedAt: 0, broken: ["a check fails"] } };
  const index = { v: 1, seq: 1, skills: { ill: line } } as unknown as SkillIndex;
  const notes = {
    ...NO_NOTES,
    skills: {
      often: { seen: "2026-01-01", checked: "2026-05-12" },
      fresh: { seen: "2026-01-01", checked: "2026-05-19" },
      ill: { seen: "2026-01-01", checked: "2026-05-19" },
    },
  };
  expect(dueForCheck(skills, { notes, index, now: NOW, checkDays: 7 })).toEqual(["ill", "often", "seldom"]);
});
