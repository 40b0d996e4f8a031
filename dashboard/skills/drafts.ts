// Drafts, kept in memory while the tab is open, so that nothing typed is lost by going elsewhere on the page.
import { signIn } from "../data/sign-in.ts";
import type { Draft } from "./draft.ts";

const drafts = new Map<string, Draft>();

/** `name`: `null` for a new skill. A sign-in to another profile has drafts of its own. */
function keyOf(name: string | null): string {
  const { value } = signIn;
  return `${value.state === "in" ? value.profile : ""}/${name ?? ""}`;
}

export function keptDraft(name: string | null): Draft | undefined {
  return drafts.get(keyOf(name));
}

export function keepDraft(name: string | null, draft: Draft): void {
  drafts.set(keyOf(name), draft);
}

export function dropDraft(name: string | null): void {
  drafts.delete(keyOf(name));
}
