// A conversation of another program becomes a session: page by page, once, with every word as content, and a model can go on from it.
import { describe, expect, it } from "vitest";
import { SessionId } from "../../../core/schemas/ids.ts";
import { PostTranscript } from "../../../core/schemas/sessions/transcript.ts";
import { toTranscriptRows, toTranscriptSession } from "../../../core/session/moving/transcript-rows.ts";
import { must } from "../../support/session/scripted-session.ts";
import { createSessionHarness } from "../../support/session/session-harness.ts";
import { createScriptedModel } from "../../support/wires/scripted-model.ts";

const FROM = { program: "hermes" as const, id: "20260101_1" };
const NOW = Date.UTC(2026, 5, 1);
const post = (more: object) =>
  PostTranscript.parse({ from: FROM, title: "Rain", createdAt: 1_000, messages: [], ...more });

const FIRST = [
  { role: "user", text: "Look", at: 1_000 },
  { role: "assistant", text: "", at: 2_000, calls: ["a", "b"].map((id) => ({ id, name: "terminal", args: { id } })) },
  { role: "tool", text: "one", at: 3_000, callId: "a" },
  { role: "assistant", text: "Done.", at: 4_000 },
];
const SECOND = [
  { role: "tool", text: "lost", at: 5_000, name: "web", failed: true },
  { role: "user", text: "And now?", at: NOW * 2 },
];

async function takeAll() {
  const harness = createSessionHarness({ model: createScriptedModel([() => ({ text: "Goodbye." })]) });
  const life = harness.boot();
  const first = toTranscriptRows(post({ messages: FIRST, more: true }), NOW);
  const second = toTranscriptRows(post({ messages: SECOND, place: first.place }), NOW);
  for (const { rows } of [first, first, second]) expect(must(life.engine.importPage(rows, true))).toBe("taken");
  expect(life.engine.detail()).toBeNull();
  expect(await life.engine.adopt()).toBe(true);
  return { life, first };
}

describe("a transcript", () => {
  it("has the same id for the same conversation, in order of time", () => {
    const id = toTranscriptSession(FROM, 1_000);
    expect(SessionId.parse(id)).toBe(id);
    expect(toTranscriptSession({ ...FROM, id: "other" }, 1_000)).not.toBe(id);
    expect(toTranscriptSession({ ...FROM, program: "claude" }, 1_000)).not.toBe(id);
    expect(id < toTranscriptSession(FROM, 2_000)).toBe(true);
  });

  it("becomes a session of which nothing is learned, and every word is content", async () => {
    const { life, first } = await takeAll();
    const detail = life.engine.detail()!;
    expect([detail.title, detail.learning, detail.createdAt, detail.from]).toEqual(["Rain", "off", 1_000, FROM]);
    expect(detail.turns.map(({ n, state }) => [n, state])).toEqual([
      [1, "done"],
      [2, "stopped"],
      [3, "stopped"],
    ]);
    const entries = must(life.engine.entries(0));
    expect(entries.map((entry) => entry.kind)).toEqual([
      ...["user", "assistant", "tool", "tool", "assistant"],
      ...["user", "assistant", "tool", "notice"],
      ...["user", "notice"],
    ]);
    expect(new Set(entries.flatMap(({ parts }) => parts.map(({ source }) => source)))).toEqual(new Set(["content"]));
    expect(entries.every(({ at }) => at <= NOW)).toBe(true);
    expect(must(life.engine.importPage(first.rows, true))).toBe("exists");
  });

  it("can be gone on from", async () => {
    const { life } = await takeAll();
    must(await life.engine.post({ text: "Go on" }));
    await life.settled();
    expect(life.engine.detail()!.turns.at(-1)!.state).toBe("done");
  });
});
