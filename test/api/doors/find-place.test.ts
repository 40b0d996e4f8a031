// Where a client's history goes on, among sessions that may have had the same conversation.
import { describe, expect, it } from "vitest";
import { ok } from "../../../core/errors.ts";
import type { Exchange } from "../../../core/session/readers/exchange.ts";
import type { DoorTurnRow } from "../../../durable-objects/conversations/conversation-rows.ts";
import type { DoorMessage } from "../../../workers/api/doors/contract.ts";
import { findPlace } from "../../../workers/api/doors/find-place.ts";
import { readPositions } from "../../../workers/api/doors/history.ts";
import type { SessionRpc } from "../../../workers/api/sessions/session-rpc.ts";

const DONE: Exchange = { turn: 1, target: 1, newest: 1, state: "done", said: "It is four.", closing: "It is four." };
const STREAMING: Exchange = { ...DONE, state: "running", said: "", closing: "" };

/** `sessions`: what each says of the conversation's first turn, newest first. */
async function find(answer: string, sessions: Record<string, Exchange>): Promise<string | null> {
  const asked: DoorMessage[] = [
    { role: "user", text: "What is it?", images: [] },
    { role: "assistant", text: answer, calls: [] },
    { role: "user", text: "Thanks", images: [] },
  ];
  const { positions } = readPositions(asked);
  const rows = Object.keys(sessions).map((session) => {
    const plan = { v: 1, key: session, session, known: 0, isNew: true, learning: "on", guidance: null, createdAt: 1 };
    return { chain: positions[0]!.chain, plan } as DoorTurnRow;
  });
  const open = (session: string) => ({ readExchange: async () => ok(sessions[session]!) }) as unknown as SessionRpc;
  return (await findPlace({ rows, positions, learning: "on", guidance: null, open }))?.session ?? null;
}

describe("the place of a history", () => {
  it("is the session that answers still, if the person stopped reading in the middle", async () => {
    expect(await find("It is", { one: STREAMING })).toBe("one");
    expect(await find("I look. It is", { one: { ...STREAMING, said: "I look.", closing: "I look." } })).toBe("one");
    expect(await find("You look", { one: { ...STREAMING, said: "I look.", closing: "I look." } })).toBeNull();
  });

  it("is a session that has said the answer, before one that may be about to", async () => {
    expect(await find("It is four.", { two: STREAMING, one: DONE })).toBe("one");
    expect(await find("It is four.", { two: STREAMING, one: { ...DONE, newest: 2 } })).toBe("one");
    expect(await find("It is five.", { two: STREAMING, one: DONE })).toBe("two");
  });

  it("is none where the turn ended with another answer", async () => {
    expect(
      await find("It is five.", { one: DONE, two: { ...DONE, state: "failed", said: "", closing: "" } }),
    ).toBeNull();
  });
});
