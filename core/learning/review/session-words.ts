// What occurs in the session under review and belongs to it alone: its tickets, its files, its days, the person's own
// sentences. Read once a review, when the first write asks; the rules of names.ts and stories.ts look in it. Pure.
import type { Entry } from "../../schemas/entry.ts";
import { DAY_MS, dayOf } from "../../schemas/ids.ts";
import type { ReviewJob } from "../../schemas/review.ts";
import { foldCase } from "../../skills/words.ts";

export interface SessionWords {
  /** As they are written there: `ABC-123`. */
  tickets(): Set<string>;
  /** `#4711` without the sign. */
  numbers(): Set<string>;
  /** Names of its files that are not everybody's, without their folders, in lower case. */
  files(): Set<string>;
  /** Absolute paths of files in somebody's own folders. */
  paths(): Set<string>;
  /** Days on which it went on, `YYYY-MM-DD`. */
  days(): Set<string>;
  /** What the person said, as words with single blanks around and between them. */
  said(): string;
}

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

export function createSessionWords({ entries }: Pick<ReviewJob, "entries">): SessionWords {
  const text = once(() => entries.map(allTextOf).join("\n"));
  const found = (pattern: RegExp) => [...text().matchAll(pattern)].map(([whole, group]) => group ?? whole);
  return {
    tickets: once(() => new Set(found(TICKET).filter((ticket) => !STANDARD.test(ticket)))),
    numbers: once(() => new Set(found(NUMBER))),
    files: once(() => new Set(found(FILE).flatMap(toOwnName))),
    paths: once(() => new Set(found(OWN_PATH))),
    // Where the person is, it may have been the day before or after.
    days: once(() => new Set(entries.flatMap(({ at }) => [at - DAY_MS, at, at + DAY_MS].map(dayOf)))),
    said: once(() => ` ${wordsIn(entries.flatMap(saidIn).join("\n"))} `),
  };
}

/** Words alone, as two texts are compared that differ in signs and line ends. */
export function wordsIn(text: string): string {
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
