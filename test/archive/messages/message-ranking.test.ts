import { describe, expect, it } from "vitest";
import { type Corpus, countWords, rankMessages } from "../../../core/archive/messages/message-ranking.ts";

const corpus: Corpus = {
  messages: 1_000,
  meanWords: 10,
  frequencies: new Map([
    ["red", 20],
    ["bridg", 20],
  ]),
};

/** The messages of one session, from indexed words. Ids are `base` and those after it. */
function toSession(session: string, base: number, texts: string[], headings: string[] = []) {
  return texts.map((words, i) => ({
    ...{ id: base + i, session, place: i + 1 },
    ...countWords(words, headings[i] ?? "", corpus.frequencies),
  }));
}

const scoresOf = (...sessions: ReturnType<typeof toSession>[]) =>
  new Map(rankMessages(sessions.flat(), corpus).map(({ id, score }) => [id, score]));
const filler = (count: number) => "filler ".repeat(count).trim();

describe("the ranking of messages", () => {
  it("prefers both words to one word twice, and one to none", () => {
    const ranked = rankMessages(
      [1, 2, 3].flatMap((n) => toSession(`s${n}`, n, [["red red", "red bridg", "x"][n - 1]!])),
      corpus,
    );
    expect(ranked.map(({ id }) => id)).toEqual([2, 1]);
  });

  it("counts words of two neighbours on each side, the one before most, and no farther ones", () => {
    const scores = scoresOf(toSession("s", 1, ["x", "x", "x", "red bridg", "x", "x", "x", "x"]));
    const byPlace = [1, 2, 3, 4, 5, 6, 7, 8].map((id) => scores.get(id) ?? 0);
    expect(byPlace[3]).toBe(Math.max(...byPlace));
    expect(byPlace[4]).toBeGreaterThan(byPlace[2]!);
    expect(byPlace[2]).toBeGreaterThan(byPlace[1]!);
    expect(byPlace[7]).toBe(0);
  });

  it("counts a word of the heading less than one of the text", () => {
    const scores = scoresOf(toSession("a", 1, ["red x"]), toSession("b", 2, ["x x"], ["red"]));
    expect(scores.get(1)).toBeGreaterThan(scores.get(2)!);
    expect(scores.get(2)).toBeGreaterThan(0);
  });

  it("orders equal messages by age, newest first", () => {
    expect(
      rankMessages([...toSession("a", 1, ["red"]), ...toSession("b", 2, ["red"])], corpus).map(({ id }) => id),
    ).toEqual([2, 1]);
  });

  it("scores a word that most messages have, but less than any other", () => {
    const common: Corpus = {
      ...corpus,
      frequencies: new Map([
        ["red", 990],
        ["bridg", 400],
      ]),
    };
    const messages = [...toSession("a", 1, ["red red red"]), ...toSession("b", 2, ["bridg"])];
    expect(rankMessages(messages, common).map(({ id }) => id)).toEqual([2, 1]);
  });

  it("barely discounts a message because a long tool result is next to it", () => {
    const scores = scoresOf(
      toSession("a", 1, ["red bridg", filler(2_600)]),
      toSession("b", 3, ["red bridg", filler(40)]),
    );
    expect(scores.get(1)).toBeGreaterThan(0.8 * scores.get(3)!);
  });

  it("barely lifts a message because a neighbour is stuffed with words", () => {
    const stuffed = `${"red bridg ".repeat(9)}${filler(2_600)}`;
    const scores = scoresOf(toSession("a", 1, ["x", stuffed, "x"]), toSession("b", 4, ["red bridg"]));
    expect(Math.max(scores.get(1)!, scores.get(3)!)).toBeLessThan(scores.get(4)! / 3);
  });

  it("finds nothing without words or messages", () => {
    expect(rankMessages([], corpus)).toEqual([]);
    expect(rankMessages(toSession("a", 1, ["red"]), { ...corpus, frequencies: new Map() })).toEqual([]);
  });
});
