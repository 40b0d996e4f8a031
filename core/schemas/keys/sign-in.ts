// A browser's sign-in: a key that was exchanged for a cookie. Forms only.
import * as z from "zod";
import { Scope } from "./scope.ts";

/** `scopes`: what the browser may do, of what the key may do; all of it by default. `label`: a name for the list of sign-ins. */
export const CreateSignIn = z.strictObject({
  scopes: z.array(Scope).min(1).optional(),
  label: z.string().max(200).default(""),
});
export type CreateSignIn = z.infer<typeof CreateSignIn>;

/** `code`: begins one sign-in until `expiresAt` (ms since 1970), sent as `Authorization: Bearer`. */
export const SignInLink = z.object({ code: z.string(), expiresAt: z.int() });
export type SignInLink = z.infer<typeof SignInLink>;

export const SignInId = z.string().regex(/^sin_[0-9a-z]{12}$/, "the id of a sign-in is sin_ and 12 characters");

/** `key`: what it was exchanged for; it ends with that key. `usedAt`: to the hour. Times in milliseconds since 1970. */
export const SignInInfo = z.object({
  id: SignInId,
  key: z.string(),
  label: z.string(),
  scopes: z.array(Scope),
  createdAt: z.int(),
  expiresAt: z.int(),
  usedAt: z.int(),
});
export type SignInInfo = z.infer<typeof SignInInfo>;

export const SignInList = z.object({ signIns: z.array(SignInInfo), next: z.string().optional() });

/**
 * Who makes the request. `csrf`: of a sign-in; each request that changes something sends it as `X-CSRF-Token`. `who`: the person whom
 * the identity provider named.
 */
export const WhoAmI = z.object({
  profile: z.string(),
  scopes: z.array(Scope),
  by: z.enum(["key", "cookie", "access"]),
  id: z.string().optional(),
  who: z.string().optional(),
  csrf: z.string().optional(),
});
export type WhoAmI = z.infer<typeof WhoAmI>;

export const SignedIn = SignInInfo.extend({ profile: z.string(), csrf: z.string() });
