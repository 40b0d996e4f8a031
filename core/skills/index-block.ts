// Renders the skills index of a frozen prompt: the whole library if it fits the token budget, else the skills that fit
// the request, proven skills, names and counts. Called when an epoch's prompt is built. Pure: equal libraries and
// requests give equal bytes, regardless of the order of lines.
import { escapeTags, fence } from "../prompt-block.ts";
import type { SkillLine } from "../schemas/api.ts";
import type { SkillName } from "../schemas/ids.ts";
import { estimateTokens } from "../tokens.ts";
import { scoreSkills } from "./search/ranking.ts";

const HOW_TO =
  "Several fit? Load the one or two most specific. This list may be shortened: skills_list with a query searches all skills.";

/**
 * Description lengths, tried in turn. All descriptions are cut alike, so that no skill is hidden while another has a
 * long text.
 */
const DESCRIPTION_CHARS = [1_024, 240, 120, 60];

/**
 * Tokens of the shortest line: a dash, a name, a colon and two words. A library with more lines than the budget allows
 * at this size is not tried as a whole.
 */
const MIN_LINE_TOKENS = 5;

/**
 * For a library that does not fit: the share of the budget for each part, its most skills and the length of its
 * descriptions. Names of other skills fill the rest.
 */
const PARTS = {
  fitting: { share: 0.4, most: 24, maxChars: 240 },
  proven: { share: 0.2, most: 24, maxChars: 120 },
  categories: { share: 0.15, most: 40 },
};

const FITTING = "fit this request:";
const PROVEN = "proven and often used:";

/**
 * Returns `""` when no skill is offered. Lines have the form `- <name>: <description>`; archived and pending skills
 * never appear. The request matters only when the library does not fit.
 */
export function renderSkillIndex(lines: SkillLine[], indexTokens: number, request = ""): string {
  const groups = toGroups(lines);
  if (groups.length === 0) return "";
  const mayFit = countSkills(groups) * MIN_LINE_TOKENS <= indexTokens;
  const lengths = mayFit ? DESCRIPTION_CHARS : [];
  for (const maxChars of lengths) {
    const block = toBlock(groups.map((group) => renderGroup(group, maxChars)));
    if (estimateTokens(block) <= indexTokens) return block;
  }
  return renderShort(groups, indexTokens, request);
}

/** A skill with its companion: what is listed and loaded together. */
type SkillUnit = SkillLine[];

interface SkillGroup {
  title: string;
  units: SkillUnit[];
  /** Number of skills, companions included. */
  count: number;
}

/** Cannot collide with a category, since categories contain no spaces. */
const STALE = "not used for a long time";

/** Groups by category. A companion follows its base, even if it was filed in another category; stale skills come last. */
function toGroups(lines: SkillLine[]): SkillGroup[] {
  const offered = sortByName(lines.filter((line) => line.state !== "archived" && line.state !== "pending"));
  const companions = new Map<SkillName, SkillLine>();
  for (const line of offered) if (line.extends) companions.set(line.extends, line);
  const names = companions.size > 0 ? new Set(offered.map((line) => line.name)) : null;
  const byTitle = new Map<string, SkillUnit[]>();
  for (const line of offered) {
    if (line.extends && names?.has(line.extends)) continue;
    const title = line.state === "stale" ? STALE : line.category;
    const units = byTitle.get(title) ?? [];
    byTitle.set(title, units);
    const companion = companions.get(line.name);
    units.push(companion ? [line, companion] : [line]);
  }
  const titles = [...byTitle.keys()].sort(compareTitles);
  return titles.map((title) => {
    const units = byTitle.get(title)!;
    return { title, units, count: units.reduce((sum, unit) => sum + unit.length, 0) };
  });
}

function compareTitles(a: string, b: string): number {
  if (a === STALE) return 1;
  return b === STALE ? -1 : compare(a, b);
}

/** The lines are usually sorted already, and checking ten thousand is faster than sorting them. */
function sortByName(lines: SkillLine[]): SkillLine[] {
  const isSorted = lines.every((line, i) => i === 0 || lines[i - 1]!.name <= line.name);
  return isSorted ? lines : lines.sort((a, b) => compare(a.name, b.name));
}

function renderGroup({ title, units }: SkillGroup, maxChars: number): string {
  return [`${title}:`, ...units.map((unit) => toLines(unit, maxChars))].join("\n");
}

/**
 * First the skills that fit the request and the proven ones, with descriptions; then the categories with their counts
 * and as many names as fit, taken in turn; then descriptions if all skills are named. Skills without room are counted.
 */
function renderShort(groups: SkillGroup[], indexTokens: number, request: string): string {
  const total = countSkills(groups);
  const budget = createTokenBudget(indexTokens - estimateTokens(toBlock([countLine(total)])));
  const counted = fitHeadings(groups, budget, indexTokens * PARTS.categories.share);
  const described = new Set<SkillUnit>();
  const parts = [
    describe(FITTING, pickFitting(groups, request), PARTS.fitting),
    describe(PROVEN, pickProven(groups), PARTS.proven),
  ];
  const named = nameSkillsInTurn(counted, described, budget);
  const shown = [...described, ...[...named.values()].flat()].reduce((sum, unit) => sum + unit.length, 0);
  parts.push(...counted.map((group) => renderNamedGroup(group, named.get(group)!, described, budget, shown === total)));
  return toBlock([...parts.filter(Boolean), ...(shown < total ? [countLine(total - shown)] : [])]);

  function describe(title: string, units: SkillUnit[], part: (typeof PARTS)["fitting"]): string {
    const sub = budget.within(indexTokens * part.share);
    const fresh = units.filter((unit) => !described.has(unit)).slice(0, part.most);
    if (fresh.length === 0 || !sub.spend(`${title}\n`)) return "";
    const paid = takeWhile(fresh, (unit) => sub.spend(`${toLines(unit, part.maxChars)}\n`));
    for (const unit of paid) described.add(unit);
    return paid.length > 0 ? [title, ...paid.map((unit) => toLines(unit, part.maxChars))].join("\n") : "";
  }
}

/** Best first, without stale skills. */
function pickFitting(groups: SkillGroup[], request: string): SkillUnit[] {
  const living = livingUnits(groups);
  const scores = scoreSkills(living.flat(), request);
  const scoreOf = (unit: SkillUnit) => unit.reduce((best, line) => Math.max(best, scores.get(line) ?? 0), 0);
  return scores.size === 0 ? [] : pickBest(living, scoreOf, PARTS.fitting.most);
}

/** Often used and judged well. A skill without judgements counts half. */
function pickProven(groups: SkillGroup[]): SkillUnit[] {
  const score = ([line]: SkillUnit) => {
    if (!line?.use) return 0;
    const { uses, successes, failures } = line.use;
    return (Math.log1p(uses) * (successes + 1)) / (successes + failures + 2);
  };
  // Some of the best may already be listed under the request.
  return pickBest(livingUnits(groups), score, PARTS.fitting.most + PARTS.proven.most);
}

function livingUnits(groups: SkillGroup[]): SkillUnit[] {
  return groups.filter(({ title }) => title !== STALE).flatMap((group) => group.units);
}

/** The best units with a score above 0, by name when scores are equal. Avoids sorting all units. */
function pickBest(units: SkillUnit[], scoreOf: (unit: SkillUnit) => number, most: number): SkillUnit[] {
  const order = (a: ScoredUnit, b: ScoredUnit) => b.score - a.score || compare(a.unit[0]!.name, b.unit[0]!.name);
  let best: ScoredUnit[] = [];
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

interface ScoredUnit {
  unit: SkillUnit;
  score: number;
}

/** The groups that get a heading with their count. The largest ones if not all fit, in their original order. */
function fitHeadings(groups: SkillGroup[], budget: TokenBudget, tokens: number): SkillGroup[] {
  const sub = budget.within(tokens);
  const bySize = [...groups].sort((a, b) => b.units.length - a.units.length);
  const paid = new Set(
    takeWhile(bySize.slice(0, PARTS.categories.most), (group) => sub.spend(`${countedTitle(group)}:\n  `)),
  );
  return groups.filter((group) => paid.has(group));
}

/** Names skills in turn: one of each group, then the next of each. Stale skills come after all others. */
function nameSkillsInTurn(
  groups: SkillGroup[],
  described: Set<SkillUnit>,
  budget: TokenBudget,
): Map<SkillGroup, SkillUnit[]> {
  const named = new Map(groups.map((group) => [group, [] as SkillUnit[]]));
  const living = groups.filter(({ title }) => title !== STALE);
  for (const round of [living, groups.filter(({ title }) => title === STALE)]) {
    let open = round.map((group) => ({ group, rest: group.units.filter((unit) => !described.has(unit)), at: 0 }));
    while (open.length > 0) {
      open = open.filter((turn) => {
        const unit = turn.rest[turn.at++];
        if (!unit || !budget.spend(`${namesOf(unit)}, `)) return false;
        named.get(turn.group)!.push(unit);
        return true;
      });
    }
  }
  return named;
}

/** With `describes`, the first skills get a description as long as the budget lasts. */
function renderNamedGroup(
  group: SkillGroup,
  named: SkillUnit[],
  described: Set<SkillUnit>,
  budget: TokenBudget,
  describes: boolean,
): string {
  const maxChars = DESCRIPTION_CHARS.at(-1)!;
  const withText = describes ? takeWhile(named, (unit) => budget.spend(`${toLines(unit, maxChars)}\n`)) : [];
  const names = named.slice(withText.length).map(namesOf);
  const isWhole = named.length + group.units.filter((unit) => described.has(unit)).length === group.units.length;
  const lines = [
    `${isWhole ? group.title : countedTitle(group)}:`,
    ...withText.map((unit) => toLines(unit, maxChars)),
    ...(names.length > 0 ? [`  ${names.join(", ")}`] : []),
  ];
  return lines.length === 1 && isWhole ? "" : lines.join("\n");
}

function countedTitle(group: SkillGroup): string {
  return `${group.title} (${group.count} in all)`;
}

function countLine(count: number): string {
  return `${count} more ${count === 1 ? "skill" : "skills"}`;
}

function countSkills(groups: SkillGroup[]): number {
  return groups.reduce((sum, group) => sum + group.count, 0);
}

interface TokenBudget {
  spend(piece: string): boolean;
  /** A part of this budget. Whatever it spends is also taken from its parent. */
  within(tokens: number): TokenBudget;
}

/** Charges slightly more than each piece costs, so that the whole block never exceeds the budget. */
function createTokenBudget(tokens: number, parent?: { take(cost: number): boolean }): TokenBudget {
  let left = tokens - 2;
  const take = (cost: number): boolean => {
    if (cost > left || (parent && !parent.take(cost))) return false;
    left -= cost;
    return true;
  };
  return {
    spend: (piece) => take(estimateTokens(piece) + 1),
    within: (part) => createTokenBudget(part, { take }),
  };
}

function takeWhile<T>(items: T[], takes: (item: T) => boolean): T[] {
  const end = items.findIndex((item) => !takes(item));
  return end < 0 ? items : items.slice(0, end);
}

function namesOf(unit: SkillUnit): string {
  return unit.map((line) => line.name).join(", ");
}

function toLines(unit: SkillUnit, maxChars: number): string {
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

/** Compares by code unit. A locale could differ between runtimes and change the bytes. */
function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
