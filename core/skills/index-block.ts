// The index of skills in a frozen prompt: as much of the library as its tokens allow, and how to find the rest. Called
// when an epoch's prompt is built. Pure: equal libraries give equal bytes, whatever order their lines come in.
import { fence, withoutFences } from "../prompt-block.ts";
import type { SkillLine } from "../schemas/api.ts";
import { estimateTokens } from "../tokens.ts";

const HOW_TO =
  "Several fit? Load the one or two most specific. This list may be shortened: skills_list with a query searches all skills.";

/** Lengths to which every description is cut, tried in turn, so that no skill is hidden while another is told at length. */
const DESCRIPTION_CHARS = [1_024, 240, 120, 60];

/** A dash, a name, a colon and two words: a library with more lines than that allows need not be tried whole. */
const MIN_LINE_TOKENS = 5;

/** `""` when nothing is offered. Lines are `- <name>: <description>`; archived and pending skills never appear. */
export function renderSkillIndex(lines: SkillLine[], indexTokens: number): string {
  const groups = toGroups(lines);
  if (groups.length === 0) return "";
  const count = groups.reduce((sum, group) => sum + group.skills.length, 0);
  for (const maxChars of count * MIN_LINE_TOKENS > indexTokens ? [] : DESCRIPTION_CHARS) {
    const block = toBlock(groups.map((group) => renderGroup(group, group.skills.length, maxChars)).join("\n"));
    if (estimateTokens(block) <= indexTokens) return block;
  }
  return renderShort(groups, indexTokens);
}

interface Group {
  title: string;
  skills: SkillLine[];
}

/** By category; a companion stands after its base wherever it was filed; stale ones last. */
function toGroups(lines: SkillLine[]): Group[] {
  const offered = lines
    .filter((line) => line.state !== "archived" && line.state !== "pending")
    .sort((a, b) => compare(a.name, b.name));
  const names = new Set(offered.map((line) => line.name));
  const companions = new Map(offered.flatMap((line) => (line.extends ? [[line.extends, line] as const] : [])));
  const byTitle = new Map<string, SkillLine[]>();
  for (const line of offered) {
    if (line.extends && names.has(line.extends)) continue;
    const title = line.state === "stale" ? STALE : line.category;
    const skills = byTitle.get(title) ?? [];
    byTitle.set(title, skills);
    const companion = companions.get(line.name);
    skills.push(line, ...(companion ? [companion] : []));
  }
  const titles = [...byTitle.keys()].sort((a, b) => (a === STALE ? 1 : b === STALE ? -1 : compare(a, b)));
  return titles.map((title) => ({ title, skills: byTitle.get(title)! }));
}

/** Not a category: those have no blank. */
const STALE = "not used for a long time";

/** The first `described` skills with a description, the others by name. */
function renderGroup({ title, skills }: Group, described: number, maxChars: number): string {
  const lines = skills.slice(0, described).map((skill) => toLine(skill, maxChars));
  const names = skills.slice(described).map((skill) => skill.name);
  return [`${title}:`, ...lines, ...(names.length > 0 ? [`  ${names.join(", ")}`] : [])].join("\n");
}

/** Names while they fit, then descriptions for the first of them; what has no room at all is counted. */
function renderShort(groups: Group[], indexTokens: number): string {
  const maxChars = DESCRIPTION_CHARS.at(-1)!;
  const total = groups.reduce((sum, group) => sum + group.skills.length, 0);
  const purse = createPurse(indexTokens - estimateTokens(toBlock(countLine(total))));
  const named = groups.flatMap(({ title, skills }) => {
    if (!purse.pays(`${title}:\n`)) return [];
    const fitting = takeWhile(skills, (skill) => purse.pays(`${skill.name}, `));
    return fitting.length > 0 ? [{ title, skills: fitting }] : [];
  });
  const parts = named.map((group) => {
    const described = takeWhile(group.skills, (skill) => purse.pays(`${toLine(skill, maxChars)}\n`)).length;
    return renderGroup(group, described, maxChars);
  });
  const shown = named.reduce((sum, group) => sum + group.skills.length, 0);
  return toBlock([...parts, ...(shown < total ? [countLine(total - shown)] : [])].join("\n"));
}

function countLine(count: number): string {
  return `${count} more ${count === 1 ? "skill" : "skills"}`;
}

/** Pays a little more than each piece costs, so that the whole never costs more than was paid. */
function createPurse(tokens: number) {
  let left = tokens - 2;
  return {
    pays(piece: string): boolean {
      const cost = estimateTokens(piece) + 1;
      if (cost > left) return false;
      left -= cost;
      return true;
    },
  };
}

function takeWhile<T>(items: T[], takes: (item: T) => boolean): T[] {
  const end = items.findIndex((item) => !takes(item));
  return end < 0 ? items : items.slice(0, end);
}

function toLine({ name, description }: SkillLine, maxChars: number): string {
  const text = withoutFences(description.replace(/\s+/gu, " "));
  const cut = text.length > maxChars ? `${text.slice(0, maxChars - 1).trimEnd()}…` : text;
  return `- ${name}: ${cut.toWellFormed()}`;
}

function toBlock(list: string): string {
  return fence("available_skills", `${HOW_TO}\n\n${list}`);
}

/** By code unit: a locale would make the bytes differ between runtimes. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
