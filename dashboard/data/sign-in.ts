// Who is signed in. A key, or the code of a one-time link, is exchanged for a cookie that no script can read; the key is forgotten at once.
// A document belongs to one profile. When its sign-in ends or becomes another's, in this tab or in another one, it is left for a new
// document: nothing that it holds, shows or has asked for reaches the next person.
import { signal } from "@preact/signals";
import { type Answer, ProblemError, call, credentials } from "./api.ts";
import { claimTab, forgetTab, isTabClaimed } from "./preferences.ts";

type Scope = Answer<"GET /v1/sign-in">["scopes"][number];

interface SignedIn {
  profile: string;
  scopes: Scope[];
  byCookie: boolean;
}

export type SignIn =
  | { state: "unknown" }
  /** `why`: what ended the sign-in, or kept it from being read. */
  | { state: "out"; why: string | undefined }
  /** The server could not be asked: nobody has been signed out. It is asked again. */
  | { state: "away"; error: unknown }
  | ({ state: "in" } & SignedIn);

export const signIn = signal<SignIn>({ state: "unknown" });

/** The profile of this document, once somebody has signed in. */
let owner: string | undefined;
/** All tabs share the cookie. A message says who has signed in with it: a profile, or `null` after a sign-out. */
const tabs = new BroadcastChannel("talaria.sign-in");

/** Reads who is signed in. False: it could not be read, or the document is being left. */
export async function loadSignIn(): Promise<boolean> {
  try {
    const { profile, scopes, csrf = "", by } = await call("GET /v1/sign-in");
    return begin({ profile, scopes, byCookie: by === "cookie" }, csrf);
  } catch (error) {
    // A server that is away ends no sign-in; what a refusal means, `credentials.ended` has seen to.
    if (owner === undefined) signIn.value = describeRefusal(error as Error);
    return false;
  }
}

/** How long a page that found no server waits before it asks again. */
const AGAIN_MS = 3_000;

function describeRefusal(error: Error): SignIn {
  if (error instanceof ProblemError && error.problem.status < 500) return { state: "out", why: whyOut(error) };
  setTimeout(() => void (signIn.peek().state === "away" && loadSignIn()), AGAIN_MS);
  return { state: "away", error };
}

function whyOut(error: Error): string | undefined {
  if (!(error instanceof ProblemError) || error.problem.code !== "key_missing") return error.message;
  return isTabClaimed() ? "Your sign-in has ended. Sign in again." : undefined;
}

/** `secret` is a key or a one-time code. Throws ProblemError, UnreachableError. */
export async function signInWith(secret: string): Promise<void> {
  const asked = { headers: { authorization: `Bearer ${secret}` } };
  const { profile, scopes, csrf } = await call("POST /v1/sign-in", asked);
  tabs.postMessage(profile);
  begin({ profile, scopes, byCookie: true }, csrf);
}

/**
 * With the code of a link. If it is refused, who is signed in stays as it was, and the form says why where that is nobody. Throws
 * what says nothing of the code: ProblemError, UnreachableError.
 */
export async function signInByLink(code: string): Promise<void> {
  try {
    await signInWith(code);
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.status !== 401) throw error;
    if (owner === undefined) signIn.value = { state: "out", why: error.message };
  }
}

export async function signOut(): Promise<void> {
  await call("DELETE /v1/sign-in");
  tabs.postMessage(null);
  afterSignOut();
}

export function may(scope: Scope): boolean {
  return signIn.value.state === "in" && signIn.value.scopes.includes(scope);
}

function begin(signedIn: SignedIn, csrf: string): boolean {
  if (owner !== undefined && owner !== signedIn.profile) {
    leave("/");
    return false;
  }
  owner = signedIn.profile;
  claimTab(owner);
  credentials.csrf = csrf;
  signIn.value = { state: "in", ...signedIn };
  return true;
}

function afterSignOut(): void {
  forgetTab();
  if (owner !== undefined) leave("/");
}

/** For a new document, at once empty. Without an address it begins where this one was. */
function leave(address?: string): void {
  signIn.value = { state: "unknown" };
  if (address === undefined) location.reload();
  else location.replace(address);
}

/** The sign-in is over, as the server says or as its owner has done: a new document begins without it. */
export function endSignIn(): void {
  if (owner !== undefined) leave();
}

credentials.refresh = loadSignIn;
credentials.ended = endSignIn;

/** Follows the sign-ins of other tabs, and what the browser does with the document. Called once, by the page's entry. */
export function watchSignIn(): void {
  tabs.addEventListener("message", ({ data }) => {
    if (data === null) afterSignOut();
    else void loadSignIn();
  });
  // A browser may keep the document for its back button, and another person may press that.
  addEventListener("pagehide", ({ persisted }) => {
    if (persisted) signIn.value = { state: "unknown" };
  });
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) leave();
  });
}
