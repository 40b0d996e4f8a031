// A turn, run again: that it gives the same, that nothing outside is reached, what each arm shows, and that a kill at any write changes nothing.
import { describe, expect, test } from "vitest";
import type { ModelRequest, Tool } from "../../../core/agent/contract.ts";
import { succeed } from "../../../core/agent/tool-result.ts";
import { ok } from "../../../core/errors.ts";
import { type Entry, NO_USAGE } from "../../../core/schemas/entry.ts";
import * as z from "zod";
import { type ScriptLine, type ScriptedAnswer, createScriptedModel } from "../../support/wires/scripted-model.ts";
import { type SessionOptions, createScriptedSession, must } from "../../support/session/scripted-session.ts";
import { type ReplayRunOptions, createReplayRun } from "../../support/session/replay-run.ts";
import { PROFILE, SESSION, createSessionHarness } from "../../support/session/session-harness.ts";
import type { ReplayOrder } from "../../../core/experiments/ports.ts";
import type { FileBodies } from "../../../core/schemas/file-body.ts";
import type { ReplayReport } from "../../../core/schemas/learning/experiment.ts";
import { sumUsageLines } from "../../../core/schemas/usage.ts";
import { createSkillStore } from "../../../stores/skills/skill-store.ts";
import { creation } from "../../support/skills/skills.ts";
import { stepOfCrashes } from "../../support/thorough.ts";
import { sandbox } from "../../tools/code/code-session.ts";

/** A repeated answer has calls of the same ids. */
let calls = 0;
const call = (name: string, args: Record<string, unknown> = {}): ScriptLine => ({
  calls: [{ id: `call-${++calls}`, name, args }],
});
const run = (command: string) => call("terminal", { command });
const write = (path: string, content: string) => call("write_file", { path, content });

/** Without times: when an entry was written, and how long a call took. */
const withoutTimes = (entries: Entry[]) =>
  entries.map((entry) => JSON.parse(JSON.stringify({ ...entry, at: 0 }).replaceAll(/\\"(ms|duration_ms)\\":\d+/g, "")));

/** Tools of the deployment that reach outside. `happened`: what they did. */
function createOutside(length = 1) {
  const happened: string[] = [];
  const make = (name: string, effect: Tool["effect"]): Tool => ({
    ...{ name, effect, description: name, toolset: "deployment", parameters: z.strictObject({ q: z.string() }) },
    async run({ q }: { q: string }) {
      happened.push(`${name} ${q}`);
      return succeed({ times: happened.length }, { content: { page: `page of ${q}`.repeat(length) } });
    },
  });
  return { happened, tools: [make("web_look", "read"), make("send_mail", "unkeyed")] };
}

async function record(script: ScriptLine[], says: string[], options: SessionOptions = {}) {
  const session = await createScriptedSession(script, options);
  for (const text of says) await session.say(text);
  const again = (lines: ScriptLine[], given: Partial<ReplayRunOptions> = {}) => {
    const model = createScriptedModel(lines);
    const host = { ...session.life.host, models: () => ({ ok: true as const, value: [model] as const }) };
    return { model, ...createReplayRun({ host, source: session.engine, ...given }) };
  };
  const ofTurn = (n: number) => session.entries().filter(({ turn }) => turn === n);
  return { ...session, again, ofTurn };
}

const second = { source: { session: SESSION, turn: 2 } };

describe("a replay without any change", () => {
  const lines = [
    ...[write("a.txt", "one\n"), { text: "One." }],
    ...[run("cat a.txt; echo two >> a.txt; wc -l a.txt"), call("read_file", { path: "a.txt" }), { text: "Two." }],
    ...[run("rm a.txt"), { text: "Gone." }],
  ] satisfies ScriptLine[];

  test("gives the recorded turn again, with the files as they were", async () => {
    const { again, ofTurn } = await record(lines, ["Write.", "Add.", "Remove."]);
    const replay = again(lines.slice(2, 5), { order: second });
    const life = replay.boot();
    await life.begin();
    await life.run();
    expect(life.faults).toEqual([]);
    expect(withoutTimes(life.entries())).toEqual(withoutTimes(ofTurn(2)));
    expect(replay.reports).toMatchObject([
      { end: "answered", code: null, answer: "Two.", exit: "success", left: null },
    ]);
  });

  test("runs the first turn again, before which nothing was", async () => {
    const { again, ofTurn } = await record(lines, ["Write.", "Add."]);
    const replay = again(lines.slice(0, 2));
    const life = replay.boot();
    await life.begin();
    await life.run();
    expect(life.faults).toEqual([]);
    expect(withoutTimes(life.entries())).toEqual(withoutTimes(ofTurn(1)));
  });
});

describe("what the recorded turn was", () => {
  async function runExactly({ again, ofTurn }: Awaited<ReturnType<typeof record>>, lines: ScriptLine[]) {
    const replay = again(lines);
    const life = replay.boot();
    await life.begin();
    await life.run();
    expect(withoutTimes(life.entries())).toEqual(withoutTimes(ofTurn(1)));
    return replay.reports[0]!;
  }

  test("a long result that was served can be read in its file, as then", async () => {
    const { tools } = createOutside(20_000);
    const read = call("terminal", { command: "wc -c .talaria/results/*; ls .talaria/results" });
    const lines = [run("ls -a"), call("web_look", { q: "rain" }), read, { text: "Long." }];
    const session = await record(lines, ["Look."], { tools });
    await runExactly(session, lines);
  });

  test("what a person allowed runs, and what was denied is denied as it was", async () => {
    const wipe: Tool = {
      ...{ name: "wipe", effect: "keyed", description: "Wipes.", staysInside: true, toolset: "deployment" },
      parameters: z.strictObject({ q: z.string() }),
      gate: ({ q }: { q: string }) => ({ verdict: "ask", summary: q, reasons: ["It wipes."] }),
      run: async ({ q }: { q: string }) => succeed({ wiped: q }),
    };
    const lines = [call("wipe", { q: "a" }), call("wipe", { q: "b" }), { text: "Wiped a." }];
    const session = await record(lines, ["Wipe."], { tools: [wipe] });
    for (const approve of [true, false]) {
      const waiting = must(session.engine.listApprovals()).find(({ state }) => state === "waiting")!;
      await session.engine.decideApproval(waiting.id, { approve });
      await session.life.settled();
    }
    await runExactly(session, lines);
    const other = session.again([call("wipe", { q: "c" }), { text: "No." }]);
    const life = other.boot();
    await life.begin();
    await life.run();
    expect(JSON.stringify(life.entries())).toContain("not_in_replay");
  });

  test("a write that was cut off after its effect finds its file there again", async () => {
    const lines = [write("a.txt", "one\n"), { text: "One." }];
    const walk = ({ messages }: ModelRequest) =>
      lines[messages.filter(({ role }) => role === "assistant").length] as ScriptedAnswer;
    for (let crashAt = 4; crashAt < 30; crashAt++) {
      const model = createScriptedModel(Array.from({ length: 9 }, () => walk));
      const harness = createSessionHarness({ model, settings: { review: { enabled: false } } });
      const mortal = harness.boot({ crashAt });
      await mortal.engine.create({ learning: "on", title: "" }).catch(() => {});
      await mortal.engine.post({ text: "Write.", key: "k" }).catch(() => {});
      await mortal.settled();
      const next = harness.boot();
      const { engine, host } = next;
      await engine.create({ learning: "on", title: "" });
      await engine.post({ text: "Write.", key: "k" });
      await next.settled();
      while (harness.alarmAt() !== null) await next.wake();
      const entries = must(engine.entries(0));
      if (!JSON.stringify(entries).includes('\\"created\\":false')) continue;
      const again = createScriptedModel(Array.from({ length: 9 }, () => walk));
      const replay = createReplayRun({ host: { ...host, models: () => ok([again] as const) }, source: engine });
      const life = replay.boot();
      await life.begin();
      await life.run();
      return expect(withoutTimes(life.entries())).toEqual(withoutTimes(entries));
    }
    expect.unreachable("no crash came between the effect and its result");
  });

  test("its budget is spent: the run ends before the next model call", async () => {
    const lines = [run("echo 1"), run("echo 2"), { text: "Two." }];
    const { again } = await record(lines, ["Count."]);
    const replay = again(lines, { order: { budget: { tokens: 20, usdMicros: 0 } } });
    const life = replay.boot();
    await life.begin();
    await life.run();
    expect(replay.model.requests).toHaveLength(2);
    expect(replay.reports).toMatchObject([{ end: "over_budget", answer: expect.anything(), stats: { modelCalls: 2 } }]);
  });

  test("one that cannot be run again is reported as that", async () => {
    const { tools } = createOutside();
    const { again } = await record([call("send_mail", { q: "all" }), { text: "Sent." }], ["Send."], { tools });
    const replay = again([]);
    const life = replay.boot();
    await life.begin();
    await life.run();
    expect(replay.reports).toMatchObject([{ end: "failed", code: "not_replayable", answer: null, lines: [] }]);
    expect(life.engine.look()).toMatchObject({ report: { code: "not_replayable" } });
  });
});

describe("what reaches outside", () => {
  const turn: ScriptLine[] = [call("web_look", { q: "rain" }), { text: "It rains." }];

  test("a recorded read is answered as it was, and nothing is asked outside", async () => {
    const { happened, tools } = createOutside();
    const { again, ofTurn } = await record(turn, ["Look."], { tools });
    const replay = again(turn);
    const life = replay.boot();
    await life.begin();
    await life.run();
    expect(happened).toEqual(["web_look rain"]);
    expect(withoutTimes(life.entries())).toEqual(withoutTimes(ofTurn(1)));
  });

  test("a read that nobody recorded ends the run before the model is asked again", async () => {
    const { happened, tools } = createOutside();
    const { again } = await record(turn, ["Look."], { tools });
    const replay = again([call("web_look", { q: "snow" }), { text: "It snows." }]);
    const life = replay.boot();
    await life.begin();
    await life.run();
    expect(happened).toEqual(["web_look rain"]);
    expect(replay.model.requests).toHaveLength(1);
    expect(replay.reports).toMatchObject([
      { end: "left_recording", code: "left_recording", left: { tool: "web_look", args: '{"q":"snow"}' } },
    ]);
  });

  test("an effect never happens, and the run goes on", async () => {
    const { happened, tools } = createOutside();
    const { again } = await record(turn, ["Look."], { tools });
    const replay = again([call("send_mail", { q: "all" }), { text: "I could not." }]);
    const life = replay.boot();
    await life.begin();
    await life.run();
    expect(happened).toEqual(["web_look rain"]);
    // The call is neither work nor a failure of the text.
    const stats = { modelCalls: 2, toolCalls: 0, failedCalls: 0 };
    expect(replay.reports).toMatchObject([{ end: "answered", answer: "I could not.", stats, exit: "unknown" }]);
    expect(JSON.stringify(life.entries())).toContain("not_in_replay");
  });
});

test("a read of another turn is answered as it was there, and costs nothing a second time", async () => {
  const { happened, tools } = createOutside();
  const vision = { kind: "vision", model: "eyes", usage: { ...NO_USAGE, input: 900 } } as const;
  const look: Tool = {
    ...tools[0]!,
    run: async (...asked) => ({ ...(await tools[0]!.run(...asked)), spent: [vision] }),
  };
  const turns = [call("web_look", { q: "rain" }), { text: "It rains." }, { text: "Hello." }];
  const { again } = await record(turns, ["Look.", "Hello."], { tools: [look] });
  for (const turn of [1, 2]) {
    const order = { source: { session: SESSION, turn }, arm: "without" as const };
    const replay = again([call("web_look", { q: "rain" }), { text: "It rains." }], { order });
    const life = replay.boot();
    await life.begin();
    await life.run();
    const [read] = life.entries().filter(({ kind }) => kind === "tool");
    expect(JSON.stringify(read)).toContain("page of rain");
    expect(read).not.toHaveProperty("spent");
    expect(replay.reports).toMatchObject([{ end: "answered", lines: [{ kind: "replay", model: "scripted:test" }] }]);
  }
  expect(happened).toEqual(["web_look rain"]);
});

describe("code", () => {
  const code =
    'try { console.log(JSON.stringify(await tools.web_look({q: "rain"}))); } catch (e) { console.log(String(e)); }';
  const mail = 'try { await tools.send_mail({q: "all"}); } catch (e) { console.log(String(e)); } console.log("sent?");';

  test("reads what the model itself read in the recorded turn, and tells nobody anything", async () => {
    const { happened, tools } = createOutside();
    const { again } = await record([call("web_look", { q: "rain" }), { text: "It rains." }], ["Look."], {
      tools,
      sandbox,
    });
    const replay = again([call("execute_code", { code }), call("execute_code", { code: mail }), { text: "Read." }]);
    const life = replay.boot();
    await life.begin();
    await life.run();
    const [read, sent] = life.entries().filter(({ kind }) => kind === "tool");
    expect(JSON.stringify(read)).toContain("page of rain");
    expect(JSON.stringify(sent)).toMatch(/nothing outside its workspace.*sent\?/);
    expect(happened).toEqual(["web_look rain"]);
    expect(replay.reports).toMatchObject([{ end: "answered", answer: "Read." }]);
  });

  test("ends the run with a read that nobody recorded", async () => {
    const { happened, tools } = createOutside();
    const { again } = await record([{ text: "Hello." }], ["Look."], { tools, sandbox });
    const replay = again([call("execute_code", { code }), { text: "Read." }]);
    const life = replay.boot();
    await life.begin();
    await life.run();
    expect(happened).toEqual([]);
    expect(replay.reports).toMatchObject([{ end: "left_recording", left: { tool: "web_look" } }]);
  });
});

describe("an arm", () => {
  const skill = "count-rows";
  const text = (say: string) => ({
    "SKILL.md": `---\nname: ${skill}\ndescription: Counts rows of tables.\n---\n${say}\n`,
  });
  const script: ScriptLine[] = [call("skill_view", { name: skill }), run("echo 1"), { text: "One." }];

  async function shown(arm: ReplayOrder["arm"], files: FileBodies | null) {
    const session = await createScriptedSession(script);
    const { bucket, clock, say, engine, life } = session;
    const skills = createSkillStore({ bucket, profile: PROFILE, clock, random: () => 0.5, swapMs: 1_000 });
    await skills.change(creation(skill, text("The present way.")["SKILL.md"], "made"));
    await say("Count the rows.");
    const model = createScriptedModel([call("skills_list"), run("echo 1"), { text: "One." }]);
    const host = { ...life.host, models: () => ({ ok: true as const, value: [model] as const }) };
    const replay = createReplayRun({ host, source: engine, order: { arm, skill }, text: files });
    const next = replay.boot();
    await next.begin();
    await next.run();
    expect(next.faults).toEqual([]);
    const [first] = model.requests;
    const listed = next.entries().find((entry) => entry.kind === "tool")!;
    const read = JSON.stringify(first);
    return { read, system: first!.system, listed: JSON.stringify(listed), report: replay.reports[0]! };
  }

  test("with the text shows that text and no other", async () => {
    const { read, system, listed, report } = await shown("with", text("The new way."));
    expect(read).toContain("The new way.");
    expect(read).not.toContain("The present way.");
    expect(system).toContain(skill);
    expect(listed).toContain(skill);
    expect(report).toMatchObject({ end: "answered", loaded: true });
  });

  test("with its parent shows the parent", async () => {
    const { read, report } = await shown("parent", text("The old way."));
    expect(read).toContain("The old way.");
    expect(report.loaded).toBe(true);
  });

  test("without the text has nothing under the name", async () => {
    const { read, listed, report } = await shown("without", null);
    expect(read).not.toContain(skill);
    expect(listed).not.toContain(skill);
    expect(report).toMatchObject({ end: "answered", loaded: false });
  });

  test("that changes nothing is served what the recorded turn read", async () => {
    const { system } = await shown("recorded", null);
    expect(system).toContain(skill);
  });
});

/** [own] A prime number, so that each kind of write is met. */
const CRASH_WAYS = 5;

describe("a kill", () => {
  test("at any write of a replay loses and doubles nothing, and the turn comes out the same", async () => {
    const { happened, tools } = createOutside();
    const lines = [
      ...[write("a.txt", "one\n"), { text: "One." }],
      ...[
        run("echo two >> a.txt"),
        call("web_look", { q: "rain" }),
        call("read_file", { path: "a.txt" }),
        { text: "Two." },
      ],
    ];
    const { again, ofTurn } = await record(lines, ["Write.", "Add."], { tools });
    const whole = withoutTimes(ofTurn(2));
    let isOver = false;
    for (let crashAt = 1; !isOver; crashAt += stepOfCrashes(CRASH_WAYS)) {
      const answers = (request: ModelRequest) => {
        const done = request.messages.slice(request.messages.findLastIndex(({ role }) => role === "user"));
        return lines[2 + done.filter(({ role }) => role === "assistant").length] as ScriptedAnswer;
      };
      const replay = again(
        Array.from({ length: 20 }, () => answers),
        { order: second },
      );
      const mortal = replay.boot({ crashAt });
      await mortal.begin().catch(() => {});
      await mortal.run();
      await mortal.settled();
      isOver = !mortal.isDead();
      const life = replay.boot();
      await life.begin();
      await life.run();
      expect(replay.reports.length, `killed at write ${crashAt}`).toBeGreaterThan(0);
      const entries = withoutTimes(life.entries());
      const unknown = JSON.stringify(entries).includes("outcome_unknown");
      if (!unknown) expect(entries, `killed at write ${crashAt}`).toEqual(whole);
      expect(new Set(replay.reports.map((report) => JSON.stringify(report))).size).toBe(1);
      expect(replay.sql.run("SELECT id FROM job")).toEqual([]);
      if (crashAt > 150) throw new Error("it never ends");
    }
    expect(happened).toEqual(["web_look rain"]);
  }, 20_000);
});

test("nothing is booked, observed, titled, indexed or told", async () => {
  const told: string[] = [];
  const { again, booked, sent, bucket, kv } = await record([write("a.txt", "x"), { text: "Done." }], ["Write."], {
    hooks: { take: async ({ type }) => void told.push(type) },
    settings: { turn: { titles: true } },
  });
  const seen = async () => ({
    ...{ booked: booked.length, sent: sent.length, told: told.length },
    objects: (await bucket.list({ prefix: "" })).objects.map(({ key, etag }) => `${key} ${etag}`),
    keys: (await kv.list({ prefix: "" })).keys.map(({ name }) => name),
  });
  const before = await seen();
  const replay = again([write("a.txt", "x"), { text: "Done." }]);
  const life = replay.boot();
  await life.begin();
  await life.run();
  expect(await seen()).toEqual(before);
  expect(replay.model.requests).toHaveLength(2);
  const [report] = replay.reports;
  expect(report!.lines).toMatchObject([{ kind: "replay", model: "scripted:test", calls: 2 }]);
});

test("what a run has used that never reported is known until a report was taken", async () => {
  const lines = [write("a.txt", "one\n"), { text: "One." }] satisfies ScriptLine[];
  const { again } = await record(lines, ["Write."]);
  const used = (run: Pick<ReplayReport, "lines"> | null) => run && sumUsageLines(run.lines).tokens;
  const whole = again(lines);
  const life = whole.boot();
  expect(life.engine.spent()).toBeNull();
  await life.begin();
  await life.run();
  expect(life.engine.spent()).toBeNull();
  const all = used(whole.reports[0]!);

  const unheard = () => {
    throw new Error("nobody takes it");
  };
  const seen = new Set<number | null>();
  for (let crashAt = 2; crashAt <= whole.writes(); crashAt++) {
    const cut = again(lines, { onReport: unheard });
    const mortal = cut.boot({ crashAt });
    await mortal.begin().catch(() => {});
    await mortal.run(3).catch(() => {});
    seen.add(used(cut.boot().engine.spent()));
  }
  expect([...seen]).toEqual([null, all! / 2, all]);
});
