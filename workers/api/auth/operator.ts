// The operator's token: who may make profiles, and keys of every profile. Never logs or returns it.
import type { Context } from "hono";
import { isSameSecret, parseKey } from "../../../durable-objects/account-key.ts";
import { AppError } from "../problems.ts";
import { readCredential } from "./credential.ts";
import type { ApiEnv } from "./principal.ts";

/** Throws unless the request has the operator's token. */
export function assertOperator(c: Context<ApiEnv>): void {
  const expected = c.env.TALARIA_OPERATOR_TOKEN;
  if (!expected) {
    const detail =
      "No operator token is configured, so profiles and keys cannot be created. Set the secret TALARIA_OPERATOR_TOKEN.";
    throw new AppError("operator_token_missing", detail);
  }
  const credential = readCredential(c);
  // A person's sign-in is never the operator's, however it was checked.
  if (credential.kind !== "bearer")
    throw new AppError("operator_required", "This route needs the operator's token, not a sign-in.");
  const { token } = credential;
  if (isSameSecret(token, expected)) return;
  if (parseKey(token))
    throw new AppError("operator_required", "This route needs the operator's token, not a profile's key.");
  throw new AppError(
    "operator_token_unknown",
    "The token is not the operator's. Send the value of TALARIA_OPERATOR_TOKEN.",
  );
}
