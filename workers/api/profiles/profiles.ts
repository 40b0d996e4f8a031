// Profiles: created by the operator, each with a first key, and deleted by the operator or by a key of the profile. Ids are
// random and never reused.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { CreatedProfile } from "../../../core/schemas/api.ts";
import { createProfileId } from "../../../durable-objects/account-key.ts";
import { ProfileId } from "../../../core/schemas/ids.ts";
import { toActor } from "../auth/actor.ts";
import { OPERATOR_OR_KEY } from "../auth/guard-route.ts";
import { forgetAcceptedKeys } from "../auth/accepted-keys.ts";
import type { Principal } from "../auth/principal.ts";
import { AppError, unwrap } from "../problems.ts";
import { PROBLEM_RESPONSE, describeResponses, createRouter, refuses } from "../router.ts";
import { askDesk } from "../../../wiring/ask-desk.ts";
import { openAccount } from "../sessions/session-rpc.ts";

export const profiles = createRouter();

profiles.openapi(
  createRoute({
    method: "post",
    path: "/v1/profiles",
    operationId: "createProfile",
    security: [{ operator: [] }],
    description: "Creates a profile and its first key.",
    responses: describeResponses(201, "The profile and its first key, which is never shown again", CreatedProfile),
  }),
  async (c) => {
    const profile = createProfileId();
    const account = openAccount(c.env, profile);
    await account.init(profile);
    const created = await askDesk(account.keyDesk(), (desk) => desk.create({ label: "first" }, toActor(undefined)));
    const { key } = unwrap(created);
    return c.json({ profile, key }, 201);
  },
);

profiles.openapi(
  createRoute({
    method: "delete",
    path: "/v1/profiles/{profile}",
    operationId: "deleteProfile",
    ...refuses("confirmation_needed", "profile_not_found", "operator_required"),
    security: OPERATOR_OR_KEY,
    scope: "admin",
    description:
      "Deletes the profile permanently: keys, sessions, skills, memory and usage. Takes the operator's token, or a key of this " +
      "profile; `confirm` repeats the profile's id. After a 202 the deletion continues in the background.",
    request: {
      params: z.object({ profile: ProfileId }),
      query: z.strictObject({ confirm: z.string().optional() }),
    },
    responses: {
      202: { description: "Deleted; the remaining objects are removed in the background" },
      204: { description: "Deleted" },
      default: PROBLEM_RESPONSE,
    },
  }),
  async (c) => {
    const { profile } = c.req.valid("param");
    assertOwn(c.var.principal, profile);
    if (c.var.principal !== undefined && c.req.valid("query").confirm !== profile) {
      const detail = `Deleting a profile removes all its data and cannot be undone. Send \`?confirm=${profile}\` to confirm.`;
      throw new AppError("confirmation_needed", detail);
    }
    const account = openAccount(c.env, profile);
    if (!(await account.eraseProfile())) throw new AppError("profile_not_found", "There is no profile with that id.");
    forgetAcceptedKeys(profile);
    return c.body(null, (await account.isErasing()) ? 202 : 204);
  },
);

/** A key of another profile gets the same refusal whether or not this profile exists. */
export function assertOwn(principal: Principal | undefined, profile: ProfileId): void {
  if (principal === undefined || principal.profile === profile) return; // the operator
  throw new AppError(
    "operator_required",
    "This key belongs to another profile. Use a key of the profile to delete, or the operator's token.",
  );
}
