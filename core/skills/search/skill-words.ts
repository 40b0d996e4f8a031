// The words of a whole skill, by the parts that relevance.ts weighs, and a cache of words already read. Used by the
// Archive: every profile has the bundled skills, and many share others. Pure except for the cache.
import { LRUCache } from "lru-cache";
import type { SkillLine } from "../../schemas/api.ts";
import { parseSkill } from "../format/format.ts";
import { readRequests } from "../../schemas/skill-requests.ts";
import { type Field } from "./relevance.ts";
import { traitsOf } from "../format/traits.ts";
import { termsOf } from "./words.ts";

/** The stems of each part, joined by spaces. */
export type SkillWords = Record<Field, string>;

/**
 * Maximum number of words indexed of a body. A SKILL.md of 100,000 characters has about 15,000 words, and the first ones say what it
 * is.
 */
const MAX_BODY_WORDS = 4_000;
const MAX_HEADING_WORDS = 400;

const HEADING = /^#{1,6}[ \t]+(.*)$/gm;

/** The words that come from a skill's files, not from its line. */
export type BodyWords = Pick<SkillWords, "headings" | "body" | "requests">;

/** `read`: null before the body was read. The category counts as a heading. */
export function wordsOfSkill(
  line: { name: string; description: string; category: string },
  read: BodyWords | null,
): SkillWords {
  const category = join(line.category.replaceAll("-", " "));
  return {
    name: join(line.name.replaceAll("-", " ")),
    description: join(line.description),
    headings: read ? `${category} ${read.headings}`.trim() : category,
    body: read?.body ?? "",
    requests: read?.requests ?? "",
  };
}

/** Text that cannot be parsed is taken as a body. `requests`: the requests file, "" for none. */
export function readBodyWords(skillMd: string, requests = ""): BodyWords {
  const parsed = parseSkill(skillMd);
  const body = parsed.ok ? parsed.value.body : skillMd;
  const headings = [...body.matchAll(HEADING)].map((match) => match[1]).join("\n");
  const { tags, parameters, dependencies } = traitsOf(skillMd);
  const labels = [...tags, ...dependencies].join(" ");
  const about = Object.values(parameters).join(" ");
  return {
    headings: join(`${labels}\n${headings}`, MAX_HEADING_WORDS),
    body: join(`${about}\n${body}`, MAX_BODY_WORDS),
    requests: join(readRequests(requests).join("\n")),
  };
}

/** The cache key of a skill's words: its text and its requests. */
export function wordsKeyOf({ text, requests }: Pick<SkillLine, "text" | "requests">): string {
  return requests === undefined ? text : `${text}.${requests}`;
}

export interface WordsCache {
  /** By `wordsKeyOf`. */
  get(key: string): BodyWords | undefined;
  set(key: string, words: BodyWords): void;
}

/** A least-recently-used cache. `maxChars` limits the cached characters, not the entries; 0 keeps nothing. */
export function createWordsCache(maxChars: number): WordsCache {
  return new LRUCache<string, BodyWords>({ maxSize: Math.max(1, maxChars), sizeCalculation: countChars });
}

/** At least 1: LRUCache refuses a size of 0. */
function countChars({ headings, body, requests }: BodyWords): number {
  return Math.max(1, headings.length + body.length + requests.length);
}

function join(text: string, most?: number): string {
  return termsOf(text, most).join(" ");
}
