// Random histories of several writers that are killed anywhere and retried. Every skill stays readable, every revision that was
// not purged can be restored byte for byte, and one rebuild makes the index equal to the heads.
import fc from "fast-check";
import { expect, it } from "vitest";
import { type Result, err, ok } from "../../../core/errors.ts";
import type { SkillChange, SkillStore } from "../../../core/ports.ts";
import { hashFiles, textOfFiles } from "../../../core/schemas/learning/digest.ts";
import type { FileBodies, FileBody } from "../../../core/schemas/file-body.ts";
import { isPurged } from "../../../core/schemas/skill.ts";
import { openRevision, readUndo, undoRevision } from "../../../core/skills/history.ts";
import { keyOf } from "../../../stores/keys.ts";
import { createSkillStore } from "../../../stores/skills/skill-store.ts";
import { createCrashingBucket } from "../../support/bindings/crashing-bucket.ts";
import { createEventClock } from "../../support/session/event-clock.ts";
import { createMemoryBucket } from "../../support/bindings/memory-bucket.ts";
import { newProfileId } from "../../support/skills/profile-ids.ts";
import { createSeededRandom } from "../../support/seeded-random.ts";
import { expectSound } from "../../support/skills/skills.ts";
import { runs } from "../../support/thorough.ts";

const PATHS = ["references/a.md", "assets/b.bin"];
const BODIES: FileBody[] = ["", "one\r\n", "\ufefftwo\rthree", Uint8Array.of(0xff, 0x00), Uint8Array.of(0xc3)];
const KINDS = ["create", "edit", "file", "archive", "pin", "restore", "undo", "purge", "rebuild"] as const;

const operation = fc.record({
  kind: fc.constantFrom(...KINDS, "edit", "file", "undo", "purge", "purge"),
  // Skills with the same contents. Two exist from the start.
  name: fc.constantFrom("a", "a", "b", "c"),
  /** Selects a text, body or revision, depending on the operation. */
  pick: fc.nat({ max: 4 }),
  path: fc.constantFrom(...PATHS),
  atCall: fc.option(fc.integer({ min: 1, max: 36 }), { nil: null }),
  afterwards: fc.boolean(),
});
type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never;

const history = fc.record({
  seed: fc.integer({ min: 1, max: 1e6 }),
  isRateLimited: fc.boolean(),
  loseAnswerOneIn: fc.constantFrom(undefined, 20, 4),
  pageSize: fc.constantFrom(undefined, 3),
  // The operations of one inner list run concurrently.
  rounds: fc.array(fc.array(operation, { minLength: 1, maxLength: 5 }), { minLength: 4, maxLength: 12 }),
});

const FIRST_ROUNDS: Operation[][] = (
  [
    ["create", "a", 1],
    ["create", "b", 1],
    ["file", "a", 1],
    ["file", "a", 2],
    ["file", "a", 3],
    ["edit", "a", 0],
    ["edit", "a", 4],
  ] as const
).map(([kind, name, pick]) => [{ kind, name, pick, path: PATHS[0]!, atCall: null, afterwards: false }]);

it("every skill stays readable and every revision restorable, and a rebuilt index equals the heads", async () => {
  await fc.assert(
    fc.asyncProperty(history, async ({ seed, rounds, ...faults }) => {
      const clock = createEventClock();
      const bucket = createMemoryBucket({ clock, faults: { seed, ...faults } });
      const profile = newProfileId();
      let stores = 0;
      const open = (over: Parameters<typeof createSkillStore>[0]["bucket"] = bucket) =>
        createSkillStore({
          bucket: over,
          profile,
          clock,
          random: createSeededRandom(seed + stores++),
          swapMs: 600_000,
        });
      const decided = new Map<string, FileBodies>();
      const done = new Map<string, string>();
      const purged = new Set<string>();

      for (const [round, operations] of [...FIRST_ROUNDS, ...rounds].entries()) {
        const running = operations.map(async (wanted, n) => {
          const op = `${round}-${n}`;
          const { atCall, afterwards } = wanted;
          const first = atCall === null ? bucket : createCrashingBucket(bucket, { atCall, afterwards });
          // If the process is killed, another one retries the operation.
          const result = await run(open(first), wanted, op, decided).catch((error: Error) => {
            if (error.message !== "The process was killed.") throw error;
            return run(open(), wanted, op, decided);
          });
          if (!result.ok && result.failure.code === "busy") throw new Error(`${wanted.kind} is busy`);
          if (!result.ok) return;
          if (wanted.kind === "purge") purged.add(`${wanted.name}/${1 + wanted.pick}`);
          if (MAKES_REVISIONS.has(wanted.kind)) done.set(op, wanted.name);
        });
        await Promise.all(running);
      }

      Object.assign(bucket.faults, { loseAnswerOneIn: undefined, isRateLimited: false });
      await open().rebuildIndex(() => null);
      await expectSound(bucket, profile, open());
      const store = open();
      const stored = { ops: new Set<string>(), purged: new Set<string>() };
      for (const name of ["a", "b", "c"]) {
        for (const revision of await store.revisions(name)) {
          if (isPurged(revision)) {
            stored.purged.add(`${name}/${revision.rev}`);
            const object = await bucket.get(keyOf("revision", { profile, name, rev: revision.rev }));
            stored.ops.add(object!.customMetadata!.op!);
            expect(revision.blobs).toBe(undefined);
            continue;
          }
          stored.ops.add(revision.op);
          expect(await openRevision(store, name, revision.rev)).toEqual(
            ok({ revision, files: decided.get(revision.text) }),
          );
        }
        const head = await store.head(name);
        if (head) expect((await store.open(name))!.files).toEqual(decided.get(head.text));
      }
      // Every operation that reported success is stored, and only purged revisions are gone.
      expect([...purged].filter((place) => !stored.purged.has(place))).toEqual([]);
      expect([...stored.purged].filter((place) => !purged.has(place))).toEqual([]);
      expect([...done.keys()].filter((op) => !stored.ops.has(op) && !changedNothing.has(op))).toEqual([]);
      changedNothing.clear();
    }),
    { seed: 20_261_122, numRuns: runs(100) },
  );
}, 60_000);

const MAKES_REVISIONS = new Set<Operation["kind"]>(["create", "edit", "file", "restore", "undo"]);
/** Operations that succeeded without a change to the files. */
const changedNothing = new Set<string>();

async function run(
  store: SkillStore,
  wanted: Operation,
  op: string,
  decided: Map<string, FileBodies>,
): Promise<Result<unknown>> {
  const { kind, name, pick } = wanted;
  if (kind === "rebuild") return ok(await store.rebuildIndex(() => null));
  if (kind === "purge") return store.purge(name, 1 + pick);
  const decide: SkillChange["decide"] = async (current, index) => {
    const next = await decideOn(store, wanted)(current, index);
    if (next.ok && next.value.files) {
      const text = textOfFiles(hashFiles(next.value.files));
      decided.set(text, next.value.files);
      if (text === current?.head.text) changedNothing.add(op);
    }
    return next;
  };
  return store.change({ name, op, since: 0, decide });
}

function decideOn(store: SkillStore, { kind, name, pick, path }: Operation): SkillChange["decide"] {
  return async (current) => {
    if (kind === "create") {
      if (current && current.head.state !== "archived") return err("exists", "It exists.");
      return ok({ files: { "SKILL.md": skillMd(pick) }, description: "d", state: "trial", origin: "review" });
    }
    if (!current) return err("unknown_skill", "There is none.");
    const { files } = current;
    switch (kind) {
      case "edit":
        return ok({ files: { ...files, "SKILL.md": `${String(files["SKILL.md"])}line ${pick}\r\n` } });
      case "file": {
        const { [path]: there, ...rest } = files;
        return ok({ files: there !== undefined && pick === 0 ? rest : { ...files, [path]: BODIES[pick]! } });
      }
      case "archive":
        return ok({ state: "archived" });
      case "pin":
        return ok({ pinned: pick % 2 === 0 });
      case "restore": {
        const opened = await openRevision(store, name, 1 + pick);
        return opened.ok ? ok({ files: opened.value.files }) : opened;
      }
      default: {
        const undo = await readUndo(store, name, 1 + pick, 50);
        return undo.ok ? undoRevision(undo.value, current) : undo;
      }
    }
  };
}

function skillMd(pick: number): string {
  return `---\nname: any\ndescription: How it is done.\n---\n\n# ${pick}\n`;
}
