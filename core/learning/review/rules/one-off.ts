// Refuses what belongs to one session only: a name after its ticket or date, a story about its files, a sentence quoted from it.
// Only certain cases are refused; the rest is left to the prompt. Called by policy.ts. Pure.
import { type Failure, err } from "../../../errors.ts";
import type { Entry } from "../../../schemas/entry.ts";
import { DAY_MS, dayOf } from "../../../schemas/ids.ts";
import type { ReviewJob } from "../../../schemas/learning/review.ts";
import { baseOf } from "../../../skills/format/validate.ts";
import { foldCase } from "../../../skills/search/words.ts";
import type { AddedText } from "../../added-text.ts";

// ---- the words of the session ----

const TICKET = /\b[A-Z][A-Z0-9]{1,9}-\d{1,7}\b/g;
/** Standards, formats, algorithms and models that look like tickets. */
const STANDARD =
  /^(?:UTF|UCS|ISO|IEC|SHA|MD|RFC|CVE|CWE|GPT|ES|EN|DIN|AES|RSA|DES|CRC|TLS|SSL|HTTP|HTTPS|IPV|UTC|GMT|WCAG|OAUTH|COVID|USB|CP|KOI|LATIN|WINDOWS|BASE|PCI|SOC|ANSI|IEEE|ECMA|PEP|JEP|ADR|PKCS|FIPS|NIST|ASCII|LTS|SQL|XML|HTML|CSS|JSON|YAML|PDF|MP|H|X|F|T|V)-\d/;
const NUMBER = /(?<![\w#&])#(\d{2,7})\b/g;
const FILE = /(?<![\w.-])[\w-]+(?:\.[\w-]+)*\.[a-z][a-z0-9]{0,4}\b/gi;
/** Files that many projects have, and projects with names like files. */
const EVERYBODYS =
  /^(?:package|package-lock|tsconfig|jsconfig|docker-compose|compose|readme|agents|claude|skill|changelog|contributing|license|requirements|pyproject|setup|cargo|gemfile|pom|build|makefile|dockerfile|index|main|app|config|settings|styles?|test|wrangler|vite|vitest|webpack|jest|eslint|prettier|next|node|vue|nuxt|three|react|express|chart|ember|d3|p5|asp|ml|e\.g|i\.e)(?:\.[\w-]+)*$/i;
/** Files in the folder of one person or task. */
const OWN_PATH =
  /(?<![\w./~-])\/(?:workspace|home\/[\w.-]+|Users\/[\w.-]+|tmp|root|mnt\/data)\/[\w./-]*[\w-]\.\w{1,6}\b/g;

type SessionWords = ReturnType<typeof createSessionWords>;

/** Each field is computed lazily, once. */
export function createSessionWords({ entries }: Pick<ReviewJob, "entries">) {
  const text = once(() => entries.map(allTextOf).join("\n"));
  return {
    /** For example `ABC-123`. */
    tickets: once(() => new Set(findAll(TICKET, text()).filter((ticket) => !STANDARD.test(ticket)))),
    /** `#4711` without the sign. */
    numbers: once(() => new Set(findAll(NUMBER, text()))),
    /** Names of files that are specific to the session, without folders, in lower case. */
    files: once(() => new Set(findAll(FILE, text()).flatMap(toOwnName))),
    /** Absolute paths of files in the folder of one person or task. */
    paths: once(() => new Set(findAll(OWN_PATH, text()))),
    /** Days of the session, `YYYY-MM-DD`, each with its neighbours, since the person's time zone is unknown. */
    days: once(() => new Set(entries.flatMap(({ at }) => [at - DAY_MS, at, at + DAY_MS].map(dayOf)))),
    /** What the person said, as words with single blanks around and between them. */
    said: once(() => ` ${toPlainWords(entries.flatMap(statementsIn).join("\n"))} `),
  };
}

/** The first group that matched, or the whole match. */
function findAll(pattern: RegExp, text: string): string[] {
  return [...text.matchAll(pattern)].map((match) => match.slice(1).find(Boolean) ?? match[0]);
}

/** Words with single blanks, to compare texts that differ in punctuation and line breaks. */
function toPlainWords(text: string): string {
  return (foldCase(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join(" ");
}

function allTextOf(entry: Entry): string {
  const texts = entry.parts.map((part) => part.text);
  if (entry.kind === "assistant") texts.push(...entry.answer.calls.map(({ args }) => JSON.stringify(args)));
  return texts.join("\n");
}

function statementsIn(entry: Entry): string[] {
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

/** Matched against `-name-`, so that each part has a hyphen on both sides. */
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
  // A skill is named after the class of work, not after one fault.
  [
    "one repair",
    /^-(?:fix|fixed|hotfix|debug|debugged|solve|solved|resolve|resolved)-(?:[a-z0-9]+-)+(?:error|errors|failure|bug|crash|issue|problem|exception|warning|typo)-$/,
  ],
];

/** `null` for an acceptable name. Failure: `artefact_name`. Companions pass, since they take the name of their skill. */
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
    `'${name}' is named after ${what}, which no later request will have: name the class of work, such as ` +
      "restoring-database-backups, or put the lesson into a skill of that class.",
  ).failure;
}

// ---- what a skill says ----

const DAY = /(?<![\d-])(?:19|20)\d\d-[01]\d-[0-3]\d(?![\d-])/g;
const PATH = /(?<![\w./~-])\/[\w./-]*[\w-]\.\w{1,6}\b/g;
const QUOTED = /"([^"\n]{20,400})"|“([^“”\n]{20,400})”|«([^«»\n]{20,400})»|„([^„“”\n]{20,400})[“”]/g;
/** Shorter quotations may be standing phrases. */
const MIN_QUOTED_WORDS = 6;
/** Maximum number of quotations, since each is searched for in the whole session. A usual lesson quotes a few. */
const MAX_QUOTES = 200;

/** `null` for a text that fits many sessions. Failure: `one_off`. */
export function checkStory({ prose, code }: AddedText, words: SessionWords): Failure | null {
  const all = [...prose, ...code].join("\n");
  const found =
    findFirst("The day", findAll(DAY, all), (day) => words.days().has(day)) ??
    findFirst("The ticket", findAll(TICKET, all), (ticket) => words.tickets().has(ticket)) ??
    findFirst("The number", findAll(NUMBER, all), (number) => words.numbers().has(number)) ??
    findFirst("The file", findAll(PATH, all), (path) => words.paths().has(path)) ??
    findFirst("The sentence", quotesIn(prose), (quote) => isSaid(quote, words));
  if (!found) return null;
  return err(
    "one_off",
    `${found} belongs to this one session, and the next task has another: write what varies as {{name}}, say in your own ` +
      "words what was meant, or leave it out.",
  ).failure;
}

function findFirst(what: string, pieces: string[], isOfSession: (piece: string) => boolean): string | null {
  const piece = pieces.find(isOfSession);
  return piece === undefined ? null : `${what} ${piece.slice(0, 80).toWellFormed()}`;
}

function quotesIn(prose: string[]): string[] {
  return [...new Set(prose.flatMap((paragraph) => findAll(QUOTED, paragraph)))].slice(0, MAX_QUOTES);
}

function isSaid(quote: string, words: SessionWords): boolean {
  const plain = toPlainWords(quote);
  return plain.split(" ").length >= MIN_QUOTED_WORDS && words.said().includes(` ${plain} `);
}
