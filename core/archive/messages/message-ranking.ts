// Ranks messages by the words of a query: their own, those of the messages around them, and those of their heading. The second stage of
// a search: the index finds candidates by their own words alone, message-archive.ts reads the messages around them, and this file
// orders them all. Pure.

/** Scored as BM25F: a word counts by where it is. [own] Chosen on four conversations of LoCoMo; docs/decisions/0061. */
const HEADING_WEIGHT = 0.8;
const NEIGHBOURS = [
  { offset: -1, weight: 0.5 },
  { offset: 1, weight: 0.3 },
  { offset: -2, weight: 0.25 },
  { offset: 2, weight: 0.25 },
];
/** BM25: how soon repetitions of a word stop to count, and how much longer texts are discounted. */
const K1 = 0.8;
const B = 0.75;
/** Part of the better neighbour's score that a message gains: what belongs to one exchange is found together. */
const NEIGHBOUR_SHARE = 0.3;
/** Messages on each side whose words count. */
export const REACH = 2;
/**
 * A longer neighbour counts as a sample of itself, this many times as long as the mean message: its length and its words in proportion.
 * At full length, a tool result would discount the messages around it threefold. 3 and 6 give the same figures of bench:recall.
 */
const NEIGHBOUR_MEANS = 4;

/** How often words of the query are in a message's text and heading. `length`: all words of its text. */
export interface CountedWords {
  words: Map<string, number>;
  heading: Map<string, number>;
  length: number;
}

export interface RankedMessage extends CountedWords {
  id: number;
  /** Position among the indexed messages of its session: neighbours differ by 1. */
  place: number;
  session: string;
}

export interface Corpus {
  /** Indexed messages, and the mean number of their words. */
  messages: number;
  meanWords: number;
  /** In how many messages each word of the query is. */
  frequencies: Map<string, number>;
}

/** `messages`: candidates and the messages around them. Returns ids with scores, best first, without messages of score 0. */
export function rankMessages(messages: RankedMessage[], corpus: Corpus): { id: number; score: number }[] {
  const rarities = [...corpus.frequencies].map(([word, count]) => [word, rarityOf(count, corpus.messages)] as const);
  const places = new Map(messages.map((message) => [toPlace(message.session, message.place), message]));
  const at = (message: RankedMessage, offset: number) => places.get(toPlace(message.session, message.place + offset));
  const own = new Map(messages.map((message) => [toPlace(message.session, message.place), scoreOf(message)]));

  function scoreOf(message: RankedMessage): number {
    const near = NEIGHBOURS.flatMap(({ offset, weight }) => {
      const neighbour = at(message, offset);
      if (!neighbour) return [];
      const share = Math.min(1, (NEIGHBOUR_MEANS * corpus.meanWords) / Math.max(1, neighbour.length));
      return [{ words: neighbour.words, length: share * neighbour.length, weight: share * weight }];
    });
    const words = near.reduce((sum, { length }) => sum + length, message.length);
    const saturation = K1 * (1 - B + (B * words) / ((1 + 2 * REACH) * corpus.meanWords));
    let score = 0;
    for (const [word, rarity] of rarities) {
      const count = near.reduce(
        (sum, neighbour) => sum + neighbour.weight * (neighbour.words.get(word) ?? 0),
        (message.words.get(word) ?? 0) + HEADING_WEIGHT * (message.heading.get(word) ?? 0),
      );
      score += (rarity * count * (K1 + 1)) / (count + saturation);
    }
    return score;
  }

  return messages
    .map(({ id, session, place }) => {
      const near = [-1, 1].map((offset) => own.get(toPlace(session, place + offset)) ?? 0);
      return { id, score: own.get(toPlace(session, place))! + NEIGHBOUR_SHARE * Math.max(...near) };
    })
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || b.id - a.id);
}

/** `words` and `heading`: what `toIndexedWords` returns. `wanted`: the words of the query. */
export function countWords(words: string, heading: string, wanted: Map<string, unknown>): CountedWords {
  const all = words === "" ? [] : words.split(" ");
  return { words: count(all, wanted), heading: count(heading.split(" "), wanted), length: all.length };
}

function count(words: string[], wanted: Map<string, unknown>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) if (wanted.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** BM25's weight of a word, never below a trifle, so that a word of most messages still orders what has it. */
function rarityOf(count: number, messages: number): number {
  return Math.max(1e-6, Math.log((messages - count + 0.5) / (count + 0.5)));
}

function toPlace(session: string, place: number): string {
  return `${session} ${place}`;
}
