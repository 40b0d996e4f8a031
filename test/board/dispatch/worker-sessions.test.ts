import { expect, it } from "vitest";
import { err, ok } from "../../../core/errors.ts";
import { Role } from "../../../core/schemas/agenda/role.ts";
import type { NewSession } from "../../../core/session/engine.ts";
import { createWorkerSessions } from "../../../durable-objects/board/worker-sessions.ts";
import { BY_OWNER, createRig, value } from "../board-rig.ts";

const SESSION = "01JZ0000000000000000000007";

/** The budget that a run's session begins with. 0 or absent: no limit. */
async function budgetOf({ board, role, card }: { board: number; role?: number; card?: number }) {
  const rig = createRig();
  const limits = card === undefined ? {} : { tokens: card };
  const { id } = value(rig.board.create(BY_OWNER, { title: "a", assignee: { role: "writer" }, limits })).card;
  const { run } = rig.board.claimNext(SESSION)!;
  const created: NewSession[] = [];
  const workers = createWorkerSessions({
    ...{ board: "main", maxTokens: board },
    agenda: { readRole: async () => ok(Role.parse(role === undefined ? {} : { maxTokens: role })) },
    account: { checkProfile: async () => 0, registerSession: async () => true, eraseSession: async () => null },
    session: () => ({
      create: async (input) => (created.push(input), { session: SESSION } as never),
      post: async () => err("stop_here", "It is not posted."),
      stop: async () => ok(null),
      readTurn: async () => err("turn_not_found", "none"),
    }),
  });
  await workers.begin(run, value(rig.board.show(id)), SESSION);
  return created[0]!.budget?.tokens;
}

it.each([
  [{ board: 0 }, undefined],
  [{ board: 0, role: 5_000 }, 5_000],
  [{ board: 0, card: 2_000 }, 2_000],
  [{ board: 0, role: 5_000, card: 2_000 }, 2_000],
  [{ board: 3_000 }, 3_000],
  [{ board: 3_000, role: 5_000 }, 3_000],
  [{ board: 9_000, role: 5_000, card: 7_000 }, 5_000],
])("a run's tokens are the fewest that board, role and card allow, where 0 allows any: %o", async (limits, tokens) => {
  expect(await budgetOf(limits)).toBe(tokens);
});
