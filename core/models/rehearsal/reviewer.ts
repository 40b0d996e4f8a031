// Acts as a reviewer; called by rehearsal.ts. Distils a lesson from the transcript, looks for a skill of that class, and patches it or
// creates a new one. Then it stores one fact in memory. Without a failure that was recovered from, it keeps nothing.
import type { ModelRequest } from "../../agent/contract.ts";
import {
  MEMORY_FACT,
  SKILL_CATEGORY,
  type Finding,
  type TableLesson,
  findContradictions,
  distil,
  findNewFindings,
  toFact,
  toSkill,
  toSkillName,
} from "./lesson.ts";
import type { Reply } from "./reply.ts";
import { type FinishedCall, type ListedSkill, callsSinceInput, readInput, offeredTools } from "./request.ts";
import { chooseSkills } from "./skill-choice.ts";
import { readTranscript } from "./transcript.ts";

const NOTHING: Reply = { text: "Nothing worth keeping." };

export function review(request: ModelRequest): Reply {
  const input = readInput(request);
  const lesson = distil(readTranscript(input));
  if (!lesson) return NOTHING;
  const tools = offeredTools(request);
  const done = callsSinceInput(request);
  const skill = tools.has("skill_manage") ? keepSkill(lesson, done, tools) : undefined;
  if (skill) return skill;
  const remembered = done.some(({ call }) => call.name === "memory") || MEMORY_FACT.test(input);
  if (tools.has("memory") && !remembered) {
    const args = { action: "add", store: "memory", content: toFact(lesson), citations: lesson.citations };
    return {
      text: "How a file of this person differs from plain CSV is a fact for memory.",
      calls: [["memory", args]],
    };
  }
  return { text: summarise(done) };
}

/** The next call towards storing the skill. Undefined if the skill is stored, already known or finally refused. */
function keepSkill(lesson: TableLesson, done: FinishedCall[], tools: Set<string>): Reply | undefined {
  const listed = done.find(({ call }) => call.name === "skills_list");
  if (!listed && tools.has("skills_list")) {
    return {
      text: "The way was found after failed attempts. I look for a skill of this class.",
      calls: [["skills_list", { query: "read figures from delimited data files, exports, tables" }]],
    };
  }
  const writes = done.filter(({ call }) => call.name === "skill_manage");
  if (writes.some(({ failed }) => !failed)) return undefined;
  const refused = writes.at(-1);
  const candidate = String(refused?.result.neighbour ?? "") || findFittingSkill(listed);
  if (!candidate) return refused ? undefined : create(lesson, toSkillName(lesson));

  const viewed = done.find(({ call }) => call.name === "skill_view" && call.args.name === candidate);
  if (!viewed && tools.has("skill_view"))
    return { text: `\`${candidate}\` may cover it.`, calls: [["skill_view", { name: candidate }]] };
  if (!viewed || viewed.failed) return refused ? undefined : create(lesson, toSkillName(lesson));
  const patched = writes.find(({ call }) => call.args.operations !== undefined);
  if (!patched) return patch(lesson, candidate, String(viewed.result.content ?? ""));
  // The skill is protected or cannot be patched, so its companion takes the lesson.
  const companion = `${candidate}-local`;
  if (candidate.endsWith("-local") || writes.some(({ call }) => call.args.name === companion)) return undefined;
  return create(lesson, companion);
}

function findFittingSkill(listed: FinishedCall | undefined): string | undefined {
  const skills = listed?.result.skills;
  return chooseSkills(Array.isArray(skills) ? (skills as ListedSkill[]) : [])[0];
}

function create(lesson: TableLesson, name: string): Reply {
  const args = {
    action: "create",
    name,
    content: toSkill(lesson, name),
    category: SKILL_CATEGORY,
    citations: lesson.citations,
  };
  return { text: "No skill covers this class yet.", calls: [["skill_manage", args]] };
}

/**
 * Replaces each line that a finding contradicts. Adds the other findings as steps before the pitfalls. Undefined if nothing is new.
 */
function patch(lesson: TableLesson, name: string, text: string): Reply | undefined {
  const newFindings = findNewFindings(text, lesson);
  if (newFindings.length === 0) return undefined;
  const wrong = findContradictions(text, newFindings);
  const operations = wrong.flatMap(({ line, trait, finding }) => [
    {
      action: "patch",
      name,
      old_string: line,
      new_string: `${/^\s*(?:[-*+]|\d+[.)])\s+/.exec(line)?.[0] ?? ""}${finding.step}`,
    },
    ...(text.split(trait).length === 2
      ? [{ action: "patch", name, old_string: trait, new_string: finding.trait }]
      : []),
  ]);
  const added = newFindings.filter((finding) => !wrong.some((one) => one.finding === finding));
  if (added.length > 0) operations.push(toAddition(name, text, added));
  const args = { operations, citations: lesson.citations };
  return { text: `\`${name}\` covers the class and lacks this.`, calls: [["skill_manage", args]] };
}

/** Adds after the last numbered step and before the first pitfall, so that both lists stay intact. */
function toAddition(name: string, text: string, news: Finding[]) {
  const pitfalls = news.flatMap((one) => one.pitfalls.map((pitfall) => `- ${pitfall}\n`)).join("");
  const numbered = /^(\d+)(\. [^\n]*\n)\n## Pitfalls[ \t]*\n\n(?=- )/m.exec(text);
  const heading = /^##\s+Pitfalls[ \t]*$/m.exec(text)?.[0] ?? "## Pitfalls";
  const before = numbered ? numbered[1]! + numbered[2]! : "";
  const steps = news.map(({ step }, i) => `${numbered ? `${Number(numbered[1]) + i + 1}.` : "-"} ${step}\n`).join("");
  return {
    action: "patch",
    name,
    old_string: numbered ? numbered[0] : heading,
    new_string: `${before}${steps}\n${heading}\n\n${pitfalls}`,
  };
}

function summarise(done: FinishedCall[]): string {
  const kept = done.filter(({ call, failed }) => !failed && (call.name === "skill_manage" || call.name === "memory"));
  if (kept.length === 0) return NOTHING.text;
  const names = kept.map(({ call }) => (call.name === "memory" ? "one fact" : `the skill ${String(call.args.name)}`));
  return `Kept ${names.join(" and ")}: the reading that held, and what contradicted the ones before it.`;
}
