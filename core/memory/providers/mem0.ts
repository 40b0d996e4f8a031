// Adapter for mem0's platform (https://docs.mem0.ai, API v3), over an injected fetch. One profile is one `user_id`, one
// session one `run_id`. Requests match those of mem0's own client: test/fixtures/memory-providers/.
import * as z from "zod";
import { type Result, ok } from "../../errors.ts";
import { normaliseMemory } from "../../schemas/memory.ts";
import type { ProviderConfig } from "../provider-env.ts";
import { type Fetch, createSend, fail } from "../provider-http.ts";
import type { MemoryProvider, ProviderFailure } from "../provider.ts";
import { cutMiddle } from "./texts.ts";
import { type KeptFact, isNotFound, mirrorWrite, recallLastWords } from "./steps.ts";
import { type Tenant, tenantHash } from "./tenant.ts";
import { createSearchTool } from "./tools.ts";

const MAX_RESULTS = 10;
/** Longest text for each side of an exchange. A model extracts facts from it, so longer texts only cost more. */
const MESSAGE_CHARS = 20_000;

/** Loose: only the fields that are read. Older versions return the list itself. */
const FoundMemories = z.array(
  z.object({ id: z.string(), memory: z.string(), user_id: z.string().nullish(), score: z.number().nullish() }),
);
type FoundMemories = z.infer<typeof FoundMemories>;

export function createMem0(config: ProviderConfig, tenant: Tenant, fetch: Fetch): MemoryProvider {
  const { baseUrl, apiKey } = config;
  const send = createSend({ name: "mem0", baseUrl, headers: { authorization: `Token ${apiKey}` }, fetch });
  const user = `profile-${tenantHash(tenant)}`;
  const run = tenant.session;
  // mem0's documentation says that a filter by user alone skips memories with a run id. Users report that it does not
  // always. Each branch names the user, so that no search reaches another profile.
  const filters = { OR: [{ user_id: user }, { AND: [{ user_id: user }, { run_id: "*" }] }] };

  async function search(query: string, signal: AbortSignal): Promise<Result<FoundMemories, ProviderFailure>> {
    const body = { query, output_format: "v1.1", top_k: MAX_RESULTS, filters };
    const sent = await send({ method: "POST", path: "/v3/memories/search/", body, signal });
    if (!sent.ok) return sent;
    const raw = Array.isArray(sent.value) ? sent.value : (sent.value as { results?: unknown } | null)?.results;
    const found = FoundMemories.safeParse(raw);
    if (!found.success) return fail("memory_provider_reply", "mem0 sent an unexpected reply.");
    return ok(found.data.filter((memory) => (memory.user_id ?? user) === user));
  }

  async function searchTexts(query: string, signal: AbortSignal): Promise<Result<string[], ProviderFailure>> {
    const found = await search(query, signal);
    return found.ok ? ok(found.value.map(({ memory }) => memory)) : found;
  }

  async function add(body: Record<string, unknown>, signal: AbortSignal): Promise<Result<null, ProviderFailure>> {
    const sent = await send({
      method: "POST",
      path: "/v3/memories/add/",
      body: { ...body, user_id: user, run_id: run },
      signal,
    });
    return sent.ok ? ok(null) : sent;
  }

  /** Finds a mirrored fact by its text, which is stored word for word. */
  async function forget(text: string, signal: AbortSignal): Promise<Result<null, ProviderFailure>> {
    const found = await search(text, signal);
    if (!found.ok) return found;
    const same = found.value.filter((memory) => normaliseMemory(memory.memory) === normaliseMemory(text));
    for (const { id } of same) {
      const sent = await send({ method: "DELETE", path: `/v1/memories/${encodeURIComponent(id)}/`, signal });
      if (!sent.ok && !isNotFound(sent)) return sent;
    }
    return ok(null);
  }

  async function addFact(write: KeptFact, signal: AbortSignal): Promise<Result<null, ProviderFailure>> {
    const messages = [{ role: "user", content: write.text }];
    return add({ messages, infer: false, metadata: { source: "memory", store: write.store } }, signal);
  }

  return {
    name: "mem0",
    prefetch: searchTexts,
    sync: ({ user: asked, assistant }, signal) =>
      add(
        {
          messages: [
            { role: "user", content: cutMiddle(asked, MESSAGE_CHARS) },
            { role: "assistant", content: cutMiddle(assistant, MESSAGE_CHARS) },
          ],
        },
        signal,
      ),
    preCompaction: (messages, signal) => recallLastWords(messages, (query) => searchTexts(query, signal)),
    onWrite: (write, signal) =>
      mirrorWrite(write, { forget: (text) => forget(text, signal), add: (fact) => addFact(fact, signal) }),
    async eraseProfile(signal) {
      const sent = await send({ method: "DELETE", path: `/v2/entities/user/${user}/`, signal });
      return sent.ok || isNotFound(sent) ? ok({ more: false }) : sent;
    },
    tools: () => [createSearchTool("mem0_search", searchTexts)],
  };
}
