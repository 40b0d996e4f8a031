// How near two skills are to each other, by name and description. Called by the duplicate checks: of a write
// (operations.ts), and of a head that a crash kept out of the index (core/learning/curation/head-check.ts). Pure. Texts are not compared: what a skill is for decides, not how it says it.
import type { SkillName } from "../../schemas/ids.ts";
import { baseOf } from "../format/validate.ts";
import { wordsOf } from "./words.ts";

export interface SkillSummary {
  name: SkillName;
  description: string;
}

export interface Neighbour {
  name: SkillName;
  similarity: number;
}

/** Nearest first; `similarity` lies between 0 and 1, and what shares no word is left out. A skill and its companion are one: neither is the other's neighbour, and together they fill one place. */
export function nearestNeighbours(skills: SkillSummary[], candidate: SkillSummary, most = 10): Neighbour[] {
  const numbers: WordNumbers = new Map();
  const members = skills.map((skill) => toMember(skill, numbers));
  return rank(members, toMember(candidate, numbers), most);
}

/** For many questions about one library. */
export interface Neighbourhood {
  add(skill: SkillSummary): void;
  /** As `nearestNeighbours`, of the skills that share the candidate's rarest words: `MAX_COMPARED` of them. */
  nearest(candidate: SkillSummary, most: number): Neighbour[];
}

/** [own] So that all pairs of ten thousand skills take about a second; a smaller library is compared in full. */
const MAX_COMPARED = 100;

export function createNeighbourhood(skills: SkillSummary[]): Neighbourhood {
  const numbers: WordNumbers = new Map();
  const members: Member[] = [];
  /** Members that have a word, by the word's number. */
  const holders: Member[][] = [];

  function add(skill: SkillSummary): void {
    const member = toMember(skill, numbers);
    members.push(member);
    for (const word of member.all) (holders[word] ??= []).push(member);
  }

  function candidatesOf({ all }: Member): Set<Member> {
    const found = new Set<Member>();
    const rarestFirst = all.map((word) => holders[word] ?? []).sort((a, b) => a.length - b.length);
    for (const some of rarestFirst) {
      for (const member of some) {
        found.add(member);
        // One more than are compared: the candidate is among them.
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

/** A skill by its words, each a number, in ascending order: what two skills share is then counted in one walk. */
interface Member {
  skill: SkillName;
  /** The skill and its companion have one. */
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

/** The same name in other words, with much the same description, counts as near whatever else is said. */
function compare(a: Member, b: Member): number {
  const byPart = (overlapOf(a.name, b.name) + overlapOf(a.description, b.description)) / 2;
  return Math.max(overlapOf(a.all, b.all), byPart);
}

/** Twice what two lists have in common over all they hold: 1 for equal lists, 0 for disjoint or empty ones. */
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
