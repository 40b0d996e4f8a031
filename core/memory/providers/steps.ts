// Steps that adapters share: mirroring a write, recalling before a compaction, and reading a 404. Used by the adapters. No I/O of its own.
import type { Message } from "../../agent/contract.ts";
import { type Result, ok } from "../../errors.ts";
import type { MemoryWrite, ProviderFailure } from "../provider.ts";
import { toQuery } from "../recall.ts";
import { lastWords } from "./texts.ts";

type Done = Promise<Result<null, ProviderFailure>>;

/** The fact that a write leaves in memory. */
export type KeptFact = Extract<MemoryWrite, { text: string }>;

/** Mirrors a write for a service that cannot replace a fact: the old one is removed before the new one is added. */
export async function mirrorWrite(
  write: MemoryWrite,
  { forget, add }: { forget(text: string): Done; add(fact: KeptFact): Done },
): Done {
  if (write.action !== "add") {
    const gone = await forget(write.old);
    if (!gone.ok || write.action === "remove") return gone;
  }
  return add(write);
}

/** What a search with the person's last words finds, a line each; "" if there are no words. */
export async function recallLastWords(
  messages: Message[],
  search: (query: string) => Promise<Result<string[], ProviderFailure>>,
): Promise<Result<string, ProviderFailure>> {
  const words = lastWords(messages);
  if (words === "") return ok("");
  const found = await search(toQuery(words));
  return found.ok ? ok(found.value.map((memory) => `- ${memory}`).join("\n")) : found;
}

export function isNotFound({ failure }: { failure: ProviderFailure }): boolean {
  return failure.facts?.status === 404;
}
