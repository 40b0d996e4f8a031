// Measures how often recall would load a skill that nobody asked for. The library is small, like a profile's own, and all its
// skills have helped before. Each question's first sentence is tried with and without the matching skill in the library.
import { pickRecalled } from "../../core/skills/search/recall.ts";
import { mulberry32 } from "../../scripts/seeded.ts";
import type { BenchSkill } from "./bench-skill.ts";
import type { BenchLibrary } from "./library.ts";
import { toHelpful } from "./search.ts";

const LIBRARY = 30;
const MAX_REQUEST_CHARS = 200;

/** Shares of the questions. */
export interface UnaskedShares {
  right: number;
  wrong: number;
  /** A skill was loaded although none in the library fits. */
  needless: number;
}

/** `null` if there are too few skills for a library, or no questions. */
export function measureUnasked({ skills, targets, queries }: BenchLibrary): UnaskedShares | null {
  const known = skills.slice(0, targets).filter(({ description }) => description !== "");
  if (known.length <= LIBRARY || queries.length === 0) return null;
  const random = mulberry32(1);
  const draw = (without: string): BenchSkill[] => {
    const drawn = new Map<string, BenchSkill>();
    while (drawn.size < LIBRARY) {
      const skill = known[Math.floor(random() * known.length)]!;
      if (skill.name !== without) drawn.set(skill.name, skill);
    }
    return [...drawn.values()];
  };
  const questions = queries.flatMap(({ name, text }) => {
    const expectedSkill = known.find((skill) => skill.name === name);
    return expectedSkill ? [{ expected: expectedSkill, request: firstSentence(text) }] : [];
  });
  const withMatch = questions.map(({ expected, request }) => ({
    expected,
    got: pickRecalled([expected, ...draw(expected.name)].map(toHelpful), request),
  }));
  const withoutMatch = questions.map(({ expected, request }) =>
    pickRecalled(draw(expected.name).map(toHelpful), request),
  );
  return {
    right: withMatch.filter(({ expected, got }) => got === expected.name).length / questions.length,
    wrong: withMatch.filter(({ expected, got }) => got !== null && got !== expected.name).length / questions.length,
    needless: withoutMatch.filter((got) => got !== null).length / questions.length,
  };
}

function firstSentence(text: string): string {
  const lines = text.split("\n").map((line) => line.replace(/^[-*#\s]+/, ""));
  return (lines.find((line) => line.length > 15) ?? text).slice(0, MAX_REQUEST_CHARS);
}
