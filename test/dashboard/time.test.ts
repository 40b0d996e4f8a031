// Times as a person says them.
import { expect, it } from "vitest";
import { describeTime } from "../../dashboard/components/time.tsx";

const NOW = Date.UTC(2026, 10, 27, 12);
const HOUR = 3_600_000;

it("counts minutes, hours and days within a week, and names the day beyond it", () => {
  const [minutes, hours, days] = [NOW - 5 * 60_000, NOW - 3 * HOUR, NOW - 50 * HOUR].map((at) => describeTime(at, NOW));
  expect([minutes, hours, days]).toEqual(["5 minutes ago", "3 hours ago", "2 days ago"]);
  expect(describeTime(NOW - 10_000, NOW)).toBe("now");
  expect(describeTime(NOW + 2 * HOUR, NOW)).toBe("in 2 hours");
  expect(describeTime(NOW - 30 * 24 * HOUR, NOW)).toMatch(/2026/);
});
