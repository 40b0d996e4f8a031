// What an external memory service must be able to do beside the built-in memory, and the one place it may take. Adapters
// are in providers/, limits in provider-guard.ts; the session asks through core/session/memory/recall.ts. No request is made here.
import type { Message, Tool } from "../agent/contract.ts";
import { type Failure, type Result, err, ok } from "../errors.ts";
import type { MemoryStoreName } from "../schemas/memory.ts";

export interface ProviderFailure extends Failure {
  /** It was not taken, so sending it again can do nothing twice. */
  retry?: boolean;
  /** The fault of this one request: it says nothing about the service. */
  own?: boolean;
}

/** One answered turn: what the person said, steered words included, and what was answered. */
export interface Exchange {
  user: string;
  assistant: string;
}

/** A write to the built-in memory that is committed. `old`: the text that is gone. */
export type MemoryWrite =
  | { action: "add"; store: MemoryStoreName; text: string }
  | { action: "replace"; store: MemoryStoreName; text: string; old: string }
  | { action: "remove"; store: MemoryStoreName; old: string };

/**
 * Belongs to one profile and one session: both are in its ids, never in a text. No method throws. What it is given has been
 * cleared of secrets; what it gives is content, to be fenced.
 */
export interface MemoryProvider {
  readonly name: string;
  /** What is known that bears on `query`, best first, in lines or paragraphs. Failing, or finding nothing, is no news. */
  prefetch(query: string, signal: AbortSignal): Promise<Result<string[], ProviderFailure>>;
  sync(exchange: Exchange, signal: AbortSignal): Promise<Result<null, ProviderFailure>>;
  /** Text for whoever summarises these messages, which are about to fall out of the conversation; "" for none. */
  preCompaction(messages: Message[], signal: AbortSignal): Promise<Result<string, ProviderFailure>>;
  onWrite(write: MemoryWrite, signal: AbortSignal): Promise<Result<null, ProviderFailure>>;
  /** Tools of its own. One whose name is taken is left out. */
  tools(): Tool[];
}

/** One external provider at most: two would each be told, and each tell, half. */
export function createProviderSlot() {
  let taken: MemoryProvider | null = null;
  return {
    current: (): MemoryProvider | null => taken,
    register(provider: MemoryProvider): Result<MemoryProvider> {
      if (taken) {
        return err(
          "memory_provider_taken",
          `'${taken.name}' is the external memory provider already, so '${provider.name}' cannot be one too. Name one.`,
        );
      }
      taken = provider;
      return ok(provider);
    },
  };
}

/** Those whose names are free. `reserved`: the names of all other tools. */
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
