// How a session learns what the profile's owner has set: once for each revision, before the tools of the turn that names it.
import { describe, expect, test } from "vitest";
import { type ProfileSettings, noProfileSettings } from "../../../core/schemas/profile/settings.ts";
import { createScriptedModel } from "../../support/wires/scripted-model.ts";
import { createSessionHarness } from "../../support/session/session-harness.ts";

async function setUp(script: { text: string }[], fail: () => boolean = () => false) {
  const owner: ProfileSettings = noProfileSettings();
  let reads = 0;
  const harness = createSessionHarness({
    model: createScriptedModel(script),
    async readProfileSettings() {
      if (fail()) throw new Error("the Account does not answer");
      reads++;
      return structuredClone(owner);
    },
  });
  let life = harness.boot();
  await life.engine.create({ learning: "off", title: "t" });
  return {
    harness,
    owner,
    reads: () => reads,
    life: () => life,
    restart: () => (life = harness.boot()),
    async say(text: string, settingsRev?: number) {
      await life.engine.post({ text, ...(settingsRev !== undefined && { settingsRev }) });
      await life.settled();
    },
    stored: () => harness.sql.run<{ value: string }>("SELECT value FROM meta WHERE key = 'profile'")[0]?.value ?? null,
  };
}

const ANSWERS = Array.from({ length: 6 }, () => ({ text: "Done." }));

describe("a session", () => {
  test("of a profile that has set nothing reads and stores nothing", async () => {
    const { say, reads, stored } = await setUp(ANSWERS);
    await say("a");
    await say("b", 0);
    expect([reads(), stored()]).toEqual([0, null]);
  });

  test("reads a revision once, and not again for an older one", async () => {
    const { say, reads, owner, stored } = await setUp(ANSWERS);
    owner.rev = 3;
    owner.sections.tools.all = { disabled: ["web"] };
    await say("a", 3);
    await say("b", 3);
    await say("c", 2);
    await say("d");
    expect(reads()).toBe(1);
    expect(JSON.parse(stored()!)).toMatchObject({ v: 1, rev: 3, sections: { tools: { all: { disabled: ["web"] } } } });
    owner.rev = 4;
    await say("e", 4);
    expect(reads()).toBe(2);
  });

  test("runs no turn under replaced settings: it waits until they can be read", async () => {
    let down = true;
    const { say, reads, owner, harness, life, stored } = await setUp(ANSWERS, () => down);
    owner.rev = 1;
    await say("a", 1);
    expect([reads(), stored()]).toEqual([0, null]);
    down = false;
    harness.clock.advance(120_000);
    await life().wake();
    await life().settled();
    expect(reads()).toBe(1);
    const detail = await life().engine.detail();
    expect(detail).toMatchObject({ turns: [{ state: "done" }] });
  });

  test("does not confuse the revision with the body of a repeated message", async () => {
    const { life, owner } = await setUp(ANSWERS);
    owner.rev = 2;
    const first = await life().engine.post({ text: "a", key: "k", settingsRev: 1 });
    const again = await life().engine.post({ text: "a", key: "k", settingsRev: 2 });
    expect([first, again]).toMatchObject([{ value: { replayed: false } }, { value: { replayed: true } }]);
  });
});
