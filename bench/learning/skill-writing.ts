// How the simulated reviewer puts lessons into words: a SKILL.md of its own, or a place in one that stands. Several ways to say
// everything, so that two skills about one thing need not have a sentence in common. Pure.
import { draw, pick } from "./draws.ts";
import { FAMILIES, type Family } from "./families.ts";
import { type Statement, readStatements, sayOption } from "./statements.ts";

export interface SkillWords {
  name: string;
  description: string;
  thing: string;
}

export interface Lesson extends Statement {
  citations: string[];
  /** Not the option that worked. */
  isWrong: boolean;
  /** What the transcript says, where the pen slipped. */
  read?: string;
}

/** The family a request or an operation belongs to; `null` for work that nobody has met. */
export function familyOf(operations: readonly string[]): Family | null {
  return FAMILIES.find((family) => family.operations.some(({ name }) => operations.includes(name))) ?? null;
}

/** `way`: which of the ways to call it. `isShort`: the tool asks for a short description. */
export function wordsFor(family: Family | null, lesson: Statement, way: number, isShort: boolean): SkillWords {
  if (family) {
    const { name, description, short } = family.skills[way % family.skills.length]!;
    return { name, description: isShort ? short : description, thing: family.thing };
  }
  const word = lesson.operation.split(" ")[0]!;
  const description = pick([`Work with a ${word} for somebody.`, `How a ${word} is seen to.`], word, way);
  return { name: pick([`handling-${word}`, `${word}-work`, `seeing-to-${word}`], word, way), description, thing: word };
}

const WHEN = [
  "Whenever the person asks for {about}.",
  "Load this before work on {thing}: {about}.",
  "Requests that speak of {thing}, in whatever words.",
  "{about}",
] as const;
const FIRST = [
  "Look at the input before anything else, then prepare it.",
  "Begin with a look at what came in; prepare {thing} after that.",
  "Read the input, prepare it, and only then call the service.",
] as const;
const LAST = [
  "Hand the result over when all of it is done.",
  "Verify, hand over, and run the check at the end.",
] as const;
const PITFALLS = [
  "Do not rely on the usual option for {thing}, because the office's service refuses what it does not expect.",
  "Repeat a call only when the service was busy; a refusal means that the option was wrong.",
  "Read a refusal before the next try, since tries are few.",
] as const;
const VERIFY = [
  "The check ends with exit code 0.",
  "Each operation has answered that it is done.",
  "Look for the exit code of the check before answering.",
] as const;

/** A whole SKILL.md. `leaveOut`: a section that a careless hand forgets. */
export function writeSkillMd(
  { name, description, thing }: SkillWords,
  lessons: readonly Lesson[],
  key: string,
  leaveOut: string | null = null,
): string {
  const say = (choices: readonly string[], part: string) =>
    pick(choices, key, part).replaceAll("{thing}", thing).replaceAll("{about}", description.replace(/\.$/, ""));
  const told = lessons.map((lesson) => sayOption(lesson, draw(key, lesson.operation, "say")));
  const steps = [say(FIRST, "first"), ...told, say(LAST, "last")].map((step, at) => `${at + 1}. ${step}`).join("\n");
  const sections: [string, string][] = [
    ["When to use", say(WHEN, "when")],
    ["Steps", steps],
    ["Pitfalls", `- ${say(PITFALLS, "pitfall")}`],
    ["Verify", say(VERIFY, "verify")],
  ];
  const body = sections
    .filter(([title]) => title !== leaveOut)
    .map(([title, text]) => `## ${title}\n\n${text}\n`)
    .join("\n");
  return `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n\n${body}`;
}

export interface Edit {
  old_string: string;
  new_string: string;
}

/** What is learned here about a skill stands behind it, under its own title. */
const COMPANION = "\n# Learned here, in ";

export function ownPart(content: string): string {
  const at = content.indexOf(COMPANION);
  return at < 0 ? content : content.slice(0, at);
}

export function companionPart(content: string): string | null {
  const at = content.indexOf(COMPANION);
  return at < 0 ? null : content.slice(at);
}

/** A lesson's place in a text: where the text speaks of the operation, else among its steps. */
export function placeLesson(content: string, lesson: Lesson, key: string): Edit {
  const told = sayOption(lesson, draw(key, lesson.operation, "say"));
  const standing = readStatements(content).findLast(({ operation }) => operation === lesson.operation);
  if (standing) return { old_string: standing.line, new_string: withBullet(standing.line, told) };
  return { old_string: "## Pitfalls", new_string: `- ${told}\n\n## Pitfalls` };
}

export function placePitfall(sentence: string): Edit {
  return { old_string: "## Pitfalls\n", new_string: `## Pitfalls\n\n- ${sentence}` };
}

function withBullet(line: string, sentence: string): string {
  return `${/^\s*(?:\d+\.|-)\s+/.exec(line)?.[0] ?? ""}${sentence}`;
}
