// The personalities that ship, by name, and how one becomes a part of the prompt. Pure.
import { escapeTags } from "../../prompt-block.ts";
import type { Personality } from "../../schemas/profile/personality.ts";
import concise from "./concise.md";
import critic from "./critic.md";
import teacher from "./teacher.md";
import warm from "./warm.md";

export const PERSONALITIES: Readonly<Record<string, Personality>> = {
  concise: { description: "the result, in as few words as carry it", text: concise.trim() },
  critic: { description: "looks for what is wrong, missing or unproved", text: critic.trim() },
  teacher: { description: "explains each step and its reason", text: teacher.trim() },
  warm: { description: "friendly and patient, in whole sentences", text: warm.trim() },
};

/** The paragraph that follows the agent's identity. The rules after it stay in force. */
export function renderPersonality({ text }: Pick<Personality, "text">): string {
  return `In this session your person wants you to be like this, within all rules below:\n\n${escapeTags(text)}`;
}
