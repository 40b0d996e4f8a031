// Where a person can be asked.
import { expect, it } from "vitest";
import { admitCall } from "../../../core/session/approvals/questions.ts";
import { isUnattended } from "../../../core/session/approvals/unattended.ts";
import { sessionTools } from "../../../core/session/turn/session-tools.ts";
import { beginTurn, createEngineContext } from "../../support/session/engine-context.ts";

it("only a chat has a person: any other session is offered no clarify, and a call that needs approval is refused", async () => {
  const { open } = createEngineContext();
  const context = open();
  const { n } = beginTurn(context);
  const offers = () => sessionTools(context, "").some(({ name }) => name === "clarify");
  expect([isUnattended(context), offers()]).toEqual([false, true]);
  const meta = { ...context.meta(), kind: "delegated" as const };
  const delegated = { ...context, meta: () => meta };
  expect(isUnattended(delegated)).toBe(true);
  expect(sessionTools(delegated, "").map(({ name }) => name)).not.toContain("clarify");
  const place = {
    ...{ turn: n, step: 0, hasIntent: false, signal: new AbortController().signal },
    ...{ findRefusal: async () => null, put: () => {} },
  };
  const gate = { verdict: "ask" as const, summary: "rm a", reasons: [] };
  const call = { id: "c1", name: "terminal", args: {} };
  expect(await admitCall(delegated, place, { call, gate })).toMatchObject({
    state: "refused",
    result: { parts: [{ text: expect.stringContaining("approval_unattended") }] },
  });
});
