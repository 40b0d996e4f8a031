// The prompts of the curator: one policy, then the task. Pure; the same kind of work gives the same bytes, so that its calls
// share a cached prefix.
import { clip, toOneLine } from "../../clip.ts";
import type { WorkKind } from "../../schemas/learning/curation.ts";
import type { SkillName } from "../../schemas/ids.ts";
import consolidate from "./curation-consolidate.md";
import look from "./curation-look.md";
import requests from "./curation-requests.md";
import rewrite from "./curation-rewrite.md";
import policy from "./curation.md";
import { fence } from "../fence.ts";

const TASKS: Record<WorkKind, string> = { rewrite, look, consolidate, requests };

export function curationPrompt(kind: WorkKind): string {
  return [policy, TASKS[kind], closing(kind)].map((part) => part.trim()).join("\n\n");
}

function listWritingTools(kind: WorkKind): string[] {
  if (kind === "consolidate") return ["skill_merge"];
  return kind === "look" ? ["skill_manage", "skill_merge"] : ["skill_manage"];
}

function closing(kind: WorkKind): string {
  const tools = ["skills_list", "skill_view", ...listWritingTools(kind)].map((name) => `\`${name}\``).join(", ");
  return (
    `## How to end\n\nYour tools are ${tools}, and no others. When nothing is left to do, answer with one or two ` +
    "sentences: what you changed and why, or why nothing."
  );
}

/** A skill as the curator sees it: its files, or its items with their ids. */
export interface ShownSkill {
  name: SkillName;
  state: string;
  /** What is known about it, in one clause. */
  known: string;
  content: string;
  files: string[];
}

/** The only message: why, the skill, and its nearest neighbours by name and description. */
export function workRequest(input: {
  because: string;
  skill: ShownSkill;
  near: { name: SkillName; description: string }[];
  items: { id: string; text: string }[];
  /** Turns that failed with it; "" for none. */
  turns: string;
}): string {
  const { because, skill, near, items, turns } = input;
  return [
    `The skill \`${skill.name}\` (${skill.state}). Reason for this task: ${because}.`,
    skill.known,
    fence(skill.content),
    skill.files.length > 0 ? `Its files: ${skill.files.join(", ")}.` : "",
    items.length > 0 ? `Its items, for \`skill_merge\`:\n\n${items.map(itemLine).join("\n")}` : "",
    near.length > 0
      ? `The skills nearest to it:\n\n${near.map(({ name, description }) => `- ${name}: ${description}`).join("\n")}`
      : "",
    turns,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** Skills that have no requests yet, each with its beginning. */
export function requestsRequest(skills: Pick<ShownSkill, "name" | "content">[]): string {
  return skills.map(({ name, content }) => `### ${name}\n\n${fence(content)}`).join("\n\n");
}

export function consolidationRequest(
  groups: { skills: (ShownSkill & { items: { id: string; text: string }[] })[] }[],
): string {
  return groups
    .map(({ skills }, n) => {
      const shown = skills.map((skill) =>
        [
          `### ${skill.name} (${skill.state})`,
          skill.known,
          fence(skill.content),
          `Items:\n\n${skill.items.map(itemLine).join("\n")}`,
        ].join("\n\n"),
      );
      return [`## Group ${n + 1}`, ...shown].join("\n\n");
    })
    .join("\n\n");
}

/** In one line: the full text is above. */
function itemLine({ id, text }: { id: string; text: string }): string {
  return `- \`${id}\` ${clip(toOneLine(text), 160)}`;
}
