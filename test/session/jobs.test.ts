// The one alarm of a session, set for the earliest of its jobs.
import { expect, it } from "vitest";
import { createJobs } from "../../core/session/jobs.ts";
import { createTables } from "../../core/session/schema.ts";
import { createTestClock } from "../support/clock.ts";
import { createNodeSql } from "../support/bindings/node-sql.ts";

it("an alarm that could not be set is set by the next call of arm", async () => {
  const clock = createTestClock();
  const sql = createNodeSql();
  createTables(sql);
  const set: (number | null)[] = [];
  let isAway = true;
  const alarm = {
    async set(at: number | null) {
      if (isAway) throw new Error("storage is away");
      set.push(at);
    },
  };
  const jobs = createJobs({ sql, clock, alarm, random: () => 0 });
  jobs.put("drive", clock.now() + 5, { kind: "drive" });
  await expect(jobs.arm()).rejects.toThrow("storage is away");
  isAway = false;
  await jobs.arm();
  await jobs.arm();
  expect(set).toEqual([clock.now() + 5]);
});
