// The shared library: whom a profile invites, who follows it, and whom it follows. Both sides decide, each for itself. The profiles' Accounts keep it
// (durable-objects/library/).
import { createRoute } from "@hono/zod-openapi";
import type { Context } from "hono";
import * as z from "zod";
import { ProfileId } from "../../../core/schemas/ids.ts";
import {
  ChangeFollower,
  ChangeFollowing,
  CreateInvitation,
  CreatedInvitation,
  FollowLibrary,
  FollowerInfo,
  FollowingInfo,
  InvitationId,
  Library,
} from "../../../core/schemas/library/library.ts";
import type { ApiEnv } from "../auth/principal.ts";
import { unwrap } from "../problems.ts";
import { PROBLEM_RESPONSE, createRouter, describeResponses, jsonBody, optionalJsonBody, refuses } from "../router.ts";
import { askDesk } from "../../../wiring/ask-desk.ts";
import { openAccount } from "../sessions/session-rpc.ts";

export const library = createRouter();

const ProfileParams = z.object({ profile: ProfileId });
const DELETED = { 204: { description: "Done" }, default: PROBLEM_RESPONSE };

type Desk = ReturnType<ReturnType<typeof openAccount>["libraryDesk"]>;

export function askLibrary<Answer>({ env, var: { profile } }: Context<ApiEnv>, ask: (desk: Desk) => Promise<Answer>) {
  return askDesk(openAccount(env, profile).libraryDesk(), ask);
}

library.openapi(
  createRoute({
    method: "get",
    path: "/v1/library",
    operationId: "readLibrary",
    description: "Lists who follows this profile, whom it follows, and its open invitations. Oldest first.",
    responses: describeResponses(200, "Both sides of the library", Library),
  }),
  async (c) => c.json(await askLibrary(c, (desk) => desk.list()), 200),
);

library.openapi(
  createRoute({
    method: "post",
    path: "/v1/library/invitations",
    operationId: "inviteFollowers",
    scope: "admin",
    ...refuses("profile_gone"),
    description:
      "Makes a code with which other profiles of this deployment can follow this one: they may read its shared skills. Nothing else of it is shown. " +
      "The newest 20 invitations stay open.",
    request: { body: optionalJsonBody(CreateInvitation) },
    responses: describeResponses(201, "The code, which is never shown again", CreatedInvitation),
  }),
  async (c) => c.json(unwrap(await askLibrary(c, (desk) => desk.invite(c.req.valid("json")))), 201),
);

library.openapi(
  createRoute({
    method: "delete",
    path: "/v1/library/invitations/{invitation}",
    operationId: "deleteInvitation",
    scope: "admin",
    ...refuses("invitation_not_found", "profile_gone"),
    description: "Takes an invitation back. Profiles that followed with it stay.",
    request: { params: z.object({ invitation: InvitationId }) },
    responses: DELETED,
  }),
  async (c) => {
    unwrap(await askLibrary(c, (desk) => desk.takeBack(c.req.valid("param").invitation)));
    return c.body(null, 204);
  },
);

library.openapi(
  createRoute({
    method: "patch",
    path: "/v1/library/followers/{profile}",
    operationId: "changeFollower",
    scope: "admin",
    ...refuses("follower_not_found", "profile_gone"),
    description:
      "Says whether this profile takes the follower's counts of uses. They come only while the follower agrees too. `false` also forgets what it sent.",
    request: { params: ProfileParams, body: jsonBody(ChangeFollower) },
    responses: describeResponses(200, "The follower", FollowerInfo),
  }),
  async (c) => {
    const { profile } = c.req.valid("param");
    const { evidence } = c.req.valid("json");
    return c.json(unwrap(await askLibrary(c, (desk) => desk.changeFollower(profile, evidence))), 200);
  },
);

library.openapi(
  createRoute({
    method: "delete",
    path: "/v1/library/followers/{profile}",
    operationId: "removeFollower",
    scope: "admin",
    ...refuses("follower_not_found", "profile_gone"),
    description:
      "Removes a follower with its counts. It reads nothing more. Its copies stay, and it is not told of later withdrawals.",
    request: { params: ProfileParams },
    responses: DELETED,
  }),
  async (c) => {
    unwrap(await askLibrary(c, (desk) => desk.removeFollower(c.req.valid("param").profile)));
    return c.body(null, 204);
  },
);

library.openapi(
  createRoute({
    method: "post",
    path: "/v1/library/following",
    operationId: "followLibrary",
    scope: "admin",
    ...refuses("invitation_unknown", "own_library", "too_many_followers", "too_many_followed", "profile_gone"),
    description:
      "Follows the profile that made the code. Nothing is installed by that. From then on, a text that its publisher withdraws is archived here too.",
    request: { body: jsonBody(FollowLibrary) },
    responses: describeResponses(201, "The profile that is followed", FollowingInfo),
  }),
  async (c) => c.json(unwrap(await askLibrary(c, (desk) => desk.follow(c.req.valid("json")))), 201),
);

library.openapi(
  createRoute({
    method: "patch",
    path: "/v1/library/following/{profile}",
    operationId: "changeFollowing",
    scope: "admin",
    ...refuses("not_followed", "profile_gone"),
    description:
      "Says whether this profile sends counts of the uses of its copies, and what the publisher sees as its label. Texts, sessions and people are never sent.",
    request: { params: ProfileParams, body: jsonBody(ChangeFollowing) },
    responses: describeResponses(200, "The profile that is followed", FollowingInfo),
  }),
  async (c) => {
    const { profile } = c.req.valid("param");
    const changes = c.req.valid("json");
    return c.json(unwrap(await askLibrary(c, (desk) => desk.changeFollowing(profile, changes))), 200);
  },
);

library.openapi(
  createRoute({
    method: "delete",
    path: "/v1/library/following/{profile}",
    operationId: "unfollowLibrary",
    scope: "admin",
    ...refuses("not_followed", "profile_gone"),
    description: "Unfollows the profile. The copies stay, and its later withdrawals no longer reach them.",
    request: { params: ProfileParams },
    responses: DELETED,
  }),
  async (c) => {
    unwrap(await askLibrary(c, (desk) => desk.unfollow(c.req.valid("param").profile)));
    return c.body(null, 204);
  },
);
