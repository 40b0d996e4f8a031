// Generates the other messages of bench:recall: sessions of two speakers about two topics. The same count and seed give the same
// messages. Pure.
import type { ArchivedMessage, ArchivedTurn } from "../../core/archive/messages/message-archive.ts";
import { mulberry32 } from "../../scripts/seeded.ts";
import { PATTERNS, PEOPLE, QUALITIES, SYLLABLES, TIMES, TOPICS, VERBS } from "./other-words.ts";

const MIN_MESSAGES = 8;
const MAX_MESSAGES = 30;
const MAX_SENTENCES = 4;
/** Share of nouns that belong to the topics of the session. */
const TOPIC_SHARE = 0.7;
/** Share of sessions whose speakers have names. The others are "user" and "assistant". */
const NAMED_SHARE = 0.5;
const START = Date.UTC(2022, 0, 1);
const HOURS = 2 * 365 * 24;
const ALL_NOUNS = TOPICS.flat();

/** The sessions between two halves of the other messages, of which there are `count`. */
export function* addOtherSessions(sessions: ArchivedTurn[], count: number): Generator<ArchivedTurn> {
  const half = Math.floor(count / 2);
  yield* generateSessions(half, 1);
  yield* sessions;
  yield* generateSessions(count - half, 2);
}

function* generateSessions(count: number, seed: number): Generator<ArchivedTurn> {
  const random = mulberry32(seed);
  for (let left = count, number = 1; left > 0; number++) {
    const wanted = MIN_MESSAGES + Math.floor(random() * (MAX_MESSAGES - MIN_MESSAGES + 1));
    const messages = generateMessages(Math.min(left, wanted), random);
    left -= messages.length;
    yield { session: `other ${seed}.${number}`, turn: 1, messages };
  }
}

function generateMessages(count: number, random: () => number): ArchivedMessage[] {
  const topics = [pick(TOPICS, random), pick(TOPICS, random)];
  const speakers = random() < NAMED_SHARE ? [pick(PEOPLE, random), pick(PEOPLE, random)] : [];
  const at = START + Math.floor(random() * HOURS) * 3_600_000;
  const toNoun = () => (random() < TOPIC_SHARE ? pickEarly(pick(topics, random), random) : pick(ALL_NOUNS, random));
  return Array.from({ length: count }, (_, index) => {
    const sentences = Array.from({ length: 1 + Math.floor(random() * MAX_SENTENCES) }, () =>
      fillPattern(pick(PATTERNS, random), toNoun, random),
    );
    const speaker = speakers[index % 2];
    const role = index % 2 === 0 ? "user" : "assistant";
    return { n: index + 1, role, at, text: sentences.join(" "), ...(speaker === undefined ? {} : { speaker }) };
  });
}

function fillPattern(pattern: string, toNoun: () => string, random: () => number): string {
  const text = pattern.replace(/\{([A-Z])\}/g, (_, kind: string) => {
    if (kind === "N") return toNoun();
    if (kind === "P") return pick(PEOPLE, random);
    if (kind === "V") return pickEarly(VERBS, random);
    if (kind === "Q") return pickEarly(QUALITIES, random);
    if (kind === "T") return pick(TIMES, random);
    if (kind === "D") return String(1 + Math.floor(random() * 99));
    return toInventedName(random);
  });
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function toInventedName(random: () => number): string {
  const name = Array.from({ length: 2 + Math.floor(random() * 2) }, () => pick(SYLLABLES, random)).join("");
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function pick<T>(items: T[], random: () => number): T {
  return items[Math.floor(random() * items.length)]!;
}

/** Prefers early items, as some words of a language are more frequent than others. */
function pickEarly<T>(items: T[], random: () => number): T {
  return items[Math.floor(random() ** 2 * items.length)]!;
}
