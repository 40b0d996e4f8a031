// Adapter for a server of OpenViking (https://docs.openviking.ai, API v1) in its `trusted` mode, over an injected fetch.
// One profile is one user of the operator's account; the server itself keeps users apart. A mirrored fact is a file.
// Requests match those of OpenViking's own client: test/fixtures/memory-providers/.
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

/** Loose: only the fields that are read. A removed file that the index still has comes without `content`. */
const Found = z.object({
  result: z.object({ memories: z.array(z.object({ uri: z.string(), content: z.string().nullish() })) }),
});

export function createOpenViking(config: ProviderConfig, tenant: Tenant, fetch: Fetch): MemoryProvider {
  const { baseUrl, apiKey, workspace } = config;
  const user = `profile-${tenantHash(tenant)}`;
  const headers = { "x-api-key": apiKey, "x-openviking-account": workspace, "x-openviking-user": user };
  const send = createSend({ name: "OpenViking", baseUrl, headers, fetch });
  const home = `viking://user/${user}`;
  const session = `/api/v1/sessions/${tenant.session}`;
  const toFile = (text: string) => `${home}/memories/talaria/fact-${factHash(text)}.md`;

  async function search(query: string, signal: AbortSignal): Promise<Result<string[], ProviderFailure>> {
    const body = { query, target_uri: `${home}/memories`, limit: MAX_RESULTS, read_content: true };
    const sent = await send({ method: "POST", path: "/api/v1/search/find", body, signal });
    if (!sent.ok) return isNotFound(sent) ? ok([]) : sent;
    const found = Found.safeParse(sent.value);
    if (!found.success) return fail("memory_provider_reply", "OpenViking sent an unexpected reply.");
    const own = found.data.result.memories.filter(({ uri }) => uri.startsWith(`${home}/`));
    return ok(own.flatMap(({ content }) => content || []));
  }

  async function post(path: string, body: unknown, signal: AbortSignal): Promise<Result<null, ProviderFailure>> {
    const sent = await send({ method: "POST", path, body, signal });
    return sent.ok ? ok(null) : sent;
  }

  async function remove(uri: string, isFolder: boolean, signal: AbortSignal): Promise<Result<null, ProviderFailure>> {
    const query = { uri, recursive: isFolder, wait: false };
    const sent = await send({ method: "DELETE", path: "/api/v1/fs", query, signal });
    return sent.ok || isNotFound(sent) ? ok(null) : sent;
  }

  async function addFact(write: KeptFact, signal: AbortSignal): Promise<Result<null, ProviderFailure>> {
    const body = { uri: toFile(write.text), content: write.text, mode: "replace", wait: false };
    return post("/api/v1/content/write", body, signal);
  }

  return {
    name: "openviking",
    prefetch: search,
    async sync({ user: asked, assistant }, signal) {
      const messages = [
        { role: "user", content: cutMiddle(asked, MESSAGE_CHARS) },
        { role: "assistant", content: cutMiddle(assistant, MESSAGE_CHARS) },
      ];
      const added = await post(`${session}/messages/batch`, { messages }, signal);
      if (!added.ok) return added;
      // Starts the extraction of memories; without it the messages would only lie in the session.
      return post(`${session}/commit`, { keep_recent_count: 0 }, signal);
    },
    preCompaction: (messages, signal) => recallLastWords(messages, (query) => search(query, signal)),
    onWrite: (write, signal) =>
      mirrorWrite(write, {
        forget: (text) => remove(toFile(text), false, signal),
        add: (fact) => addFact(fact, signal),
      }),
    async eraseProfile(signal) {
      for (const folder of ["sessions", "memories"]) {
        const gone = await remove(`${home}/${folder}`, true, signal);
        if (!gone.ok) return gone;
      }
      return ok({ more: false });
    },
    tools: () => [createSearchTool("openviking_search", search)],
  };
}
