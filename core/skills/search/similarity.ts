// Rates the similarity of two skills by name and description. Called by the duplicate checks: of a write
// (operations.ts), and of a head that a crash kept out of the index (core/learning/curation/run-curation.ts). Bodies
// are not compared, because the purpose of a skill decides, not its wording. Pure.
import type { SkillName } from "../../schemas/ids.ts";
import { baseOf } from "../format/validate.ts";
import { wordsOf } from "./words.ts";

export interface SkillSummary {
  name: SkillName;
  description: string;
}

interface Neighbour {
  name: SkillName;
  similarity: number;
}

/**
 * The most similar skills first, with a similarity from 0 to 1. Skills without a shared word are left out. A skill and
 * its companion count as one: neither is the other's neighbour, and together they take one place.
 */
export function nearestNeighbours(skills: SkillSummary[], candidate: SkillSummary, most = 10): Neighbour[] {
  const numbers: WordNumbers = new Map();
  const members = skills.map((skill) => toMember(skill, numbers));
  return rank(members, toMember(candidate, numbers), most);
}

/** Answers many questions about one library. */
export interface Neighbourhood {
  add(skill: SkillSummary): void;
  /** Like `nearestNeighbours`, but compares only the `MAX_COMPARED` skills that share the candidate's rarest words. */
  nearest(candidate: SkillSummary, most: number): Neighbour[];
}

/**
 * [own] With this limit all pairs of ten thousand skills take about a second. A smaller library is compared in full.
 */
const MAX_COMPARED = 100;

export function createNeighbourhood(skills: SkillSummary[]): Neighbourhood {
  const numbers: WordNumbers = new Map();
  const members: Member[] = [];
  /** Members by the number of a word they contain. */
  const holders: Member[][] = [];

  function add(skill: SkillSummary): void {
    const member = toMember(skill, numbers);
    members.push(member);
    for (const word of member.all) (holders[word] ??= []).push(member);
  }

  function candidatesOf({ all }: Member): Set<Member> {
    const found = new Set<Member>();
    const rarestFirst = all.map((word) => holders[word] ?? []).sort((a, b) => a.length - b.length);
    for (const holdersOfWord of rarestFirst) {
      for (const member of holdersOfWord) {
        found.add(member);
        // One more than the limit, because the candidate itself is among them.
        if (found.size > MAX_COMPARED) return found;
      }
    }
    return found;
  }

  for (const skill of skills) add(skill);
  return {
    add,
    nearest(candidate, most) {
      const wanted = toMember(candidate, numbers);
      return rank(candidatesOf(wanted), wanted, most);
    },
  };
}

/** A skill as sorted numbers of its words, so that shared words are counted in one pass. */
interface Member {
  skill: SkillName;
  /** Shared by a skill and its companion. */
  pair: SkillName;
  name: number[];
  description: number[];
  all: number[];
}

type WordNumbers = Map<string, number>;

function toMember({ name: skill, description }: SkillSummary, numbers: WordNumbers): Member {
  const pair = baseOf(skill) ?? skill;
  const [ofName, ofDescription] = [wordsOf(pair.replaceAll("-", " ")), wordsOf(description)];
  const toNumbers = (words: Iterable<string>) =>
    [...words].map((word) => numberOf(word, numbers)).sort((a, b) => a - b);
  const all = toNumbers(new Set([...ofName, ...ofDescription]));
  return { skill, pair, name: toNumbers(ofName), description: toNumbers(ofDescription), all };
}

function numberOf(word: string, numbers: WordNumbers): number {
  const known = numbers.get(word);
  if (known !== undefined) return known;
  numbers.set(word, numbers.size);
  return numbers.size - 1;
}

function rank(members: Iterable<Member>, wanted: Member, most: number): Neighbour[] {
  const nearest = new Map<SkillName, Neighbour>();
  for (const member of members) {
    if (member.pair === wanted.pair) continue;
    const similarity = compare(member, wanted);
    if (similarity <= (nearest.get(member.pair)?.similarity ?? 0)) continue;
    nearest.set(member.pair, { name: member.skill, similarity });
  }
  return [...nearest.values()].sort((a, b) => b.similarity - a.similarity || (a.name < b.name ? -1 : 1)).slice(0, most);
}

/**
 * Overall overlap, or the mean overlap of names and descriptions, whichever is higher. A reworded name with a similar
 * description therefore counts as near.
 */
function compare(a: Member, b: Member): number {
  const byPart = (overlapOf(a.name, b.name) + overlapOf(a.description, b.description)) / 2;
  return Math.max(overlapOf(a.all, b.all), byPart);
}

/** The Dice coefficient of two sorted lists: 1 for equal lists, 0 for disjoint or empty ones. */
function overlapOf(a: number[], b: number[]): number {
  let shared = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    const difference = a[i]! - b[j]!;
    if (difference === 0) shared++;
    if (difference <= 0) i++;
    if (difference >= 0) j++;
  }
  return a.length + b.length === 0 ? 0 : (2 * shared) / (a.length + b.length);
}
