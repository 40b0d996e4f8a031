// The contract of an external memory provider beside the built-in memory. Adapters are in
// providers/, limits in provider-guard.ts. The session calls it through core/session/memory/recall.ts. This file makes
// no request.
import type { Message, Tool } from "../agent/contract.ts";
import type { Failure, Result } from "../errors.ts";
import type { MemoryStoreName } from "../schemas/memory.ts";

export interface ProviderFailure extends Failure {
  /** The service did not accept the request, so sending it again cannot do anything twice. */
  retry?: boolean;
  /** The wait that the service asked for. */
  retryAfterMs?: number;
  /** The request itself was wrong, which says nothing about the service. */
  isRequestFault?: boolean;
}

/** One answered turn: what the person said, including steered messages, and the answer. */
export interface Exchange {
  user: string;
  assistant: string;
}

/** A committed write to the built-in memory. `old` is the text that was removed. */
export type MemoryWrite =
  | { action: "add"; store: MemoryStoreName; text: string }
  | { action: "replace"; store: MemoryStoreName; text: string; old: string }
  | { action: "remove"; store: MemoryStoreName; old: string };

/**
 * Belongs to one profile and one session, which appear only in its ids, never in a text. No method throws. Inputs have
 * been cleared of secrets. Outputs are content and must be fenced.
 */
export interface MemoryProvider {
  readonly name: string;
  /**
   * Memories related to `query`, best first, as lines or paragraphs. A failure or an empty result is not reported to
   * the model.
   */
  prefetch(query: string, signal: AbortSignal): Promise<Result<string[], ProviderFailure>>;
  sync(exchange: Exchange, signal: AbortSignal): Promise<Result<null, ProviderFailure>>;
  /** Text for the model that summarises these messages before they are removed from the conversation; "" for none. */
  preCompaction(messages: Message[], signal: AbortSignal): Promise<Result<string, ProviderFailure>>;
  onWrite(write: MemoryWrite, signal: AbortSignal): Promise<Result<null, ProviderFailure>>;
  /**
   * Removes what the service keeps of the profile, in all sessions. `more`: this call removed a part, and another one
   * must follow. A service that knows nothing of the profile is a success.
   */
  eraseProfile(signal: AbortSignal): Promise<Result<{ more: boolean }, ProviderFailure>>;
  /** The provider's own tools. A tool whose name is already taken is left out. */
  tools(): Tool[];
}

/**
 * Splits the provider's tools into those whose names are free and the names that are taken. `reserved`: the names of
 * all other tools.
 */
export function freeTools(provider: MemoryProvider, reserved: string[]): { tools: Tool[]; refused: string[] } {
  const names = new Set(reserved);
  const tools: Tool[] = [];
  const refused: string[] = [];
  for (const tool of provider.tools()) {
    if (names.has(tool.name)) refused.push(tool.name);
    else tools.push(tool);
    names.add(tool.name);
  }
  return { tools, refused };
}
