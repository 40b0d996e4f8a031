// The index of skills in a frozen prompt: the whole library while its tokens allow, else what fits the request, what is
// proven, names and counts. Called when an epoch's prompt is built. Pure: equal libraries, whatever order their lines come
// in, and equal requests give equal bytes.
import { escapeTags, fence } from "../prompt-block.ts";
import type { SkillLine } from "../schemas/api.ts";
import type { SkillName } from "../schemas/ids.ts";
import { estimateTokens } from "../tokens.ts";
import { scoreSkills } from "./search/ranking.ts";

const HOW_TO =
  "Several fit? Load the one or two most specific. This list may be shortened: skills_list with a query searches all skills.";

/** Lengths to which every description is cut, tried in turn, so that no skill is hidden while another is told at length. */
const DESCRIPTION_CHARS = [1_024, 240, 120, 60];

/** A dash, a name, a colon and two words: a library with more lines than that allows need not be tried whole. */
const MIN_LINE_TOKENS = 5;

/**
 * Of a library that does not fit: how much of the tokens each part may take, and how long its descriptions are. Names of
 * others fill what is left.
 */
const PARTS = {
  fitting: { share: 0.4, most: 24, maxChars: 240 },
  proven: { share: 0.2, most: 24, maxChars: 120 },
  categories: { share: 0.15, most: 40 },
};

const FITTING = "fit this request:";
const PROVEN = "proven and often used:";

/**
 * `""` when nothing is offered. Lines are `- <name>: <description>`; archived and pending skills never appear. The request
 * matters only to a library that does not fit.
 */
export function renderSkillIndex(lines: SkillLine[], indexTokens: number, request = ""): string {
  const groups = toGroups(lines);
  if (groups.length === 0) return "";
  const count = countSkills(groups);
  for (const maxChars of count * MIN_LINE_TOKENS > indexTokens ? [] : DESCRIPTION_CHARS) {
    const block = toBlock(groups.map((group) => renderGroup(group, maxChars)));
    if (estimateTokens(block) <= indexTokens) return block;
  }
  return renderShort(groups, indexTokens, request);
}

/** A skill with its companion: what is listed and loaded together. */
type Unit = SkillLine[];

interface Group {
  title: string;
  units: Unit[];
  /** Skills in it, companions included. */
  count: number;
}

/** Not a category: those have no blank. */
const STALE = "not used for a long time";

/** By category; a companion stands after its base wherever it was filed; stale ones last. */
function toGroups(lines: SkillLine[]): Group[] {
  const offered = sortByName(lines.filter((line) => line.state !== "archived" && line.state !== "pending"));
  const companions = new Map<SkillName, SkillLine>();
  for (const line of offered) if (line.extends) companions.set(line.extends, line);
  const names = companions.size > 0 ? new Set(offered.map((line) => line.name)) : null;
  const byTitle = new Map<string, Unit[]>();
  for (const line of offered) {
    if (line.extends && names?.has(line.extends)) continue;
    const title = line.state === "stale" ? STALE : line.category;
    let units = byTitle.get(title);
    if (!units) byTitle.set(title, (units = []));
    const companion = companions.get(line.name);
    units.push(companion ? [line, companion] : [line]);
  }
  const titles = [...byTitle.keys()].sort((a, b) => (a === STALE ? 1 : b === STALE ? -1 : compare(a, b)));
  return titles.map((title) => {
    const units = byTitle.get(title)!;
    return { title, units, count: units.reduce((sum, unit) => sum + unit.length, 0) };
  });
}

/** Mostly they are in order already, and ten thousand are looked through faster than sorted. */
function sortByName(lines: SkillLine[]): SkillLine[] {
  const isSorted = lines.every((line, i) => i === 0 || lines[i - 1]!.name <= line.name);
  return isSorted ? lines : lines.sort((a, b) => compare(a.name, b.name));
}

function renderGroup({ title, units }: Group, maxChars: number): string {
  return [`${title}:`, ...units.map((unit) => toLines(unit, maxChars))].join("\n");
}

/**
 * What fits the request and what is proven with descriptions, then the categories with how many skills each has and names
 * of them in turn, then descriptions for those when all are named; what has no room at all is counted.
 */
function renderShort(groups: Group[], indexTokens: number, request: string): string {
  const total = countSkills(groups);
  const purse = createPurse(indexTokens - estimateTokens(toBlock([countLine(total)])));
  const tally = payTally(groups, purse, indexTokens * PARTS.categories.share);
  const told = new Set<Unit>();
  const parts = [
    describe(FITTING, pickFitting(groups, request), PARTS.fitting),
    describe(PROVEN, pickProven(groups), PARTS.proven),
  ];
  const named = nameInTurn(tally, told, purse);
  const shown = [...told, ...[...named.values()].flat()].reduce((sum, unit) => sum + unit.length, 0);
  parts.push(...tally.map((group) => renderTally(group, named.get(group)!, told, purse, shown === total)));
  return toBlock([...parts.filter(Boolean), ...(shown < total ? [countLine(total - shown)] : [])]);

  function describe(title: string, units: Unit[], part: (typeof PARTS)["fitting"]): string {
    const sub = purse.within(indexTokens * part.share);
    const fresh = units.filter((unit) => !told.has(unit)).slice(0, part.most);
    if (fresh.length === 0 || !sub.pays(`${title}\n`)) return "";
    const paid = takeWhile(fresh, (unit) => sub.pays(`${toLines(unit, part.maxChars)}\n`));
    for (const unit of paid) told.add(unit);
    return paid.length > 0 ? [title, ...paid.map((unit) => toLines(unit, part.maxChars))].join("\n") : "";
  }
}

/** Best first; what is stale is not put forward. */
function pickFitting(groups: Group[], request: string): Unit[] {
  const living = livingUnits(groups);
  const scores = scoreSkills(living.flat(), request);
  const scoreOf = (unit: Unit) => unit.reduce((best, line) => Math.max(best, scores.get(line) ?? 0), 0);
  return scores.size === 0 ? [] : pickBest(living, scoreOf, PARTS.fitting.most);
}

/** Used often, and judged well where it was judged; a skill nobody judged counts half. */
function pickProven(groups: Group[]): Unit[] {
  const score = ([line]: Unit) => {
    if (!line?.use) return 0;
    const { uses, successes, failures } = line.use;
    return (Math.log1p(uses) * (successes + 1)) / (successes + failures + 2);
  };
  // Some of the best may stand under the request already.
  return pickBest(livingUnits(groups), score, PARTS.fitting.most + PARTS.proven.most);
}

function livingUnits(groups: Group[]): Unit[] {
  return groups.filter(({ title }) => title !== STALE).flatMap((group) => group.units);
}

/** The best of those that score at all, by name where two score the same: without sorting all for a few. */
function pickBest(units: Unit[], scoreOf: (unit: Unit) => number, most: number): Unit[] {
  const order = (a: Scored, b: Scored) => b.score - a.score || compare(a.unit[0]!.name, b.unit[0]!.name);
  let best: Scored[] = [];
  let least = 0;
  for (const unit of units) {
    const score = scoreOf(unit);
    if (score <= 0 || score < least) continue;
    best.push({ unit, score });
    if (best.length < 4 * most) continue;
    best = best.sort(order).slice(0, most);
    least = best.at(-1)!.score;
  }
  return best
    .sort(order)
    .slice(0, most)
    .map(({ unit }) => unit);
}

interface Scored {
  unit: Unit;
  score: number;
}

/** The groups that are counted: the largest when there is no room for all, in their order all the same. */
function payTally(groups: Group[], purse: Purse, tokens: number): Group[] {
  const sub = purse.within(tokens);
  const bySize = [...groups].sort((a, b) => b.units.length - a.units.length);
  const paid = new Set(
    takeWhile(bySize.slice(0, PARTS.categories.most), (group) => sub.pays(`${tallyOf(group)}:\n  `)),
  );
  return groups.filter((group) => paid.has(group));
}

/** A name of each group, then the next of each, stale ones after all others. */
function nameInTurn(groups: Group[], told: Set<Unit>, purse: Purse): Map<Group, Unit[]> {
  const named = new Map(groups.map((group) => [group, [] as Unit[]]));
  const living = groups.filter(({ title }) => title !== STALE);
  for (const round of [living, groups.filter(({ title }) => title === STALE)]) {
    let open = round.map((group) => ({ group, rest: group.units.filter((unit) => !told.has(unit)), at: 0 }));
    while (open.length > 0) {
      open = open.filter((turn) => {
        const unit = turn.rest[turn.at++];
        if (!unit || !purse.pays(`${namesOf(unit)}, `)) return false;
        named.get(turn.group)!.push(unit);
        return true;
      });
    }
  }
  return named;
}

/** With `describes`, the first ones have a description as far as the tokens reach. */
function renderTally(group: Group, named: Unit[], told: Set<Unit>, purse: Purse, describes: boolean): string {
  const maxChars = DESCRIPTION_CHARS.at(-1)!;
  const described = describes ? takeWhile(named, (unit) => purse.pays(`${toLines(unit, maxChars)}\n`)) : [];
  const names = named.slice(described.length).map(namesOf);
  const isWhole = named.length + group.units.filter((unit) => told.has(unit)).length === group.units.length;
  const lines = [
    `${isWhole ? group.title : tallyOf(group)}:`,
    ...described.map((unit) => toLines(unit, maxChars)),
    ...(names.length > 0 ? [`  ${names.join(", ")}`] : []),
  ];
  return lines.length === 1 && isWhole ? "" : lines.join("\n");
}

function tallyOf(group: Group): string {
  return `${group.title} (${group.count} in all)`;
}

function countLine(count: number): string {
  return `${count} more ${count === 1 ? "skill" : "skills"}`;
}

function countSkills(groups: Group[]): number {
  return groups.reduce((sum, group) => sum + group.count, 0);
}

interface Purse {
  pays(piece: string): boolean;
  /** A part of this purse: what it pays, both pay. */
  within(tokens: number): Purse;
}

/** Pays a little more than each piece costs, so that the whole never costs more than was paid. */
function createPurse(tokens: number, parent?: { take(cost: number): boolean }): Purse {
  let left = tokens - 2;
  const take = (cost: number): boolean => {
    if (cost > left || (parent && !parent.take(cost))) return false;
    left -= cost;
    return true;
  };
  return {
    pays: (piece) => take(estimateTokens(piece) + 1),
    within: (some) => createPurse(some, { take }),
  };
}

function takeWhile<T>(items: T[], takes: (item: T) => boolean): T[] {
  const end = items.findIndex((item) => !takes(item));
  return end < 0 ? items : items.slice(0, end);
}

function namesOf(unit: Unit): string {
  return unit.map((line) => line.name).join(", ");
}

function toLines(unit: Unit, maxChars: number): string {
  return unit.map((line) => toLine(line, maxChars)).join("\n");
}

function toLine({ name, description }: SkillLine, maxChars: number): string {
  const text = escapeTags(description.replace(/\s+/gu, " "));
  const cut = text.length > maxChars ? `${text.slice(0, maxChars - 1).trimEnd()}…` : text;
  return `- ${name}: ${cut.toWellFormed()}`;
}

function toBlock(parts: string[]): string {
  return fence("available_skills", `${HOW_TO}\n\n${parts.join("\n")}`);
}

/** By code unit: a locale would make the bytes differ between runtimes. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
