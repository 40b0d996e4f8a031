// What curations have withdrawn, read from their reports.
import { expect, test } from "vitest";
import { findWithdrawn } from "../../core/hooks/curation-events.ts";
import { toHookEvent, toWithdrawn } from "../../core/hooks/hook-event.ts";
import { CurationRun } from "../../core/schemas/learning/curation.ts";
import { createCurationStore } from "../../stores/curation/curation-store.ts";
import { createTestClock } from "../support/clock.ts";
import { createMemoryBucket } from "../support/bindings/memory-bucket.ts";
import { NO_USAGE } from "../../core/schemas/entry.ts";

const PROFILE = "0123456789abcdefghjkmnpqrs";
const [FIRST, SECOND, THIRD] = ["20260105T010000Z-aaaa", "20260106T010000Z-bbbb", "20260107T010000Z-cccc"];

function toRun(run: string, skills: { skill: string; verdict: "withdrawn" | "active"; result?: "moved" | "left" }[]) {
  const standing = (state: "trial" | "archived" | "active", rev: number) => ({ state, rev, text: "a".repeat(64) });
  return CurationRun.parse({
    ...{
      v: 1,
      run,
      profile: PROFILE,
      dryRun: false,
      startedAt: 1,
      finishedAt: 2_000,
      skills: 1,
      byState: { pending: 0, trial: 0, active: 0, stale: 0, archived: 1 },
      moves: [],
    },
    verdicts: skills.map(({ skill, verdict, result = "moved" }) => ({
      ...{ skill, seq: 1, from: standing("trial", 3), verdict, why: "It failed.", result },
    })),
    changes: skills.flatMap(({ skill, verdict, result = "moved" }) =>
      result === "left"
        ? []
        : [
            {
              skill,
              from: standing("trial", 3),
              to: standing(verdict === "active" ? "active" : "archived", 4),
              reason: "r",
            },
          ],
    ),
    usage: NO_USAGE,
  });
}

async function setUp() {
  const store = createCurationStore({ bucket: createMemoryBucket({ clock: createTestClock() }) });
  const plan = (run: string) => store.putPlan({ v: 1, run, profile: PROFILE, at: 1, dryRun: false, moves: [] });
  const finish = async (run: ReturnType<typeof toRun>) => {
    await plan(run.run);
    await store.putReport(run, "report");
    await store.changeNotes(PROFILE, (notes) => ({ ...notes, last: run.run }));
  };
  return { plan, finish, find: (since: string) => findWithdrawn(store, PROFILE, since) };
}

test("a withdrawal is the same event, whether a curation or a session reports it", async () => {
  const { finish, find } = await setUp();
  await finish(
    toRun(FIRST!, [
      { skill: "tables", verdict: "withdrawn" },
      { skill: "charts", verdict: "withdrawn", result: "left" },
      { skill: "maps", verdict: "active" },
    ]),
  );
  const { events, upTo } = await find("20260101T000000Z-0000");
  expect(upTo).toBe(FIRST);
  expect(events.map(({ body }) => (JSON.parse(body) as { data: object }).data)).toEqual([
    { profile: PROFILE, skill: "tables", state: "archived", rev: 4, inPart: false, run: FIRST },
  ]);
  const bySession = { profile: PROFILE, session: "01J00000000000000000000000", at: 9 };
  const same = toHookEvent({
    ...bySession,
    ...toWithdrawn({ skill: "tables", state: "archived", rev: 4, inPart: false }),
  });
  expect(same.id).toBe(events[0]!.id);
});

test("runs up to the last look are left out, and one that still runs waits with those after it", async () => {
  const { plan, finish, find } = await setUp();
  await finish(toRun(FIRST!, [{ skill: "one", verdict: "withdrawn" }]));
  await plan(SECOND!);
  await finish(toRun(THIRD!, [{ skill: "three", verdict: "withdrawn" }]));
  expect(await find(FIRST!)).toEqual({ events: [], upTo: null });
  await finish(toRun(SECOND!, [{ skill: "two", verdict: "withdrawn" }]));
  const { events, upTo } = await find(FIRST!);
  expect([events.length, upTo]).toEqual([2, THIRD]);
  expect(await find(THIRD!)).toEqual({ events: [], upTo: null });
});
