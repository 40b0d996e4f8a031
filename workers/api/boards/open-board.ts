// The Board object of a request's profile, what its routes share, and who a caller is on a card. A caller of the API holds a key of the profile,
// so what they write are the owner's words.
import type { Context } from "hono";
import * as z from "zod";
import { type BoardCallee, type BoardCalls, toBoardCalls } from "../../../core/board/board-calls.ts";
import type { Call } from "../../../core/board/contract.ts";
import { BoardName, CardId } from "../../../core/schemas/board/card.ts";
import { sha256Hex } from "../../../core/schemas/learning/digest.ts";
import type { ApiEnv } from "../auth/principal.ts";
import type { ProblemCode } from "../problems.ts";
import { IdempotencyKey } from "../sessions/messages.ts";

export const BoardParams = z.object({ board: BoardName });
export const CardParams = BoardParams.extend({ card: CardId });

const OWNERS: Call = { author: { by: "owner" } };

/** Of routes that change something: the same key within a week does it once. */
export const OpHeader = z.object({ "idempotency-key": IdempotencyKey.optional() });

/** What every change of a card may be refused with. */
export const CHANGE_REFUSALS = [
  ...(["card_not_found", "board_not_found", "profile_gone", "op_reused"] as const),
] satisfies ProblemCode[];

export function openBoard({ env, var: { profile } }: Context<ApiEnv>, board: BoardName): BoardCalls {
  // The platform's types turn an `unknown` in an answer into `never`. The values cross unchanged.
  return toBoardCalls(env.BOARD.getByName(`${profile}/${board}`) as unknown as BoardCallee);
}

/** The owner's call, with the request's idempotency key, which stands for one request: the same method, address and `body`. */
export function toCall({ req }: Context<ApiEnv>, body?: unknown): Call {
  const op = req.header("idempotency-key");
  if (op === undefined) return OWNERS;
  return { ...OWNERS, op: `api:${op}`, asked: sha256Hex(JSON.stringify([req.method, req.path, body])) };
}
