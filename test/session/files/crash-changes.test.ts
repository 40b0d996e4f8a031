// A power cut at each write of a turn that changes several files, by one patch or by code that calls tools: the turn's checkpoint
// still gives back exactly what was there when it began.
import { expect, it } from "vitest";
import type { Model } from "../../../core/agent/contract.ts";
import { sandbox } from "../../tools/code/code-session.ts";
import { must } from "../../support/session/scripted-session.ts";
import { createSessionHarness } from "../../support/session/session-harness.ts";
import { createScriptedModel } from "../../support/wires/scripted-model.ts";

const PATCH = `*** Begin Patch
*** Update File: a.txt
@@
-one
+two
*** Add File: new/b.txt
+b
*** Update File: old.txt
*** Move to: d/moved.txt
@@
-old
+moved
*** Delete File: gone.txt
*** End Patch`;
const CODE = `
  await tools.write_file({ path: "new/b.txt", content: "b\\n" });
  await tools.patch({ path: "a.txt", old_string: "one", new_string: "1" });
  await tools.terminal({ command: "mkdir d; mv old.txt d/moved.txt; chmod 600 d/moved.txt; rm gone.txt; ln -s a.txt l; sed -i s/old/moved/ d/moved.txt" });
  await tools.terminal({ command: "sed -i s/1/two/ a.txt" });`;
const CHANGED = ["a.txt two", "d/moved.txt moved", "new/b.txt b"];
const BEFORE = { "a.txt": "one\n", "old.txt": "old\n", "gone.txt": "gone\n" };

/** Makes one call, then answers. A request that is repeated after a crash gets the same reply. */
function callOnce(name: string, args: Record<string, unknown>): Model {
  const call = { calls: [{ name, args }] };
  return {
    ...createScriptedModel([]),
    stream(request, signal) {
      const isDone = request.messages.some(({ role }) => role === "tool");
      return createScriptedModel([isDone ? { text: "Done." } : call]).stream(request, signal);
    },
  };
}

async function cutOff(model: Model, cut: number) {
  const harness = createSessionHarness({ model, sandbox });
  const rows = () => harness.sql.run("SELECT * FROM file_node ORDER BY parent, name");
  const life = harness.boot();
  await life.engine.create({ learning: "off", title: "" });
  for (const [path, text] of Object.entries(BEFORE)) must(life.engine.putFile(path, new TextEncoder().encode(text)));
  const before = rows();
  life.crashIn(cut);
  await life.engine.post({ text: "Go.", key: "k" }).catch(() => undefined);
  await life.settled();
  const died = life.isDead();
  life.kill();
  const nodesAtCut = rows().length;
  harness.clock.advance(10 * 60_000);
  const next = harness.boot();
  const { engine } = next;
  await engine.post({ text: "Go.", key: "k" });
  await next.wake();
  await next.settled();
  expect(engine.detail()).toMatchObject({ state: "idle", turns: [{ n: 1, state: "done" }] });
  const read = (path: string) => new TextDecoder().decode(must(engine.getFile(path))).trim();
  const files = must(engine.listFiles()).map(({ path }) => `${path} ${read(path)}`);
  const checkpoints = must(engine.listCheckpoints());
  expect(checkpoints.map(({ n, turn, kind }) => ({ n, turn, kind }))).toEqual(
    files.includes("gone.txt gone") && files.length === 3 ? [] : [{ n: 1, turn: 1, kind: "turn" }],
  );
  if (checkpoints.length > 0) must(engine.restoreCheckpoint(1));
  expect(rows()).toEqual(before);
  for (const [path, text] of Object.entries(BEFORE)) expect(read(path)).toBe(text.trim());
  return { died, files, nodesAtCut };
}

it("a patch of several files is made whole once, wherever the turn is cut off", async () => {
  for (let cut = 1; cut < 80; cut++) {
    const { died, files, nodesAtCut } = await cutOff(callOnce("patch", { patch: PATCH }), cut);
    expect(files).toEqual(CHANGED);
    expect([3, 5]).toContain(nodesAtCut); // the files before, or those after with the two folders
    if (!died) return expect(cut).toBeGreaterThan(10);
  }
  throw new Error("the turn has more writes than were tried");
});

it("code that was cut off at any of its tools' writes is set back exactly", async () => {
  for (let cut = 1; cut < 80; cut++) {
    const { died, files } = await cutOff(callOnce("execute_code", { code: CODE }), cut);
    if (!died) {
      expect(files).toEqual(CHANGED);
      return expect(cut).toBeGreaterThan(20);
    }
  }
  throw new Error("the turn has more writes than were tried");
});
