import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_JOB_BYTES, defaultGrant, toReviewJob } from "../../../core/learning/review/job.ts";
import { DEFAULTS } from "../../../core/limits.ts";
import { byteLength } from "../../../core/schemas/learning/digest.ts";
import type { Entry } from "../../../core/schemas/entry.ts";
import { ReviewJob } from "../../../core/schemas/learning/review.ts";
import { PROFILE, SESSION, assistant, call, hardWonTurn, observation, tool, user } from "../sample.ts";
import { anyText } from "../../support/any-text.ts";

const NOW = Date.UTC(2026, 0, 5, 9);
const KEY = `sk-ant-api03-${"aB3".repeat(12)}`;
const make = (entries: Entry[], over: Partial<Parameters<typeof toReviewJob>[0]> = {}) =>
  toReviewJob({
    profile: PROFILE,
    session: SESSION,
    decision: { trigger: "value", skills: true, memory: false },
    from: 1,
    to: entries.at(-1)?.n ?? 1,
    entries,
    observations: [],
    model: "test:model",
    grant: defaultGrant(DEFAULTS, NOW),
    now: NOW,
    ...over,
  });
const sizeOf = (job: ReviewJob) => byteLength(JSON.stringify(job));

describe("toReviewJob", () => {
  it("takes the entries of its range as they are, under an id that names the range", () => {
    const entries = hardWonTurn();
    expect(make(entries, { from: 2, to: 7, observations: [observation()] })).toEqual({
      v: 1,
      review: `${SESSION}.2-7`,
      profile: PROFILE,
      session: SESSION,
      trigger: "value",
      skills: true,
      memory: false,
      grant: { tokens: DEFAULTS.review.grantTokens, expiresAt: NOW + DEFAULTS.review.grantMs },
      model: "test:model",
      createdAt: NOW,
      observations: [observation()],
      entries: entries.slice(1, 7),
    });
  });

  it("takes secrets out of every place of an entry", () => {
    const made = { ...call("a", "terminal", { command: `curl -H 'x-key: ${KEY}'` }), malformed: `{"k": "${KEY}` };
    const answered = assistant(2, `I use ${KEY}`, [made]);
    const entries = [
      user(1, `My key is ${KEY}`),
      {
        ...answered,
        answer: { ...(answered as Extract<Entry, { kind: "assistant" }>).answer, reasoning: KEY },
      } as Entry,
      {
        ...tool(3, made, { outcome: { exit_code: 0 }, content: { stdout: `{"password":"hunter2222"}` } }),
        prepared: { k: KEY },
      } as Entry,
    ];
    const job = make(entries, { observations: [observation({ request: `My key is ${KEY}` })] });
    const text = JSON.stringify(job);
    expect(text).not.toContain(KEY);
    expect(text).not.toContain("hunter2222");
    expect(JSON.parse(job.entries[2]!.parts[1]!.text)).toEqual({ stdout: `{"password":[redacted secret]}` });
  });

  it("leaves out the provider's native form of an answer", () => {
    const answered = assistant(1, "Hi") as Extract<Entry, { kind: "assistant" }>;
    const entry: Entry = {
      ...answered,
      answer: { ...answered.answer, reasoning: "hm", native: { wire: "x", data: [1] } },
    };
    expect(make([entry]).entries).toEqual([answered]);
  });

  it("cuts long strings in the middle, and JSON stays JSON", () => {
    const made = call("a", "terminal", { command: `begin ${"x".repeat(50_000)} end` });
    const stdout = `first ${"é".repeat(60_000)} last`;
    const rows = Array.from({ length: 30_000 }, (_, row) => row);
    const entries = [
      user(1, "Go"),
      assistant(2, "", [made]),
      tool(3, made, { outcome: { exit_code: 0, rows }, content: { stdout } }),
    ];
    const job = make(entries);
    const shown = JSON.parse(job.entries[2]!.parts[1]!.text) as { stdout: string };
    expect(shown.stdout).toMatch(/^first é+\[… 40011 characters cut …\]é+ last$/);
    expect(JSON.parse(job.entries[2]!.parts[0]!.text)).toMatchObject({
      exit_code: 0,
      rows: [expect.stringMatching(/^\[0,1,2/)],
    });
    expect(JSON.stringify((job.entries[1] as Extract<Entry, { kind: "assistant" }>).answer.calls)).toMatch(
      /begin x+\[… .* end/,
    );
  });

  it("cuts strings, then leaves out the oldest entries, to fit into one object", () => {
    const long = Array.from({ length: 400 }, (_, n) => user(n + 1, "€".repeat(15_000)));
    const cut = make(long);
    expect([cut.entries.length, sizeOf(cut) <= MAX_JOB_BYTES]).toEqual([400, true]);
    const many = Array.from({ length: 4_000 }, (_, n) => user(n + 1, "a short line, ".repeat(20)));
    const job = make(many);
    expect(sizeOf(job)).toBeLessThanOrEqual(MAX_JOB_BYTES);
    expect([job.entries.length < 4_000, job.entries.at(-1)?.n]).toEqual([true, 4_000]);
    expect(job.review).toBe(`${SESSION}.1-4000`);
  });

  it("keeps the entries from before the range that the person refers to, and drops the oldest of the range instead", () => {
    const extraEntries = [user(1, "Average the prices", { turn: 1 }), assistant(2, "42", [], { turn: 1 })];
    const many = Array.from({ length: 4_000 }, (_, n) => user(n + 3, "a short line, ".repeat(20), { turn: 2 }));
    const job = make(many, { from: 3, extraEntries });
    expect(sizeOf(job)).toBeLessThanOrEqual(MAX_JOB_BYTES);
    expect(job.entries.slice(0, 2)).toEqual(extraEntries);
    expect([job.entries[2]!.n > 3, job.entries.at(-1)?.n]).toEqual([true, 4_002]);
  });

  it("keeps only as many observations as leave room for the entries: those of the newest turns and of the turn referred to", () => {
    const request = "€".repeat(2_000);
    const observations = Array.from({ length: 400 }, (_, n) => observation({ turn: `${SESSION}-${n + 1}`, request }));
    const entries = Array.from({ length: 400 }, (_, n) => user(n + 2, "€".repeat(2_000), { turn: n + 1 }));
    const job = make(entries, { from: 2, extraEntries: [user(1, "Hi", { turn: 1 })], observations });
    expect(sizeOf(job)).toBeLessThanOrEqual(MAX_JOB_BYTES);
    const turns = job.observations.map(({ turn }) => Number(turn.slice(SESSION.length + 1)));
    expect([turns[0], turns.at(-1), turns[1]! > 300]).toEqual([1, 400, true]);
    expect(job.entries).toHaveLength(401);
  });

  it("makes a job that can be read back, whatever a tool answered", () => {
    fc.assert(
      fc.property(fc.jsonValue(), anyText(), (value, text) => {
        const made = call("a", "terminal", { value });
        const entries = [
          user(1, text),
          assistant(2, text, [made]),
          tool(3, made, { outcome: { value }, content: { text } }),
        ];
        const job = make(entries);
        expect(ReviewJob.parse(JSON.parse(JSON.stringify(job)))).toEqual(JSON.parse(JSON.stringify(job)));
        for (const part of job.entries[2]!.parts) expect(JSON.parse(part.text)).toBeTypeOf("object");
      }),
    );
  });
});
