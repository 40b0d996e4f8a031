import { expect, it } from "vitest";
import type { NewCard } from "../../../core/board/contract.ts";
import { type Result, err, ok } from "../../../core/errors.ts";
import { Role } from "../../../core/schemas/agenda/role.ts";
import type { Accepted } from "../../../core/schemas/api.ts";
import type { PostedMessage } from "../../../core/session/accept-message.ts";
import type { NewSession } from "../../../core/session/engine.ts";
import { createWorkerSessions } from "../../../durable-objects/board/worker-sessions.ts";
import { BY_OWNER, createRig, value } from "../board-rig.ts";

const SESSION = "01JZ0000000000000000000007";
const STOP_HERE = err("stop_here", "It is not posted.");

interface Given {
  card?: Partial<NewCard>;
  role?: Partial<Role>;
  /** Of the operator. */
  maxTokens?: number;
  answer?: Result<Accepted>;
}

/** What the session of a run is made with, what is posted to it, and what the board is told. */
async function beginRun({ card = {}, role = {}, maxTokens = 0, answer = STOP_HERE }: Given) {
  const rig = createRig();
  const { id } = value(rig.board.create(BY_OWNER, { title: "a", assignee: { role: "writer" }, ...card })).card;
  const { run } = rig.board.claimNext(SESSION)!;
  const created: NewSession[] = [];
  const posted: PostedMessage[] = [];
  const workers = createWorkerSessions({
    ...{ board: "main", maxTokens },
    agenda: { readRole: async () => ok(Role.parse(role)) },
    account: { checkProfile: async () => 0, registerSession: async () => true, eraseSession: async () => null },
    session: () => ({
      create: async (input) => (created.push(input), { session: SESSION } as never),
      post: async (message) => (posted.push(message), answer),
      stop: async () => ok(null),
      readTurn: async () => err("turn_not_found", "none"),
    }),
  });
  const begun = await workers.begin(run, value(rig.board.show(id)), SESSION);
  return { begun, created: created[0]!, posted: posted[0]! };
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
  const { board, role, card }: { board: number; role?: number; card?: number } = limits;
  const { created } = await beginRun({
    maxTokens: board,
    ...(role !== undefined && { role: { maxTokens: role } }),
    ...(card !== undefined && { card: { limits: { tokens: card } } }),
  });
  expect(created.budget?.tokens).toBe(tokens);
});

it("the session loads the skills of card and role, each once, and the message names none", async () => {
  const { posted } = await beginRun({
    card: { skills: ["reading", "maths"] },
    role: { skills: ["maths", "writing"] },
  });
  expect(posted.skills).toEqual(["reading", "maths", "writing"]);
  expect(posted.text).not.toMatch(/reading|maths|writing/);
  expect((await beginRun({})).posted).not.toHaveProperty("skills");
});

it("a card that has changed since its message was posted has the turn of that message", async () => {
  const answer = err("idempotency_conflict", "This Idempotency-Key came with another body before. Use a new key.");
  expect((await beginRun({ answer })).begun).toEqual(ok(`${SESSION}-1`));
});
