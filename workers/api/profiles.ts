// Profiles: made by the operator, each with its first key. The id is random and never used again.
import { createRoute } from "@hono/zod-openapi";
import { CreatedProfile } from "../../core/schemas/api.ts";
import { createProfileId } from "../../durable-objects/account-key.ts";
import { operatorOnly } from "./auth.ts";
import { unwrap } from "./problems.ts";
import { answers, createRouter } from "./router.ts";
import { openAccount } from "./session-rpc.ts";

export const profiles = createRouter();

profiles.openapi(
  createRoute({
    method: "post",
    path: "/v1/profiles",
    operationId: "createProfile",
    middleware: operatorOnly,
    description: "Takes the operator's token.",
    responses: answers(201, "The profile, and the only sight of its first key", CreatedProfile),
  }),
  async (c) => {
    const profile = createProfileId();
    const account = openAccount(c.env, profile);
    await account.init(profile);
    const { key } = unwrap(await account.createKey("first"));
    return c.json({ profile, key }, 201);
  },
);
