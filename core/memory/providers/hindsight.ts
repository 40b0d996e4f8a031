// Adapter for Hindsight (https://hindsight.vectorize.io, API v1), over an injected fetch. One profile is one memory
// bank; a mirrored fact is a document with an id of ours. Requests match those of Hindsight's own client:
// test/fixtures/memory-providers/.
import * as z from "zod";
import { type Result, ok } from "../../errors.ts";
import type { ProviderConfig } from "../provider-env.ts";
import { type Fetch, createSend, fail } from "../provider-http.ts";
import type { MemoryProvider, ProviderFailure } from "../provider.ts";
import { type KeptFact, isNotFound, mirrorWrite, recallLastWords } from "./steps.ts";
import { factHash, type Tenant, tenantHash } from "./tenant.ts";
import { cutMiddle } from "./texts.ts";
import { createQuestionTool } from "./tools.ts";

/** More than the few thousand characters that a turn shows. */
const MAX_TOKENS = 2_048;
/** Longest text for each side of an exchange. A model extracts facts from it, so longer texts only cost more. */
const MESSAGE_CHARS = 20_000;

// Loose schemas: only the fields that are read.
const Recalled = z.object({ results: z.array(z.object({ text: z.string() })) });
const Reflected = z.object({ text: z.string() });

export function createHindsight(config: ProviderConfig, tenant: Tenant, fetch: Fetch): MemoryProvider {
  const { baseUrl, apiKey } = config;
  const send = createSend({ name: "Hindsight", baseUrl, headers: { authorization: `Bearer ${apiKey}` }, fetch });
  const bank = `/v1/default/banks/profile-${tenantHash(tenant)}`;

  async function recall(query: string, signal: AbortSignal): Promise<Result<string[], ProviderFailure>> {
    // Observations are what Hindsight concluded from several facts; then the facts themselves are left out.
    const types = ["observation", "world", "experience"];
    const wanted = { types, prefer_observations: true, max_tokens: MAX_TOKENS, budget: "low" };
    const body = { query, ...wanted, include: { entities: null } };
    const sent = await send({ method: "POST", path: `${bank}/memories/recall`, body, signal });
    if (!sent.ok) return isNotFound(sent) ? ok([]) : sent;
    const recalled = Recalled.safeParse(sent.value);
    return recalled.success ? ok(recalled.data.results.map(({ text }) => text)) : unexpected();
  }

  async function retain(item: object, async: boolean, signal: AbortSignal): Promise<Result<null, ProviderFailure>> {
    const sent = await send({ method: "POST", path: `${bank}/memories`, body: { items: [item], async }, signal });
    return sent.ok ? ok(null) : sent;
  }

  /** Removes the document of a fact, and with it the memories that were extracted from it. */
  async function forget(text: string, signal: AbortSignal): Promise<Result<null, ProviderFailure>> {
    const sent = await send({ method: "DELETE", path: `${bank}/documents/fact-${factHash(text)}`, signal });
    return sent.ok || isNotFound(sent) ? ok(null) : sent;
  }

  async function addFact(write: KeptFact, signal: AbortSignal): Promise<Result<null, ProviderFailure>> {
    const context = write.store === "user" ? "a fact about the person" : "a note of the agent";
    const item = { content: write.text, context, document_id: `fact-${factHash(write.text)}` };
    // Not asynchronous: a later removal must find it.
    return retain(item, false, signal);
  }

  return {
    name: "hindsight",
    prefetch: recall,
    sync({ user: asked, assistant }, signal) {
      const content = `User: ${cutMiddle(asked, MESSAGE_CHARS)}\n\nAssistant: ${cutMiddle(assistant, MESSAGE_CHARS)}`;
      // Without a document id each exchange is a document. One document a session would be read again at every turn.
      return retain({ content, context: "conversation", metadata: { session: tenant.session } }, true, signal);
    },
    preCompaction: (messages, signal) => recallLastWords(messages, (query) => recall(query, signal)),
    onWrite: (write, signal) =>
      mirrorWrite(write, { forget: (text) => forget(text, signal), add: (fact) => addFact(fact, signal) }),
    async eraseProfile(signal) {
      const sent = await send({ method: "DELETE", path: bank, signal });
      return sent.ok || isNotFound(sent) ? ok({ more: false }) : sent;
    },
    tools: () => [
      createQuestionTool("hindsight_ask", async (query, signal) => {
        const sent = await send({ method: "POST", path: `${bank}/reflect`, body: { query, budget: "low" }, signal });
        if (!sent.ok) return isNotFound(sent) ? ok("") : sent;
        const reflected = Reflected.safeParse(sent.value);
        return reflected.success ? ok(reflected.data.text) : unexpected();
      }),
    ],
  };
}

function unexpected() {
  return fail("memory_provider_reply", "Hindsight sent an unexpected reply.");
}
