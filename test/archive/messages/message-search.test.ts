import { describe, expect, it } from "vitest";
import { createMessageArchive } from "../../../core/archive/messages/message-archive.ts";
import type { Sql } from "../../../core/ports.ts";
import type { ArchivedMessage, MessageQuery, MessageRole } from "../../../core/schemas/archived-message.ts";
import type { SessionId } from "../../../core/schemas/ids.ts";
import { createNodeSql } from "../../support/bindings/node-sql.ts";

const AT = Date.UTC(2026, 10, 26);
const DAY = 86_400_000;
const idOf = (i: number) => `session-${i}` as SessionId;

type Given = string | (Partial<ArchivedMessage> & { text: string });

/** An archive with a session for each list of messages. */
function setUp(sessions: Given[][], { titles = [], sql = createNodeSql() }: { titles?: string[]; sql?: Sql } = {}) {
  const archive = createMessageArchive(sql);
  for (const [i, texts] of sessions.entries()) {
    const messages = texts.map((given, n) => ({
      ...{ n, role: "user" as MessageRole, at: AT },
      ...(typeof given === "string" ? { text: given } : given),
    }));
    archive.put({ session: idOf(i), turn: 1, messages, ...(titles[i] ? { title: titles[i] } : {}) });
  }
  const search = (query: string, over: Partial<MessageQuery> = {}) => archive.search({ query, limit: 10, ...over });
  return { archive, search, find: (query: string, over?: Partial<MessageQuery>) => search(query, over).map(textOf) };
}

const textOf = ({ text }: { text: string }) => text;

/** Sessions that have each word of a question about bridges, so that they fill the candidates. */
const crowd = (count: number, over: Partial<ArchivedMessage> = {}): Given[][] =>
  Array.from({ length: count / 10 }, (_, s) =>
    Array.from({ length: 10 }, (_, m) => ({ text: `red bridge paint ${s} ${m}`, ...over })),
  );

describe("a search", () => {
  it("returns the best message first, with its place and a falling score", () => {
    const { search } = setUp([["we painted the red bridge", "fine"], ["a red car"], ["nothing of it"]]);
    const found = search("Who paints red bridges?");
    expect(found[0]).toEqual({
      ...{ id: 1, session: idOf(0), turn: 1, n: 0, role: "user", at: AT, text: "we painted the red bridge" },
      score: expect.any(Number),
    });
    expect(found.map(textOf)).toContain("a red car");
    expect(found.map(textOf)).not.toContain("nothing of it");
    expect(found.map(({ score }) => score)).toEqual(found.map(({ score }) => score).toSorted((a, b) => b - a));
  });

  it("finds an answer by the words of the question before it", () => {
    const { find } = setUp([
      ["Which colour has your bridge?", "Vermilion."],
      ["A bridge.", "Yes."],
      ["Colour?", "No."],
    ]);
    expect(find("colour of the bridge").slice(0, 2)).toEqual(["Which colour has your bridge?", "Vermilion."]);
  });

  it("counts no words of the neighbours in another session", () => {
    const { find } = setUp([["red bridge"], ["unrelated"], ["bridge"]]);
    expect(find("red bridge")).toEqual(["red bridge", "bridge"]);
  });

  it("finds messages by title, speaker and date", () => {
    const { find } = setUp(
      [["first"], [{ text: "second", speaker: "Caroline" }], [{ text: "third", at: AT - 40 * DAY }]],
      { titles: ["Holiday in Zürich"] },
    );
    expect(find("holiday Zürich")).toEqual(["first"]);
    expect(find("What did Caroline say?")).toEqual(["second"]);
    expect(find("October")).toEqual(["third"]);
  });

  it("takes the word for a role as any other word", () => {
    const { find } = setUp([["the user table is full"], ["another text"], ["and a third"], ["a fourth"]]);
    expect(find("user")).toEqual(["the user table is full"]);
  });

  it("returns `limit` messages at most, and 100 for any larger limit", () => {
    const { search } = setUp(crowd(300));
    expect([-1, 0, 3, 1e9, Number.NaN].map((limit) => search("red bridge", { limit }).length)).toEqual([
      0, 0, 3, 100, 0,
    ]);
  });

  it("finds nothing in an empty archive", () => {
    expect(setUp([]).find('bridge "red bridge" 猫')).toEqual([]);
  });
});

describe("a filter", () => {
  const rare = "red bridge paint, and the rest of a longer text that ranks below";

  it("by role finds the rare role among four thousand other messages", () => {
    const { find } = setUp([...crowd(2_000), [{ text: rare, role: "tool" }], ...crowd(2_000)]);
    expect(find("red bridge paint", { roles: ["tool"] })).toEqual([rare]);
    expect(find('"bridge paint"', { roles: ["tool"] })).toEqual([rare]);
    expect(find("red bridge paint", { roles: [] })).toEqual([]);
    expect(find("red bridge paint", { roles: ["user", "assistant"], limit: 50 })).toHaveLength(50);
  });

  it("by time finds the only message of its day, from its first to before its last millisecond", () => {
    const { find } = setUp([...crowd(500), [{ text: rare, at: AT - 9 * DAY }], ...crowd(500)]);
    expect(find("red bridge paint", { to: AT })).toEqual([rare]);
    expect(find("red bridge paint", { from: AT - 9 * DAY, to: AT - 9 * DAY + 1 })).toEqual([rare]);
    expect(find("red bridge paint", { to: AT - 9 * DAY })).toEqual([]);
    expect(find("red bridge paint", { from: AT + 1 })).toEqual([]);
    expect(find("red bridge paint", { from: Number.NaN })).toEqual([]);
  });

  it("by session leaves out sessions that would fill the candidates", () => {
    const { find } = setUp([[rare], ...crowd(1_000)]);
    const without = Array.from({ length: 100 }, (_, i) => idOf(i + 1));
    expect(find("red bridge paint", { without })).toEqual([rare]);
    expect(find('"bridge paint"', { without })).toEqual([rare]);
    expect(find("red bridge paint", { without: [] })).toHaveLength(10);
  });

  it("searches one session alone, whatever others would fill the candidates", () => {
    const { find } = setUp([[rare], ...crowd(1_000)]);
    expect(find("red bridge paint", { only: idOf(0) })).toEqual([rare]);
    expect(find('"bridge paint"', { only: idOf(0) })).toEqual([rare]);
  });

  it("leaves out the neighbours of a hit too", () => {
    const { find } = setUp([
      [{ text: "bridge tool output", role: "tool" }, "bridge", { text: "bridge", role: "assistant" }],
    ]);
    expect(find("bridge", { roles: ["user"] })).toEqual(["bridge"]);
  });
});

describe("an exact piece", () => {
  const texts = [
    "The job ended with ERR_DISK_404 in src/app/main.ts.",
    "err disk 404 is src app main ts, err disk 404, src app main ts",
    "Progress: 100% done_now of the disk",
    "Progress: 1000 doneXnow of the disk",
    "He said: no SPACE left on device, at all",
    "on the device no space is left, no device has space left",
  ];
  const { find } = setUp(texts.map((text) => [text]));

  it.each([
    ["ERR_DISK_404", 0],
    ["err_disk_404?", 0],
    ["what of src/app/main.ts", 0],
    ['"100% done"', 2],
    ['"done_now"', 2],
    ['"No space left on device"', 4],
    ["“no space left on device”", 4],
  ])("%s comes before the same words in another order", (query, expected) => {
    expect(find(query)[0]).toBe(texts[expected]);
  });

  it.each(['"%%%"', '"___"', '"%_%"', '"100_ done"'])("%s has no wildcards", (query) => {
    expect(find(query).filter((text) => text !== texts[2] && text !== texts[3])).toEqual([]);
    expect(setUp([["plain text of a message"]]).find('"%%%" "___"')).toEqual([]);
  });

  it("of 200 characters is found, as is one at the end of a long message", () => {
    const piece = Array.from({ length: 40 }, (_, i) => `w${i}x`)
      .join(" ")
      .slice(0, 200);
    const { find: findLong } = setUp([[`${"so ".repeat(5_000)}${piece}`], [piece.replace("w9x", "w9y")]]);
    expect(findLong(`"${piece}"`)[0]).toContain(piece);
  });

  it("is found among 150 newer messages that have each of its trigrams", () => {
    const { find: findAmong } = setUp([["abcXabd"], ...Array.from({ length: 150 }, () => ["abcXab bXabd"])]);
    expect(findAmong('"abcXabd"')[0]).toBe("abcXabd");
  });

  it("counts once for each piece that a message contains", () => {
    const { find: findBoth } = setUp([["a-b and c-d"], ["a-b a-b a-b"], ["c-d c-d c-d"], ["a b c d"]]);
    expect(findBoth("a-b c-d")[0]).toBe("a-b and c-d");
  });
});

describe("a query in any script", () => {
  const { find } = setUp(
    [
      "昨日、黒猫を見ました",
      "サーバーの設定を変更した",
      "我们使用Docker部署服务",
      "서버를 다시 시작했습니다",
      "แมวดำอยู่บนหลังคา",
      "Ο Σίσυφος και η ΟΔΟΣ",
      "Мы построили красный мост",
      "בנינו גשר אדום",
      "بنينا جسرا أحمر",
      "हमने एक लाल पुल बनाया",
      "𞤀𞤣𞤤𞤢𞤥 𞤆𞤵𞤤𞤢𞤪",
      "İstanbul ve Straße",
      "party 🎉 tonight",
    ].map((text) => [text]),
  );

  it.each([
    ["猫", "黒猫"],
    ["黒", "黒猫"],
    ["た", "見ました"],
    ["黒猫", "黒猫"],
    ["サーバー", "サーバー"],
    ["サーバーの設定", "サーバー"],
    ["ｻｰﾊﾞｰ", "サーバー"],
    ["部署", "部署"],
    ["docker", "Docker"],
    ["Docker部署", "Docker"],
    ["服", "服务"],
    ["서버", "서버를"],
    ["다시 시작", "다시"],
    ["섭", null],
    ["แมว", "แมวดำ"],
    ["σίσυφος", "Σίσυφος"],
    ["οδος", "ΟΔΟΣ"],
    ["КРАСНЫЙ мост", "мост"],
    ["גשר", "גשר"],
    ["جسرا", "جسرا"],
    ["पुल", "पुल"],
    ["𞤢𞤣𞤤𞤢𞤥", "𞤀𞤣𞤤𞤢𞤥"],
    ["İSTANBUL", "İstanbul"],
    ["straße", "Straße"],
    ["🎉 party", "party"],
  ])("%s finds its message", (query, part) => {
    const [best] = find(query);
    if (part === null) expect(best).toBeUndefined();
    else expect(best).toContain(part);
  });

  it("of one character finds every message that has the character, wherever it is", () => {
    const { find: findSign } = setUp([
      ["猫"],
      ["黒猫"],
      ["猫です"],
      ["三毛猫の話"],
      ["犬"],
      ["犬です"],
      ["鳥"],
      ["馬"],
      ["牛"],
    ]);
    expect(findSign("猫").toSorted()).toEqual(["三毛猫の話", "猫", "猫です", "黒猫"].toSorted());
  });
});

describe("no query throws", () => {
  const { find } = setUp([["the red bridge", "a blue tunnel"], ["of a near text"]]);

  it.each([
    ...["", " ", "\n", "the and of", "🎉", "\0", "\ud800", "\udc00x", "%", "_", "''", '"', '""', '"""', "猫"],
    ...[
      "NOT",
      "AND OR NOT",
      "* ^ - +",
      "(",
      ")",
      "{}",
      ":",
      "words:",
      "-",
      "a*",
      "NEAR(",
      '"\0\0\0"',
      '"\ud800\ud800\ud800"',
    ],
  ])("%j", (query) => {
    expect(Array.isArray(find(query))).toBe(true);
  });

  it.each([
    'bridge"',
    '"bridge',
    "bridge*",
    "NEAR(bridge red)",
    "-bridge",
    "^bridge",
    "words:bridge",
    "{words heading}:bridge",
    "bridge AND",
    "bridge OR (",
    "bridge\0",
    "\ud800bridge",
    "'; DROP TABLE message; -- bridge",
  ])("%j finds the bridge", (query) => {
    expect(find(query)[0]).toBe("the red bridge");
  });

  it("of 100 KB, and its first words count", () => {
    expect(find(`bridge ${"tunnel ".repeat(15_000)}`)).toContain("the red bridge");
    for (const piece of ["a-", '"a', '"abc" ', "猫 ", "w1 ", "NEAR(", "🎉"]) {
      expect(Array.isArray(find(piece.repeat(Math.ceil(100_000 / piece.length))))).toBe(true);
    }
  });
});

describe("a message that was written in order to be found", () => {
  const topics = [
    "bridge",
    "tunnel",
    "garden",
    "violin",
    "recipe",
    "holiday",
    "doctor",
    "rocket",
    "pottery",
    "marathon",
  ];
  const others = Array.from({ length: 300 }, (_, i) => `filler${i}`);
  const honest = topics.map((topic, i) => [`We talked of the ${topic} with ${topics[(i + 3) % 10]} on Monday`]);
  const questions = topics.map((topic, i) => [`${topic} ${topics[(i + 3) % 10]}`, honest[i]![0]!] as const);

  it("is below messages of the matter when it lists many words once", () => {
    const { find } = setUp([...honest, [[...topics, ...others].join(" ")]]);
    expect(questions.map(([query]) => find(query)[0])).toEqual(questions.map(([, text]) => text));
  });

  it("is below them when it repeats every word up to the cap", () => {
    const stuffed = `${[...topics, ...others].join(" ")} `.repeat(9);
    const { find } = setUp([...honest, [stuffed], ...Array.from({ length: 40 }, (_, i) => [`small talk ${i}`])]);
    expect(questions.map(([query]) => find(query)[0])).toEqual(questions.map(([, text]) => text));
  });
});

describe("the isolate", () => {
  /** Counts the characters that each statement returns. */
  function watch(sql: Sql) {
    const seen = { most: 0 };
    const run = <Row>(query: string, ...values: Parameters<Sql["run"]>[1][]): Row[] => {
      const rows = sql.run<Row>(query, ...values);
      seen.most = Math.max(seen.most, JSON.stringify(rows).length);
      return rows;
    };
    return { seen, sql: { ...sql, run } };
  }

  it("holds few megabytes at once when each message is at the cap", { timeout: 60_000 }, () => {
    const text = "red bridge paint of some words ".repeat(700);
    const { seen, sql } = watch(createNodeSql());
    // The candidates are so far apart that no window is in another.
    const session = Array.from({ length: 9 }, (_, i) => (i === 4 ? `zebra ${text}` : text));
    const { find, archive } = setUp(
      Array.from({ length: 40 }, () => session),
      { sql },
    );
    expect(find('zebra "bridge paint"', { roles: ["user"] })).toHaveLength(10);
    archive.eraseSession(idOf(0));
    expect(seen.most).toBeLessThan(5_000_000);
  });
});
