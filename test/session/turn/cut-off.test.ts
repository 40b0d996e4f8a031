// What holds after a crash for those who were connected before: the alarm is armed, and readers learn what was lost.
import { describe, expect, it } from "vitest";
import { AgentEvent } from "../../../core/schemas/entry.ts";
import { createScriptedModel } from "../../support/wires/scripted-model.ts";
import { createSessionHarness } from "../../support/session/session-harness.ts";
import { must, ticks } from "../../support/session/scripted-session.ts";

async function readUntilQuiet(stream: ReadableStream<Uint8Array>): Promise<{ id: string; event: AgentEvent }[]> {
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  void (async () => {
    for (let next = await reader.read(); !next.done; next = await reader.read()) chunks.push(next.value);
  })();
  await ticks();
  const blocks = Buffer.concat(chunks).toString("utf8").split("\n\n").slice(0, -1);
  return blocks.map((block: string) => {
    const [, id = "", data = "{}"] = /^id: (.*)\n.*\ndata: (.*)$/m.exec(block) ?? [];
    return { id, event: AgentEvent.parse(JSON.parse(data)) };
  });
}

const never = new Promise<void>(() => {});

describe("a turn that crashed while it answered, and is stopped before it resumes", () => {
  it("makes a reader drop the part of the answer that is not in the log", async () => {
    const harness = createSessionHarness({ model: createScriptedModel([{ text: "Half of an answer", until: never }]) });
    const first = harness.boot();
    await first.engine.create({ learning: "off", title: "" });
    must(await first.engine.post({ text: "Go on." }));
    const seen = await readUntilQuiet(must(first.engine.events({ turn: 1 })));
    expect(seen.at(-1)).toMatchObject({ id: "2.17", event: { type: "text_delta", text: "answer" } });
    first.kill();

    const second = harness.boot();
    must(await second.engine.stop());
    const rest = await readUntilQuiet(must(second.engine.events({ turn: 1, after: "2.17" })));
    expect(rest.map(({ id, event }) => [id, event.type])).toEqual([
      ["2.18", "entry_restart"],
      ["3.0", "notice_add"],
      ["3.22", "turn_end"],
    ]);
  });
});

describe("a turn whose object died before its alarm was set", () => {
  /** Accepts an input; the first write after the input's own fails. */
  async function acceptWithoutAlarm() {
    for (let crashAt = 1; ; crashAt++) {
      const script = [{ text: "One", until: never }, { text: "Two" }];
      const harness = createSessionHarness({ model: createScriptedModel(script) });
      await harness.boot().engine.create({ learning: "off", title: "" });
      const life = harness.boot({ crashAt });
      await life.engine.post({ text: "Hello?", key: "k" }).catch(() => null);
      life.kill();
      if (harness.sql.run("SELECT n FROM turn").length > 0) return harness;
    }
  }

  it("gets its alarm before it is driven, when a request resumes it", async () => {
    const harness = await acceptWithoutAlarm();
    expect(harness.alarmAt()).toBeNull();
    const second = harness.boot();
    must(await second.engine.post({ text: "Hello?", key: "k" }));
    await ticks();
    second.kill();
    expect(harness.alarmAt()).not.toBeNull();
    const third = harness.boot();
    for (let wakes = 0; harness.alarmAt() !== null && wakes < 20; wakes++) await third.wake();
    expect(third.engine.detail()).toMatchObject({ state: "idle", turns: [{ state: "done" }] });
  });
});
