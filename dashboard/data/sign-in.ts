// Who is signed in. A key, or the code of a one-time link, is exchanged for a cookie that no script can read; the key is forgotten at once.
import { signal } from "@preact/signals";
import { type Answer, ProblemError, call, credentials } from "./api.ts";
import { forgetTab } from "./preferences.ts";
import { forgetResources } from "./resource.ts";

type Scope = Answer<"GET /v1/sign-in">["scopes"][number];

export type SignIn =
  | { state: "unknown" }
  /** `why`: what ended the sign-in, or kept it from being read. */
  | { state: "out"; why?: string }
  | { state: "in"; profile: string; scopes: Scope[]; byCookie: boolean };

export const signIn = signal<SignIn>({ state: "unknown" });

/** Reads who is signed in, at the start and after another tab has signed in. */
export async function loadSignIn(): Promise<void> {
  try {
    const { profile, scopes, csrf = "", by } = await call("GET /v1/sign-in");
    credentials.csrf = csrf;
    signIn.value = { state: "in", profile, scopes, byCookie: by === "cookie" };
  } catch (error) {
    const isPlain = error instanceof ProblemError && error.problem.code === "key_missing";
    signIn.value = { state: "out", ...(!isPlain && { why: (error as Error).message }) };
  }
}

/** `secret` is a key or a one-time code. Throws ProblemError, UnreachableError. */
export async function signInWith(secret: string): Promise<void> {
  const asked = { headers: { authorization: `Bearer ${secret}` } };
  const { profile, scopes, csrf } = await call("POST /v1/sign-in", asked);
  credentials.csrf = csrf;
  forgetResources();
  signIn.value = { state: "in", profile, scopes, byCookie: true };
}

/**
 * With the code of a link. If it is refused, who is signed in stays as it was, and the form says why where that is nobody. Throws
 * what says nothing of the code: ProblemError, UnreachableError.
 */
export async function signInByLink(code: string): Promise<void> {
  const wasIn = signIn.value.state === "in";
  try {
    await signInWith(code);
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.status !== 401) throw error;
    if (wasIn) await loadSignIn();
    else signIn.value = { state: "out", why: error.message };
  }
}

export async function signOut(): Promise<void> {
  await call("DELETE /v1/sign-in");
  forgetResources();
  forgetTab();
  signIn.value = { state: "out" };
}

export function may(scope: Scope): boolean {
  return signIn.value.state === "in" && signIn.value.scopes.includes(scope);
}

credentials.refresh = loadSignIn;
credentials.ended = () => {
  if (signIn.value.state === "in") {
    forgetResources();
    signIn.value = { state: "out", why: "Your sign-in has ended. Sign in again." };
  }
};
