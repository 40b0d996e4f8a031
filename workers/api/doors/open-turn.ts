// Finds, continues, branches or begins the session of a compatible request, and posts its message. Called by every door.
import type { Context } from "hono";
import type { ApiEnv } from "../auth/principal.ts";
import type { DoorRequest, DoorTurn } from "./contract.ts";

/** Throws an AppError for every refusal. */
export declare function openTurn(c: Context<ApiEnv>, request: DoorRequest): Promise<DoorTurn>;
