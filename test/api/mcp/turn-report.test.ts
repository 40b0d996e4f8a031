// Waiting for a turn, against a session that answers from a list: what it asks, when it stops, and what it reports.
import { describe, expect, it } from "vitest";
import type { ApprovalDetail, SessionDetail, TurnInfo } from "../../../core/schemas/api.ts";
import { err, ok } from "../../../core/errors.ts";
import { awaitTurn } from "../../../workers/api/mcp/turn-report.ts";
import type { SessionRpc } from "../../../workers/api/sessions/session-rpc.ts";

const SESSION = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
const UNTIL = Date.UTC(2026, 10, 26, 20);

const turnOf = (fields: Partial<TurnInfo>) => ({ turn: `${SESSION}-1`, n: 1, final: null, ...fields }) as TurnInfo;
const running = turnOf({ state: "running" });
const done = turnOf({ state: "done", reason: "answer", final: 3 });
const parkedFor = (kind: "approval" | "clarify" | "children") =>
  turnOf({ state: "parked", parked: { for: kind, id: "a1", since: 0, until: UNTIL } });
const ANSWER = { kind: "assistant", turn: 1, n: 3, parts: [{ source: "own", text: "14 m." }] };

interface Scripted {
  /** One list of turns for each time the session is asked; the last one is repeated. */
  turns: TurnInfo[][];
  /** Events of each stream: names, or an error that breaks it. A stream without an end stays open. */
  streams?: (string | Error)[][];
  entries?: unknown[];
  approval?: Partial<ApprovalDetail>;
}

function scriptedSession({ turns, streams = [], entries = [ANSWER], approval }: Scripted) {
  const asked = { details: 0, opened: 0, cancelled: 0 };
  const session = {
    async detail() {
      const at = Math.min(asked.details, turns.length - 1);
      asked.details += 1;
      return { turns: turns[at] } as SessionDetail;
    },
    async events() {
      const events = streams[asked.opened] ?? [];
      asked.opened += 1;
      return ok(
        new ReadableStream<Uint8Array>({
          start(controller) {
            for (const event of events) {
              if (event instanceof Error) controller.error(event);
              else if (event === "end") controller.close();
              else controller.enqueue(new TextEncoder().encode(`id: 1.0\nevent: ${event}\ndata: {}\n\n`));
            }
          },
          cancel: () => void (asked.cancelled += 1),
        }),
      );
    },
    entryPage: async () => ok({ entries }),
    openApproval: async () => (approval ? ok(approval) : err("approval_not_found", "There is none.")),
  };
  return { session: session as unknown as SessionRpc, asked };
}

async function wait(scripted: Scripted, waitMs = 20_000, signal = new AbortController().signal, n = 1) {
  const { session, asked } = scriptedSession(scripted);
  const told: string[] = [];
  const report = await awaitTurn(
    session,
    { n, waitMs },
    { signal, reportProgress: async (message) => void told.push(message) },
  );
  return { report, asked, told };
}

describe("awaitTurn", () => {
  it("reports an ended turn without opening its events", async () => {
    const { report, asked } = await wait({ turns: [[done]] });
    expect(report).toEqual({
      session: SESSION,
      turn: `${SESSION}-1`,
      state: "done",
      reason: "answer",
      answer: "14 m.",
    });
    expect(asked).toEqual({ details: 1, opened: 0, cancelled: 0 });
  });

  it("waits for the event of the end, and tells the client that it waits", async () => {
    const { report, told } = await wait({ turns: [[running], [done]], streams: [["turn_start", "turn_end", "end"]] });
    expect([report.state, told]).toEqual(["done", ["The turn is running."]]);
  });

  it("gives up in time without stopping the turn, and says how to go on", async () => {
    const { report, asked } = await wait({ turns: [[running]] }, 50);
    expect(report).toEqual({
      session: SESSION,
      turn: `${SESSION}-1`,
      state: "running",
      next: expect.stringContaining("get_turn"),
    });
    expect(asked).toEqual({ details: 2, opened: 1, cancelled: 1 });
  });

  it("stops waiting when the client goes", async () => {
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 20);
    const { report, asked } = await wait({ turns: [[running]] }, 20_000, abort.signal);
    expect([report.state, asked.cancelled]).toEqual(["running", 1]);
  });

  it("opens the events again after they broke off", async () => {
    const streams = [
      ["turn_start", new Error("the object has moved")],
      ["turn_end", "end"],
    ];
    const { report, asked } = await wait({ turns: [[running], [running], [done]], streams });
    expect([report.answer, asked.opened]).toEqual(["14 m.", 2]);
  });

  it("follows a message into the turn that took it in", async () => {
    const steered = turnOf({ state: "steered", into: 2 });
    const other = { ...done, turn: `${SESSION}-2`, n: 2 };
    const { report } = await wait({ turns: [[steered, other]], entries: [{ ...ANSWER, turn: 2 }] });
    expect(report).toMatchObject({ turn: `${SESSION}-2`, answer: "14 m." });
  });

  it("reports a question to the person at once, but not one that was decided before", async () => {
    const asking: Partial<ApprovalDetail> = { kind: "command", summary: "rm -r build", reasons: ["It deletes."] };
    const { report, asked } = await wait({
      turns: [[running], [running], [parkedFor("approval")]],
      streams: [["turn_park", "turn_park"]],
      approval: asking,
    });
    expect(report).toEqual({
      ...{ session: SESSION, turn: `${SESSION}-1`, state: "parked", waits_for: "approval", id: "a1" },
      ...{ until: "2026-11-26T20:00:00.000Z", summary: "rm -r build", reasons: ["It deletes."] },
      next: expect.stringContaining("do not answer for them"),
    });
    expect(asked.opened).toBe(1);
  });

  it("hands over what Talaria asks, with the way to answer", async () => {
    const questions = [{ question: "Which harbour?", choices: ["North", "South"], multiSelect: false }];
    const { report } = await wait({ turns: [[parkedFor("clarify")]], approval: { kind: "clarify", questions } });
    expect(report).toMatchObject({ waits_for: "clarify", questions, next: expect.stringContaining("send_message") });
  });

  it("reports what an earlier turn waits for, without waiting behind it", async () => {
    const queued = turnOf({ turn: `${SESSION}-2`, n: 2, state: "queued" });
    const approval = { kind: "command", summary: "rm a", reasons: [] } as Partial<ApprovalDetail>;
    const { report, asked } = await wait({ turns: [[parkedFor("approval"), queued]], approval }, 20_000, undefined, 2);
    expect(asked.opened).toBe(0);
    expect(report).toMatchObject({
      turn: `${SESSION}-2`,
      state: "queued",
      after: `${SESSION}-1`,
      waits_for: "approval",
    });
    const behindChildren = await wait({ turns: [[parkedFor("children"), queued]] }, 50, undefined, 2);
    expect(behindChildren.report).toMatchObject({ state: "queued", next: expect.stringMatching(/get_turn/) });
  });

  it("waits on while the turn waits for sessions that it began", async () => {
    const { report } = await wait({
      turns: [[parkedFor("children")], [parkedFor("children")], [done]],
      streams: [["turn_park", "turn_end", "end"]],
    });
    expect(report.state).toBe("done");
  });

  it("reports why a turn has no answer", async () => {
    const failed = turnOf({ state: "failed", reason: "step_limit", final: 3 });
    const notice = { kind: "notice", turn: 1, n: 3, parts: [{ source: "outcome", text: "Too many steps." }] };
    const { report } = await wait({ turns: [[failed]], entries: [{ ...ANSWER, n: 2 }, notice] });
    expect(report).toMatchObject({ state: "failed", reason: "step_limit", answer: "14 m.", notice: "Too many steps." });
  });

  it("refuses a turn that is not among the newest", async () => {
    await expect(wait({ turns: [[turnOf({ n: 7, state: "done" })]] })).rejects.toMatchObject({
      code: "turn_not_found",
    });
  });
});
