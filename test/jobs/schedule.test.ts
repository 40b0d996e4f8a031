// The grammar of schedules: a table of what people write, and what is refused.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SCHEDULE_EXAMPLES, readSchedule } from "../../core/jobs/schedule.ts";
import { MAX_SCHEDULE_CHARS } from "../../core/schemas/agenda/job.ts";
import { runs } from "../support/thorough.ts";

/** A Monday, 10:00 in Berlin. */
const NOW = Date.UTC(2026, 0, 5, 9);
const read = (text: string, more: object = {}) =>
  readSchedule(text, { now: NOW, zone: "Europe/Berlin", minEveryMs: 60_000, ...more });
const iso = (at: number) => new Date(at).toISOString().replace(/:00\.000Z$/, "Z");

/** What is written, what is understood, and the first slot. */
const UNDERSTOOD: [string, string, string][] = [
  ["in 30m", "once, on Monday 2026-01-05 at 10:30", "2026-01-05T09:30Z"],
  ["in 2 hours and 15 minutes", "once, on Monday 2026-01-05 at 12:15", "2026-01-05T11:15Z"],
  ["In half an hour", "once, on Monday 2026-01-05 at 10:30", "2026-01-05T09:30Z"],
  ["in 3 days", "once, on Thursday 2026-01-08 at 10:00", "2026-01-08T09:00Z"],
  ["every 2h", "every 2 hours", "2026-01-05T11:00Z"],
  ["30m", "every 30 minutes", "2026-01-05T09:30Z"],
  ["2h30m", "every 2 hours 30 minutes", "2026-01-05T11:30Z"],
  ["1.5h", "every 1 hour 30 minutes", "2026-01-05T10:30Z"],
  ["every hour", "every hour", "2026-01-05T10:00Z"],
  ["hourly", "every hour", "2026-01-05T10:00Z"],
  ["every 15 minutes", "every 15 minutes", "2026-01-05T09:15Z"],
  ["every 2 weeks", "every 2 weeks", "2026-01-19T09:00Z"],
  ["every weekday at 8", "every weekday at 08:00", "2026-01-06T07:00Z"],
  ["weekdays at 8:30", "every weekday at 08:30", "2026-01-06T07:30Z"],
  ["at 8 every weekday", "every weekday at 08:00", "2026-01-06T07:00Z"],
  ["Every day at 7am", "every day at 07:00", "2026-01-06T06:00Z"],
  ["every day", "every day at 09:00", "2026-01-06T08:00Z"],
  ["daily at 6 pm", "every day at 18:00", "2026-01-05T17:00Z"],
  ["every morning", "every day at 09:00", "2026-01-06T08:00Z"],
  ["every evening at 7", "every day at 19:00", "2026-01-05T18:00Z"],
  ["every night at 11", "every day at 23:00", "2026-01-05T22:00Z"],
  ["every day at 9 and 17:30", "every day at 09:00 and 17:30", "2026-01-05T16:30Z"],
  ["on Fridays at 17:30", "every Friday at 17:30", "2026-01-09T16:30Z"],
  ["every Monday, Wednesday and Friday at noon", "every Monday, Wednesday and Friday at 12:00", "2026-01-05T11:00Z"],
  ["mon-fri at 9", "every weekday at 09:00", "2026-01-06T08:00Z"],
  ["every Saturday to Monday at 9", "every Sunday, Monday and Saturday at 09:00", "2026-01-10T08:00Z"],
  ["weekends at 10", "every Sunday and Saturday at 10:00", "2026-01-10T09:00Z"],
  ["weekly", "every Monday at 09:00", "2026-01-12T08:00Z"],
  ["weekly on Thursday at 9", "every Thursday at 09:00", "2026-01-08T08:00Z"],
  ["every first Monday of the month at 9", "every first Monday of the month at 09:00", "2026-02-02T08:00Z"],
  [
    "the second and fourth Tuesday of every month at 10",
    "every second and fourth Tuesday of the month at 10:00",
    "2026-01-13T09:00Z",
  ],
  ["every last Friday of the month at 16:00", "every last Friday of the month at 16:00", "2026-01-30T15:00Z"],
  ["last day of the month at 18:00", "on the last day of every month at 18:00", "2026-01-31T17:00Z"],
  ["monthly", "on day 1 of every month at 09:00", "2026-02-01T08:00Z"],
  ["on the 1st and 15th of every month at 8", "on day 1 and day 15 of every month at 08:00", "2026-01-15T07:00Z"],
  ["every year on March 3 at 9", "on day 3 of March at 09:00", "2026-03-03T08:00Z"],
  ["yearly", "on day 1 of January at 09:00", "2027-01-01T08:00Z"],
  ["tomorrow at noon", "once, on Tuesday 2026-01-06 at 12:00", "2026-01-06T11:00Z"],
  ["tomorrow morning", "once, on Tuesday 2026-01-06 at 09:00", "2026-01-06T08:00Z"],
  ["tonight", "once, on Monday 2026-01-05 at 21:00", "2026-01-05T20:00Z"],
  ["today at 5pm", "once, on Monday 2026-01-05 at 17:00", "2026-01-05T16:00Z"],
  ["at 17:30", "once, on Monday 2026-01-05 at 17:30", "2026-01-05T16:30Z"],
  ["at 8", "once, on Tuesday 2026-01-06 at 08:00", "2026-01-06T07:00Z"],
  ["on Friday at 9", "once, on Friday 2026-01-09 at 09:00", "2026-01-09T08:00Z"],
  ["next monday at 11", "once, on Monday 2026-01-12 at 11:00", "2026-01-12T10:00Z"],
  ["this monday at 11", "once, on Monday 2026-01-05 at 11:00", "2026-01-05T10:00Z"],
  ["every week at 9 on friday", "every Friday at 09:00", "2026-01-09T08:00Z"],
  ["every 1st and 15th of March and May", "on day 1 and day 15 of March and May at 09:00", "2026-03-01T08:00Z"],
  ["next friday at 7 in the evening", "once, on Friday 2026-01-09 at 19:00", "2026-01-09T18:00Z"],
  ["3 March at 14:00", "once, on Tuesday 2026-03-03 at 14:00", "2026-03-03T13:00Z"],
  ["2026-12-24T18:00", "once, on Thursday 2026-12-24 at 18:00", "2026-12-24T17:00Z"],
  ["2026-12-24 18:00", "once, on Thursday 2026-12-24 at 18:00", "2026-12-24T17:00Z"],
  ["2026-12-24 at 6pm", "once, on Thursday 2026-12-24 at 18:00", "2026-12-24T17:00Z"],
  ["2026-12-24T18:00:00Z", "once, on Thursday 2026-12-24 at 19:00", "2026-12-24T18:00Z"],
  ["2026-12-24T18:00-05:00", "once, on Friday 2026-12-25 at 00:00", "2026-12-24T23:00Z"],
  ["0 9 * * 1-5", "at the times of the cron expression 0 9 * * 1-5", "2026-01-06T08:00Z"],
  [
    "*/20 8-10 * JAN,feb mon-fri",
    "at the times of the cron expression */20 8-10 * JAN,feb mon-fri",
    "2026-01-05T09:20Z",
  ],
  ["@daily", "at the times of the cron expression 0 0 * * *", "2026-01-05T23:00Z"],
  ["0 9 * * * America/New_York", "at the times of the cron expression 0 9 * * *", "2026-01-05T14:00Z"],
  ["CRON_TZ=Asia/Kathmandu 0 9 * * *", "at the times of the cron expression 0 9 * * *", "2026-01-06T03:15Z"],
  ["every weekday at 8 Berlin", "every weekday at 08:00", "2026-01-06T07:00Z"],
  ["every weekday at 8 in New York", "every weekday at 08:00", "2026-01-05T13:00Z"],
  ["0 9 * * * kathmandu", "at the times of the cron expression 0 9 * * *", "2026-01-06T03:15Z"],
  ["tomorrow at noon Ho Chi Minh", "once, on Tuesday 2026-01-06 at 12:00", "2026-01-06T05:00Z"],
  ["every weekday at 8 in America/New_York", "every weekday at 08:00", "2026-01-05T13:00Z"],
  ["every day at 8 (UTC)", "every day at 08:00", "2026-01-06T08:00Z"],
];

const UNREADABLE = [
  ...[
    "",
    "   ",
    "soon",
    "8",
    "30",
    "every",
    "in",
    "in 5",
    "every 5",
    "at",
    "at 25:00",
    "at 13pm",
    "tomorrow yesterday",
    "every other day",
  ],
  ...[
    "every third day",
    "every second Monday at 9",
    "every 2 weeks on Monday",
    "every Monday of the month at 9",
    "61 * * * *",
    "* * * *",
  ],
  ...[
    "* * * * * *",
    "0 9 * * funday",
    "2026-02-30T10:00",
    "2026-13-01 10:00",
    "2026-12-24T18:61",
    "on Monday and Friday at 9",
    "at 9 and 17",
  ],
  ...[
    "every weekday at 8 except holidays",
    "on the 15th and on Mondays at 9",
    "tomorrow on Friday",
    "every Monday tomorrow",
    "next month",
  ],
  ...["2h30", "30x", "every day at 8 at at", "in 0m", "every 0h", "the of and", "every tenth Monday of the month"],
  ...[
    "in a month",
    "in one year",
    "in 2 months",
    "next weekday at 9",
    "this weekend",
    "every 3 March and 5 April at 9",
  ],
  ...["every year on Christmas", "every year on Easter", "2026-12-24T18:00+25:99", "2026-12-24T18:00+02:60"],
  ...["friday night at 12", "tomorrow night at 1", "tonight at midnight", "every Friday evening at 12"],
];

describe("the table of docs/GUIDE.md", () => {
  const guide = readFileSync(join(import.meta.dirname, "../../docs/GUIDE.md"), "utf8");
  const [, section = ""] = guide.split("\n### Schedules\n");
  const rows = [...section.split("\n### ")[0]!.matchAll(/^\| (`.+) \| (.+) \|$/gm)];

  it.each(rows.map(([, written, means]) => [written!, means!]))("is right about %s", (written, means) => {
    const texts = [...written.matchAll(/`([^`]+)`/g)].map(([, text]) => text!);
    const understood = texts.map((text) => read(text)).map((one) => (one.ok ? one.value.understood : one.failure.code));
    // A row says how its example is understood, or what kind of schedule its examples are.
    const kind = /^(once|again|the times)/.exec(means)?.[1];
    const begins = { once: "once, on", again: "every", "the times": "at the times of the cron expression" }[kind ?? ""];
    for (const one of understood) {
      if (begins === undefined) expect(one).toBe(means);
      else expect(one.startsWith(begins)).toBe(true);
    }
  });

  it("has a row for each kind", () => expect(rows.length).toBeGreaterThan(10));
});

describe("a schedule", () => {
  it.each(UNDERSTOOD)("'%s' is understood as '%s'", (text, understood, first) => {
    const found = read(text);
    expect(found).toMatchObject({ ok: true });
    if (found.ok)
      expect({ is: found.value.understood, first: iso(found.value.nextAt) }).toEqual({ is: understood, first });
  });

  it.each(UNREADABLE)("'%s' is refused with what would be understood", (text) => {
    const found = read(text);
    expect(found).toMatchObject({
      ok: false,
      failure: { code: "schedule_unreadable", facts: { examples: SCHEDULE_EXAMPLES } },
    });
    if (!found.ok) expect(found.failure.message).toContain("`every weekday at 8`");
  });

  it.each(SCHEDULE_EXAMPLES)("of the examples is understood: '%s'", (text) => expect(read(text).ok).toBe(true));

  it("names the word that does not fit, and the nearest that would", () => {
    expect(read("every mondey at 9")).toMatchObject({
      failure: { message: expect.stringContaining("The word 'mondey' does not fit there (did you mean monday?).") },
    });
  });

  it("names its zone, the given one, or is refused for one that does not exist", () => {
    expect(read("every day at 8 Asia/Kathmandu")).toMatchObject({ value: { zone: "Asia/Kathmandu" } });
    expect(read("every day at 8")).toMatchObject({ value: { zone: "Europe/Berlin" } });
    for (const text of ["every day at 8 Europe/Nowhere", "TZ=Mars 0 9 * * *"]) {
      expect(read(text)).toMatchObject({ failure: { code: "time_zone_unknown" } });
    }
  });

  it("in the past, too far ahead or too often is refused as that", () => {
    for (const text of [
      "2020-01-01 10:00",
      "today at 9",
      "in 900000 weeks",
      `in ${"999999w".repeat(25)}`,
      "0 0 30 2 *",
    ]) {
      expect(read(text)).toMatchObject({ failure: { code: "schedule_past" } });
    }
    for (const text of ["every second", "every 30s"]) {
      const message = expect.stringContaining("more often than once in one minute. Leave at least one minute");
      expect(read(text)).toMatchObject({ failure: { code: "schedule_too_often", message } });
    }
    expect(read("in 99999 days")).toMatchObject({ failure: { message: expect.stringContaining("Give an earlier") } });
    expect(read("0,10 9 * * *", { minEveryMs: 3_600_000 })).toMatchObject({ failure: { code: "schedule_too_often" } });
  });

  it("today, where the day differs from UTC's, is the day of the zone", () => {
    const late = { now: Date.UTC(2026, 0, 5, 23, 30) };
    expect(read("today at noon", late)).toMatchObject({ value: { nextAt: Date.UTC(2026, 0, 6, 11) } });
    expect(read("tomorrow at noon", { ...late, zone: "America/New_York" })).toMatchObject({
      value: { nextAt: Date.UTC(2026, 0, 6, 17) },
    });
  });

  const WORDS = [
    "every",
    "on",
    "at",
    "the",
    "first",
    "last",
    "2nd",
    "monday",
    "fri",
    "day",
    "month",
    "of",
    "and",
    "9",
    "17:30",
    "8pm",
  ];
  const MORE = [
    "in",
    "30m",
    "2",
    "hours",
    "tomorrow",
    "march",
    "weekday",
    "2026-12-24",
    "morning",
    "*",
    "UTC",
    "week",
    "year",
    "to",
    "a",
  ];

  it.each(["__proto__", "every constructor", "constructor", "on valueOf at 8"])(
    "of the words %s is refused",
    (text) => {
      expect(read(text)).toMatchObject({ failure: { code: "schedule_unreadable" } });
    },
  );

  it("of any words is understood or refused, and what is understood has a slot after now", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...WORDS, ...MORE), { maxLength: 9 }), (words) => {
        const found = read(words.join(" "));
        if (found.ok) expect(found.value.nextAt).toBeGreaterThan(NOW);
        else expect(["schedule_unreadable", "schedule_past", "schedule_too_often"]).toContain(found.failure.code);
      }),
      { numRuns: runs(2_000) },
    );
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 2 * MAX_SCHEDULE_CHARS }), (text) => {
        read(text);
      }),
      { numRuns: runs(1_000) },
    );
  });

  it("of any length is read in less than a moment", () => {
    for (const piece of ["1", "9 and ", "every ", "1h", "1.1", "first ", "monday to ", ",", "*/", "a/", "@ "]) {
      const began = performance.now();
      read(piece.repeat(200_000 / piece.length));
      read(piece.repeat(MAX_SCHEDULE_CHARS / piece.length));
      expect(performance.now() - began).toBeLessThan(500);
    }
  });
});
