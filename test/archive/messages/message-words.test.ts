import { describe, expect, it } from "vitest";
import {
  MAX_INDEXED_CHARS,
  findWords,
  isSingleSign,
  toDateWords,
  toExactPieces,
  toIndexedWords,
  toQueryWords,
  toStoredText,
} from "../../../core/archive/messages/message-words.ts";

describe("the words of a message", () => {
  it("are English stems in their order, with repetitions, without words that say nothing", () => {
    expect(toIndexedWords("She was painting the paintings, and painted.")).toBe("paint paint paint");
  });

  it("have one spelling for each case and width of a letter", () => {
    expect(toIndexedWords("ＤＯＣＫＥＲ Docker café cafe\u0301")).toBe("docker docker café café");
  });

  it("are pairs of characters and the last character where a script does not separate words", () => {
    expect(toIndexedWords("黒猫です")).toBe("黒猫 猫で です す");
    expect(toIndexedWords("서버를")).toBe("서버 버를 를");
    expect(toIndexedWords("แมว")).toBe("แม มว ว");
    expect(toIndexedWords("猫")).toBe("猫");
  });

  it("keep the long-vowel mark of Japanese within its word", () => {
    expect(toIndexedWords("サーバー")).toBe("サー ーバ バー ー");
  });

  it("include a Latin word within Chinese text", () => {
    expect(toIndexedWords("使用Docker部署v2服务")).toBe("使用 用 docker 部署 署 v2 服务 务");
  });

  it("leave out emoji, signs, lone surrogates and NUL characters", () => {
    expect(toIndexedWords("🎉 ❤️ ## \ud800 a\0bridge")).toBe("bridg");
    expect(toIndexedWords("")).toBe("");
  });

  it("shorten a run that is data", () => {
    const words = toIndexedWords(`${"a".repeat(5_000)} ${"𐐨".repeat(200)}`).split(" ");
    expect(words.map((word) => word.length)).toEqual([60, 60]);
    expect(words.every((word) => word.isWellFormed())).toBe(true);
  });

  it("stay few when each character folds to six", () => {
    expect(toIndexedWords("㌖".repeat(MAX_INDEXED_CHARS)).length).toBeLessThan(4 * MAX_INDEXED_CHARS);
  });
});

describe("the words of a query", () => {
  it("are distinct and at most 24", () => {
    expect(toQueryWords("Mel's bridge, Mel’s BRIDGES")).toEqual(["mel", "bridg"]);
    expect(toQueryWords(Array.from({ length: 100 }, (_, i) => `w${i}`).join(" "))).toHaveLength(24);
  });

  it("have no last character of their own, as those of a message do", () => {
    expect(toQueryWords("黒猫 犬")).toEqual(["黒猫", "犬"]);
    expect(["黒猫", "犬", "a"].map(isSingleSign)).toEqual([false, true, false]);
  });

  it.each(["", " ", "what is it that you have", "🎉", "\0", "\ud800", '"*^-()'])("are none for %j", (query) => {
    expect(toQueryWords(query)).toEqual([]);
  });
});

describe("the exact pieces of a query", () => {
  it("are quoted texts, in any quotes, of three characters or more", () => {
    expect(toExactPieces('"disk full" “no space” 「東京駅」 «и так» "ab"')).toEqual([
      "disk full",
      "no space",
      "東京駅",
      "и так",
    ]);
  });

  it("are file names, versions, error codes and addresses, without the signs around them", () => {
    expect(toExactPieces("Is ERR_404 in (src/app.ts), v1.2.3 or std::vector? See a@b.org.")).toEqual([
      "ERR_404",
      "src/app.ts",
      "v1.2.3",
      "std::vector",
      "a@b.org",
    ]);
  });

  it("are eight at most, of 200 characters", () => {
    expect(toExactPieces(Array.from({ length: 50 }, (_, i) => `a-${i}`).join(" "))).toHaveLength(8);
    expect(toExactPieces(`${"a-".repeat(5_000)}a`)[0]).toHaveLength(200);
  });
});

describe("the date of a message", () => {
  it("is words by which people name a day", () => {
    expect(toDateWords(Date.UTC(2026, 10, 26, 23))).toBe("thursdai 26 novemb 2026");
  });
});

describe("a stored text", () => {
  it("is valid UTF-8 without NUL characters, and has as many characters", () => {
    expect(toStoredText("a\0b\ud800c")).toBe("a b\ufffdc");
    expect(toStoredText("😀".repeat(MAX_INDEXED_CHARS))).toHaveLength(MAX_INDEXED_CHARS);
  });
});

describe("each expression over 100 KB of hostile text", () => {
  const pieces = [
    "a",
    "a-",
    "-",
    "-a.",
    '"',
    '"a',
    "“",
    "“”",
    "'",
    "'s",
    "’",
    "猫",
    "猫a",
    "ー",
    "é",
    "e\u0301",
    "\u0301",
  ];
  it.each([...pieces, "\ud800", "\0", "㌖", " ", "a ", "😀", "ﷺ", "1-", "__", "::"])(
    "ends for 100 KB of %j",
    (piece) => {
      const text = piece.repeat(Math.ceil(100_000 / piece.length));
      toIndexedWords(text);
      toQueryWords(text);
      toExactPieces(text);
      const stored = toStoredText(text);
      findWords(stored, ["a", "猫", "é"]);
      expect(stored.length).toBeLessThanOrEqual(text.length);
    },
  );
});
