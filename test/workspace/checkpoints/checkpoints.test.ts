// Checkpoints over node:sqlite: after random changes, crashes and restores, the workspace set back equals what it was.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Sql } from "../../../core/ports.ts";
import { sha256Hex } from "../../../core/schemas/learning/digest.ts";
import { type Workspace, createWorkspace, migrateWorkspace } from "../../../core/workspace/workspace.ts";
import { createNodeSql } from "../../support/bindings/node-sql.ts";
import { createTestClock } from "../../support/clock.ts";
import { runs } from "../../support/thorough.ts";

class PowerCut extends Error {}

/** A session's workspace over turns. `cutAfter`: the number of writes after which the power goes out, once. */
function createWorld({ maxCheckpointBytes = 1 << 20 } = {}) {
  const sql = createNodeSql();
  const clock = createTestClock();
  migrateWorkspace(sql);
  const state = { turn: 0, cutAfter: Infinity };
  const mortal: Sql = {
    run(query, ...values) {
      if (!query.startsWith("SELECT") && --state.cutAfter < 0) throw new PowerCut();
      return sql.run(query, ...values);
    },
    transaction: (work) => sql.transaction(work),
  };
  const open = () =>
    createWorkspace({
      ...{ sql: mortal, clock, maxFileBytes: 1 << 20, maxBytes: 4 << 20, maxCheckpointBytes },
      turn: () => state.turn,
    });
  const world = { sql, clock, state, workspace: open(), reopen: () => void (world.workspace = open()) };
  return world;
}
type World = ReturnType<typeof createWorld>;

/** Every field and byte of the workspace, by path. */
function describeAll({ sql, workspace }: World) {
  const rows = sql.run<Record<string, unknown>>("SELECT * FROM file_node ORDER BY parent, name");
  return rows.map(({ content, ...row }) => {
    const path = `${row.parent === "/" ? "" : String(row.parent)}/${String(row.name)}`.slice(1);
    return {
      ...row,
      bytes: row.kind === "file" ? sha256Hex(workspace.read(path)!) : null,
      hasContent: content !== null,
    };
  });
}

/** Stored parts are exactly those that a file or a checkpoint names. */
function expectNoStrays(sql: Sql): void {
  const named = ["file_node", "file_change"].flatMap((table) =>
    sql
      .run<{ content: string }>(`SELECT content FROM ${table} WHERE content <> ''`)
      .flatMap(({ content }) => content.split(" ").map((part) => part.split(":")[1]!)),
  );
  const stored = sql.run<{ hash: string }>("SELECT hash FROM file_part").map(({ hash }) => hash);
  expect(stored.sort()).toEqual([...new Set(named)].sort());
}

const path = fc
  .array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 3 })
  .map((names) => `/${names.join("/")}`);
const bytes = fc.oneof(
  fc.constantFrom("", "x", "same", "other"),
  fc.integer({ min: 0, max: 3 }).map((n) => String(n).repeat(20_000)),
);
const change = fc.oneof(
  fc.record({ do: fc.constant("put" as const), path, bytes }),
  fc.record({ do: fc.constant("drop" as const), path }),
  fc.record({ do: fc.constant("write" as const), path, bytes }),
  fc.record({ do: fc.constant("append" as const), path, bytes }),
  fc.record({ do: fc.constant("rm" as const), path }),
  fc.record({ do: fc.constant("mv" as const), path, to: path }),
  fc.record({ do: fc.constant("cp" as const), path, to: path }),
  fc.record({ do: fc.constant("ln" as const), path, to: path }),
  fc.record({ do: fc.constant("mkdir" as const), path }),
  fc.record({ do: fc.constant("chmod" as const), path, mode: fc.integer({ min: 0, max: 0o777 }) }),
  fc.record({ do: fc.constant("touch" as const), path, at: fc.integer({ min: 0, max: 1e12 }) }),
  fc.record({ do: fc.constant("restore" as const), back: fc.integer({ min: 1, max: 4 }) }),
);
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;
const encode = (text: string) => new TextEncoder().encode(text);

async function apply(workspace: Workspace, each: Change): Promise<void> {
  if (each.do === "put") return void unwrap(workspace.putAsPrincipal(each.path.slice(1), encode(each.bytes)));
  if (each.do === "drop") return void workspace.remove(each.path.slice(1));
  if (each.do === "write") return void unwrap(workspace.putAsAgent(each.path.slice(1), encode(each.bytes)));
  if (each.do === "append") return workspace.appendFile(each.path, encode(each.bytes));
  if (each.do === "rm") return workspace.rm(each.path, { recursive: true });
  if (each.do === "mv") return workspace.mv(each.path, each.to);
  if (each.do === "cp") return workspace.cp(each.path, each.to, { recursive: true });
  if (each.do === "ln") return workspace.symlink(`/work${each.to}`, each.path);
  if (each.do === "mkdir") return workspace.mkdir(each.path, { recursive: true });
  if (each.do === "chmod") return workspace.chmod(each.path, each.mode);
  if (each.do === "touch") return workspace.utimes(each.path, new Date(0), new Date(each.at));
  const kept = workspace.checkpoints.list();
  const chosen = kept.at(-each.back);
  if (chosen) unwrap(workspace.checkpoints.restore(chosen.n, { alone: {} }));
}

/** Failures of the workspace are refusals, as those of its promises are. */
function unwrap(result: { ok: true } | { ok: false; failure: { message: string } }): void {
  if (!result.ok) throw new Error(`E: ${result.failure.message}`);
}

const turn = fc.record({
  changes: fc.array(fc.record({ change, cut: fc.option(fc.integer({ min: 0, max: 6 }), { freq: 4 }) }), {
    maxLength: 8,
  }),
  after: fc.array(change, { maxLength: 2 }),
});

test("a restore gives back exactly what the workspace was when a turn began, whatever has happened since", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 6 }), fc.nat(), async (turns, choice) => {
      const world = createWorld();
      const began: unknown[] = [];
      await applyAll(world, [{ do: "put", path: "/a", bytes: "first" }]);
      for (const { changes, after } of turns) {
        began.push(describeAll(world));
        world.state.turn++;
        for (const { change, cut } of changes) {
          world.state.cutAfter = cut ?? Infinity;
          await applyAll(world, [change]);
          if (cut !== null) world.reopen(); // the object restarts, and the turn goes on
          world.state.cutAfter = Infinity;
        }
        await applyAll(world, after);
        world.clock.advance(1_000);
      }
      expectNoStrays(world.sql);
      // Each turn has one checkpoint at most; one without changes begins like the next.
      const last = describeAll(world);
      const kept = world.workspace.checkpoints.list();
      const ofTurns = kept.filter(({ kind }) => kind === "turn").map((one) => one.turn);
      expect(ofTurns).toEqual([...new Set(ofTurns)]);
      const wanted = 1 + (choice % turns.length);
      const checkpoint = kept.find((one) => one.turn >= wanted);
      if (!checkpoint) return void expect(last).toEqual(began[wanted - 1]);
      const restored = world.workspace.checkpoints.restore(checkpoint.n, { alone: {} });
      expect(describeAll(world)).toEqual(began[wanted - 1]);
      expectNoStrays(world.sql);
      // The restore can be undone.
      if (!restored.ok) throw new Error(restored.failure.message);
      world.reopen();
      unwrap(world.workspace.checkpoints.restore(restored.value.undo!, { alone: {} }));
      expect(describeAll(world)).toEqual(last);
    }),
    { numRuns: runs(150) },
  );
});

async function applyAll(world: World, changes: Change[]): Promise<void> {
  for (const each of changes) {
    await apply(world.workspace, each).catch((error: Error) => {
      if (!(error instanceof PowerCut)) expect(error.message).toMatch(/^E[A-Z]*: /);
    });
  }
}

test("every file keeps its bytes while the oldest checkpoints are dropped", async () => {
  const turns = fc.array(fc.array(change, { minLength: 1, maxLength: 2 }), { minLength: 22, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(turns, fc.constantFrom(30_000, 1 << 20), async (turns, maxCheckpointBytes) => {
      const world = createWorld({ maxCheckpointBytes });
      const seen: unknown[] = [];
      for (const changes of turns) {
        seen.push(describeAll(world));
        world.state.turn++;
        await applyAll(world, changes);
        describeAll(world); // reads each file
        expectNoStrays(world.sql);
      }
      const [oldest] = world.workspace.checkpoints.list();
      if (!oldest) return;
      unwrap(world.workspace.checkpoints.restore(oldest.n, { alone: {} }));
      if (oldest.kind === "turn") expect(describeAll(world)).toEqual(seen[oldest.turn - 1]);
      expectNoStrays(world.sql);
    }),
    { numRuns: runs(40) },
  );
});

/** Then `original` is only in the oldest of twenty checkpoints. */
function changeTwentyTimes({ state, workspace }: World): void {
  workspace.putAsPrincipal("a", encode("original"));
  for (state.turn = 1; state.turn <= 20; state.turn++) workspace.putAsAgent("a", encode(`turn ${state.turn}`));
}

test.each([
  ["restored in a turn", ({ checkpoints }: Workspace) => checkpoints.restore(1)],
  ["restored alone", ({ checkpoints }: Workspace) => checkpoints.restore(1, { alone: {} })],
  ["written again", (workspace: Workspace) => workspace.putAsAgent("a", encode("original"))],
])("bytes that only the dropped checkpoint had are %s", (_, act) => {
  const world = createWorld();
  changeTwentyTimes(world);
  unwrap(act(world.workspace));
  expect(new TextDecoder().decode(world.workspace.read("a")!)).toBe("original");
  expectNoStrays(world.sql);
});

test("the newest twenty checkpoints are kept, and older contents go with theirs", () => {
  const { sql, state, workspace } = createWorld();
  for (state.turn = 1; state.turn <= 25; state.turn++) workspace.putAsAgent("a", encode(`turn ${state.turn}`));
  expect(workspace.checkpoints.list().map(({ n }) => n)).toEqual(Array.from({ length: 20 }, (_, i) => i + 6));
  expect(sql.run("SELECT count(*) AS parts FROM file_part")).toEqual([{ parts: 21 }]);
  expect(workspace.checkpoints.restore(5)).toMatchObject({ ok: false, failure: { code: "checkpoint_not_found" } });
});

test("the oldest checkpoints are dropped when their contents need too much room", () => {
  const { state, workspace } = createWorld({ maxCheckpointBytes: 2_500 });
  for (state.turn = 1; state.turn <= 5; state.turn++) {
    workspace.putAsAgent("a", new Uint8Array(1_000).fill(state.turn));
  }
  expect(workspace.checkpoints.list().map(({ n }) => n)).toEqual([4, 5]);
  workspace.checkpoints.restore(4, { alone: {} });
  expect(workspace.read("a")![0]).toBe(3);
});

test("a turn that alone exceeds the room has no checkpoint, which a restore says, and the next turn has one", () => {
  const { sql, state, workspace } = createWorld({ maxCheckpointBytes: 1_500 });
  state.turn = 1;
  for (const path of ["a", "b"]) workspace.putAsAgent(path, new Uint8Array(1_000).fill(path.charCodeAt(0)));
  state.turn = 2;
  workspace.remove("a");
  workspace.remove("b");
  workspace.putAsAgent("c", encode("after"));
  expect(workspace.checkpoints.list()).toEqual([]);
  const refused = workspace.checkpoints.restore(2);
  expect(refused).toMatchObject({ failure: { message: expect.stringContaining("too large to keep") } });
  state.turn = 3;
  workspace.putAsAgent("c", encode("later"));
  expect(workspace.checkpoints.list().map(({ n, turn }) => [n, turn])).toEqual([[3, 3]]);
  expectNoStrays(sql);
});

test("a rename, a copy and an append store no byte of the file again", async () => {
  const { sql, state, workspace } = createWorld();
  const bytes = () => sql.run<{ sum: number }>("SELECT sum(length(data)) AS sum FROM file_part")[0]!.sum;
  state.turn = 1;
  workspace.putAsAgent(
    "a",
    new Uint8Array(600_000).map((_, i) => (i * 7919) >> 3),
  );
  expect(bytes()).toBe(600_000);
  state.turn = 2;
  await workspace.mv("/a", "/b");
  await workspace.cp("/b", "/c");
  await workspace.appendFile("/b", "end");
  expect(bytes()).toBe(600_003);
});
