// A line of the skill index, with changed fields.
import type { SkillLine } from "../../core/schemas/api.ts";

export function line(change: Partial<SkillLine> = {}): SkillLine {
  return {
    name: "reading-logs",
    description: "Reads server logs.",
    category: "ops",
    state: "active",
    pinned: false,
    origin: "review",
    seq: 1,
    rev: 1,
    text: "0".repeat(64),
    ...change,
  };
}
