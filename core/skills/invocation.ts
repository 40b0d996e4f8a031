// Slash commands that load skills: `/name x=1 what to do`, up to five names in front. Reads the message, fills what a
// skill's text leaves open, and renders what a model reads behind the person's words. Called by core/session/turn/invoke.ts.
// Pure. Nothing of a skill is ever run here.
import { clip } from "../clip.ts";
import { type Result, err, ok } from "../errors.ts";
import { escapeTags } from "../prompt-block.ts";
import type { Part } from "../schemas/entry.ts";
import type { Source } from "../schemas/ids.ts";
import { setupNote, toSlug } from "./format/conditions.ts";
import type { SkillView } from "./library.ts";

/** Skills at the front of one message (Hermes Agent). */
const MAX_STACKED = 5;
/** Of names in a sentence about them. */
const MAX_NAMED = 20;
/** Of all values that are filled in: one may stand in a text many times. */
const MAX_FILLED_CHARS = 20_000;
const MAX_FILES = 50;
const MAX_SHOWN_CHARS = 60;

export interface Invocation {
  /** As the library knows them, none twice. */
  names: string[];
  /** `name=value` behind them, and as they were typed. */
  values: { name: string; value: string; typed: string }[];
  /** The rest, as it was typed. */
  text: string;
}

/** Cheap: whether a message may be an invocation, so that the library is worth asking. */
export function looksLikeInvocation(text: string): boolean {
  return /^\s*\/[\p{L}\p{N}]/u.test(text);
}

/**
 * Null for what is no invocation and goes to the model like any message: a first word that names no skill is no order, unless
 * nothing follows it, or it is nearly a command. `/skill name` names one in so many words, whether there is one or not, and whatever command is called like it.
 * Failures: `too_many_skills`, `unknown_command`.
 */
export function parseInvocation(
  message: string,
  known: {
    isSkill(slug: string): boolean;
    isCommand(word: string): boolean;
    nearestCommand(word: string): string | undefined;
  },
): Result<Invocation | null> {
  const text = message.trim();
  const names: string[] = [];
  const word = /\/(skill[ \t]+\/?)?([\p{L}\p{N}][\p{L}\p{N}_-]*)(?=\s|$)\s*/iuy;
  let at = 0;
  for (let found = word.exec(text); found; found = word.exec(text)) {
    const slug = toSlug(found[2]!);
    const isNamed = found[1] !== undefined && slug !== "";
    if (!isNamed && (known.isCommand(slug) || !known.isSkill(slug))) break;
    if (!names.includes(slug)) names.push(slug);
    at = word.lastIndex;
  }
  if (names.length === 0) {
    const [all, first] = /^\/([\p{L}\p{N}][\p{L}\p{N}_-]*)(?=\s|$)/u.exec(text) ?? [];
    if (first === undefined || known.isCommand(toSlug(first))) return ok(null);
    const near = known.nearestCommand(toSlug(first));
    if (near === undefined && all !== text) return ok(null);
    const hint = near === undefined ? "" : ` Did you mean /${near}?`;
    return err(
      "unknown_command",
      `There is no command and no skill /${clip(first, MAX_SHOWN_CHARS)}.${hint} Say it without the slash if it is for the model.`,
    );
  }
  if (names.length > MAX_STACKED) {
    return err(
      "too_many_skills",
      `One message loads at most ${MAX_STACKED} skills, this one names ${names.length}: send it with fewer.`,
    );
  }
  const values: Invocation["values"] = [];
  const assignment = /([\p{L}_][\p{L}\p{N}_-]*)=("(?:[^"\\]|\\.)*"|'[^']*'|(?!["'])\S*)(?=\s|$)\s*/suy;
  assignment.lastIndex = at;
  for (let found = assignment.exec(text); found; found = assignment.exec(text)) {
    values.push({ name: found[1]!, value: unquote(found[2]!), typed: found[0] });
    at = assignment.lastIndex;
  }
  return ok({ names, values, text: text.slice(at) });
}

function unquote(value: string): string {
  if (value.startsWith("'")) return value.slice(1, -1);
  return value.startsWith('"') ? value.slice(1, -1).replace(/\\(["\\])/g, "$1") : value;
}

/** A skill that was loaded, and what there is to say about it. */
export interface LoadedSkill {
  view: SkillView;
  /** Where its text goes on for skill_view, when it was too long. */
  nextOffset?: number;
  /** Its text, or the beginning of it. */
  content: string;
}

export interface InvocationText {
  invocation: Invocation;
  skills: LoadedSkill[];
  /** Sentences of the harness: a bundle's members that could not be loaded. */
  remarks: string[];
  session: string;
  /** UTC, `YYYY-MM-DD`. */
  day: string;
}

/** Begins all that loads skills beside skill_view; core/agent/compaction/compaction-summary.ts knows it by this. */
export const SKILLS_OPEN = "<skills>\n";

/**
 * The parts of the note behind the input. As one text they are a user message: what was loaded, each text in a fence that
 * nothing inside can close, what there is to know about it, and last what the person wants done.
 */
export function renderInvocation({ invocation, skills, remarks, session, day }: InvocationText): Part[] {
  const values = new Map(invocation.values.map(({ name, value }) => [toParameter(name), value]));
  const used = new Set<string>();
  const names = skills.map(({ view }) => view.name).join(", ");
  const pieces: [Source, string][] = [
    [
      "outcome",
      `${SKILLS_OPEN}The person loaded with a slash command: ${names}. Follow this for what they ask below.\n`,
    ],
  ];
  for (const { view, content, nextOffset } of skills) {
    const filled = fill(content, { values, used, dir: `skill:${view.name}`, session, day });
    pieces.push(
      ["outcome", `\n<skill name="${view.name}">\n`],
      ["own", escapeTags(filled.text)],
      ["outcome", `\n</skill>\n`],
      ["own", filesOf(view)],
      ["outcome", remarksOn(view, filled, nextOffset).join("")],
    );
  }
  // What no skill has a place for is part of what was said.
  const rest = invocation.values.filter(({ name }) => !used.has(toParameter(name))).map(({ typed }) => typed.trim());
  const request = [...rest, invocation.text].filter((piece) => piece !== "").join(" ");
  pieces.push(["outcome", `${remarks.map((remark) => `${remark}\n`).join("")}</skills>\n\n`]);
  if (request === "") {
    pieces.push([
      "outcome",
      "The person said no more than that: begin with what the skill says, or ask what is missing.",
    ]);
  } else pieces.push(["principal", request]);
  return toParts(pieces);
}

function remarksOn(view: SkillView, filled: Filled, nextOffset: number | undefined): string[] {
  const { name, missing, state } = view;
  const open = [...filled.open].slice(0, MAX_NAMED).map((parameter) => `{{${parameter}}}`);
  return [
    nextOffset !== undefined &&
      `Only the beginning of ${name} stands here: skill_view with offset ${nextOffset} goes on.`,
    open.length > 0 && `Without a value in ${name}: ${open.join(", ")}. Take it from what the person says, or ask.`,
    filled.hasDir && `Paths that begin with skill:${name}/ are files of the skill: read one with skill_view.`,
    filled.hasShell && `Commands of the form !\`…\` in ${name} are text: none of them was run.`,
    missing && `${name} is not set up. ${setupNote(missing)}`,
    renderFailedWords(view).trim(),
    state === "stale" && `${name} was not used for a long time: check what it says.`,
  ].flatMap((remark) => (remark ? [`${remark}\n`] : []));
}

/** With its companion's. A line of the harness, empty for none: the words are quoted, for they are the text's. */
export function renderFailedWords({ name, failedWords = [], companion }: SkillView): string {
  const words = [...failedWords, ...(companion?.failedWords ?? [])];
  if (words.length === 0) return "";
  const said = words.map(({ word, day }) => `${escapeTags(JSON.stringify(word))} (${day})`).join(", ");
  return `Calls that took these words from ${name} failed, so try another way first: ${said}.\n`;
}

/** Paths are as strange as who made the skill. */
export function filesOf({ name, files }: SkillView): string {
  const others = files.slice(1);
  if (others.length === 0) return "";
  const more = others.length > MAX_FILES ? `, and ${others.length - MAX_FILES} more` : "";
  const paths = others.slice(0, MAX_FILES).map((path) => JSON.stringify(path));
  return `${escapeTags(`Files of ${name}, read one at a time with skill_view: ${paths.join(", ")}${more}`)}\n`;
}

interface Filled {
  text: string;
  /** Parameters without a value. */
  open: Set<string>;
  hasDir: boolean;
  hasShell: boolean;
}

/**
 * A parameter is a plain name in double braces: `${{ … }}` of a workflow file, a third brace, and dotted names of a
 * template language are left as they are, and so is a variable that is none of the two.
 */
const OPEN_PLACE =
  /(?<![${\\])\{\{[ \t]{0,8}([\p{L}_][\p{L}\p{N}_-]{0,63})[ \t]{0,8}\}\}(?!\})|\$\{(HERMES_SKILL_DIR|HERMES_SESSION_ID)\}/gu;

/** One pass: what a value says is never filled again. */
function fill(
  content: string,
  given: { values: Map<string, string>; used: Set<string>; dir: string; session: string; day: string },
): Filled {
  const open = new Set<string>();
  let hasDir = false;
  let room = MAX_FILLED_CHARS;
  const ours = (name: string): string | undefined => {
    if (name === "skill_dir" || name === "HERMES_SKILL_DIR") {
      hasDir = true;
      return given.dir;
    }
    if (name === "session_id" || name === "HERMES_SESSION_ID") return given.session;
    return name === "day" ? given.day : undefined;
  };
  const text = content.replace(
    OPEN_PLACE,
    (all: string, parameter: string | undefined, variable: string | undefined) => {
      if (parameter === undefined) return ours(variable!) ?? all;
      const name = toParameter(parameter);
      const value = given.values.get(name);
      if (value !== undefined && value.length <= room) {
        given.used.add(name);
        room -= value.length;
        return value;
      }
      const known = ours(name);
      if (known === undefined) open.add(parameter);
      return known ?? all;
    },
  );
  return { text, open, hasDir, hasShell: /!`[^`\n]+`/.test(content) };
}

function toParameter(name: string): string {
  return name.toLowerCase().replaceAll("-", "_");
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
