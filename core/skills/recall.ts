// Which skill a request calls for so plainly that its text is put in front of the model before it asks. Models pass over skills
// that fit (docs/decisions/0034-what-helped-before-is-recalled.md), and what nobody loads teaches nobody. Only what the agent
// learned by itself and what has helped is recalled; to recall nothing is the normal case. Pure.
import type { Part } from "../schemas/entry.ts";
import type { SkillLine } from "../schemas/api.ts";
import type { SkillName } from "../schemas/ids.ts";
import { disarm, filesOf } from "./invocation.ts";
import type { SkillView } from "./library.ts";
import { isLearned } from "./protection.ts";
import { scoreSkills } from "./ranking.ts";
import { wordsOf } from "./words.ts";

/** Judged successes to its name: of one anything may be the cause. */
const MIN_SUCCESSES = 2;
/**
 * Words that the request has in common with name and description, their share of the words there, and how far the next skill
 * must lie behind. Over 207 requests to libraries of 30 real skills this finds the right one for 37 % and a wrong one for
 * 0.5 %; for 2.4 % of the requests that none of the library is for, and for none of 253 questions out of everyday talk.
 */
const MIN_SHARED = 2;
const MIN_SHARE = 0.15;
const MIN_LEAD = 1.5;
/** Of a text with its companion; a longer one is loaded by who wants it. */
const MAX_CHARS = 12_000;

/** `lines`: what is offered. A skill and its companion are one; the name is the skill's. */
export function pickRecalled(lines: SkillLine[], request: string): SkillName | null {
  const scores = scoreSkills(lines, request);
  if (scores.size === 0) return null;
  const bases = new Map(lines.filter((line) => !line.extends).map((line) => [line.name, line]));
  const best = new Map<SkillName, { line: SkillLine; score: number }>();
  for (const [line, score] of scores) {
    const name = line.extends ?? line.name;
    if (bases.get(name)?.state === "stale" || score <= (best.get(name)?.score ?? 0)) continue;
    best.set(name, { line, score });
  }
  const helped = new Set(lines.filter(hasHelped).map((line) => line.extends ?? line.name));
  const [first, next] = [...best].filter(([name]) => helped.has(name)).sort(([, a], [, b]) => b.score - a.score);
  if (!first) return null;
  const [name, { line, score }] = first;
  return fits(line, request) && score >= MIN_LEAD * (next?.[1].score ?? 0) ? name : null;
}

function hasHelped(line: SkillLine): boolean {
  return isLearned(line) && line.state !== "stale" && (line.use?.successes ?? 0) >= MIN_SUCCESSES;
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
        `Your skill '${name}' fits this request and has helped before, so it is loaded already. Follow it where it applies, and ` +
        `pass over it where it does not.\n<skill name="${name}">\n`,
    },
    { source: "own", text: disarm(content) },
    { source: "outcome", text: "\n</skill>\n" },
    ...(view.files.length > 1 ? [{ source: "own" as const, text: filesOf(view) }] : []),
  ];
}
