// Whether what a review adds belongs to one session alone: a name after its ticket or its day, a story of its files, a sentence
// quoted from it. What is certain is refused, and taste is left to the words of the policy. Pure.
import { type Failure, err } from "../../../errors.ts";
import type { Entry } from "../../../schemas/entry.ts";
import { DAY_MS, dayOf } from "../../../schemas/ids.ts";
import type { ReviewJob } from "../../../schemas/learning/review.ts";
import { baseOf } from "../../../skills/format/validate.ts";
import { foldCase } from "../../../skills/search/words.ts";
import type { AddedText } from "../../added-text.ts";

// ---- what occurs in the session ----

const TICKET = /\b[A-Z][A-Z0-9]{1,9}-\d{1,7}\b/g;
/** What looks like a ticket and is a standard, a format, an algorithm or a model. */
const STANDARD =
  /^(?:UTF|UCS|ISO|IEC|SHA|MD|RFC|CVE|CWE|GPT|ES|EN|DIN|AES|RSA|DES|CRC|TLS|SSL|HTTP|HTTPS|IPV|UTC|GMT|WCAG|OAUTH|COVID|USB|CP|KOI|LATIN|WINDOWS|BASE|PCI|SOC|ANSI|IEEE|ECMA|PEP|JEP|ADR|PKCS|FIPS|NIST|ASCII|LTS|SQL|XML|HTML|CSS|JSON|YAML|PDF|MP|H|X|F|T|V)-\d/;
const NUMBER = /(?<![\w#&])#(\d{2,7})\b/g;
const FILE = /(?<![\w.-])[\w-]+(?:\.[\w-]+)*\.[a-z][a-z0-9]{0,4}\b/gi;
/** Files that every project of a kind has, and projects that are called like files. */
const EVERYBODYS =
  /^(?:package|package-lock|tsconfig|jsconfig|docker-compose|compose|readme|agents|claude|skill|changelog|contributing|license|requirements|pyproject|setup|cargo|gemfile|pom|build|makefile|dockerfile|index|main|app|config|settings|styles?|test|wrangler|vite|vitest|webpack|jest|eslint|prettier|next|node|vue|nuxt|three|react|express|chart|ember|d3|p5|asp|ml|e\.g|i\.e)(?:\.[\w-]+)*$/i;
/** Folders in which one person, or one task, keeps its files. */
const OWN_PATH =
  /(?<![\w./~-])\/(?:workspace|home\/[\w.-]+|Users\/[\w.-]+|tmp|root|mnt\/data)\/[\w./-]*[\w-]\.\w{1,6}\b/g;

type SessionWords = ReturnType<typeof createSessionWords>;

/** Each is read once, when a rule first asks for it. */
export function createSessionWords({ entries }: Pick<ReviewJob, "entries">) {
  const text = once(() => entries.map(allTextOf).join("\n"));
  return {
    /** As they are written there: `ABC-123`. */
    tickets: once(() => new Set(findAll(TICKET, text()).filter((ticket) => !STANDARD.test(ticket)))),
    /** `#4711` without the sign. */
    numbers: once(() => new Set(findAll(NUMBER, text()))),
    /** Names of its files that are not everybody's, without their folders, in lower case. */
    files: once(() => new Set(findAll(FILE, text()).flatMap(toOwnName))),
    /** Absolute paths of files in somebody's own folders. */
    paths: once(() => new Set(findAll(OWN_PATH, text()))),
    /** Days on which it went on, `YYYY-MM-DD`: where the person is, it may have been the day before or after. */
    days: once(() => new Set(entries.flatMap(({ at }) => [at - DAY_MS, at, at + DAY_MS].map(dayOf)))),
    /** What the person said, as words with single blanks around and between them. */
    said: once(() => ` ${toPlainWords(entries.flatMap(saidIn).join("\n"))} `),
  };
}

/** What the first group that matched holds; without groups the whole match. */
function findAll(pattern: RegExp, text: string): string[] {
  return [...text.matchAll(pattern)].map((match) => match.slice(1).find(Boolean) ?? match[0]);
}

/** Words alone, as two texts are compared that differ in signs and line ends. */
function toPlainWords(text: string): string {
  return (foldCase(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join(" ");
}

function allTextOf(entry: Entry): string {
  const texts = entry.parts.map((part) => part.text);
  if (entry.kind === "assistant") texts.push(...entry.answer.calls.map(({ args }) => JSON.stringify(args)));
  return texts.join("\n");
}

function saidIn(entry: Entry): string[] {
  return entry.kind === "user" || entry.kind === "note"
    ? entry.parts.filter(({ source }) => source === "principal").map(({ text }) => text)
    : [];
}

function toOwnName(name: string): string[] {
  const lower = name.toLowerCase();
  return EVERYBODYS.test(lower.replace(/\.[a-z0-9]+$/, "")) || /^\d/.test(lower) ? [] : [lower];
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

// ---- names of new skills ----

const MONTHS =
  "jan|january|feb|february|mar|march|apr|april|may|jun|june|jul|july|aug|august|sep|sept|september|oct|october|nov|november|dec|december";

/** Over the name between hyphens, so that each part stands whole. */
const ARTEFACTS: [what: string, pattern: RegExp][] = [
  [
    "a ticket or a pull request",
    /-(?:pr|mr|gh|pull|pull-request|merge-request|issue|ticket|bug|incident|inc|jira)-(?:[a-z]{2,10}-)?\d+-/,
  ],
  ["a date", /-(?:19|20)\d\d-(?:0?[1-9]|1[0-2])-(?:(?:0?[1-9]|[12]\d|3[01])-)?/],
  ["a date", new RegExp(`-(?:${MONTHS})-(?:\\d{1,2}|20\\d\\d)-`)],
  ["one day", /-(?:today|todays|yesterday|yesterdays|tonight|tomorrow|this-(?:time|session|morning|week))-/],
  ["a version", /-v\d+-\d+-|-\d+-\d+-\d+-/],
  ["a hash", /-(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}-/],
  ["a number of one case", /-\d{5,}-/],
  ["an error's code", /-(?:0x[0-9a-f]{2,}|e\d{3,5}|(?:err|error|errno|exit-code|exit-status)-\d+)-/],
  [
    "an error's code",
    /-(?:enoent|enotfound|econnrefused|econnreset|etimedout|eacces|eperm|eaddrinuse|epipe|enospc|emfile|eexist|enomem)-/,
  ],
  ["an error's name", /-(?:[a-z]{3,}exception|(?!t?error-)[a-z]{3,}error)-/],
  [
    "an error's words",
    /-(?:no-such-file|(?:command|module|file|page)-not-found|permission-denied|cannot-(?:read|find|open|import|resolve|connect)|(?:is-)?not-a-function|(?:is-)?not-defined|segmentation-fault|connection-(?:refused|reset)|unexpected-token|access-denied)-/,
  ],
  // A maintainer would say what is being worked on, not that something was wrong with it.
  [
    "one repair",
    /^-(?:fix|fixed|hotfix|debug|debugged|solve|solved|resolve|resolved)-(?:[a-z0-9]+-)+(?:error|errors|failure|bug|crash|issue|problem|exception|warning|typo)-$/,
  ],
];

/** `null` for a name that may stand. Failure: `artefact_name`. A companion has its base's name, whatever that is. */
export function checkTitle(name: string, words: SessionWords): Failure | null {
  if (baseOf(name) !== null) return null;
  const parts = `-${name}-`;
  const found = ARTEFACTS.find(([, pattern]) => pattern.test(parts));
  if (found) return refuse(name, found[0]);
  const has = (piece: string) => parts.includes(`-${piece}-`);
  const ticket = [...words.tickets()].find((id) => has(id.toLowerCase()));
  if (ticket) return refuse(name, `the ticket ${ticket}`);
  const number = [...words.numbers()].find((digits) => digits.length > 2 && has(digits));
  if (number) return refuse(name, `the number #${number}`);
  const file = [...words.files()].find((path) => has(path.replace(/[^a-z0-9]+/g, "-")));
  return file ? refuse(name, `the file ${file}`) : null;
}

function refuse(name: string, what: string): Failure {
  return err(
    "artefact_name",
    `'${name}' is called after ${what}, which no later request will have: name the class of work, such as ` +
      "restoring-database-backups, or put the lesson into a skill of that class.",
  ).failure;
}

// ---- what a skill says ----

const DAY = /(?<![\d-])(?:19|20)\d\d-[01]\d-[0-3]\d(?![\d-])/g;
const PATH = /(?<![\w./~-])\/[\w./-]*[\w-]\.\w{1,6}\b/g;
const QUOTED = /"([^"\n]{20,400})"|“([^“”\n]{20,400})”|«([^«»\n]{20,400})»|„([^„“”\n]{20,400})[“”]/g;
/** A shorter sentence may be a form that is always said so. */
const MIN_QUOTED_WORDS = 6;
/** Each is looked for in all that was said. A lesson quotes a few. */
const MAX_QUOTES = 200;

/** `null` for a text that could come from many sessions. Failure: `one_off`. */
export function checkStory({ prose, code }: AddedText, words: SessionWords): Failure | null {
  const all = [...prose, ...code].join("\n");
  const told =
    tell("The day", findAll(DAY, all), (day) => words.days().has(day)) ??
    tell("The ticket", findAll(TICKET, all), (ticket) => words.tickets().has(ticket)) ??
    tell("The number", findAll(NUMBER, all), (number) => words.numbers().has(number)) ??
    tell("The file", findAll(PATH, all), (path) => words.paths().has(path)) ??
    tell("The sentence", quotesIn(prose), (quote) => isSaid(quote, words));
  if (!told) return null;
  return err(
    "one_off",
    `${told} is of this one session, and the next task has another: write what varies as {{name}}, say in your own ` +
      "words what was meant, or leave it out.",
  ).failure;
}

function tell(what: string, pieces: string[], isSessions: (piece: string) => boolean): string | null {
  const piece = pieces.find(isSessions);
  return piece === undefined ? null : `${what} ${piece.slice(0, 80).toWellFormed()}`;
}

function quotesIn(prose: string[]): string[] {
  return [...new Set(prose.flatMap((paragraph) => findAll(QUOTED, paragraph)))].slice(0, MAX_QUOTES);
}

function isSaid(quote: string, words: SessionWords): boolean {
  const plain = toPlainWords(quote);
  return plain.split(" ").length >= MIN_QUOTED_WORDS && words.said().includes(` ${plain} `);
}
