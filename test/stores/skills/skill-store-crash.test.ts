// Writers that are killed before or after any bucket call. Running the operation again finishes it, and one rebuild makes the
// index equal to the heads.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SkillChange, SkillStore } from "../../../core/ports.ts";
import { openSkillStore } from "../../conformance/skill-store.ts";
import { createTestClock } from "../../support/clock.ts";
import { createCrashingBucket } from "../../support/bindings/crashing-bucket.ts";
import { type MemoryBucket, createMemoryBucket } from "../../support/bindings/memory-bucket.ts";
import { newProfileId } from "../../support/skills/profile-ids.ts";
import {
  adjustment,
  creation,
  expectSound,
  extension,
  findNeighbour,
  restoration,
  uniqueCreation,
} from "../../support/skills/skills.ts";
import { runs } from "../../support/thorough.ts";

type Check = Parameters<SkillStore["rebuildIndex"]>[0];

describe("a writer that is killed at any call", () => {
  const operations: [string, (store: SkillStore) => SkillChange, unknown][] = [
    ["a create", () => uniqueCreation("new", "Something else.", "x"), { rev: 1, seq: 1, state: "trial", op: "x" }],
    ["a create on an archived name", () => creation("old", "new", "x"), { rev: 2, seq: 3, state: "trial", op: "x" }],
    ["an edit", () => extension("tables", "three", "x", 2), { rev: 3, seq: 3, state: "trial", op: "x" }],
    ["a restore", (store) => restoration(store, "tables", 1, "x"), { rev: 3, seq: 3, state: "trial", op: "x" }],
    ["a pin", () => adjustment("tables", { pinned: true }, "x"), { rev: 2, seq: 3, state: "trial", op: "b" }],
    ["an archive", () => adjustment("tables", { state: "archived" }), { rev: 2, seq: 3, state: "archived", op: "b" }],
  ];

  for (const afterwards of [false, true]) {
    const when = afterwards ? "after the call is carried out" : "before the call is carried out";
    it.each(operations)(
      `${when} leaves %s that a retry of the operation finishes`,
      async (_title, toChange, expected) => {
        let atCall = 0;
        for (let isCrashing = true; isCrashing;) {
          const { bucket, profile, open } = await setUpLibrary();
          const dying = createCrashingBucket(bucket, { atCall: ++atCall, afterwards });
          const killed = await open(dying)
            .change(toChange(open(dying)))
            .then(
              () => false,
              () => true,
            );
          expect(killed).toBe(dying.hasCrashed());
          isCrashing = killed;

          const finished = await open().change(toChange(open()));
          expect(finished).toMatchObject({ value: { head: expected } });
          await expectSound(bucket, profile, open());
        }
        expect(atCall).toBeGreaterThan(6);
      },
    );

    it(`${when} leaves a create that lost to a neighbour archived, at the latest after a rebuild`, async () => {
      for (let atCall = 1; atCall < 40; atCall++) {
        const { bucket, profile, open } = await setUpLibrary();
        const dying = createCrashingBucket(bucket, { atCall, afterwards });
        const wanted = uniqueCreation("mine", "Twin.", "mine");
        let decisions = 0;
        const decide: SkillChange["decide"] = async (current, index) => {
          const decided = wanted.decide(current, index);
          if (decisions++ === 0) await open().change(uniqueCreation("theirs", "Twin.", "theirs"));
          return decided;
        };
        await open(dying)
          .change({ ...wanted, decide })
          .catch(() => null);
        const { skills } = await open().rebuildIndex(checkNeighbours);
        const living = ["mine", "theirs"].filter((name) => skills[name] && skills[name].state !== "archived");
        expect(living).toEqual(decisions === 0 ? [] : ["theirs"]);
        await expectSound(bucket, profile, open());
      }
    });
  }
});

const operation = fc.record({
  kind: fc.constantFrom("create", "extend", "archive", "pin", "restore"),
  name: fc.constantFrom("a", "b", "c", "d"),
  text: fc.constantFrom("one", "two"),
  atCall: fc.option(fc.integer({ min: 1, max: 30 }), { nil: null }),
  afterwards: fc.boolean(),
});
const history = fc.record({
  seed: fc.integer(),
  loseAnswerOneIn: fc.constantFrom(undefined, 10, 3),
  pageSize: fc.constantFrom(undefined, 2),
  // The operations of one inner list run concurrently.
  rounds: fc.array(fc.array(operation, { minLength: 1, maxLength: 4 }), { maxLength: 8 }),
});

it("every revision stays restorable, whatever writers do and wherever they are killed", async () => {
  await fc.assert(
    fc.asyncProperty(history, async ({ seed, loseAnswerOneIn, pageSize, rounds }) => {
      const { bucket, profile, open } = setUp();
      Object.assign(bucket.faults, { seed, loseAnswerOneIn, pageSize });
      for (const [round, operations] of rounds.entries()) {
        const running = operations.map(async ({ kind, name, text, atCall, afterwards }, n) => {
          const over = atCall === null ? bucket : createCrashingBucket(bucket, { atCall, afterwards });
          const op = `${round}-${n}`;
          const store = open(over);
          const changes: Record<typeof kind, () => SkillChange> = {
            create: () => uniqueCreation(name, text, op),
            extend: () => extension(name, text, op),
            archive: () => adjustment(name, { state: "archived" }),
            pin: () => adjustment(name, { pinned: true }),
            restore: () => restoration(store, name, 1, op),
          };
          await store.change(changes[kind]()).catch(() => null);
        });
        await Promise.all(running);
      }
      bucket.faults.loseAnswerOneIn = undefined;
      await open().rebuildIndex(checkNeighbours);
      await expectSound(bucket, profile, open());
    }),
    { numRuns: runs(300) },
  );
});

const checkNeighbours: Check = ({ name, description }, index) => {
  const neighbour = findNeighbour(name, description, index);
  return neighbour ? `It is too near to ${neighbour}.` : null;
};

function setUp() {
  const clock = createTestClock();
  const bucket: MemoryBucket = createMemoryBucket({ clock });
  const profile = newProfileId();
  return {
    bucket,
    profile,
    open: (over = bucket as Parameters<typeof openSkillStore>[0]) => openSkillStore(over, profile, clock),
  };
}

/** `tables` with two revisions, and an archived `old`. */
async function setUpLibrary() {
  const made = setUp();
  const store = made.open();
  await store.change(creation("tables", "one", "a"));
  await store.change(extension("tables", "two", "b", 1));
  await store.change(creation("old", "old", "c"));
  await store.change(adjustment("old", { state: "archived" }));
  return made;
}
