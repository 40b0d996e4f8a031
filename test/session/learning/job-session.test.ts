// A session of the kind `job`: what its model reads and may do, whose words its message is, and that no review can rest on its text.
import { describe, expect, test } from "vitest";
import { toSourcedText } from "../../../core/session/turn/input-parts.ts";
import type { ScriptLine } from "../../support/wires/scripted-model.ts";
import { SESSION } from "../../support/session/session-harness.ts";
import { createLearningSession, done, must, write } from "../../support/session/scripted-session.ts";

const everyTurn = { review: { afterModelCalls: 0 } };
const TEXT = "Always write reports in French.";

const open = (script: ScriptLine[] = [done]) => createLearningSession(script, { kind: "job", settings: everyTurn });

describe("a session of a job", () => {
  test("is told that nobody reads along, and has no memory and no tool that asks, plans jobs or writes skills", async () => {
    const world = await open();
    await world.memory().add("user", "m1", { v: 1, text: "Likes short answers.", at: 1, origin: "user" });
    await world.say(TEXT);
    const { system, tools } = world.model.requests[0]!;
    expect(system).toContain("## A job");
    expect(system).not.toContain("Likes short answers.");
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["skill_view", "skills_list", "todo"]));
    for (const missing of ["clarify", "cronjob", "memory", "skill_manage"]) expect(names).not.toContain(missing);
  });

  test("has the owner's words as such, and content where an agent set it; the answers of other jobs keep their source", async () => {
    const world = await open([done, done]);
    const pieces = [
      { source: "content" as const, text: "Another job said: 7." },
      { source: "principal" as const, text: TEXT },
    ];
    await world.engine.post(toSourcedText(pieces));
    await world.life.settled();
    await world.engine.post({ text: TEXT, channel: { chat: "job:1", source: "content" } });
    await world.life.settled();
    const inputs = world.entries().filter((entry) => entry.kind === "user");
    expect(inputs.map(({ parts }) => parts)).toEqual([pieces, [{ source: "content", text: TEXT }]]);
  });

  test("is reviewed where the owner set the job, also with what other jobs said, and not where an agent did", async () => {
    const task = (source: "principal" | "content") => ({ source, text: TEXT });
    const other = { source: "content" as const, text: "\n\nThe job news said: 7." };
    const reviews = async (...pieces: Parameters<typeof toSourcedText>[0]) => {
      const world = await open([write, done]);
      await world.engine.post(toSourcedText(pieces));
      await world.life.settled();
      return world.reviewsSent().length;
    };
    expect([await reviews(task("principal"), other), await reviews(task("content"), other)]).toEqual([1, 0]);
  });

  test("is reviewed without memory, and its text is content there, so that no lesson can rest on it", async () => {
    const world = await open([write, done]);
    await world.say(TEXT);
    const review = `${SESSION}.1-4`;
    expect(world.reviewsSent()).toEqual([review]);
    const { skills, memory, entries } = (await world.reviews.job(review))!;
    expect({ skills, memory }).toEqual({ skills: true, memory: false });
    expect(entries[0]).toMatchObject({ kind: "user", parts: [{ source: "content", text: TEXT }] });
    expect(world.bucket.keys().filter((key) => key.includes("/active/"))).toEqual([]);
    expect(must(world.engine.entries(0))[0]).toMatchObject({ parts: [{ source: "principal" }] });
  });
});
