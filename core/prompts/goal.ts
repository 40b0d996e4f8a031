// The prompt of a goal's judge, the material it reads, and the paragraph on the profile's goals in a session's prompt. Pure.
import { escapeTags } from "../prompt-block.ts";
import type { ShownGoals } from "../schemas/agenda/goal.ts";
import policy from "./goal.md";

export function goalPrompt(): string {
  return policy.trim();
}

/** `checks`: a line for each check that was run. */
export function renderGoalRequest({
  goal,
  checks,
  answer,
}: {
  goal: string;
  checks: string[];
  answer: string;
}): string {
  const ran = checks.length === 0 ? "" : `<content>\n${escapeTags(checks.join("\n"))}\n</content>\n\n`;
  return `<request>\n${escapeTags(goal)}\n</request>\n\n${ran}<answer>\n${escapeTags(answer)}\n</answer>`;
}

/** "" for none. `session`: whose prompt it is; its own goal is told by its messages. */
export function describeGoals({ goals }: ShownGoals, session: string): string {
  const others = goals.filter((goal) => goal.session !== session);
  if (others.length === 0) return "";
  const lines = others.map(({ text, state, session: at }) => `- ${escapeTags(text)} (${state}, session ${at})`);
  return `Goals that other sessions of this person work at. They are not your task; know them, and do not do their work twice.\n${lines.join("\n")}`;
}
