// Slash commands that load skills, through the whole engine: what is sent to the model, what the log keeps, what learning
// observes, and that a turn sends the same bytes again after a crash.
import { describe, expect, it } from "vitest";
import type { ModelRequest } from "../../../core/agent/contract.ts";
import type { SkillNext } from "../../../core/ports.ts";
import { type Entry, type NoteEntry, textOf } from "../../../core/schemas/entry.ts";
import { conditionsOf } from "../../../core/skills/format/conditions.ts";
import { createEvidenceStore } from "../../../stores/evidence/evidence-store.ts";
import { createSkillStore } from "../../../stores/skills/skill-store.ts";
import { collect as collectEvidence } from "../../support/session/collect.ts";
import { collect } from "../../support/session/collect-events.ts";
import { type ScriptLine, createScriptedModel } from "../../support/wires/scripted-model.ts";
import {
  type HarnessOptions,
  type SessionLife,
  PROFILE,
  SESSION,
  createSessionHarness,
} from "../../support/session/session-harness.ts";
import { JUDGE } from "../../support/skills/reviews.ts";

const SWAP_MS = 1_000;

async function setUp(script: ScriptLine[], options: Partial<HarnessOptions> & { learning?: "on" | "off" } = {}) {
  const { learning = "on", ...rest } = options;
  const model = createScriptedModel(script);
  const settings = { ...rest.settings, review: { enabled: false } };
  const harness = createSessionHarness({ model, ...rest, settings });
  const { bucket, clock } = harness;
  const stores = { bucket, profile: PROFILE, clock, random: () => 0.5, swapMs: SWAP_MS };
  const skills = createSkillStore({ ...stores, readConditions: conditionsOf });
  let life: SessionLife = harness.boot();
  await life.engine.create({ learning, title: "" });
  let ops = 0;
  return {
    ...harness,
    model,
    skills,
    life: () => life,
    reboot(more?: { crashAt?: number }) {
      life = harness.boot(more);
      return life;
    },
    async put(name: string, body: string, change: SkillNext & { fields?: string } = {}) {
      const { fields = "", ...next } = change;
      const files = { "SKILL.md": `---\nname: ${name}\ndescription: About ${name}.\n${fields}\n---\n\n${body}\n` };
      const whole = { files, description: `About ${name}.`, state: "active", origin: "user", ...next } as const;
      const made = await skills.change({
        name,
        op: `op-${++ops}`,
        since: 0,
        decide: () => ({ ok: true, value: whole }),
      });
      expect(made.ok).toBe(true);
    },
    async turn(text: string) {
      expect(await life.engine.post({ text })).toMatchObject({ ok: true });
      await life.settled();
      return life.engine.detail()!.turns.at(-1)!;
    },
    entries(): Entry[] {
      const entries = life.engine.entries(0);
      if (!entries.ok) throw new Error(entries.failure.code);
      return entries.value;
    },
  };
}

async function noticesOf({ engine }: SessionLife) {
  const events = engine.events({});
  if (!events.ok) throw new Error("no events");
  return (await collect(events.value)).map(({ event }) => event).filter(({ type }) => type === "notice_add");
}

const said = (request: ModelRequest) => request.messages.map(({ role, text }) => `${role}: ${text}`);
const loadedIn = (entries: Entry[]) =>
  entries.find((entry): entry is NoteEntry => entry.kind === "note" && !!entry.skills);

describe("/name", () => {
  it("adds the skill after the message, as user text, and keeps the message as typed", async () => {
    const world = await setUp([{ text: "Done." }, { text: "Again." }]);
    await world.put("weather", "Look up {{city}} on {{day}}.");
    await world.turn("/Weather city=Rome and be quick");
    const [first] = world.model.requests;
    expect(said(first!)).toEqual([
      "user: /Weather city=Rome and be quick",
      expect.stringMatching(
        /^user: <skills>\n[\s\S]*Look up Rome on \d{4}-\d\d-\d\d\.[\s\S]*<\/skills>\n\nand be quick$/,
      ),
    ]);
    expect(first!.system).not.toContain("Look up");
    const [typed, note] = world.entries();
    expect(typed).toMatchObject({
      kind: "user",
      parts: [{ source: "principal", text: "/Weather city=Rome and be quick" }],
    });
    const head = (await world.skills.head("weather"))!;
    expect(note).toMatchObject({ kind: "note", code: "skills", skills: [{ skill: "weather", text: head.text }] });
    const own = note!.parts.filter((part) => part.source === "own").map((part) => part.text);
    expect(own.join("")).toContain("Look up Rome");

    await world.turn("And now?");
    expect(said(world.model.requests[1]!).slice(0, 2)).toEqual(said(first!));
  });

  it("counts as a use of the text that was read, and of its companion's", async () => {
    const world = await setUp([{ text: "Done." }]);
    await world.put("weather", "Look up.");
    await world.put("weather-local", "Rome is hot.", { extends: "weather", origin: "review", state: "trial" });
    await world.turn("/weather Rome");
    expect(said(world.model.requests[0]!)[1]).toContain("Rome is hot.");
    for (let wakes = 0; world.alarmAt() !== null && wakes < 10; wakes++) await world.life().wake();
    const evidence = createEvidenceStore({ bucket: world.bucket, profile: PROFILE, judge: JUDGE });
    for (const name of ["weather", "weather-local"]) {
      const { text } = (await world.skills.head(name))!;
      expect(await collectEvidence(evidence.list(name))).toMatchObject([{ skill: name, text, turn: `${SESSION}-1` }]);
    }
  });

  it("loads several skills once each, and a bundle's members before its own words", async () => {
    const world = await setUp([{ text: "Done." }]);
    await world.put("one", "First.");
    await world.put("two", "Second.");
    await world.put("gone", "Third.", { state: "archived" });
    await world.put("both", "Do one, then two.", { fields: 'metadata:\n  bundle: "one, nobody, gone, two"' });
    await world.turn("/two /both go");
    const text = said(world.model.requests[0]!)[1]!;
    expect([...text.matchAll(/^<skill name="(.*)">$/gm)].map((found) => found[1])).toEqual(["two", "one", "both"]);
    expect(text).toContain("both also names nobody, which was left out: There is no skill");
    expect(text).toContain("both also names gone, which was left out: The skill 'gone' is archived");
  });

  it("is shown to readers as a notice with names, live and in a replay", async () => {
    const world = await setUp([{ text: "Done." }]);
    await world.put("weather", "A long text.");
    await world.turn("/weather Rome");
    expect(await noticesOf(world.life())).toMatchObject([{ code: "skills", text: "Loaded: weather." }]);
  });

  it.each([
    ["is not a skill", "/nobody-knows what is this?"],
    ["is a path", "/usr/bin/env is missing"],
    ["begins like a command", "/usage of memory is high"],
  ])("sends a message whose first word %s to the model unchanged", async (_what, text) => {
    const world = await setUp([{ text: "Hm." }]);
    await world.put("usage", "Unused.");
    expect(await world.turn(text)).toMatchObject({ state: "done" });
    expect(said(world.model.requests[0]!)).toEqual([`user: ${text}`]);
    expect(loadedIn(world.entries())).toBeUndefined();
  });

  it("loads a skill with the name of a command by /skill", async () => {
    const world = await setUp([{ text: "Done." }]);
    await world.put("compress", "Squeeze it.");
    await world.turn("/skill compress the pictures");
    expect(said(world.model.requests[0]!)[1]).toContain("Squeeze it.");
  });

  it("loads only bundled skills in a session that does not learn", async () => {
    const world = await setUp([{ text: "Done." }, { text: "Hm." }], { learning: "off" });
    await world.put("weather", "Look up.");
    await world.turn("/using-the-workspace where am I?");
    expect(said(world.model.requests[0]!)[1]).toContain('<skill name="using-the-workspace">');
    await world.turn("/weather Rome");
    expect(said(world.model.requests[1]!).at(-1)).toBe("user: /weather Rome");
  });

  it("does not read the library if nothing begins with a slash", async () => {
    const world = await setUp([{ text: "One." }, { text: "Two." }]);
    await world.turn("Hello.");
    const { bucket } = world;
    let asked = 0;
    const { getUnless, get } = bucket;
    Object.assign(bucket, {
      getUnless: (...args: Parameters<typeof getUnless>) => (asked++, getUnless(...args)),
      get: (...args: Parameters<typeof get>) => (asked++, get(...args)),
    });
    expect(await world.life().engine.post({ text: "a/b or /c?" })).toMatchObject({ ok: true });
    const before = asked;
    expect(before).toBe(0);
    await world.life().settled();
  });
});

describe("a skill that cannot be loaded ends the turn with a notice, and the model is not asked", () => {
  it.each<[string, string, SkillNext & { fields?: string }, string]>([
    ["archived", "/weather Rome", { state: "archived" }, "skill_archived"],
    ["waiting for a person's approval", "/weather Rome", { state: "pending" }, "skill_pending"],
    ["for another platform", "/weather Rome", { fields: "platforms: [windows]" }, "skill_unsupported"],
    ["switched off", "/weather Rome", {}, "skill_disabled"],
    ["a companion without its base", "/weather Rome", { extends: "nobody", origin: "review" }, "no_base"],
    ["named but missing", "/skill whether Rome", {}, "skill_missing"],
  ])("%s", async (what, text, change, code) => {
    const disabled = what === "switched off" ? ["Weather"] : [];
    const world = await setUp([{ text: "Unheard." }], { settings: { skills: { disabled } } });
    await world.put("weather", "Look up.", change);
    expect(await world.turn(text)).toMatchObject({ state: "failed" });
    expect(world.model.requests).toEqual([]);
    const [typed, notice] = world.entries();
    expect(textOf(typed!)).toBe(text);
    expect(notice).toMatchObject({ kind: "notice", code });
  });

  it("also a single word that is neither a skill nor a command", async () => {
    const world = await setUp([{ text: "Unheard." }]);
    expect(await world.turn("/refin")).toMatchObject({ state: "failed" });
    expect(world.model.requests).toEqual([]);
    expect(world.entries().at(-1)).toMatchObject({ kind: "notice", code: "unknown_command" });
  });

  it("also more than five skills at once", async () => {
    const world = await setUp([{ text: "Unheard." }]);
    const names = ["a", "b", "c", "d", "e", "f"];
    for (const name of names) await world.put(name, "Do it.");
    expect(await world.turn(`${names.map((name) => `/${name}`).join(" ")} go`)).toMatchObject({ state: "failed" });
    expect(world.entries().at(-1)).toMatchObject({ kind: "notice", code: "too_many_skills" });
  });
});

describe("a message that names no skill", () => {
  const ask = "Please export the ledger of March for our auditors.";
  const more = { description: "Exporting a ledger for the auditors.", origin: "review" } as const;

  async function setUpLearned(script: ScriptLine[], options: Parameters<typeof setUp>[1] = {}) {
    const world = await setUp(script, options);
    await world.put("ledgers", "Pass `--encoding latin1`.", more);
    await world.skills.noteUse({ ledgers: { uses: 2, successes: 2, failures: 0, lastUsedDay: "2026-01-01" } });
    return world;
  }

  it("recalls a skill that it matches and that has helped, after the typed text, and records its use", async () => {
    const world = await setUpLearned([{ text: "Done." }, { text: "Again." }]);
    await world.turn(ask);
    const [first] = world.model.requests;
    expect(said(first!)).toEqual([
      `user: ${ask}`,
      expect.stringMatching(
        /^user: <note>\n<skills>\nYour skill 'ledgers' fits[\s\S]*Pass `--encoding latin1`\.[\s\S]*<\/skill>\n<\/skills>\n<\/note>$/,
      ),
    ]);
    const { text } = (await world.skills.head("ledgers"))!;
    expect(loadedIn(world.entries())).toMatchObject({ code: "recalled_skill", skills: [{ skill: "ledgers", text }] });
    const evidence = createEvidenceStore({ bucket: world.bucket, profile: PROFILE, judge: JUDGE });
    expect(await collectEvidence(evidence.list("ledgers"))).toMatchObject([{ skill: "ledgers", text }]);
    expect(await noticesOf(world.life())).toMatchObject([{ code: "recalled_skill", text: "Loaded: ledgers." }]);

    // A skill that is in the conversation is not shown twice, whatever the prompt.
    world.clock.advance(60 * 60_000);
    await world.turn(ask);
    expect(world.entries().filter((entry) => entry.kind === "note" && entry.skills)).toHaveLength(1);
    await world.put("ledgers", "Pass `--encoding cp1252`.", more);
    world.clock.advance(60 * 60_000);
    await world.turn(ask);
    expect(said(world.model.requests.at(-1)!).at(-1)).toContain("cp1252");
  });

  it.each<[string, Parameters<typeof setUp>[1]]>([
    ["with recall off", { settings: { skills: { recall: false } } }],
    ["in a session that does not learn", { learning: "off" }],
    ["in a session that is held out", { settings: { learning: { holdOut: 1 } } }],
    ["that is switched off", { settings: { skills: { disabled: ["ledgers"] } } }],
  ])("recalls no skill %s", async (_what, options) => {
    const world = await setUpLearned([{ text: "Done." }], options);
    await world.turn(ask);
    expect(said(world.model.requests[0]!)).toEqual([`user: ${ask}`]);
  });

  it("is still answered if the skill cannot be read", async () => {
    const world = await setUpLearned([{ text: "Done." }]);
    const { get } = world.bucket;
    world.bucket.get = async (key) => {
      if (key.includes("/heads/ledgers")) throw new Error("unreachable");
      return get(key);
    };
    expect(await world.turn(ask)).toMatchObject({ state: "done" });
    expect(loadedIn(world.entries())).toBeUndefined();
    expect(world.life().reports.join()).toContain("recalled skill");
  });
});

describe("a turn with loaded skills that crashes", () => {
  const script = () => Array.from({ length: 30 }, () => ({ text: "Done." }));

  async function runWithCrash(crashAt: number, text = "/weather city=Rome now") {
    const world = await setUp(script());
    await world.put("weather", "Look up {{city}}.", {
      description: "Telling the weather of a city.",
      origin: "review",
    });
    await world.skills.noteUse({ weather: { uses: 2, successes: 2, failures: 0, lastUsedDay: "2026-01-01" } });
    const first = world.reboot({ crashAt });
    await first.engine.post({ text, key: "k" }).catch(() => undefined);
    await first.settled();
    const second = world.reboot();
    await second.engine.create({ learning: "on", title: "" });
    expect(await second.engine.post({ text, key: "k" })).toMatchObject({ ok: true });
    await second.settled();
    for (let wakes = 0; world.alarmAt() !== null && wakes < 20; wakes++) await second.wake();
    return world;
  }

  it("ends with one answer, the skill once, and the same request each time", async () => {
    const whole = await runWithCrash(Infinity);
    const request = said(whole.model.requests[0]!);
    const writes = whole.crashPoints();
    expect(writes).toBeGreaterThan(10);
    for (let at = 1; at <= writes; at++) {
      const world = await runWithCrash(at);
      const entries = world.entries();
      expect(entries.filter((entry) => entry.kind === "note")).toHaveLength(1);
      expect(entries.filter((entry) => entry.kind === "assistant")).toHaveLength(1);
      for (const asked of world.model.requests) expect(said(asked)).toEqual(request);
    }
  });

  it("with a recalled skill ends with one answer, and the same request each time", async () => {
    const text = "Tell me the weather of our city.";
    const whole = await runWithCrash(Infinity, text);
    expect(loadedIn(whole.entries())).toMatchObject({ code: "recalled_skill" });
    for (let at = 1; at <= whole.crashPoints(); at++) {
      const world = await runWithCrash(at, text);
      const entries = world.entries();
      expect(entries.filter((entry) => entry.kind === "note").length).toBeLessThan(2);
      expect(entries.filter((entry) => entry.kind === "assistant")).toHaveLength(1);
      // After a crash between the prompt and the note, the skill is only listed. A request that was sent once is repeated
      // unchanged.
      const [first, ...others] = world.model.requests;
      for (const asked of others) expect(said(asked)).toEqual(said(first!));
    }
  });

  it("keeps the text it began with, even if the skill changed meanwhile", async () => {
    const gate = Promise.withResolvers<void>();
    const world = await setUp([{ text: "Slow", until: gate.promise }, { text: "Done." }]);
    await world.put("weather", "Old words.");
    await world.life().engine.post({ text: "/weather Rome" });
    while (world.model.requests.length === 0) await new Promise((done) => setTimeout(done, 1));
    world.life().kill();
    await world.put("weather", "New words.");
    const second = world.reboot();
    world.clock.advance(60_000);
    await second.wake();
    gate.resolve();
    await second.settled();
    expect(world.model.requests).toHaveLength(2);
    expect(said(world.model.requests[1]!)[1]).toContain("Old words.");
    expect(said(world.model.requests[1]!).join()).not.toContain("New words.");
  });
});
