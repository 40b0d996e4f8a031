// Sign-in for browsers: a key, or the one-time code of a link that a key made, is exchanged for a cookie that scripts cannot read. Who makes a request, and which browsers are signed in.
import { createRoute } from "@hono/zod-openapi";
import type { Context } from "hono";
import * as z from "zod";
import {
  CreateSignIn,
  SignInId,
  type SignInInfo,
  SignInLink,
  SignInList,
  SignedIn,
  WhoAmI,
} from "../../../core/schemas/keys/sign-in.ts";
import { createSecret, createSignInId, toSignInCode, toSignInToken } from "../../../durable-objects/account-key.ts";
import { forgetAcceptedKeys } from "../auth/accepted-keys.ts";
import { assertOwnPage, readSignInCookie, toCsrfToken } from "../auth/browsers/cookie.ts";
import { writeSignInCookie } from "../auth/browsers/cookie-text.ts";
import { readSignInCode } from "../auth/credential.ts";
import type { ApiEnv, Via } from "../auth/principal.ts";
import { parseEnvSettings } from "../env.ts";
import { ascending, pageQuery, toPage } from "../pages.ts";
import { AppError, unwrap } from "../problems.ts";
import { PROBLEM_RESPONSE, createRouter, describeResponses, optionalJsonBody, refuses } from "../router.ts";
import { askDesk } from "../../../wiring/ask-desk.ts";
import { openAccount } from "../sessions/session-rpc.ts";

export const signIns = createRouter();

type Desk = ReturnType<ReturnType<typeof openAccount>["signInDesk"]>;

function askSignInDesk<Answer>({ env, var: { profile } }: Context<ApiEnv>, ask: (desk: Desk) => Promise<Answer>) {
  return askDesk(openAccount(env, profile).signInDesk(), ask);
}

signIns.openapi(
  createRoute({
    method: "post",
    path: "/v1/sign-in",
    operationId: "signIn",
    scope: "read",
    description:
      "Exchanges the key of the request for a cookie (HttpOnly, SameSite=Strict) that is valid for `browsers.signInMs`, and no longer than the " +
      "key. Requests by cookie that change something send `csrf` as the header `X-CSRF-Token`. Each call begins another sign-in. In place of " +
      "the key the code of a sign-in link is accepted, once (`POST /v1/sign-in-links`): it gives what the link's key would give, and no more scopes than the link has.",
    ...refuses("scope_exceeded", "sign_in_code_unknown", "profile_not_found"),
    request: { body: optionalJsonBody(CreateSignIn) },
    responses: describeResponses(201, "Signed in", SignedIn),
  }),
  async (c) => {
    const { profile, via } = c.var.principal;
    assertKey(via);
    // Otherwise a page of another origin could sign a person in as somebody else.
    assertOwnPage(c, { mustSay: false });
    const [id, secret] = [createSignInId(), createSecret()];
    const { signInMs } = parseEnvSettings(c.env).browsers;
    const asked = { ...c.req.valid("json"), id, secret, ms: signInMs };
    const code = readSignInCode(c)?.secret;
    const info = unwrap(
      await askSignInDesk(c, (desk) =>
        code === undefined
          ? desk.create({ ...asked, key: via.id, rotation: via.rotation })
          : desk.redeem({ ...asked, code }),
      ),
    );
    const token = toSignInToken(profile, id, secret);
    c.header("set-cookie", writeSignInCookie(c, token, info.expiresAt - info.createdAt));
    c.header("cache-control", "no-store");
    return c.json({ ...info, profile, csrf: toCsrfToken(token) }, 201);
  },
);

signIns.openapi(
  createRoute({
    method: "post",
    path: "/v1/sign-in-links",
    operationId: "createSignInLink",
    scope: "read",
    description:
      "Makes a one-time code for a link that signs a browser in: the page at `/#/sign-in/<code>` sends it to `POST /v1/sign-in`. It is valid " +
      "for ten minutes, and no longer than the secret of the key that made it. `scopes` and `label` are those of the sign-in. A profile has at " +
      "most 10 such codes: a further one ends the oldest.",
    ...refuses("scope_exceeded", "profile_not_found"),
    request: { body: optionalJsonBody(CreateSignIn) },
    responses: describeResponses(201, "The code, which is never shown again", SignInLink),
  }),
  async (c) => {
    const { profile, via } = c.var.principal;
    assertKey(via);
    const secret = createSecret();
    const asked = { ...c.req.valid("json"), secret, key: via.id, rotation: via.rotation };
    const expiresAt = unwrap(await askSignInDesk(c, (desk) => desk.createCode(asked)));
    c.header("cache-control", "no-store");
    return c.json({ code: toSignInCode(profile, secret), expiresAt }, 201);
  },
);

signIns.openapi(
  createRoute({
    method: "get",
    path: "/v1/sign-in",
    operationId: "whoAmI",
    description:
      "Says who makes the request and what they may do. With a cookie also `csrf`, for a page that was loaded again.",
    responses: describeResponses(200, "Who it is", WhoAmI),
  }),
  (c) => {
    const { profile, scopes, via } = c.var.principal;
    const cookie = via.kind === "cookie" ? readSignInCookie(c) : null;
    c.header("cache-control", "no-store");
    return c.json(
      {
        ...{ profile, scopes: [...scopes], by: via.kind },
        ...(via.kind === "access" ? { who: via.who } : { id: via.id }),
        ...(cookie !== null && { csrf: toCsrfToken(cookie) }),
      },
      200,
    );
  },
);

signIns.openapi(
  createRoute({
    method: "delete",
    path: "/v1/sign-in",
    operationId: "signOut",
    scope: "read",
    description: "Ends the sign-in of the request's cookie, and what it has opened.",
    ...refuses("sign_in_not_found", "profile_not_found"),
    responses: { 204: { description: "Signed out" }, default: PROBLEM_RESPONSE },
  }),
  async (c) => {
    const { profile, via } = c.var.principal;
    if (via.kind !== "cookie")
      throw new AppError("sign_in_not_found", "The request is not signed in by cookie, so there is nothing to end.");
    await askSignInDesk(c, (desk) => desk.end(via.id));
    forgetAcceptedKeys(profile);
    c.header("set-cookie", writeSignInCookie(c, null));
    return c.body(null, 204);
  },
);

signIns.openapi(
  createRoute({
    method: "get",
    path: "/v1/sign-ins",
    operationId: "listSignIns",
    scope: "admin",
    description: "Lists the browsers that are signed in, and the key of each.",
    request: { query: z.strictObject(pageQuery(100)) },
    responses: describeResponses(200, "Sign-ins, oldest first", SignInList),
  }),
  async (c) => {
    const all = await askSignInDesk(c, async (desk) => desk.list());
    const sortKey = ({ createdAt, id }: SignInInfo) => `${ascending(createdAt)}.${id}`;
    const { page, next } = toPage(all, { ...c.req.valid("query"), sortKey });
    return c.json({ signIns: page, ...(next !== undefined && { next }) }, 200);
  },
);

signIns.openapi(
  createRoute({
    method: "delete",
    path: "/v1/sign-ins/{signIn}",
    operationId: "endSignIn",
    scope: "admin",
    description: "Ends the sign-in of a browser. Some isolates may accept its cookie for another 30 seconds.",
    ...refuses("sign_in_not_found", "profile_not_found"),
    request: { params: z.object({ signIn: SignInId }) },
    responses: { 204: { description: "Ended" }, default: PROBLEM_RESPONSE },
  }),
  async (c) => {
    unwrap(await askSignInDesk(c, (desk) => desk.end(c.req.valid("param").signIn)));
    forgetAcceptedKeys(c.var.profile);
    return c.body(null, 204);
  },
);

/** A browser gets another sign-in from its key, not from the sign-in that it has. Throws `key_missing`. */
function assertKey(via: Via): asserts via is Extract<Via, { kind: "key" }> {
  if (via.kind !== "key")
    throw new AppError("key_missing", "A sign-in is made with a key. Send `Authorization: Bearer <key>`.");
}
