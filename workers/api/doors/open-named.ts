// Opens the turn of a compatible request, and names the fields of a refusal as the client knows them. Called by every door.
import type { Context } from "hono";
import type { ApiEnv } from "../auth/principal.ts";
import { AppError } from "../problems.ts";
import type { DoorRequest, DoorTurn } from "./contract.ts";
import { openTurn } from "./open-turn.ts";

/** `toField`: the path of a field of `ClientPart` in the client's body. */
export async function openNamed(
  c: Context<ApiEnv>,
  request: DoorRequest,
  toField: (path: string) => string,
): Promise<DoorTurn> {
  try {
    return await openTurn(c, request);
  } catch (error) {
    const errors = error instanceof AppError ? error.extra.errors : undefined;
    if (!(error instanceof AppError) || !errors) throw error;
    const named = errors.map((one) => (one.in === "client" ? { ...one, path: toField(one.path) } : one));
    const detail =
      errors[0]?.in === "client" ? `Invalid value in \`${named[0]!.path}\`: ${named[0]!.message}.` : error.message;
    throw new AppError(error.code, detail, { ...error.extra, errors: named });
  }
}
