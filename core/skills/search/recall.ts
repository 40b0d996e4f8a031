// Which skill a request calls for so plainly that its text is put in front of the model before it asks. Models pass over skills
// that fit (docs/decisions/0034-what-helped-before-is-recalled.md), and what nobody loads teaches nobody. Only what the agent
// learned by itself and what has helped is recalled; to recall nothing is the normal case. Pure.
import { escapeTags } from "../../prompt-block.ts";
import type { Part } from "../../schemas/entry.ts";
import type { SkillLine } from "../../schemas/api.ts";
import type { SkillName } from "../../schemas/ids.ts";
import { SKILLS_OPEN, filesOf, renderFailedWords } from "../invocation.ts";
import type { SkillView } from "../library.ts";
import { isLearned } from "../edit/protection.ts";
import { scoreSkills } from "./ranking.ts";
import { wordsOf } from "./words.ts";

/** Judged successes to its name, and more of them than failures: of one anything may be the cause. */
const MIN_SUCCESSES = 2;
/** Of a request: what is pasted behind it is not what it is about, and may be a stranger's. */
const MAX_REQUEST_CHARS = 500;
/**
 * Words that the request has in common with name and description, their share of the words there, and how far the next skill
 * that has helped must lie behind; none of the others may lie ahead. Over 218 requests to libraries of 31 real skills this finds
 * the right one for 36 % and another for 2.4 %, and something for 2.4 % of the requests that none of the library is for
 * (`npm run bench:skills`).
 */
const MIN_SHARED = 2;
const MIN_SHARE = 0.15;
const MIN_LEAD = 1.5;
/** Of a text with its companion; a longer one is loaded by who wants it. */
const MAX_CHARS = 12_000;

/** `lines`: what is offered. A skill and its companion are one; the name is the skill's. */
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

/** Without code, and what others wrote. */
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

/** What there is something to say about, what brings others along and what is long is loaded by who wants it. */
export function mayRecall({ content, notice, missing, bundle }: SkillView): boolean {
  return !notice && !missing && !bundle && content.length <= MAX_CHARS;
}

/** The parts of the note behind the input. */
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
