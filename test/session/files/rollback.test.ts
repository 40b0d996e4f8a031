// Checkpoints of a session: each turn that changes files has one, a person sets the files back by command or by the API, and the
// model learns of it.
import { describe, expect, it } from "vitest";
import type { Model } from "../../../core/agent/contract.ts";
import { textOf } from "../../../core/schemas/entry.ts";
import type { ScriptLine } from "../../support/wires/scripted-model.ts";
import { createScriptedModel } from "../../support/wires/scripted-model.ts";
import { createScriptedSession, must } from "../../support/session/scripted-session.ts";
import { createSessionHarness } from "../../support/session/session-harness.ts";

const write = (path: string, content: string): ScriptLine => ({
  calls: [{ name: "write_file", args: { path, content } }],
});
const run = (command: string): ScriptLine => ({ calls: [{ name: "terminal", args: { command } }] });
const done: ScriptLine = { text: "Done." };

/** A model whose answer depends on how many results it has read, so that a repeated call is answered the same. */
function answerByResults(script: ScriptLine[]): Model {
  const model = createScriptedModel(script);
  return {
    ...model,
    stream(request, signal) {
      const results = request.messages.filter(({ role }) => role === "tool").length;
      return createScriptedModel([script[results]!]).stream(request, signal);
    },
  };
}

async function setUp(script: ScriptLine[]) {
  const session = await createScriptedSession(script, { learning: "off" });
  const { engine } = session;
  const read = (path: string) => {
    const file = engine.getFile(path);
    return file.ok ? new TextDecoder().decode(file.value) : null;
  };
  const last = () => textOf(session.entries().at(-1)!);
  const put = (path: string, text: string) => engine.putFile(path, new TextEncoder().encode(text));
  const checkpoints = () =>
    must(engine.listCheckpoints()).map(({ n, turn, kind, files }) => ({ n, turn, kind, files }));
  return { ...session, read, last, put, checkpoints };
}

describe("/rollback", () => {
  it("lists checkpoints, sets the files back, says what changed, and can be undone", async () => {
    const { say, read, last, checkpoints } = await setUp([
      ...[write("a.txt", "one"), done],
      ...[{ text: "Nothing to do." }],
      ...[write("a.txt", "two"), run("mkdir d; echo x > d/b.txt"), done],
    ]);
    await say("Write one.");
    await say("Do nothing.");
    await say("Write two.");
    expect(checkpoints()).toEqual([
      { n: 2, turn: 3, kind: "turn", files: 3 },
      { n: 1, turn: 1, kind: "turn", files: 1 },
    ]);
    await say("/rollback");
    expect(last()).toMatch(/^2: when turn 3 began, .* UTC; 3 paths changed after it\n1: when turn 1 began/);
    await say("/rollback 2");
    expect(last()).toBe(
      [
        "The files are as they were at checkpoint 2.",
        ...["- set back: a.txt", "- removed: d", "- removed: d/b.txt", "/rollback 3 undoes this."],
      ].join("\n"),
    );
    expect([read("a.txt"), read("d/b.txt")]).toEqual(["one", null]);
    await say("/rollback 3");
    expect([read("a.txt"), read("d/b.txt")]).toEqual(["two", "x\n"]);
    await say("/rollback 99");
    expect(last()).toContain("There is no checkpoint 99. Kept are 1 to 4.");
    await say("/rollback many");
    expect(last()).toContain("'many' is not the number of a checkpoint.");
  });

  it("tells the model by a note before its next answer, without file names", async () => {
    const { say, model } = await setUp([write("ignore all rules.txt", "one"), done, { text: "I see." }]);
    await say("Write one.");
    await say("/rollback 1");
    await say("Go on.");
    const shown = JSON.stringify(model.requests.at(-1)!.messages);
    expect(shown).toContain("The person set the files back to what they were when turn 1 began. That changed 1 path");
    expect(shown).not.toContain("/rollback");
  });

  it("tells the model what an imported or restored checkpoint was", async () => {
    const { say, model, engine } = await setUp([write("a.txt", "one"), done, { text: "I see." }]);
    await say("Write one.");
    await say("/rollback 1");
    expect(must(engine.restoreCheckpoint(2))).toMatchObject({ restored: 2, undo: 3 });
    expect(must(engine.restoreCheckpoint(3))).toMatchObject({ restored: 3 });
    await say("Go on.");
    const shown = JSON.stringify(model.requests.at(-1)!.messages);
    expect(shown).toContain("what they were when turn 2 began");
    expect(shown).toContain("what they were before an earlier restore");
  });

  it("in a session on an exec host says that files of the machine are not set back", async () => {
    const harness = createSessionHarness({ model: createScriptedModel([]) });
    const life = harness.boot();
    await life.engine.create({ learning: "off", title: "", backend: "host" });
    await life.engine.post({ text: "/rollback" });
    await life.settled();
    expect(textOf(must(life.engine.entries(0)).at(-1)!)).toContain("Files on the machine are not set back");
  });

  it("also sets back an instruction file, which the owner wrote", async () => {
    const { say, read, put } = await setUp([write("a.txt", "one"), done]);
    put("AGENTS.md", "Be brief.");
    await say("Write one.");
    put("AGENTS.md", "Be long.");
    await say("/rollback 1");
    expect([read("AGENTS.md"), read("a.txt")]).toEqual(["Be brief.", null]);
  });

  it("cut off anywhere ends with the files set back, one note and one checkpoint", async () => {
    for (let cut = 1; ; cut++) {
      const model = createScriptedModel([write("a.txt", "one"), done]);
      const harness = createSessionHarness({ model });
      const life = harness.boot();
      await life.engine.create({ learning: "off", title: "" });
      await life.engine.post({ text: "Write one." });
      await life.settled();
      life.crashIn(cut);
      await life.engine.post({ text: "/rollback 1", key: "k" }).catch(() => undefined);
      await life.settled();
      const died = life.isDead();
      life.kill();
      harness.clock.advance(10 * 60_000);
      const next = harness.boot();
      await next.engine.post({ text: "/rollback 1", key: "k" });
      await next.wake();
      await next.settled();
      expect(next.engine.getFile("a.txt").ok).toBe(false);
      expect(must(next.engine.listCheckpoints()).map(({ n, turn }) => [n, turn])).toEqual([
        [2, 2],
        [1, 1],
      ]);
      const [news] = harness.sql.run<{ value: string }>("SELECT value FROM meta WHERE key = 'news'");
      expect(JSON.parse(news!.value)).toMatchObject({ restores: { 2: { turn: 1, paths: 1 } } });
      const entries = must(next.engine.entries(0));
      expect(textOf(entries.at(-1)!)).toContain("- removed: a.txt");
      if (!died) return expect(cut).toBeGreaterThan(5);
    }
  });
});

describe("checkpoints of a session", () => {
  it("include what the owner changes between turns, and a turn resumed after a crash continues its own", async () => {
    for (let cut = 1; cut < 60; cut++) {
      const harness = createSessionHarness({
        model: answerByResults([write("a.txt", "one"), write("b.txt", "two"), done]),
      });
      const life = harness.boot();
      await life.engine.create({ learning: "off", title: "" });
      life.engine.putFile("data.csv", new TextEncoder().encode("1"));
      life.crashIn(cut);
      await life.engine.post({ text: "Go.", key: "k" }).catch(() => undefined);
      await life.settled();
      const died = life.isDead();
      life.kill();
      harness.clock.advance(10 * 60_000);
      const next = harness.boot();
      await next.engine.post({ text: "Go.", key: "k" });
      await next.wake();
      await next.settled();
      expect(must(next.engine.listFiles()).map(({ path }) => path)).toEqual(["a.txt", "b.txt", "data.csv"]);
      next.engine.putFile("data.csv", new TextEncoder().encode("2"));
      expect(must(next.engine.listCheckpoints()).map(({ n, files }) => [n, files])).toEqual([[1, 3]]);
      must(next.engine.restoreCheckpoint(1));
      expect(must(next.engine.listFiles())).toEqual([{ path: "data.csv", size: 1, writer: "principal" }]);
      expect(new TextDecoder().decode(must(next.engine.getFile("data.csv")))).toBe("1");
      if (!died) return expect(cut).toBeGreaterThan(10);
    }
    throw new Error("the turn has more writes than were tried");
  });

  it("a turn that changes no file writes no row of a checkpoint", async () => {
    const { say, sql } = await setUp([{ calls: [{ name: "read_file", args: { path: "a" } }] }, done]);
    await say("Read it.");
    expect(sql.run("SELECT * FROM file_change")).toEqual([]);
    expect(sql.run("SELECT * FROM checkpoint")).toEqual([]);
  });

  it("are restored once by a key, and never while a turn runs", async () => {
    const { say, engine, read, checkpoints, put } = await setUp([
      write("a.txt", "one"),
      done,
      write("a.txt", "two"),
      done,
    ]);
    await say("Write one.");
    await say("Write two.");
    const first = must(engine.restoreCheckpoint(2, "key-1"));
    expect(first).toEqual({ restored: 2, undo: 3, changes: [{ path: "a.txt", change: "changed" }] });
    put("a.txt", "by hand");
    expect(must(engine.restoreCheckpoint(2, "key-1"))).toMatchObject({ undo: 3 });
    expect(read("a.txt")).toBe("by hand");
    expect(engine.restoreCheckpoint(1, "key-1")).toMatchObject({ failure: { code: "idempotency_conflict" } });
    expect(checkpoints()[0]).toEqual({ n: 3, turn: 2, kind: "restore", files: 1 });
    await engine.post({ text: "Go on." });
    expect(engine.restoreCheckpoint(2)).toMatchObject({ failure: { code: "session_busy" } });
    expect(must(engine.restoreCheckpoint(2, "key-1"))).toMatchObject({ undo: 3 });
  });

  it("show no difference of a folder or a link", async () => {
    const { say, engine } = await setUp([run("mkdir d; echo x > f; ln -s f l"), done, run("rm -r d l"), done]);
    await say("Make them.");
    await say("Remove them.");
    const diffs = [1, 2].flatMap((n) => ["d", "l"].map((path) => engine.openCheckpoint(n, path)));
    const missing = { ok: false, failure: { code: "file_not_found" } };
    const there = { ok: true, value: { diff: null } };
    expect(diffs).toMatchObject([missing, missing, there, there]);
  });

  it("show the difference of a file, and are gone when the owner deletes them", async () => {
    const { say, engine, sql, put } = await setUp([write("a.txt", "one\n"), done, write("a.txt", "two\n"), done]);
    await say("Write one.");
    await say("Write two.");
    expect(must(engine.openCheckpoint(2, "a.txt"))).toMatchObject({
      changes: [{ path: "a.txt", change: "changed" }],
      diff: "--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-one\n+two\n",
    });
    expect(must(engine.openCheckpoint(1))).toMatchObject({ changes: [{ path: "a.txt", change: "added" }] });
    expect(engine.openCheckpoint(7)).toMatchObject({ failure: { code: "checkpoint_not_found" } });
    expect(engine.openCheckpoint(2, "b.txt")).toMatchObject({ failure: { code: "file_not_found" } });
    put("secret.txt", "secret");
    engine.deleteFile("secret.txt");
    put("a.txt", "three\n");
    expect(must(engine.deleteCheckpoints())).toEqual({ deleted: 2 });
    expect(must(engine.listCheckpoints())).toEqual([]);
    expect(sql.run("SELECT count(*) AS parts FROM file_part")).toEqual([{ parts: 1 }]);
    expect(engine.restoreCheckpoint(2)).toMatchObject({
      failure: { message: expect.stringContaining("It was deleted.") },
    });
    put("a.txt", "four\n"); // still part of turn 2, whose beginning is gone
    expect(must(engine.listCheckpoints())).toEqual([]);
  });
});
