// Adapter for Supermemory (https://supermemory.ai/docs, API v3 and v4), over an injected fetch. One profile is one
// container tag; one session, and one mirrored fact, is one document with an id of ours. Requests match those of
// Supermemory's own client: test/fixtures/memory-providers/.
import * as z from "zod";
import { type Result, ok } from "../../errors.ts";
import type { ProviderConfig } from "../provider-env.ts";
import { type Fetch, createSend, fail } from "../provider-http.ts";
import type { MemoryProvider, ProviderFailure } from "../provider.ts";
import { type KeptFact, isNotFound, mirrorWrite, recallLastWords } from "./steps.ts";
import { factHash, type Tenant, tenantHash } from "./tenant.ts";
import { cutMiddle } from "./texts.ts";
import { createSearchTool } from "./tools.ts";

const MAX_RESULTS = 10;
/** Longest text for each side of an exchange. A model extracts facts from it, so longer texts only cost more. */
const MESSAGE_CHARS = 20_000;

/** A result is a text, or holds a memory or a chunk of a document. Loose: only the fields that are read. */
const Results = z.array(z.union([z.string(), z.object({ memory: z.string().nullish(), chunk: z.string().nullish() })]));
const Found = z.object({ results: Results });
const Profile = z.object({
  profile: z.object({ static: z.array(z.string()).nullish(), dynamic: z.array(z.string()).nullish() }),
  searchResults: z.object({ results: Results }).nullish(),
});

export function createSupermemory(config: ProviderConfig, tenant: Tenant, fetch: Fetch): MemoryProvider {
  const { baseUrl, apiKey } = config;
  const send = createSend({ name: "Supermemory", baseUrl, headers: { authorization: `Bearer ${apiKey}` }, fetch });
  const profile = tenantHash(tenant);
  const containerTag = `profile-${profile}`;
  // Ids of documents are shared by the whole organisation, so they include the profile.
  const session = `session-${profile}-${tenant.session}`;
  const toFactId = (text: string) => `fact-${profile}-${factHash(text)}`;

  async function search(q: string, signal: AbortSignal): Promise<Result<string[], ProviderFailure>> {
    const body = { q, containerTag, limit: MAX_RESULTS };
    const sent = await send({ method: "POST", path: "/v4/search", body, signal });
    if (!sent.ok) return sent;
    const found = Found.safeParse(sent.value);
    return found.success ? ok(toTexts(found.data.results)) : unexpected();
  }

  async function add(document: object, signal: AbortSignal): Promise<Result<null, ProviderFailure>> {
    const sent = await send({ method: "POST", path: "/v3/documents", body: { ...document, containerTag }, signal });
    return sent.ok ? ok(null) : sent;
  }

  /** Removes the document of a fact, and with it the memories that were extracted from it. */
  async function forget(text: string, signal: AbortSignal): Promise<Result<null, ProviderFailure>> {
    const sent = await send({ method: "DELETE", path: `/v3/documents/${toFactId(text)}`, signal });
    return sent.ok || isNotFound(sent) ? ok(null) : sent;
  }

  async function addFact(write: KeptFact, signal: AbortSignal): Promise<Result<null, ProviderFailure>> {
    // Content that is only a URL would be fetched by the service. The first words prevent that.
    const content = `${write.store === "user" ? "About the person" : "Note"}: ${write.text}`;
    const metadata = { source: "memory", store: write.store };
    return add({ content, customId: toFactId(write.text), metadata }, signal);
  }

  return {
    name: "supermemory",
    async prefetch(q, signal) {
      const sent = await send({ method: "POST", path: "/v4/profile", body: { containerTag, q }, signal });
      if (!sent.ok) return sent;
      const found = Profile.safeParse(sent.value);
      if (!found.success) return unexpected();
      const { profile: known, searchResults } = found.data;
      const results = toTexts(searchResults?.results ?? []);
      return ok([...results, ...(known.static ?? []), ...(known.dynamic ?? [])]);
    },
    sync({ user: asked, assistant }, signal) {
      const content = `User: ${cutMiddle(asked, MESSAGE_CHARS)}\n\nAssistant: ${cutMiddle(assistant, MESSAGE_CHARS)}`;
      return add({ content, customId: session, metadata: { source: "conversation" } }, signal);
    },
    preCompaction: (messages, signal) => recallLastWords(messages, (query) => search(query, signal)),
    onWrite: (write, signal) =>
      mirrorWrite(write, { forget: (text) => forget(text, signal), add: (fact) => addFact(fact, signal) }),
    async eraseProfile(signal) {
      const body = { containerTags: [containerTag] };
      const sent = await send({ method: "DELETE", path: "/v3/documents/bulk", body, signal });
      return sent.ok || isNotFound(sent) ? ok({ more: false }) : sent;
    },
    tools: () => [createSearchTool("supermemory_search", search)],
  };
}

function toTexts(results: z.infer<typeof Results>): string[] {
  return results.flatMap((found) => (typeof found === "string" ? found : found.memory || found.chunk || []));
}

function unexpected() {
  return fail("memory_provider_reply", "Supermemory sent an unexpected reply.");
}
