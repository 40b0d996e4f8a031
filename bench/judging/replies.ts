// Measures how often a judge reads a person's reply correctly. Pure.
import { judgeMessage } from "../../core/learning/observe/judge-message.ts";
import type { ReplyRow } from "./rows.ts";

/** Shares of the replies with a verdict; `falseOnNone` is a share of those without one. `null` if there are no such replies. */
export interface ReplyFigures {
  right: number | null;
  silent: number | null;
  wrong: number | null;
  falseOnNone: number | null;
  correctionF1: number | null;
}

export interface JudgedWords {
  verdict: ReplyRow["verdict"];
  correction: boolean;
}

export interface JudgedReply {
  row: ReplyRow;
  said: JudgedWords;
}

export function judgeByRules(row: ReplyRow): JudgedWords {
  const { outcome, correction } = judgeMessage(row.reply, {
    asked: hasAsked(row.answer),
    request: row.request,
    answer: row.answer,
  });
  return { verdict: outcome === "unknown" ? "none" : outcome, correction };
}

/** Works on the gist of an answer. The product checks the answer's last words for a question mark. */
function hasAsked(answer: string): boolean {
  return /[?？]\P{L}*$|\b(?:asked|asks|fragte|demandé|preguntó|perguntou)\b|问|聞い/iu.test(answer);
}

export function toReplyFigures(judged: readonly JudgedReply[]): ReplyFigures {
  const decided = judged.filter(({ row }) => row.verdict !== "none");
  const undecided = judged.filter(({ row }) => row.verdict === "none");
  const right = decided.filter(({ row, said }) => said.verdict === row.verdict).length;
  const silent = decided.filter(({ said }) => said.verdict === "none").length;
  const corrected = judged.filter(({ row }) => row.correction).length;
  const found = judged.filter(({ said }) => said.correction).length;
  const both = judged.filter(({ row, said }) => row.correction && said.correction).length;
  return {
    right: share(right, decided.length),
    silent: share(silent, decided.length),
    wrong: share(decided.length - right - silent, decided.length),
    falseOnNone: share(undecided.filter(({ said }) => said.verdict !== "none").length, undecided.length),
    correctionF1: share(2 * both, corrected + found),
  };
}

/** Four decimals; `null` if `of` is zero. */
export function share(part: number, of: number): number | null {
  return of === 0 ? null : Math.round((part / of) * 10_000) / 10_000;
}
