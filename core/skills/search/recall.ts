// Picks the skill that a request calls for so clearly that its text is loaded before the model asks. Models overlook
// skills that fit (docs/decisions/0034-what-helped-before-is-recalled.md), and a skill that is never loaded gains no
// evidence. Only skills that the agent learned and that have helped are recalled. Usually none is. Pure.
import { escapeTags } from "../../prompt-block.ts";
import type { Part } from "../../schemas/entry.ts";
import type { SkillLine } from "../../schemas/api.ts";
import type { SkillName } from "../../schemas/ids.ts";
import { SKILLS_OPEN, filesOf, renderFailedWords } from "../invocation.ts";
import type { SkillView } from "../library.ts";
import { isLearned } from "../edit/protection.ts";
import { scoreSkills } from "./ranking.ts";
import { wordsOf } from "./words.ts";

/** Fewest judged successes of a recalled skill. It also needs more successes than failures. One success can be chance. */
const MIN_SUCCESSES = 2;
/** Only the beginning of a request is compared. Later text is often pasted and may come from a stranger. */
const MAX_REQUEST_CHARS = 500;
// The three thresholds below were measured with `npm run bench:skills`: 218 requests to libraries of 31 real skills. They recall
// the right skill for 36 % of the requests and a wrong one for 2.4 %. Where no skill fits, they recall one for 2.4 %.

/** Fewest words that the request shares with the skill's name and description. */
const MIN_SHARED = 2;
/** Smallest share of the words of the name and description that are shared. */
const MIN_SHARE = 0.15;
/** Smallest ratio of the best score to that of the next skill that has helped. */
const MIN_LEAD = 1.5;
/** Longest text of a recalled skill, companion included. */
const MAX_CHARS = 12_000;

/** `lines`: the offered skills. A skill and its companion count as one; the returned name is the skill's. */
export function pickRecalled(lines: SkillLine[], request: string): SkillName | null {
  const asked = ownWords(request);
  const scores = scoreSkills(lines, asked);
  if (scores.size === 0) return null;
  const bases = new Map(lines.filter((line) => !line.extends).map((line) => [line.name, line]));
  const best = new Map<SkillName, { line: SkillLine; score: number }>();
  for (const [line, score] of scores) {
    const name = line.extends ?? line.name;
    if (bases.get(name)?.state === "stale" || score <= (best.get(name)?.score ?? 0)) continue;
    best.set(name, { line, score });
  }
  const helped = new Set(lines.filter(hasHelped).map((line) => line.extends ?? line.name));
  const ranked = [...best].sort(([, a], [, b]) => b.score - a.score);
  const [first, next] = ranked.filter(([name]) => helped.has(name));
  if (!first) return null;
  const [name, { line, score }] = first;
  const leads = score >= ranked[0]![1].score && score >= MIN_LEAD * (next?.[1].score ?? 0);
  return leads && fits(line, asked) ? name : null;
}

/** The request without code and quotes. */
function ownWords(request: string): string {
  return request
    .slice(0, 4 * MAX_REQUEST_CHARS)
    .replace(/```[\s\S]*?(?:```|$)/gu, " ")
    .replace(/`[^`\n]*`|^[ \t]*>.*$/gmu, " ")
    .slice(0, MAX_REQUEST_CHARS);
}

function hasHelped(line: SkillLine): boolean {
  const { successes = 0, failures = 0 } = line.use ?? {};
  return isLearned(line) && line.state !== "stale" && successes >= MIN_SUCCESSES && successes > failures;
}

function fits({ name, description }: SkillLine, request: string): boolean {
  const own = wordsOf(`${name.replaceAll("-", " ")} ${description}`);
  const shared = [...wordsOf(request)].filter((word) => own.has(word)).length;
  return shared >= MIN_SHARED && shared >= MIN_SHARE * own.size;
}

/**
 * Whether a skill may be recalled. Skills with a notice, missing settings, bundle members or a long text are loaded on
 * request only.
 */
export function mayRecall({ content, notice, missing, bundle }: SkillView): boolean {
  return !notice && !missing && !bundle && content.length <= MAX_CHARS;
}

/** The parts of the note after the input. */
export function renderRecalled(view: SkillView): Part[] {
  const { name, content } = view;
  return [
    {
      source: "outcome",
      text:
        `${SKILLS_OPEN}Your skill '${name}' fits this request and has helped before, so it is loaded already. ` +
        `Follow it where it applies, and pass over it where it does not.\n${renderFailedWords(view)}<skill name="${name}">\n`,
    },
    { source: "own", text: escapeTags(content) },
    { source: "outcome", text: "\n</skill>\n" },
    ...(view.files.length > 1 ? [{ source: "own" as const, text: filesOf(view) }] : []),
    { source: "outcome", text: "</skills>" },
  ];
}
