// What happens around a parked turn: other messages, stores that are out, readers, restarts, deletion, and old rows.
import { describe, expect, it } from "vitest";
import { type Result, err, ok } from "../../../core/errors.ts";
import { collect } from "../../support/session/collect-events.ts";
import {
  HOUR_MS,
  call,
  codes,
  codesOf,
  createParkedSession as setUp,
  results,
} from "../../support/session/parked-session.ts";
import { must, ticks } from "../../support/session/scripted-session.ts";
import type { ScriptLine } from "../../support/wires/scripted-model.ts";

describe("messages beside a parked turn", () => {
  it("steer the turn after it too, although a command between them went to the parked one", async () => {
    const release = Promise.withResolvers<void>();
    const script: ScriptLine[] = [
      call("rm a"),
      { text: "Gone." },
      { ...call("look x"), until: release.promise },
      { text: "Both." },
    ];
    const { say, engine, life, turn, model } = await setUp(script);
    await say("Go.");
    await engine.post({ text: "Then b.", busy: "queue" });
    await engine.post({ text: "/approve" });
    await ticks();
    expect([turn(1).state, turn(2).state, turn(3).state]).toEqual(["done", "running", "steered"]);
    await engine.post({ text: "And c.", busy: "steer" });
    release.resolve();
    await life.settled();
    expect(turn(4)).toMatchObject({ state: "steered", into: 2, reason: "answer" });
    expect(model.requests[3]!.messages.at(-1)!.text).toContain("And c.");
    expect(model.requests).toHaveLength(4);
  });

  it("a command is answered while a store is out, and the turn keeps its timeout", async () => {
    let isOut = false;
    const approvals = {
      async read() {
        if (isOut) throw new Error("down");
        return { mode: null, allowances: [] };
      },
      allow: async () => ({ ok: true as const, value: null }),
      revoke: async () => false,
    };
    const { say, life, turn, entries, alarmAt, clock } = await setUp([call("rm a"), { text: "Not done." }], {
      approvals,
    });
    await say("Go.");
    isOut = true;
    await say("/approve always");
    expect(entries().at(-1)).toMatchObject({ code: "command_answer" });
    expect(entries().at(-1)!.parts[0]!.text).toContain("A store did not answer, so this may not be done.");
    expect([turn(1).state, alarmAt()]).toEqual(["parked", clock.now() + HOUR_MS]);
    await life.wake();
    expect(turn(1).state).toBe("done");
    expect(results(entries())[0]).toMatchObject({ code: "approval_timed_out" });
  });
});

describe("readers of a parked turn", () => {
  it("that come later get the question, the answer, and the rest of the turn, each once", async () => {
    const { say, engine, life, decide } = await setUp([call("rm a"), { text: "Gone." }]);
    await say("Go.");
    const late = collect(must(engine.events({ turn: 1 })));
    await ticks();
    await decide({ approve: true });
    await life.settled();
    const seen = (await late).map(({ event }) => event.type);
    const whole = [
      ...["turn_start", "entry_start", "turn_park", "notice_add", "tool_start", "tool_end"],
      ...["entry_start", "text_delta", "turn_end"],
    ];
    expect(seen).toEqual(whole);
    expect((await collect(must(engine.events({ turn: 1 })))).map(({ event }) => event.type)).toEqual(whole);
  });

  it("on a standing connection get the same events", async () => {
    const { say, engine, decide } = await setUp([call("rm a"), { text: "Gone." }]);
    const seen: string[] = [];
    const send = (text: string) => void seen.push((JSON.parse(text) as { event: { type: string } }).event.type);
    must(engine.watch("0.0", () => ({ send, close() {}, keep() {} })));
    await say("Go.");
    expect(seen.at(-1)).toBe("turn_park");
    await decide({ approve: true });
    expect(seen.slice(3)).toEqual([
      ...["notice_add", "tool_start", "tool_end", "entry_start", "text_delta", "turn_end"],
    ]);
  });
});

describe("a decision for always", () => {
  /** `answers`: what the profile's Account says to each attempt to keep the allowance, the last one for all others. */
  async function decideAlways(answers: (() => Result<null>)[]) {
    const asked: string[] = [];
    const approvals = {
      read: async () => ({ mode: null, allowances: [] }),
      async allow({ key }: { key: string }) {
        asked.push(key);
        return answers[Math.min(asked.length, answers.length) - 1]!();
      },
      revoke: async () => false,
    };
    const session = await setUp([call("rm a"), { text: "Gone." }], { approvals });
    await session.say("Go.");
    expect(await session.decide({ approve: true, scope: "always" })).toMatchObject({ value: { state: "approved" } });
    expect([session.ran, session.turn().state]).toEqual([["rm a"], "done"]);
    const jobs = () => session.sql.run<{ id: string }>("SELECT id FROM job WHERE id LIKE 'allow:%'").length;
    return { ...session, asked, jobs };
  }

  it("reaches the profile later if its Account does not answer now", async () => {
    const down = () => {
      throw new Error("down");
    };
    const { asked, jobs, life } = await decideAlways([down, () => ok(null)]);
    expect([asked, jobs(), life.reports]).toEqual([["rm a"], 1, ["approvals: Error: down"]]);
    for (let wakes = 0; jobs() > 0 && wakes < 5; wakes++) await life.wake();
    expect([asked, jobs()]).toEqual([["rm a", "rm a"], 0]);
  });

  it("holds for this call alone if another session took the profile's last place meanwhile", async () => {
    const { asked, jobs, life } = await decideAlways([() => err("too_many_allowances", "Full.")]);
    expect([asked, jobs(), life.reports]).toEqual([["rm a"], 0, [expect.stringMatching(/^job allow:\w+: Full\.$/)]]);
  });
});

describe("a parked session", () => {
  it("that restarts is asked nothing again, and goes on with the answer", async () => {
    const { say, boot, life, ran, model } = await setUp([call("rm a"), { text: "Gone." }]);
    await say("Go.");
    life.kill();
    const next = boot();
    expect(next.engine.detail()).toMatchObject({ state: "busy", turns: [{ state: "parked" }] });
    await next.settled();
    expect([model.requests.length, ran]).toEqual([1, []]);
    const [asked] = must(next.engine.listApprovals());
    must(await next.engine.decideApproval(asked!.id, { approve: true }));
    await next.settled();
    expect(next.engine.detail()).toMatchObject({ turns: [{ state: "done", attempts: 1 }] });
    expect([codes(must(next.engine.entries(0))), ran]).toEqual([["approval_asked", "approval_decided"], ["rm a"]]);
  });

  it("whose row does not say which message was the newest takes every waiting command", async () => {
    const { say, boot, life, ran, sql } = await setUp([call("rm a"), { text: "Gone." }]);
    await say("Go.");
    life.kill();
    sql.run("UPDATE turn SET more = json_remove(more, '$.parked.newest')");
    const next = boot();
    must(await next.engine.post({ text: "/approve" }));
    await next.settled();
    expect([next.engine.detail()!.turns[0]!.state, ran]).toEqual(["done", ["rm a"]]);
  });

  it("that is deleted answers nothing more, and its alarm does nothing", async () => {
    const { say, engine, life, approvals, ran } = await setUp([call("rm a"), { text: "Gone." }]);
    await say("Go.");
    const { id } = approvals()[0]!;
    engine.end();
    expect(await engine.decideApproval(id, { approve: true })).toMatchObject({
      failure: { code: "session_not_found" },
    });
    await life.wake();
    expect([ran, life.reports]).toEqual([[], []]);
  });
});

describe("an approval of version 1", () => {
  const old = { v: 1, id: "ab".repeat(10), path: "AGENTS.md", size: 4, askedAt: 5, decidedAt: null };

  it("is listed, read and decided", async () => {
    const { engine, sql, approvals, decide } = await setUp([]);
    const row = { ...old, state: "waiting", content: "Hi.\n" };
    sql.run("INSERT INTO meta VALUES (?, ?)", `approval:${old.id}`, JSON.stringify(row));
    expect(approvals()).toEqual([
      { id: old.id, kind: "file", path: "AGENTS.md", state: "waiting", size: 4, askedAt: 5, decidedAt: null },
    ]);
    expect(engine.openApproval(old.id)).toMatchObject({ value: { content: "Hi.\n", current: null } });
    expect(await decide({ approve: true })).toMatchObject({ value: { state: "approved" } });
    expect(codesOf(approvals())).toEqual(["approved"]);
    expect(new TextDecoder().decode(must(engine.getFile("AGENTS.md")))).toBe("Hi.\n");
  });

  it("that was decided before gives the same answer", async () => {
    const { sql, decide } = await setUp([]);
    const row = { ...old, state: "refused", content: null, decidedAt: 6 };
    sql.run("INSERT INTO meta VALUES (?, ?)", `approval:${old.id}`, JSON.stringify(row));
    expect(await decide({ approve: false })).toMatchObject({ value: { state: "refused", decidedAt: 6 } });
    expect(await decide({ approve: true })).toMatchObject({ failure: { code: "approval_decided" } });
  });
});
