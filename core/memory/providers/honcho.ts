// Adapter for Honcho (https://docs.honcho.dev, API v3): its conclusions about the person of a profile, over an injected
// fetch. In the operator's workspace, each profile has two peers, the person and the agent, and its own sessions.
// Requests match those of Honcho's own client: test/fixtures/memory-providers/.
import * as z from "zod";
import { type Result, ok } from "../../errors.ts";
import { normaliseMemory } from "../../schemas/memory.ts";
import type { ProviderConfig } from "../provider-env.ts";
import { type Fetch, type ProviderRequest, createSend, fail } from "../provider-http.ts";
import type { MemoryProvider, ProviderFailure } from "../provider.ts";
import { cutIntoPieces } from "./texts.ts";
import { type KeptFact, isNotFound, mirrorWrite } from "./steps.ts";
import { type Tenant, tenantHash } from "./tenant.ts";
import { createQuestionTool } from "./tools.ts";

const TOP_K = 10;
const MAX_CONCLUSIONS = 25;
/** [Honcho] The largest page of a list. */
const PAGE = 100;
/** Honcho's server accepts 25,000 characters a message. */
const MESSAGE_CHARS = 20_000;
const MAX_PIECES = 10;

// Loose schemas: only the fields that are read.
const Context = z.object({ representation: z.string().nullish(), peer_card: z.array(z.string()).nullish() });
const Summary = z.object({ content: z.string() }).nullish();
const Summaries = z.object({ short_summary: Summary, long_summary: Summary });
const Conclusions = z.array(z.object({ id: z.string(), content: z.string() }));
const Page = z.object({ items: z.array(z.object({ id: z.string() })) });
const Chat = z.object({ content: z.string().nullish() });

interface HonchoApi {
  /** The peer ids, and the session's id. */
  person: string;
  agent: string;
  session: string;
  /** A GET of a path in the operator's workspace. */
  get(path: string, query: ProviderRequest["query"], signal: AbortSignal): Promise<Result<unknown, ProviderFailure>>;
  post(
    path: string,
    body: unknown,
    signal: AbortSignal,
    query?: ProviderRequest["query"],
  ): Promise<Result<unknown, ProviderFailure>>;
  put(path: string, body: unknown, signal: AbortSignal): Promise<Result<unknown, ProviderFailure>>;
  /** A POST that first creates workspace, peers and session where missing. */
  postToPeers(path: string, body: unknown, signal: AbortSignal): Promise<Result<unknown, ProviderFailure>>;
  remove(path: string, signal: AbortSignal): Promise<Result<unknown, ProviderFailure>>;
}

export function createHoncho(config: ProviderConfig, tenant: Tenant, fetch: Fetch): MemoryProvider {
  const api = createApi(config, tenant, fetch);
  const { person, agent, session } = api;

  async function forget(text: string, signal: AbortSignal): Promise<Result<null, ProviderFailure>> {
    const filters = { observer_id: person, observed_id: person };
    const sent = await api.postToPeers("/conclusions/query", { query: text, top_k: TOP_K, filters }, signal);
    const found = parse(Conclusions, sent, []);
    if (!found.ok) return found;
    const same = found.value.filter(({ content }) => normaliseMemory(content) === normaliseMemory(text));
    return removeAll("/conclusions", same, signal);
  }

  async function removeAll(
    path: string,
    items: { id: string }[],
    signal: AbortSignal,
  ): Promise<Result<null, ProviderFailure>> {
    for (const { id } of items) {
      const gone = await api.remove(`${path}/${encodeURIComponent(id)}`, signal);
      if (!gone.ok && !isNotFound(gone)) return gone;
    }
    return ok(null);
  }

  /** One page of the person's sessions and one of their conclusions, and the card. The names of the peers stay. */
  async function eraseProfile(signal: AbortSignal): Promise<Result<{ more: boolean }, ProviderFailure>> {
    const filters = { observer_id: person, observed_id: person };
    const lists: { path: string; list: string; body: object; query: NonNullable<ProviderRequest["query"]> }[] = [
      { path: "/sessions", list: `/peers/${person}/sessions`, body: {}, query: { size: PAGE } },
      { path: "/conclusions", list: "/conclusions/list", body: { filters }, query: { page: 1, size: PAGE } },
    ];
    let more = false;
    for (const { path, list, body, query } of lists) {
      const page = parse(Page, await api.post(list, body, signal, query), { items: [] });
      if (!page.ok) return page;
      const gone = await removeAll(path, page.value.items, signal);
      if (!gone.ok) return gone;
      more ||= page.value.items.length >= PAGE;
    }
    const cleared = await api.put(`/peers/${person}/card`, { peer_card: [] }, signal);
    return cleared.ok || isNotFound(cleared) ? ok({ more }) : cleared;
  }

  async function addFact(write: KeptFact, signal: AbortSignal): Promise<Result<null, ProviderFailure>> {
    const conclusion = { content: write.text, session_id: session, observer_id: person, observed_id: person };
    const sent = await api.postToPeers("/conclusions", { conclusions: [conclusion] }, signal);
    return sent.ok ? ok(null) : sent;
  }

  return {
    name: "honcho",
    async prefetch(about, signal) {
      const words = { search_query: about, search_top_k: TOP_K, include_most_frequent: true };
      const query = { ...words, max_conclusions: MAX_CONCLUSIONS };
      const sent = await api.get(`/peers/${person}/context`, query, signal);
      const context = parse(Context, sent, {});
      if (!context.ok) return context;
      const { representation, peer_card } = context.value;
      return ok([...(peer_card ?? []), ...(representation ? [withoutTimes(representation)] : [])]);
    },
    async sync({ user: asked, assistant }, signal) {
      const toMessages = (peer_id: string, text: string) =>
        cutIntoPieces(text, MESSAGE_CHARS, MAX_PIECES).map((content) => ({ peer_id, content }));
      const messages = [...toMessages(person, asked), ...toMessages(agent, assistant)];
      const sent = await api.postToPeers(`/sessions/${session}/messages`, { messages }, signal);
      return sent.ok ? ok(null) : sent;
    },
    async preCompaction(_messages, signal) {
      const sent = await api.get(`/sessions/${session}/summaries`, undefined, signal);
      const summaries = parse(Summaries, sent, { short_summary: null, long_summary: null });
      if (!summaries.ok) return summaries;
      const { long_summary, short_summary } = summaries.value;
      return ok((long_summary ?? short_summary)?.content ?? "");
    },
    onWrite: (write, signal) =>
      mirrorWrite(write, { forget: (text) => forget(text, signal), add: (fact) => addFact(fact, signal) }),
    eraseProfile,
    tools: () => [
      createQuestionTool("honcho_ask", async (query, signal) => {
        const body = { query, stream: false };
        const sent = await api.post(`/peers/${person}/chat`, body, signal);
        const chat = parse(Chat, sent, {});
        return chat.ok ? ok(chat.value.content ?? "") : chat;
      }),
    ],
  };
}

function createApi({ workspace, baseUrl, apiKey }: ProviderConfig, tenant: Tenant, fetch: Fetch): HonchoApi {
  const send = createSend({ name: "Honcho", baseUrl, headers: { authorization: `Bearer ${apiKey}` }, fetch });
  const profile = tenantHash(tenant);
  const person = `user-${profile}`;
  const agent = `agent-${profile}`;
  // Profiles share a workspace and therefore its session names, so the name includes the profile.
  const session = `${profile}-${tenant.session}`;
  const root = `/v3/workspaces/${workspace}`;
  const post: HonchoApi["post"] = (path, body, signal, query) =>
    send({ method: "POST", path: `${root}${path}`, body, signal, ...(query && { query }) });
  let isOpen = false;

  /** Needed only before a write: an unknown person has nothing to recall. */
  async function open(signal: AbortSignal): Promise<Result<null, ProviderFailure>> {
    if (isOpen) return ok(null);
    const observed = { observe_me: true, observe_others: false };
    const silent = { observe_me: false, observe_others: false };
    const steps: [string, unknown][] = [
      ["/v3/workspaces", { id: workspace }],
      [`${root}/peers`, { id: person }],
      [`${root}/peers`, { id: agent }],
      [`${root}/sessions`, { id: session, peers: { [person]: observed, [agent]: silent } }],
    ];
    for (const [path, body] of steps) {
      const sent = await send({ method: "POST", path, body, signal });
      if (!sent.ok) return sent;
    }
    isOpen = true;
    return ok(null);
  }

  return {
    person,
    agent,
    session,
    get: (path, query, signal) => send({ method: "GET", path: `${root}${path}`, ...(query && { query }), signal }),
    post,
    put: (path, body, signal) => send({ method: "PUT", path: `${root}${path}`, body, signal }),
    async postToPeers(path, body, signal) {
      const opened = await open(signal);
      return opened.ok ? post(path, body, signal) : opened;
    },
    remove: (path, signal) => send({ method: "DELETE", path: `${root}${path}`, signal }),
  };
}

/** A 404 (a new profile or session) gives `missing`, not a failure. */
function parse<T>(
  schema: z.ZodType<T>,
  sent: Result<unknown, ProviderFailure>,
  missing: T,
): Result<T, ProviderFailure> {
  if (!sent.ok) return isNotFound(sent) ? ok(missing) : sent;
  const parsed = schema.safeParse(sent.value ?? missing);
  return parsed.success ? ok(parsed.data) : fail("memory_provider_reply", "Honcho sent an unexpected reply.");
}

/**
 * Removes times such as in `[2026-11-02 09:15:00] fact`. With them, a fact that is concluded again on another day would
 * look new.
 */
function withoutTimes(representation: string): string {
  return representation.replace(/^([ \t]*(?:[-*][ \t]+|\d+\.[ \t]+)?)\[\d{4}-\d\d-\d\d[^\]\n]{0,40}\]\s*/gm, "$1");
}
