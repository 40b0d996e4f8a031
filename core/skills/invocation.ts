// Slash commands that load skills: `/name x=1 what to do`, with up to five names. Reads the message, fills the
// placeholders of a skill's text, and renders the note that follows the person's message. Called by
// core/session/turn/commands/invoke.ts. Pure. Nothing of a skill is ever run here.
import { clip } from "../clip.ts";
import { type Result, err, ok } from "../errors.ts";
import { escapeTags } from "../prompt-block.ts";
import type { Part } from "../schemas/entry.ts";
import type { Source } from "../schemas/ids.ts";
import { listSnippets } from "./arguments.ts";
import { setupNote, toSlug } from "./format/conditions.ts";
import type { SkillView } from "./library.ts";
import { type FilledBody, type Filling, fillPlaceholders, toParameter } from "./placeholders.ts";

/** Skills at the front of one message (Hermes Agent). */
const MAX_STACKED = 5;
/** Maximum number of names listed in one sentence. */
const MAX_NAMED = 20;
const MAX_FILES = 50;
const MAX_SHOWN_CHARS = 60;

interface Invocation {
  /** Skill names as the library has them, without duplicates. */
  names: string[];
  /** The `name=value` pairs after the names, parsed and as typed. */
  values: { name: string; value: string; typed: string }[];
  /** The rest of the message, as typed. */
  text: string;
  /** All that follows the names, as typed: `$ARGUMENTS`. */
  argument: string;
}

interface KnownNames {
  isSkill(slug: string): boolean;
  isCommand(word: string): boolean;
  nearestCommand(word: string): string | undefined;
}

/** Cheap pre-check: whether a message may be an invocation, so that the library has to be read. */
export function looksLikeInvocation(text: string): boolean {
  return /^\s*\/[\p{L}\p{N}]/u.test(text);
}

/**
 * Returns null for a message that is not an invocation and goes to the model as it is. A leading word that is not a
 * skill name is not a command, unless nothing follows it or it nearly is one. `/skill name` always names a skill, even
 * if it does not exist or shares its name with a command. Failures: `too_many_skills`, `unknown_command`.
 */
export function parseInvocation(message: string, known: KnownNames): Result<Invocation | null> {
  const text = message.trim();
  const { names, end } = readNames(text, known);
  if (names.length === 0) return checkUnknownCommand(text, known);
  if (names.length > MAX_STACKED) {
    return err(
      "too_many_skills",
      `One message loads at most ${MAX_STACKED} skills, this one names ${names.length}: send it with fewer.`,
    );
  }
  const values = readValues(text, end);
  const typedChars = values.reduce((sum, { typed }) => sum + typed.length, 0);
  return ok({ names, values, text: text.slice(end + typedChars), argument: text.slice(end) });
}

/** The skills at the front of the message. `end`: where the text after them begins. */
function readNames(text: string, known: KnownNames): { names: string[]; end: number } {
  const names: string[] = [];
  const word = /\/(skill[ \t]+\/?)?([\p{L}\p{N}][\p{L}\p{N}_-]*)(?=\s|$)\s*/iuy;
  let end = 0;
  for (let found = word.exec(text); found; found = word.exec(text)) {
    const slug = toSlug(found[2]!);
    const isNamed = found[1] !== undefined && slug !== "";
    if (!isNamed && (known.isCommand(slug) || !known.isSkill(slug))) break;
    if (!names.includes(slug)) names.push(slug);
    end = word.lastIndex;
  }
  return { names, end };
}

/** For a message without a skill name: null, or `unknown_command` if it was most likely meant as a command. */
function checkUnknownCommand(text: string, known: KnownNames): Result<null> {
  const [all, first] = /^\/([\p{L}\p{N}][\p{L}\p{N}_-]*)(?=\s|$)/u.exec(text) ?? [];
  if (first === undefined || known.isCommand(toSlug(first))) return ok(null);
  const near = known.nearestCommand(toSlug(first));
  if (near === undefined && all !== text) return ok(null);
  const hint = near === undefined ? "" : ` Did you mean /${near}?`;
  return err(
    "unknown_command",
    `There is no command and no skill /${clip(first, MAX_SHOWN_CHARS)}.${hint} Leave out the slash to send it to the model.`,
  );
}

/** The `name=value` pairs that follow one another from an offset on. */
function readValues(text: string, from: number): Invocation["values"] {
  const values: Invocation["values"] = [];
  const assignment = /([\p{L}_][\p{L}\p{N}_-]*)=("(?:[^"\\]|\\.)*"|'[^']*'|(?!["'])\S*)(?=\s|$)\s*/suy;
  assignment.lastIndex = from;
  for (let found = assignment.exec(text); found; found = assignment.exec(text)) {
    values.push({ name: found[1]!, value: unquote(found[2]!), typed: found[0] });
  }
  return values;
}

function unquote(value: string): string {
  if (value.startsWith("'")) return value.slice(1, -1);
  return value.startsWith('"') ? value.slice(1, -1).replace(/\\(["\\])/g, "$1") : value;
}

/** A loaded skill. */
export interface LoadedSkill {
  view: SkillView;
  /** The offset at which skill_view continues, if the text was too long. */
  nextOffset?: number;
  /** The text of the skill, or the beginning of the text. */
  content: string;
}

export interface InvocationText {
  invocation: Invocation;
  /** The skills came with the message; the person did not name them in it. */
  isAttached?: true;
  skills: LoadedSkill[];
  /** Sentences of the harness, such as which members of a bundle could not be loaded. */
  remarks: string[];
  session: string;
  /** UTC, `YYYY-MM-DD`. */
  day: string;
  /** What inline snippets printed, by command. Absent: none was run. */
  outputs?: ReadonlyMap<string, string>;
}

/** The beginning of every note that loads skills; core/agent/compaction/compaction-summary.ts recognises it. */
export const SKILLS_OPEN = "<skills>\n";

/**
 * The parts of the note after the input. Joined, they form one user message: the loaded texts, each in a fence that its
 * content cannot close, remarks about them, and last the person's request.
 */
export function renderInvocation(given: InvocationText): Part[] {
  const { invocation, isAttached, skills, remarks, outputs = new Map<string, string>() } = given;
  const used = new Set<string>();
  const names = skills.map(({ view }) => view.name).join(", ");
  const pieces: [Source, string][] = [
    [
      "outcome",
      isAttached
        ? `${SKILLS_OPEN}Loaded for the task above: ${names || "nothing"}. Follow it.\n`
        : `${SKILLS_OPEN}The person loaded with a slash command: ${names}. Follow this for what they ask below.\n`,
    ],
  ];
  for (const { view, content, nextOffset } of skills) {
    const filled = fillPlaceholders(content, toFilling(given, view.name, used));
    pieces.push(
      ["outcome", `\n<skill name="${view.name}">\n`],
      ...filled.pieces.map(({ text, command }): [Source, string] => {
        const output = command === undefined ? undefined : outputs.get(command);
        return output === undefined ? ["own", escapeTags(text)] : ["content", escapeTags(output)];
      }),
      ["outcome", `\n</skill>\n`],
      ["own", filesOf(view)],
      ["outcome", warningsAbout(view, filled, nextOffset, outputs).join("")],
    );
  }
  const request = requestOf(invocation, used);
  pieces.push(["outcome", `${remarks.map((remark) => `${remark}\n`).join("")}</skills>\n\n`]);
  if (isAttached) return toParts(pieces);
  if (request === "") {
    pieces.push([
      "outcome",
      "The person wrote nothing else: start with what the skill says, or ask for what is missing.",
    ]);
  } else pieces.push(["principal", request]);
  return toParts(pieces);
}

/** The values by parameter, as `fillPlaceholders` takes them. */
export function toValues({ values }: Invocation): Map<string, string> {
  return new Map(values.map(({ name, value }) => [toParameter(name), value]));
}

/** What the person asks for. Values that no skill has a placeholder for belong to it. */
export function requestOf({ values, text }: Invocation, used: Set<string>): string {
  const rest = values.filter(({ name }) => !used.has(toParameter(name))).map(({ typed }) => typed.trim());
  return [...rest, text].filter((piece) => piece !== "").join(" ");
}

/** The commands of all inline snippets of the loaded skills, with their placeholders filled. */
export function listCommands(given: Omit<InvocationText, "remarks" | "outputs">): string[] {
  return given.skills.flatMap(({ view, content }) =>
    listSnippets(fillPlaceholders(content, toFilling(given, view.name)).pieces),
  );
}

function toFilling(
  { invocation, session, day }: Pick<InvocationText, "invocation" | "session" | "day">,
  name: string,
  used = new Set<string>(),
): Filling {
  const { argument } = invocation;
  return { values: toValues(invocation), used, dir: `skill:${name}`, session, day, argument };
}

function warningsAbout(
  view: SkillView,
  filled: FilledBody,
  nextOffset: number | undefined,
  outputs: ReadonlyMap<string, string>,
): string[] {
  const { name, missing, state } = view;
  const open = [...filled.open].slice(0, MAX_NAMED);
  const isUnrun = listSnippets(filled.pieces).some((command) => !outputs.has(command));
  const unrun =
    outputs.size > 0
      ? `Commands of the form !\`…\` that are still in ${name} are text: they were not run.`
      : `Commands of the form !\`…\` in ${name} are text: none of them was run.`;
  return [
    nextOffset !== undefined &&
      `Only the beginning of ${name} is shown here: call skill_view with offset ${nextOffset} for the rest.`,
    open.length > 0 && `Without a value in ${name}: ${open.join(", ")}. Take it from what the person says, or ask.`,
    filled.hasDir && `Paths that begin with skill:${name}/ are files of the skill: read one with skill_view.`,
    isUnrun && unrun,
    missing && `${name} is not set up. ${setupNote(missing)}`,
    renderFailedWords(view).trim(),
    state === "stale" && `${name} was not used for a long time: check what it says.`,
  ].flatMap((remark) => (remark ? [`${remark}\n`] : []));
}

/**
 * One line that lists failed words of the skill and its companion; empty for none. The words are quoted, because they
 * come from the skill's text.
 */
export function renderFailedWords({ name, failedWords = [], companion }: SkillView): string {
  const words = [...failedWords, ...(companion?.failedWords ?? [])];
  if (words.length === 0) return "";
  const said = words.map(({ word, day }) => `${escapeTags(JSON.stringify(word))} (${day})`).join(", ");
  return `Calls that took these words from ${name} failed, so try another way first: ${said}.\n`;
}

/** Lists the skill's other files. Paths are quoted, because they may contain anything. */
export function filesOf({ name, files }: SkillView): string {
  const others = files.slice(1);
  if (others.length === 0) return "";
  const more = others.length > MAX_FILES ? `, and ${others.length - MAX_FILES} more` : "";
  const paths = others.slice(0, MAX_FILES).map((path) => JSON.stringify(path));
  return `${escapeTags(`Files of ${name}, read one at a time with skill_view: ${paths.join(", ")}${more}`)}\n`;
}

function toParts(pieces: [Source, string][]): Part[] {
  const parts: Part[] = [];
  for (const [source, text] of pieces) {
    const last = parts.at(-1);
    if (text === "") continue;
    if (last?.source === source) last.text += text;
    else parts.push({ source, text });
  }
  return parts;
}
