// How the chat client reads typed and pasted lines, and how it tracks the turns of a session.
import { describe, expect, it, vi } from "vitest";
import { parseLines, parseOrder } from "../../cli/converse.ts";
import { describeWait } from "../../cli/describe-wait.ts";
import { chooseStartEvent } from "../../cli/follow-start.ts";
import { gatherPasted } from "../../cli/pasted-lines.ts";
import { createTurns } from "../../cli/turns.ts";
import { NO_STATS } from "../../core/schemas/entry.ts";

describe("a typed line", () => {
  it.each([
    ["Hello", { kind: "message", text: "Hello" }],
    ["/queue then\tthis", { kind: "command", name: "queue", argument: "then\tthis" }],
    ["/compress the plan", { kind: "message", text: "/compress the plan" }],
    ["/stop it", { kind: "misused", hint: "Write it as /stop." }],
    ["   ", { kind: "nothing" }],
  ])("%j is read as %j", (line, order) => {
    expect(parseOrder(line)).toEqual(order);
  });
});

describe("a line typed while a question waits", () => {
  it.each(["y", "yes", "No.", "once", "session", "always", "deny", "o"])(
    "that looks like an answer is not sent: %s",
    (text) => {
      expect(describeWait(text, "approval")).toMatchObject({
        isSent: false,
        hint: expect.stringContaining("/approve"),
      });
    },
  );

  it("is sent, and said to wait, unless it is a command", () => {
    expect(describeWait("no, use the other file", "approval")).toMatchObject({ isSent: true });
    expect(describeWait("/deny no", "approval")).toBeNull();
    for (const waitsFor of ["approval", "clarify"] as const) {
      expect(describeWait("/undo", waitsFor)).toMatchObject({ isSent: true });
      expect(describeWait("/approvals", waitsFor)).toBeNull();
    }
    expect(describeWait("/undo", "children")!.hint).toBe("(sent when the delegated work has ended)");
  });

  it("is the answer to a question of the agent, whatever it says", () => {
    expect(describeWait("yes", "clarify")).toBeNull();
  });
});

describe("pasted lines", () => {
  it("are one message, even if one of them reads like a command", () => {
    expect(parseLines(["Here it is:", "/exit", "", "the end"])).toEqual({
      kind: "message",
      text: "Here it is:\n/exit\n\nthe end",
    });
    expect(parseLines(["/exit"])).toEqual({ kind: "command", name: "exit", argument: "" });
    expect(parseLines(["", ""])).toEqual({ kind: "nothing" });
  });

  it("are separated from typed lines by their timing, and none is lost at the end", () => {
    vi.useFakeTimers();
    const taken: string[][] = [];
    const { add, flush } = gatherPasted((lines) => void taken.push(lines));
    for (const line of ["a", "b", "c"]) add(line);
    vi.advanceTimersByTime(200);
    add("typed");
    vi.advanceTimersByTime(200);
    add("last");
    flush();
    flush();
    vi.advanceTimersByTime(200);
    vi.useRealTimers();
    expect(taken).toEqual([["a", "b", "c"], ["typed"], ["last"]]);
  });
});

describe("a session is followed from", () => {
  const turn = (n: number, state: "done" | "running" | "queued", input: number | null, final: number | null) => ({
    ...{ turn: `x-${n}`, n, state, input, final, attempts: 1, stats: NO_STATS, startedAt: null, endedAt: null },
  });

  it.each([
    ["its start when it has no turns", [], "0.0"],
    ["the end of its last turn", [turn(1, "done", 1, 4), turn(2, "done", 5, 9)], "9.999999999999999"],
    [
      "the start of the running turn",
      [turn(1, "done", 1, 4), turn(2, "running", 5, null), turn(3, "queued", null, null)],
      "5.0",
    ],
  ])("%s", (_what, turns, place) => {
    expect(chooseStartEvent({ turns })).toBe(place);
  });
});

describe("the turns of a session", () => {
  const end = (turn: number, state: "done" | "stopped" = "done") =>
    ({ type: "turn_end", turn, entry: 9, state, reason: "answer", stats: NO_STATS }) as const;
  const steer = (turn: number, into: number) => ({ type: "steer_add", turn, into, entry: 3, text: "t" }) as const;

  it("are quiet when every begun turn has ended, in whatever order events arrive", () => {
    const turns = createTurns();
    turns.add(1);
    turns.apply({ type: "turn_start", turn: 1, entry: 1 });
    expect(turns.isQuiet()).toBe(false);
    turns.apply(end(1));
    turns.apply({ type: "turn_start", turn: 2, entry: 5 });
    turns.apply(end(2));
    turns.add(2);
    expect(turns.isQuiet()).toBe(true);
  });

  it("end for an input together with the turn that it was put into", async () => {
    const turns = createTurns();
    turns.add(1);
    turns.add(2);
    const ended = [turns.waitForEnd(1), turns.waitForEnd(2)];
    turns.apply(steer(2, 1));
    turns.apply(end(1, "stopped"));
    expect(await Promise.all(ended)).toEqual(["stopped", "stopped"]);
    turns.add(2);
    expect(turns.isQuiet()).toBe(true);
  });
});
