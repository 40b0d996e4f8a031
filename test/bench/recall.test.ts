// bench:recall on its fixture and on small archives: what counts as found, and what the last line says.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { type Conversation, readConversations } from "../../bench/recall/conversations.ts";
import { measureRecall, scoreRanking } from "../../bench/recall/measure.ts";
import { addOtherSessions } from "../../bench/recall/other-sessions.ts";
import { toRecallLine } from "../../bench/recall/report.ts";
import { measureSearchTime } from "../../bench/recall/search-time.ts";
import { createTempFolders } from "../support/temp-folders.ts";

const root = resolve(import.meta.dirname, "../..");
const newFolder = createTempFolders();

function readFixture(): Conversation[] {
  const read = readConversations();
  if (!read.ok) throw new Error(read.failure.message);
  return read.value;
}

function write(content: unknown): string {
  const file = join(newFolder(), "data");
  writeFileSync(file, content instanceof Uint8Array ? content : JSON.stringify(content));
  return file;
}

const SAMPLE = {
  sample_id: "one",
  conversation: {
    speaker_a: "Ada",
    session_10: [{ speaker: "Ada", dia_id: "D10:1", text: "Later." }],
    session_10_date_time: "12:48 am on 1 February, 2023",
    session_2: [
      { speaker: "Bo", dia_id: "D2:1", text: "Look!", blip_caption: "a red kite", img_url: ["x"] },
      { speaker: "Ada", dia_id: "D2:2", text: "Nice." },
    ],
    session_2_date_time: "1:56 pm on 8 May, 2022",
    session_3_date_time: "1:56 pm on 9 May, 2022",
  },
  qa: [
    { question: "Both?", evidence: ["D2:1; D10:1", "D2:1"], category: 1 },
    { question: "Neither?", evidence: ["D10:7 D"], category: 5, adversarial_answer: "no" },
    { question: "Nothing?", evidence: [], category: 2 },
  ],
  session_summary: {},
};

it("reads sessions in their order, captions as text, and several ids in one string", () => {
  const at = Date.UTC(2022, 4, 8, 13, 56);
  const later = Date.UTC(2023, 1, 1, 0, 48);
  const expected = {
    name: "one",
    sessions: [
      {
        session: "0.2",
        turn: 1,
        messages: [
          { n: 1, role: "user", at, speaker: "Bo", text: "Look! a red kite" },
          { n: 2, role: "assistant", at, speaker: "Ada", text: "Nice." },
        ],
      },
      { session: "0.10", turn: 1, messages: [{ n: 1, role: "user", at: later, speaker: "Ada", text: "Later." }] },
    ],
    questions: [
      {
        text: "Both?",
        category: 1,
        evidence: [
          { session: "0.2", n: 1 },
          { session: "0.10", n: 1 },
        ],
      },
      {
        text: "Neither?",
        category: 5,
        evidence: [
          { session: "0.10", n: null },
          { session: "0.NaN", n: null },
        ],
      },
    ],
  };
  const files = [write([SAMPLE]), write(gzipSync(JSON.stringify([SAMPLE])))];
  expect(files.map(readConversations)).toEqual([
    { ok: true, value: [expected] },
    { ok: true, value: [expected] },
  ]);
});

it.each([
  ["a missing file", () => join(newFolder(), "none"), /cannot be used: ENOENT/],
  ["text that is not JSON", () => write(new TextEncoder().encode("{")), /cannot be used: .*JSON/],
  ["another format", () => write([{ text: "a" }]), /is not a list of conversations/],
  ["a session without messages", () => write([changed({ session_2: "a" })]), /session_2 of one is not a list/],
  ["a session without a date", () => write([changed({ session_2_date_time: "soon" })]), /session_2_date_time of one/],
  ["no question with evidence", () => write([{ ...SAMPLE, qa: [] }]), /no question with evidence/],
])("explains what is wrong with %s", (_, toFile, message) => {
  expect(readConversations(toFile())).toMatchObject({
    ok: false,
    failure: { code: "bad_data", message: expect.stringMatching(message) },
  });
});

function changed(conversation: Record<string, unknown>) {
  return { ...SAMPLE, conversation: { ...SAMPLE.conversation, ...conversation } };
}

it("counts a message only if it is among the first ten, before sessions are made distinct", () => {
  const ranking = [
    ...Array.from({ length: 10 }, (_, i) => ({ session: "a", n: 20 + i })),
    { session: "b", n: 1 },
    ...Array.from({ length: 9 }, (_, i) => ({ session: `c${i}`, n: 1 })),
  ];
  const score = (session: string, n: number | null) => scoreRanking([{ session, n }], ranking);
  expect(score("a", 29)).toEqual({ turn: 1, turnWindow: 1, session: 1 });
  expect(score("a", 34)).toEqual({ turn: 0, turnWindow: 1, session: 1 });
  expect(score("a", 35)).toEqual({ turn: 0, turnWindow: 0, session: 1 });
  expect(score("a", null)).toEqual({ turn: 0, turnWindow: 0, session: 1 });
  expect(score("b", 1)).toEqual({ turn: 0, turnWindow: 0, session: 1 }); // eleventh message, second session
  expect(score("c8", 1)).toEqual({ turn: 0, turnWindow: 0, session: 0 }); // eleventh session
});

it("gives a question the share of its evidence, and each session once", () => {
  const evidence = [1, 2, 9].map((n) => ({ session: "a", n }));
  expect(scoreRanking([...evidence, { session: "b", n: 1 }], [{ session: "a", n: 2 }])).toEqual({
    turn: 1 / 4,
    turnWindow: 2 / 4,
    session: 1 / 2,
  });
});

it("generates the same other messages each time, with the file's sessions in their middle", () => {
  const own = readFixture()[0]!.sessions;
  const sessions = [...addOtherSessions(own, 1_001)];
  expect(sessions).toEqual([...addOtherSessions(own, 1_001)]);
  expect(sessions.flatMap(({ messages }) => messages).length).toBe(1_001 + 24);
  expect(new Set(sessions.map(({ session }) => session)).size).toBe(sessions.length);
  const before = sessions.slice(0, sessions.indexOf(own[0]!)).flatMap(({ messages }) => messages);
  expect(before.length).toBe(500);
  expect(JSON.stringify(sessions)).not.toMatch(/[{}][A-Z]\}/);
});

it("measures the fixture: all evidence but the ids that name no message", () => {
  const { own, pooled, plain, byCategory } = measureRecall(readFixture(), 2_000, () => {});
  const [most, all] = [13.5 / 14, 1];
  expect(own.turn).toBeGreaterThan(0.8);
  expect(own.turn).toBeLessThanOrEqual(most);
  expect(own.turnWindow).toBeGreaterThanOrEqual(own.turn);
  expect(own.session).toBeLessThan(all); // one id names a session that does not exist
  expect(pooled.turn).toBeLessThanOrEqual(own.turn);
  expect(pooled.turn).toBeGreaterThan(0.7);
  expect(plain.turn).toBeLessThanOrEqual(most);
  expect(byCategory.map(({ category, questions }) => [category, questions])).toEqual([
    [1, 2],
    [2, 2],
    [3, 1],
    [4, 7],
    [5, 2],
  ]);
});

it("measures the time of searches, and says why a size is not measured", () => {
  const measured = measureSearchTime(readFixture(), 500);
  if ("skipped" in measured) throw new Error(measured.skipped);
  expect(measured.p95Ms).toBeGreaterThanOrEqual(measured.p50Ms);
  expect(measureSearchTime(readFixture(), 10)).toEqual({ size: 10, skipped: "the file has 42 messages" });
});

it("prints one line of figures", () => {
  const shares = (turn: number) => ({ turn, turnWindow: 0.75, session: 2 / 3 });
  const recall = { own: shares(0.5), pooled: shares(0.25), plain: shares(0), byCategory: [] };
  const timings = [
    { size: 10_000, p50Ms: 1.234, p95Ms: 2 },
    { size: 100_000, skipped: "x" },
  ];
  expect(toRecallLine(recall, timings)).toBe(
    '{"turnAt10":0.5,"turnWindowAt10":0.75,"sessionAt10":0.6667,"pooled":{"turnAt10":0.25,"sessionAt10":0.6667},' +
      '"p50Ms":{"10000":1.23,"100000":null}}',
  );
});

it.each([[["--sizes", "5"]], [["--data", "/nowhere"]], [["--unknown"]]])("refuses %j", (args) => {
  const ran = spawnSync(process.execPath, [join(root, "bench/recall.ts"), ...args], { encoding: "utf8" });
  expect([ran.status, ran.stdout]).toEqual([2, ""]);
  expect(ran.stderr).toMatch(/(?:^|\n\n)[^\n]+\.?\n$/);
});
