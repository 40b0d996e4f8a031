// Branching a session: what the branch has, that it is made once however often it is killed, and that neither depends on the other.
import { describe, expect, test } from "vitest";
import type { BranchSource, BranchTarget } from "../../../core/session/branch/copy-branch.ts";
import { copyBranch } from "../../../core/session/branch/copy-branch.ts";
import type { BranchRequest } from "../../../core/session/branch/read-branch.ts";
import { textOf } from "../../../core/schemas/entry.ts";
import type { SessionEngine } from "../../../core/session/engine.ts";
import type { ScriptLine } from "../../support/wires/scripted-model.ts";
import { createScriptedModel } from "../../support/wires/scripted-model.ts";
import { createScriptedSession, done, must } from "../../support/session/scripted-session.ts";
import { SESSION, type SessionLife, createSessionHarness } from "../../support/session/session-harness.ts";
import { makePng, toDataUrl } from "../../support/images.ts";

const BRANCH = "01J00000000000000000000001";
const write = (path: string, content: string): ScriptLine => ({
  calls: [{ name: "write_file", args: { path, content } }],
});
const ask = (more: Partial<BranchRequest> = {}): BranchRequest => ({ session: BRANCH, at: 5_000, ...more });

/** The calls cross as RPC copies them. */
const asSource = (engine: SessionEngine): BranchSource => ({
  readBranch: async (...asked) => structuredClone(engine.readBranch(...structuredClone(asked))),
});
const asTarget = (engine: SessionEngine): BranchTarget => ({
  takeBranch: async (...asked) => structuredClone(await engine.takeBranch(...structuredClone(asked))),
});

async function setUp() {
  const session = await createScriptedSession([
    ...[write("a.txt", "one"), { text: "One." }],
    ...[write("a.txt", "two"), write("d/b.txt", "b".repeat(2_000)), { text: "Two." }],
    ...[write("a.txt", "three"), { text: "Three." }],
  ]);
  await session.engine.post({ text: "Write one.", images: [{ data: toDataUrl(makePng(4, 4)) }] });
  await session.life.settled();
  await session.say("Write two.");
  await session.say("Write three.");
  const branchOf = (script: ScriptLine[] = []) => {
    const model = createScriptedModel(script);
    const harness = createSessionHarness({ model });
    return { ...harness, model };
  };
  return { ...session, branchOf };
}

async function finish({ engine, settled }: SessionLife) {
  await settled();
  const read = (path: string) => {
    const file = engine.getFile(path);
    return file.ok ? new TextDecoder().decode(file.value) : null;
  };
  return { entries: must(engine.entries(0)), a: read("a.txt"), b: read("d/b.txt"), detail: engine.detail()! };
}

describe("a branch", () => {
  test("has the log, the files and the images of its turn, costs nothing yet, and goes on by itself", async () => {
    const { engine, entries, branchOf } = await setUp();
    const plan = must(engine.planBranch(ask({ turn: 2, title: "Another way" })));
    const harness = branchOf([{ text: "A new way." }]);
    const life = harness.boot();
    expect(await copyBranch(asSource(engine), asTarget(life.engine), plan)).toEqual({ ok: true, value: null });
    const made = await finish(life);
    const copied = entries().filter(({ turn }) => turn <= 2);
    expect(made.entries).toEqual(copied);
    expect([made.a, made.b]).toEqual(["two", "b".repeat(2_000)]);
    expect(made.detail).toMatchObject({
      title: "Another way",
      usage: { calls: 0, tokens: 0 },
      branchedFrom: [{ session: SESSION, turn: 2, entry: copied.at(-1)!.n }],
    });
    expect(made.detail.turns.map(({ n, state }) => [n, state])).toEqual([
      [1, "done"],
      [2, "done"],
    ]);
    const [shown] = copied.flatMap((entry) => (entry.kind === "user" ? (entry.images ?? []) : []));
    expect(must(life.engine.getImage(shown!.sha256))).toEqual(must(engine.getImage(shown!.sha256)));

    await life.engine.post({ text: "Go on." });
    await life.settled();
    expect(harness.model.requests[0]!.messages.map(({ text }) => text)).toContain("Write two.");
    expect(textOf(must(life.engine.entries(0)).at(-1)!)).toBe("A new way.");
    expect(life.engine.detail()!.usage.calls).toBe(1);
    expect(new TextDecoder().decode(must(engine.getFile("a.txt")))).toBe("three");
  });

  test("has nothing of what the session decided, allowed, delegated, spent or was asked", async () => {
    const { engine, sql, branchOf } = await setUp();
    const own = ["allowances", "approval:a", "child:01J00000000000000000000009", "profile", "recalled", "branch:b"];
    for (const key of own) sql.run("INSERT INTO meta(key, value) VALUES(?, '{}')", key);
    const harness = branchOf();
    await copyBranch(asSource(engine), asTarget(harness.boot().engine), must(engine.planBranch(ask())));
    const keys = harness.sql.run<{ key: string }>("SELECT key FROM meta ORDER BY key").map(({ key }) => key);
    expect(keys).toEqual(["learning", "schema", "session"]);
    const jobs = harness.sql.run<{ id: string }>("SELECT id FROM job").map(({ id }) => id);
    expect(jobs).toEqual(["index:3"]);
  });

  test("keeps the labels of what others wrote", async () => {
    const { engine, branchOf, sql } = await setUp();
    const life = branchOf().boot();
    await copyBranch(asSource(engine), asTarget(life.engine), must(engine.planBranch(ask())));
    const writers = "SELECT parent, name, writer FROM file_node ORDER BY parent, name";
    expect(must(life.engine.listFiles())).toEqual(must(engine.listFiles()));
    expect(sql.run(writers).length).toBeGreaterThan(2);
  });

  test("is made once, however often it is killed while it is made", async () => {
    const { engine, boot, branchOf, entries } = await setUp();
    let whole = 0;
    for (let crashAt = 1; whole === 0; crashAt++) {
      if (crashAt > 100) throw new Error("it never ends");
      const harness = branchOf();
      const plan = must(engine.planBranch(ask({ turn: 2, key: `k${crashAt}` })));
      expect(must(boot().engine.planBranch(ask({ turn: 2, key: `k${crashAt}`, session: "another", at: 9 })))).toEqual(
        plan,
      );
      const mortal = harness.boot({ crashAt });
      await copyBranch(asSource(engine), asTarget(mortal.engine), plan).catch(() => {});
      await mortal.settled();
      const isUnfinished = harness.boot().engine.detail() === null;
      if (!mortal.isDead()) whole = crashAt;
      expect(isUnfinished || harness.boot().engine.detail()!.turns.length === 2).toBe(true);
      const life = harness.boot();
      await copyBranch(asSource(engine), asTarget(life.engine), plan);
      const made = await finish(life);
      expect(made.entries, `killed at write ${crashAt}`).toEqual(entries().filter(({ turn }) => turn <= 2));
      expect([made.a, made.b]).toEqual(["two", "b".repeat(2_000)]);
      expect(harness.sql.run("SELECT key FROM meta WHERE key = 'branching'")).toEqual([]);
    }
    // One transaction for each kind of page, of which there are five, and the last one.
    expect(whole).toBeGreaterThan(6);
  });

  test("of a key that came with another body is refused", async () => {
    const { engine } = await setUp();
    must(engine.planBranch(ask({ turn: 1, key: "k" })));
    expect(engine.planBranch(ask({ turn: 2, key: "k" }))).toMatchObject({ failure: { code: "idempotency_conflict" } });
  });

  test("of a turn whose files are no longer kept is refused, unless it is to have the present ones", async () => {
    const { engine, branchOf } = await setUp();
    must(engine.deleteCheckpoints());
    expect(engine.planBranch(ask({ turn: 1 }))).toMatchObject({ failure: { code: "files_not_kept" } });
    const life = branchOf().boot();
    const plan = must(engine.planBranch(ask({ turn: 1, files: "now" })));
    await copyBranch(asSource(engine), asTarget(life.engine), plan);
    expect((await finish(life)).a).toBe("three");
  });

  test("of no turn, an unknown turn or a running one is refused", async () => {
    const { engine } = await createScriptedSession([]);
    expect(engine.planBranch(ask())).toMatchObject({ failure: { code: "turn_not_found" } });
    expect(engine.planBranch(ask({ turn: 7 }))).toMatchObject({ failure: { code: "turn_not_found" } });
  });

  test("has its copied turns in the index of messages, is not reviewed for them, and does not rate them", async () => {
    const { engine, branchOf } = await setUp();
    const harness = branchOf([done]);
    const life = harness.boot();
    await copyBranch(asSource(engine), asTarget(life.engine), must(engine.planBranch(ask({ turn: 1 }))));
    await life.wake();
    await life.settled();
    expect(harness.messages.search({ query: "write one", limit: 5 }).length).toBeGreaterThan(0);
    expect(await life.engine.rate(1, { rating: "up" })).toMatchObject({ failure: { code: "turn_inherited" } });
    await life.engine.post({ text: "/undo" });
    await life.settled();
    expect(textOf(must(life.engine.entries(0)).at(-1)!)).toContain("The files stay as they are: the turn was copied");
    expect(harness.sent).toEqual([]);
  });

  test("of a branch names both sessions, and a turn that was undone later is there again", async () => {
    const { engine, say, branchOf } = await setUp();
    await say("/undo");
    const life = branchOf([done]).boot();
    await copyBranch(asSource(engine), asTarget(life.engine), must(engine.planBranch(ask({ turn: 3 }))));
    await life.engine.post({ text: "Go on." });
    await life.settled();
    expect(life.engine.detail()!.turns.some(({ undoneBy }) => undoneBy !== undefined)).toBe(false);
    const next = must(life.engine.planBranch(ask({ session: "01J00000000000000000000002" })));
    expect(next.origins.map(({ turn }) => turn)).toEqual([3, 4]);
    const [first] = next.origins;
    const inherited = (turn: number) => must(life.engine.planBranch(ask({ turn, files: "now" }))).origins;
    expect(inherited(3)).toEqual([first]);
    expect(life.engine.planBranch(ask({ turn: 3 })).ok).toBe(true);
    // It has no files of turns before the last that it inherited.
    expect(life.engine.planBranch(ask({ turn: 2 }))).toMatchObject({ failure: { code: "files_not_kept" } });
    expect(inherited(2)).toEqual([
      { session: first!.session, turn: 2, entry: must(engine.planBranch(ask({ turn: 2 }))).origins[0]!.entry },
    ]);
  });
});
