// Measures how many evidence messages are among the first ten results: in an archive for each conversation, there with plain FTS5
// too, and in one archive with all conversations and other messages.
import { createBenchSql } from "../learning/platform/sql.ts";
import type { Conversation, Evidence, Question } from "./conversations.ts";
import { addOtherSessions } from "./other-sessions.ts";
import { openPlainSearch } from "./plain-search.ts";
import { type Place, type Search, openProductSearch } from "./product-search.ts";

/** Shares of a question's evidence that were found; means of them for several questions. */
export interface Shares {
  turn: number;
  turnWindow: number;
  session: number;
}
export interface Recall {
  /** An archive for each conversation. */
  own: Shares;
  /** The same with plain FTS5. */
  plain: Shares;
  /** One archive with all conversations and other messages. */
  pooled: Shares;
  /** As `own`, with the number of questions. */
  byCategory: { category: number | null; questions: number; shares: Shares }[];
}

const FIRST = 10;
/** Messages on each side of a result that a window of session_search contains. */
const WINDOW = 5;

export function measureRecall(
  conversations: Conversation[],
  pooledOthers: number,
  say: (line: string) => void,
): Recall {
  say("searching each conversation");
  const own = conversations.flatMap((one) => scoreAll([one], openProductSearch(createBenchSql(), one.sessions)));
  const plain = conversations.flatMap((one) => scoreAll([one], openPlainSearch(one.sessions)));
  const sessions = conversations.flatMap((one) => one.sessions);
  say(`filling an archive with all conversations and ${pooledOthers} other messages`);
  const pooledSearch = openProductSearch(createBenchSql(), addOtherSessions(sessions, pooledOthers));
  say("searching it");
  const pooled = scoreAll(conversations, pooledSearch);
  const byCategory = [...Map.groupBy(own, ({ question }) => question.category)]
    .map(([category, scores]) => ({ category, questions: scores.length, shares: toMean(scores) }))
    .toSorted((a, b) => (a.category ?? 0) - (b.category ?? 0));
  return { own: toMean(own), plain: toMean(plain), pooled: toMean(pooled), byCategory };
}

interface Score extends Shares {
  question: Question;
}

function scoreAll(conversations: Conversation[], search: Search): Score[] {
  return conversations.flatMap(({ questions }) =>
    questions.map((question) => ({ question, ...scoreRanking(question.evidence, search(question.text)) })),
  );
}

/** Messages are counted before sessions are made distinct: ten messages of one session are the first ten. */
export function scoreRanking(evidence: Evidence[], ranking: Place[]): Shares {
  const first = ranking.slice(0, FIRST);
  const sessions = new Set([...new Set(ranking.map(({ session }) => session))].slice(0, FIRST));
  const isNear = ({ session, n }: Evidence, reach: number) =>
    n !== null && first.some((place) => place.session === session && Math.abs(place.n - n) <= reach);
  const wanted = [...new Set(evidence.map(({ session }) => session))];
  return {
    turn: shareOf(evidence, (one) => isNear(one, 0)),
    turnWindow: shareOf(evidence, (one) => isNear(one, WINDOW)),
    session: shareOf(wanted, (session) => sessions.has(session)),
  };
}

function shareOf<T>(items: T[], is: (item: T) => boolean): number {
  return items.filter(is).length / items.length;
}

function toMean(scores: Shares[]): Shares {
  const mean = (field: keyof Shares) => scores.reduce((sum, score) => sum + score[field], 0) / scores.length;
  return { turn: mean("turn"), turnWindow: mean("turnWindow"), session: mean("session") };
}
