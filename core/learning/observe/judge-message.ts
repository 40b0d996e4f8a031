// Judges an answer by the person's next message. The session calls it when the message has begun its own turn, unless a
// reviewer has judged already. Rules weigh phrases of seven languages (reply-words/) and decide only when one side is clear;
// everything else is `unknown`, which counts for nothing. Pure.
import type { ToolEntry } from "../../schemas/entry.ts";
import type { Outcome } from "../../schemas/skill.ts";
import { namesOtherValue } from "./other-value.ts";
import { type Sentence, readMessage } from "./read-message.ts";
import { DOUBTFUL, type Evidence, hasKind, sumWeights, saysHow, weighMessage } from "./weigh-message.ts";
import { CLEAR, SHORT_WORDS } from "./weigh-phrase.ts";

interface MessageVerdict {
  outcome: Outcome;
  /** The message says how the answer should have been, or how the next one should be. */
  correction: boolean;
}

/** What the session knows about the answer. */
interface MessageContext {
  /** The answer ended with a question, which the message may answer. */
  asked?: boolean;
  /** What the person had asked for. */
  request?: string;
  /** The text of the answer. */
  answer?: string;
  /** The tool calls that worked on the task. */
  calls?: ToolEntry[];
}

/** Kinds of phrases that say what is wrong. */
const SAYS_WHAT: ReadonlySet<Evidence["kind"]> = new Set(["exception", "wish", "hint"]);

export function judgeMessage(
  message: string,
  { asked = false, request = "", answer = "", calls = [] }: MessageContext = {},
): MessageVerdict {
  const sentences = readMessage(message, { request, answer });
  const evidence = weighMessage(sentences, asked);
  const discount = hasKind(sentences, "idle") ? CLEAR : 0;
  const good = sumWeights(evidence.filter(({ weight }) => weight > 0)) - discount;
  const bad = -sumWeights(evidence.filter(({ weight }) => weight < 0)) - discount;
  // Without a "but", a complaint next to praise may be about the past: "the wrong one is gone, lovely".
  const isOpen = !evidence.some(({ kind }) => SAYS_WHAT.has(kind));
  const isChanged = hasKind(sentences, "now") && isGoodNews(evidence.at(-1));
  const outcome = isOneLooseWord(sentences, evidence, asked)
    ? "unknown"
    : decideOutcome({ good, bad, isOpen, isChanged });
  const isFollowUp =
    good > 0 ||
    hasKind(sentences, "more") ||
    hasKind(sentences, "now") ||
    (outcome === "unknown" && sentences.some(({ isQuestion }) => isQuestion));
  const correction =
    (outcome === "failure" && (evidence.some(isWish) || sentences.some(saysHow))) ||
    (outcome === "success" && hasKind(sentences, "nextTime")) ||
    (!isFollowUp && namesOtherValue(message, calls));
  return { outcome, correction };
}

/** Whether the only evidence is one loose word, in a message that says more. */
function isOneLooseWord(sentences: readonly Sentence[], evidence: readonly Evidence[], asked: boolean): boolean {
  const [only, ...others] = evidence;
  if (!only?.isLoose || others.length > 0) return false;
  return sentences.flatMap(({ words }) => words).length > (asked ? 1 : SHORT_WORDS);
}

function isGoodNews(last: Evidence | undefined): boolean {
  return last !== undefined && last.weight > 0 && (last.kind === "effect" || last.kind === "praise");
}

function isWish({ kind }: Evidence): boolean {
  return kind === "wish" || kind === "hint";
}

/**
 * `good` and `bad`: the summed weights of praise and of complaints. `isOpen`: the complaint may be about the past. `isChanged`: the
 * message ends with the news that the result is good now.
 */
function decideOutcome(sums: { good: number; bad: number; isOpen: boolean; isChanged: boolean }): Outcome {
  const { good, bad, isOpen, isChanged } = sums;
  if (bad >= CLEAR) {
    if (good < CLEAR || !isOpen) return "failure";
    return isChanged ? "success" : "unknown";
  }
  const isClear = good >= CLEAR && (bad < DOUBTFUL || good > CLEAR);
  return isClear ? "success" : "unknown";
}
