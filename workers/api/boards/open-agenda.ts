// The object of a request's profile that lists its boards and roles. Called by the routes of both.
import type { Context } from "hono";
import type { Agenda } from "../../../durable-objects/agenda/agenda.ts";
import type { Result } from "../../../core/errors.ts";
import type { BoardName } from "../../../core/schemas/board/card.ts";
import { forgetAcceptedKeys } from "../auth/accepted-keys.ts";
import type { ApiEnv } from "../auth/principal.ts";

/** The platform's types turn an `unknown` in an answer into `never`. The values cross unchanged. */
export function openAgenda({ env, var: { profile } }: Context<ApiEnv>): Omit<Agenda, "fetch" | "alarm"> {
  return env.AGENDA.getByName(profile) as unknown as Agenda;
}

/**
 * The sessions of the profile hear of the new board with their next message. Of a board that its first card makes they hear within 30 s, when the
 * api Worker asks for the profile's settings again. Idempotent. Failures: `profile_gone`, `too_many_boards`.
 */
export async function addBoard(c: Context<ApiEnv>, board: BoardName): Promise<Result<null>> {
  const added = await openAgenda(c).addBoard(board);
  forgetAcceptedKeys(c.var.profile);
  return added as Result<null>;
}
