// Slots over both changes of the clocks, over the simulated time of a year: a time in the gap runs at the first instant after it, a repeated one
// once, at the first. The reference walks through the instants of a zone minute by minute and knows nothing of how slots are found.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nextSlot } from "../../core/jobs/next-slot.ts";
import { isTimeZone, toInstant, toWall } from "../../core/jobs/time-zone.ts";
import type { SchedulePlan } from "../../core/schemas/agenda/job.ts";
import { runs } from "../support/thorough.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const at = (text: string) => Date.parse(text);
const iso = (time: number) => new Date(time).toISOString().slice(0, 16);

/** The slots of an expression from an instant on. */
function slots(crons: string | string[], zone: string, from: string, n: number): string[] {
  const plan: SchedulePlan = { kind: "calendar", crons: [crons].flat() };
  const found: string[] = [];
  for (let time: number | null = at(from); found.length < n;) {
    time = nextSlot(plan, zone, time);
    if (time === null) break;
    found.push(iso(time));
  }
  return found;
}

const CHANGES: [string, string, string, string, string[]][] = [
  [
    "Berlin, forward",
    "30 2 * * *",
    "Europe/Berlin",
    "2026-03-28T00:00Z",
    ["2026-03-28T01:30", "2026-03-29T01:00", "2026-03-30T00:30"],
  ],
  [
    "Berlin, back",
    "30 2 * * *",
    "Europe/Berlin",
    "2026-10-24T00:00Z",
    ["2026-10-24T00:30", "2026-10-25T00:30", "2026-10-26T01:30"],
  ],
  [
    "New York, forward",
    "30 2 * * *",
    "America/New_York",
    "2026-03-07T00:00Z",
    ["2026-03-07T07:30", "2026-03-08T07:00", "2026-03-09T06:30"],
  ],
  [
    "New York, back",
    "30 1 * * *",
    "America/New_York",
    "2026-10-31T00:00Z",
    ["2026-10-31T05:30", "2026-11-01T05:30", "2026-11-02T06:30"],
  ],
  [
    "Lord Howe, forward by half an hour",
    "15 2 * * *",
    "Australia/Lord_Howe",
    "2026-10-03T00:00Z",
    ["2026-10-03T15:30", "2026-10-04T15:15", "2026-10-05T15:15"],
  ],
  [
    "Lord Howe, back by half an hour",
    "45 1 * * *",
    "Australia/Lord_Howe",
    "2026-04-03T00:00Z",
    ["2026-04-03T14:45", "2026-04-04T14:45", "2026-04-05T15:15"],
  ],
  [
    "Kathmandu, never",
    "30 2 * * *",
    "Asia/Kathmandu",
    "2026-03-28T00:00Z",
    ["2026-03-28T20:45", "2026-03-29T20:45", "2026-03-30T20:45"],
  ],
  [
    "Berlin, forward, with a wildcard",
    "*/30 2 * * *",
    "Europe/Berlin",
    "2026-03-29T00:00Z",
    ["2026-03-29T01:00", "2026-03-30T00:00", "2026-03-30T00:30"],
  ],
  [
    "Berlin, back, with a wildcard",
    "*/30 2 * * *",
    "Europe/Berlin",
    "2026-10-24T23:00Z",
    ["2026-10-25T00:00", "2026-10-25T00:30", "2026-10-26T01:00"],
  ],
  [
    "Berlin, back, with two times",
    "30 2,3 * * *",
    "Europe/Berlin",
    "2026-10-24T23:00Z",
    ["2026-10-25T00:30", "2026-10-25T02:30", "2026-10-26T01:30"],
  ],
];

describe("slots", () => {
  it.each(CHANGES)("are right where the clocks change: %s", (_name, cron, zone, from, expected) => {
    expect(slots(cron, zone, from, expected.length)).toEqual(expected);
  });

  it("of an interval are elapsed time, whatever the clocks do", () => {
    const plan: SchedulePlan = { kind: "every", everyMs: 2 * HOUR, from: at("2026-03-28T23:30Z") };
    expect(iso(nextSlot(plan, "Europe/Berlin", at("2026-03-29T00:45Z"))!)).toBe("2026-03-29T01:30");
    expect(iso(nextSlot(plan, "Europe/Berlin", at("2026-03-29T01:30Z"))!)).toBe("2026-03-29T03:30");
    expect(iso(nextSlot(plan, "Europe/Berlin", at("2020-01-01T00:00Z"))!)).toBe("2026-03-29T01:30");
  });

  it("of several expressions are those of each, and of equal times one", () => {
    expect(slots(["0 9 * * *", "30 8 * * *", "0 9 * * mon"], "UTC", "2026-01-05T00:00Z", 3)).toEqual([
      ...["2026-01-05T08:30", "2026-01-05T09:00", "2026-01-06T08:30"],
    ]);
  });

  it("end where there is no such day", () => {
    expect(slots("0 0 30 2 *", "UTC", "2026-01-05T00:00Z", 1)).toEqual([]);
    expect(nextSlot({ kind: "once", at: 5 }, "UTC", 5)).toBeNull();
  });

  it("of a zone that changed sides of the date line skip the lost day", () => {
    expect(slots("0 12 * * *", "Pacific/Apia", "2011-12-29T00:00Z", 3)).toEqual([
      ...["2011-12-29T22:00", "2011-12-30T10:00", "2011-12-30T22:00"],
    ]);
  });

  /** Days on which the clocks of the zones change, and an ordinary one. */
  const DAYS = ["2026-03-08", "2026-03-29", "2026-04-05", "2026-10-04", "2026-10-25", "2026-11-01", "2026-07-01"];
  const ZONES = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC"];
  const field = (max: number) =>
    fc.oneof(
      fc.nat({ max }).map(String),
      fc.constantFrom("*", "*/7", "*/30"),
      fc.uniqueArray(fc.nat({ max }), { minLength: 1, maxLength: 3 }).map((values) => values.join(",")),
    );

  it("are those that a walk through every minute of the zone finds", () => {
    fc.assert(
      fc.property(
        field(59),
        field(4),
        fc.constantFrom(...DAYS),
        fc.constantFrom(...ZONES),
        fc.nat({ max: 24 * 60 }),
        (minute, hour, day, zone, start) => {
          const cron = `${minute} ${hour === "*/7" || hour === "*/30" ? "*" : hour} * * *`;
          const from = at(`${day}T00:00Z`) - 14 * HOUR + start * MINUTE;
          const expected = walk(cron, zone, from, from + 20 * HOUR);
          const found: number[] = [];
          for (
            let time: number | null = from;
            (time = nextSlot({ kind: "calendar", crons: [cron] }, zone, time)) !== null;
          ) {
            if (time > from + 20 * HOUR) break;
            found.push(time);
          }
          expect(found.map(iso)).toEqual(expected.map(iso));
        },
      ),
      { numRuns: runs(120) },
    );
  });

  /** Of `minute hour * * *`: what the clocks show at each minute, and what they skip, each wall time once. */
  function walk(cron: string, zone: string, from: number, to: number): number[] {
    const [minutes, hours] = cron.split(" ").map((part) => {
      if (part === "*") return () => true;
      if (part.startsWith("*/")) return (n: number) => n % Number(part.slice(2)) === 0;
      const values = part.split(",").map(Number);
      return (n: number) => values.includes(n);
    });
    const fires = (wall: number) => minutes!(new Date(wall).getUTCMinutes()) && hours!(new Date(wall).getUTCHours());
    const found: number[] = [];
    // The highest wall time so far: the walk begins a day before, so that a pass that began then is known.
    let shown = toWall(from - 24 * HOUR, zone);
    for (let time = from - 24 * HOUR + MINUTE; time <= to; time += MINUTE) {
      const wall = toWall(time, zone);
      let isSlot = false;
      for (let each = shown + MINUTE; each <= wall; each += MINUTE) isSlot ||= fires(each);
      shown = Math.max(shown, wall);
      if (isSlot && time > from) found.push(time);
    }
    return found;
  }
});

describe("a time zone", () => {
  it.each(["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC"])(
    "%s is known",
    (zone) => {
      expect(isTimeZone(zone)).toBe(true);
    },
  );
  it.each(["", "Europe/Nowhere", "+02:00", "Berlin", "../etc"])("'%s' is refused", (zone) => {
    expect(isTimeZone(zone)).toBe(false);
  });
  it("shows at the instant of a wall time that wall time, unless it skips it", () => {
    for (const [zone, skipped] of [
      ["Europe/Berlin", "2026-03-29T02"],
      ["America/New_York", "2026-03-08T02"],
    ] as const) {
      for (let wall = at("2026-03-01T00:10Z"); wall < at("2026-04-10T00:00Z"); wall += 37 * MINUTE) {
        const shows = toWall(toInstant(wall, zone), zone);
        if (iso(wall).startsWith(skipped)) expect(iso(shows)).toBe(`${skipped.slice(0, -1)}3:00`);
        else expect(iso(shows)).toBe(iso(wall));
      }
    }
  });
});
