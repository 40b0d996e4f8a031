// The tool with which the worker of a chaos run completes its card, in the name of its run: the call that the product's board checks.
import * as z from "zod";
import type { Tool } from "../../core/agent/contract.ts";
import { fail, succeed } from "../../core/agent/tool-result.ts";
import type { SessionHost, SessionMeta } from "../../core/session/context.ts";

export function cardTools({ sql, session, board }: Pick<SessionHost, "sql" | "session" | "board">): Tool[] {
  const readPlace = () => {
    const [row] = sql.run<{ value: string }>("SELECT value FROM meta WHERE key = 'session'");
    return (JSON.parse(row!.value) as SessionMeta).card;
  };
  const complete: Tool<{ call: string; summary: string }> = {
    name: "do_complete",
    description: "Completes your card.",
    parameters: z.strictObject({
      call: z.string().describe("Name of the call."),
      summary: z.string().describe("What was done."),
    }),
    effect: "keyed",
    async run({ summary }, { op }) {
      const place = readPlace();
      if (!place || !board) return fail("no_card", "This session works on no card.");
      const author = { by: "agent" as const, session, run: place.run };
      const done = await board.open(place.board).complete({ author, op }, place.card, { summary });
      return done.ok ? succeed({ done: true }) : fail(done.failure.code, done.failure.message);
    },
  };
  return [complete];
}
