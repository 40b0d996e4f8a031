// Generates skills to fill a library. Each is about a few words of the targets' vocabulary, so that it competes in a search, but
// shares no sentence with a target. Deterministic for the same targets. Pure.
import type { BenchSkill } from "./bench-skill.ts";

const SENTENCES = [
  "Take the $ and put each $ beside its $ before the $ begins",
  "A $ without a $ means that the $ was left from an earlier $",
  "Keep the $ small, since every $ costs one more $ in the $",
  "Ask for the $ first and read its $ twice when the $ looks odd",
  "Compare $ with $ and write the difference into the $ of the $",
  "The $ comes after the $, never in front of a $ that still has its $",
  "Note which $ was chosen, by whom, and how the $ changed the $",
  "Where two $ disagree, trust the newer $ and mention the older $",
  "Stop as soon as the $ says so, and leave the $ as the $ had it",
  "Count the $ again at the end: the $ and the $ must be equal",
];
const DESCRIPTIONS = [
  "Handles $ and $ for a $ that has grown too large.",
  "Turns a $ into a $, with $ kept as it was.",
  "Checks $ against $ and reports each $ that is missing.",
  "Plans the $ of a $ from its first $ on.",
];
const HEADINGS = ["Steps", "Pitfalls", "Verify", "Notes on $", "Working with $"];

const TOPIC_WORDS = 10;
/** The share of words taken from the skill's own topic; the rest come from the whole vocabulary. */
const TOPIC_SHARE = 0.6;
const SENTENCES_A_PART = 6;
const WORD = /\p{L}{4,20}/gu;

export function createFillers(targets: BenchSkill[], count: number): BenchSkill[] {
  const random = createRandom(20_261_101);
  const vocabulary = collectVocabulary(targets);
  const taken = new Set(targets.map((skill) => skill.name));
  const known = new Set(targets.flatMap((skill) => splitSentences(`${skill.description}\n${skill.body}`)));
  const pick = <T>(items: T[]): T => items[Math.floor(random() * items.length)]!;
  const fillers: BenchSkill[] = [];
  while (fillers.length < count) {
    const topic = Array.from({ length: TOPIC_WORDS }, () => pick(vocabulary));
    const say = (pattern: string): string => {
      for (;;) {
        const text = pattern.replace(/\$/g, () => (random() < TOPIC_SHARE ? pick(topic) : pick(vocabulary)));
        if (!known.has(toSentence(text))) return text;
      }
    };
    const name = `${pick(topic)}-${pick(topic)}-${fillers.length}`.normalize("NFKD").replace(/[^a-z0-9-]/g, "x");
    if (taken.has(name)) continue;
    taken.add(name);
    const parts = Array.from({ length: 2 + Math.floor(random() * 3) }, () => {
      const sentences = Array.from({ length: SENTENCES_A_PART }, () => `${say(pick(SENTENCES))}.`);
      return `## ${say(pick(HEADINGS))}\n\n${sentences.join(" ")}\n`;
    });
    fillers.push({ name, description: say(pick(DESCRIPTIONS)), body: parts.join("\n") });
  }
  return fillers;
}

/** Repeats each word as often as the descriptions use it, so that common words are common in fillers too. */
function collectVocabulary(targets: BenchSkill[]): string[] {
  const words = targets.flatMap((skill) => skill.description.toLowerCase().match(WORD) ?? []);
  return words.length > 0 ? words : ["thing", "other", "place", "order"];
}

/** Sentences of more than two words, reduced to their letters. */
function splitSentences(text: string): string[] {
  return text.split(/[.!?\n]+/).flatMap((part) => {
    const sentence = toSentence(part);
    return sentence.split(" ").length > 2 ? [sentence] : [];
  });
}

function toSentence(text: string): string {
  return (text.toLowerCase().match(/\p{L}+/gu) ?? []).join(" ");
}

/** Mulberry32. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  };
}
