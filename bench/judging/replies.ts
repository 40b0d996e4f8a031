// How often a judge reads right what a person wrote after an answer.
import { judgeMessage } from "../../core/learning/observe/judge-message.ts";
import type { ReplyRow } from "./rows.ts";

/** Shares of the replies that say something, but `falseOnNone`: of those that say nothing. `null`: there are none. */
export interface ReplyFigures {
  right: number | null;
  silent: number | null;
  wrong: number | null;
  falseOnNone: number | null;
  correctionF1: number | null;
}

export interface Said {
  verdict: ReplyRow["verdict"];
  correction: boolean;
}

export interface JudgedReply {
  row: ReplyRow;
  said: Said;
}

export function judgeByRules(row: ReplyRow): Said {
  const { outcome, correction } = judgeMessage(row.reply, {
    asked: hasAsked(row.answer),
    request: row.request,
    answer: row.answer,
  });
  return { verdict: outcome === "unknown" ? "none" : outcome, correction };
}

/** Of a gist; the product looks for a question mark in an answer's last words. */
function hasAsked(answer: string): boolean {
  return /[?？]\P{L}*$|\b(?:asked|asks|fragte|demandé|preguntó|perguntou)\b|问|聞い/iu.test(answer);
}

export function toReplyFigures(judged: readonly JudgedReply[]): ReplyFigures {
  const telling = judged.filter(({ row }) => row.verdict !== "none");
  const idle = judged.filter(({ row }) => row.verdict === "none");
  const right = telling.filter(({ row, said }) => said.verdict === row.verdict).length;
  const silent = telling.filter(({ said }) => said.verdict === "none").length;
  const corrected = judged.filter(({ row }) => row.correction).length;
  const found = judged.filter(({ said }) => said.correction).length;
  const both = judged.filter(({ row, said }) => row.correction && said.correction).length;
  return {
    right: share(right, telling.length),
    silent: share(silent, telling.length),
    wrong: share(telling.length - right - silent, telling.length),
    falseOnNone: share(idle.filter(({ said }) => said.verdict !== "none").length, idle.length),
    correctionF1: share(2 * both, corrected + found),
  };
}

/** Four decimals; `null`: of nothing. */
export function share(part: number, of: number): number | null {
  return of === 0 ? null : Math.round((part / of) * 10_000) / 10_000;
}
