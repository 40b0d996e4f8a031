// How the simulated reviewer words lessons: as a new SKILL.md, or as an edit of an existing one. Every sentence has several
// variants, so two skills about the same subject need not share a sentence. Pure.
import { draw, pick } from "../world/draws.ts";
import { type Statement, readStatements, sayOption } from "./statements.ts";
import { describeKind, chooseName } from "./wording.ts";

export interface SkillWords {
  name: string;
  description: string;
  thing: string;
}

export interface Lesson extends Statement {
  citations: string[];
  /** The lesson names an option that did not work. */
  isWrong: boolean;
  /** The option in the transcript, where the reviewer miswrote it. */
  read?: string;
}

/** What the reviewer knows about the work: the area of the service, and requests for it. The current request is first. */
export interface Subject {
  area: string;
  requests: readonly string[];
}

const DESCRIPTIONS: readonly ((about: string, area: string) => string)[] = [
  (about, area) => `What the ${area} service wants for requests about ${about}.`,
  (about, area) => `Options of ${area} operations when somebody asks for ${about}.`,
  (about, area) => `${about[0]!.toUpperCase()}${about.slice(1)}: done through the ${area} service.`,
  (about, area) => `How ${area} is used for ${about}.`,
];

/** `way` selects the request and the form of the description. `isShort`: the tool asks for a short description. */
export function chooseWords({ area, requests }: Subject, way: number, isShort: boolean): SkillWords {
  const request = requests[way % requests.length]!;
  const about = describeKind(request) || area;
  const description = DESCRIPTIONS[way % DESCRIPTIONS.length]!(about, area);
  const short = `${area}: ${about}`.slice(0, MAX_SHORT_CHARS).trim();
  return { name: chooseName(request, area), description: isShort ? short : description, thing: `${area} work` };
}

const MAX_SHORT_CHARS = 59;

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
const LAST = ["Hand the result over when all of it is done.", "Verify the result, then hand it over."] as const;
const PITFALLS = [
  "Do not rely on the usual option for {thing}, because the office's service refuses what it does not expect.",
  "Repeat a call only when the service was busy; a refusal means that the option was wrong.",
  "Read a refusal before the next try, since tries are few.",
] as const;
const VERIFY = [
  "Each operation has ended with exit code 0.",
  "Each operation has answered that it is finished.",
  "Look at the exit code of each operation before answering.",
] as const;

/** A complete SKILL.md. `leaveOut`: a section that a careless reviewer forgets. */
export function writeSkillMd(
  { name, description, thing }: SkillWords,
  lessons: readonly Lesson[],
  key: string,
  leaveOut: string | null = null,
): string {
  const say = (choices: readonly string[], part: string) =>
    pick(choices, key, part).replaceAll("{thing}", thing).replaceAll("{about}", description.replace(/\.$/, ""));
  const sentences = lessons.map((lesson) => sayOption(lesson, draw(key, lesson.operation, "say")));
  const steps = [say(FIRST, "first"), ...sentences, say(LAST, "last")]
    .map((step, at) => `${at + 1}. ${step}`)
    .join("\n");
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

/** skill_view shows the companion's text after the skill's own, under this title. */
const COMPANION = "\n# Learned here, in ";

export function readOwnPart(content: string): string {
  const at = content.indexOf(COMPANION);
  return at < 0 ? content : content.slice(0, at);
}

export function readCompanionPart(content: string): string | null {
  const at = content.indexOf(COMPANION);
  return at < 0 ? null : content.slice(at);
}

/** The edit that adds a lesson: it replaces the text's last statement about the operation, else it adds a step. */
export function placeLesson(content: string, lesson: Lesson, key: string): Edit {
  const told = sayOption(lesson, draw(key, lesson.operation, "say"));
  const existing = readStatements(content).findLast(({ operation }) => operation === lesson.operation);
  if (existing) return { old_string: existing.line, new_string: withBullet(existing.line, told) };
  return { old_string: "## Pitfalls", new_string: `- ${told}\n\n## Pitfalls` };
}

export function placePitfalls(sentences: readonly string[]): Edit {
  const list = sentences.map((sentence) => `- ${sentence}`).join("\n");
  return { old_string: "## Pitfalls\n", new_string: `## Pitfalls\n\n${list}` };
}

function withBullet(line: string, sentence: string): string {
  return `${/^\s*(?:\d+\.|-)\s+/.exec(line)?.[0] ?? ""}${sentence}`;
}
