// The tool session_search: finds and reads what was said in the profile's sessions, without a model. The arguments select one of four
// actions: search by words, the messages around one, a session's beginning and end, or a list of sessions. What a person wrote is
// labelled `principal`; everything else is `content`.
import * as z from "zod";
import type { Tool, ToolResult } from "../../agent/contract.ts";
import { fail, succeed } from "../../agent/tool-result.ts";
import { toSnippet } from "../../archive/messages/message-snippets.ts";
import { toQueryWords } from "../../archive/messages/message-words.ts";
import { clip, toOneLine } from "../../clip.ts";
import type { Clock, MessageIndex, SessionList } from "../../ports.ts";
import type {
  FoundMessage,
  IndexedMessage,
  MessageQuery,
  MessageRole,
  MessageSearch,
} from "../../schemas/archived-message.ts";
import type { JsonObject } from "../../schemas/entry.ts";
import type { SessionInfo } from "../../schemas/api.ts";
import { SessionId } from "../../schemas/ids.ts";
import { withTimeout } from "../../timeout.ts";
import { withoutCopies } from "./lineage.ts";
import {
  type ShownMessage,
  clipMessage,
  fitEqually,
  fitWindow,
  joinMessages,
  pickHits,
  sortHits,
  toShown,
} from "./shown-messages.ts";

export interface SessionSearchOptions {
  index: Pick<MessageIndex, "search" | "around">;
  sessions: SessionList;
  /** The present session. Absent: the reader is in none, so all are searched. */
  session?: SessionId;
  /** Recognises messages of the present session that its model no longer reads. `null`: it reads all of them. */
  outOfView(): ((message: Pick<IndexedMessage, "n" | "role">) => boolean) | null;
  clock: Clock;
}

const MIN_HITS = 3;
const MAX_HITS = 10;
const DEFAULT_WINDOW = 5;
const MAX_WINDOW = 20;
/** Messages of a search, of which one a session is shown. A long session may have many of the best. */
const CANDIDATES = 60;
/** Messages on each side of the best hit. */
const HIT_WINDOW = 5;
/** Messages from each end of the best hit's session. */
const ENDS = 2;
/** Characters of the best hit's messages together, those of the session's ends included. */
const MAX_BEST_CHARS = 4_000;
const MAX_ENDS_CHARS = 600;
/** Characters of each other hit, and of a message around the one that was asked for. */
const MAX_OTHER_CHARS = 1_200;
const MAX_ASKED_CHARS = 4_000;
const READ_FIRST = 20;
const READ_LAST = 10;
const MAX_PREVIEW_CHARS = 200;
/** A search takes milliseconds, and seconds in an object that has to start. */
const MAX_WAIT_MS = 15_000;
const LAST_ENTRY = Number.MAX_SAFE_INTEGER;

const DEFAULT_ROLES: MessageRole[] = ["user", "assistant"];

const Args = z.strictObject({
  query: z.string().optional().describe('Words of the messages to find. Put an exact text in quotes: "disk full".'),
  session: z
    .string()
    .optional()
    .describe("A session id from a result. Alone: read that session. With query: search only there."),
  message: z.int().optional().describe("With session: show the messages around this number, an n of a result."),
  window: z.int().optional().describe(`With message: how many messages on each side, 1 to ${MAX_WINDOW}. Default: 5.`),
  limit: z.int().optional().describe(`How many sessions to show, ${MIN_HITS} to ${MAX_HITS}. Default: 3.`),
  sort: z.enum(["relevance", "newest", "oldest"]).optional().describe("With query: the order. Default: relevance."),
  role: z
    .enum(["user", "assistant", "tool"])
    .optional()
    .describe("With query: find only messages of this role. Default: user and assistant."),
});
type Args = z.infer<typeof Args>;

const DESCRIPTION =
  "Finds what was said and done in earlier sessions with this person. Use it when they refer to earlier work, and before you ask " +
  "what they may have told you. Give query to search; session and message to read on around a result; session to read its " +
  "beginning and end; nothing to list the recent sessions. If nothing fits, search again in other words.";

export function createSessionSearch(options: SessionSearchOptions): Tool<Args> {
  return {
    name: "session_search",
    description: DESCRIPTION,
    parameters: Args,
    effect: "read",
    async run(args) {
      try {
        return await withTimeout(answer(args, options), MAX_WAIT_MS, options.clock);
      } catch {
        // The index or the Account failed, or took too long.
        return fail("search_unavailable", "Earlier sessions cannot be searched now. Go on without them, or try later.");
      }
    },
  };
}

async function answer(args: Args, options: SessionSearchOptions): Promise<ToolResult> {
  const { query, session, message } = args;
  const hasQuery = query !== undefined && query.trim() !== "";
  if (session === undefined || session.trim() === "") {
    if (message !== undefined && !hasQuery)
      return fail("bad_arguments", "Give session with message: an n counts within one session.");
    return query === undefined ? browse(args, options) : discover(query, args, options);
  }
  const parsed = SessionId.safeParse(session.trim());
  if (!parsed.success) return refuseSession();
  if (message !== undefined) return scroll(parsed.data, message, args, options);
  return hasQuery ? discover(query, { ...args, session: parsed.data }, options) : read(parsed.data, options);
}

// ---- search ----

async function discover(query: string, args: Args, options: SessionSearchOptions): Promise<ToolResult> {
  const words = toQueryWords(query);
  const { hits, titles, missing } = await findHits(query, args, options);
  const [best, ...others] = hits;
  const partly = missing.length > 0 ? { missing, partly: PARTLY } : {};
  if (!best) return succeed({ count: 0, ...partly, hint: words.length === 0 ? NO_WORDS : NOTHING_FOUND });
  const messages = await readAroundHit(best, words, options);
  // In one session, other hits may be in the window of the best one.
  const isShown = (hit: FoundMessage) => messages.some(({ session, n }) => session === hit.session && n === hit.n);
  const shown = [
    { session: best.session, hit: best.n, messages },
    ...others.map((hit) => {
      if (isShown(hit)) return { session: hit.session, hit: hit.n, messages: [] };
      const { text } = toSnippet(toOneLine(hit.text), words, MAX_OTHER_CHARS);
      return { session: hit.session, hit: hit.n, messages: [toShown(hit, text)] };
    }),
  ];
  return toResult({ count: hits.length, ...partly, hint: FOUND }, shown, titles);
}

const NO_WORDS =
  "The query has no words to search for. Name the subject in a few words, or leave query out to list the recent sessions.";
const NOTHING_FOUND =
  "Nothing matches. Try other words: a name, a file, an error text, what the person may have called it then.";
const PARTLY =
  "Messages of the years in missing cannot be searched now. Say so if they may matter, or search again later.";
const FOUND =
  "hit is the n of the message that was found. The first session shows the messages around it, and its own first and last ones. " +
  "Read on with session and message. A text with … is cut.";

/** One hit of each session, unless one session is searched. */
async function findHits(
  query: string,
  args: Args,
  options: SessionSearchOptions,
): Promise<{ hits: FoundMessage[]; titles: Titles; missing: number[] }> {
  const { role, sort = "relevance", session: only } = args;
  const { index } = options;
  const limit = Math.min(MAX_HITS, Math.max(MIN_HITS, args.limit ?? MIN_HITS));
  const asked = { query, limit: CANDIDATES, roles: role ? [role] : DEFAULT_ROLES };
  const { found, missing } =
    only === undefined ? await searchUnread(asked, options) : await index.search({ ...asked, only });
  const own = options.session && found.length > 0 ? [options.session] : [];
  const titles = await readTitles([...new Set([...found.map(({ session }) => session), ...own])], options);
  const delegatedSessions = [...titles].flatMap(([session, { kind }]) => (kind === "delegated" ? [session] : []));
  if (only === undefined && delegatedSessions.length > 0 && found.length >= CANDIDATES) {
    // Delegated sessions may have taken the places of chats.
    const more = await searchUnread(asked, options, delegatedSessions);
    const known = new Set(found.map(({ id }) => id));
    found.push(...more.found.filter(({ id }) => !known.has(id)));
    for (const [session, info] of await readTitles(
      more.found.map(({ session }) => session),
      options,
    ))
      titles.set(session, info);
  }
  // The index may still have messages of a session that was deleted a moment ago.
  const all = found.filter(({ session }) => titles.has(session));
  const existing = only === undefined ? dropCopies(all, titles, options) : all;
  // What a delegated session said comes after what was said in chats: its parent has its answer.
  const isChat = ({ session }: FoundMessage) => titles.get(session)!.kind === undefined;
  if (only !== undefined) return { hits: sortHits(existing, limit, sort), titles, missing };
  const hits = pickHits(existing.filter(isChat), limit, sort);
  const delegated = existing.filter((hit) => !isChat(hit));
  const others = hits.length < limit ? pickHits(delegated, limit - hits.length, sort) : [];
  return { hits: [...hits, ...others], titles, missing };
}

/** A branch repeats the messages of another session, which may be the present one. */
function dropCopies(
  found: FoundMessage[],
  titles: Titles,
  { session: present = "", outOfView }: SessionSearchOptions,
): FoundMessage[] {
  const lineage = new Map(
    [...titles].flatMap(([session, { branchedFrom }]) => (branchedFrom ? [[session, branchedFrom]] : [])),
  );
  if (lineage.size === 0) return found;
  const isOutOfView = outOfView();
  return withoutCopies(found, { present, lineage, isOutOfView: (message) => isOutOfView?.(message) ?? false });
}

/** Other sessions, and what the model no longer reads of its own. Its own is searched apart, so that it takes no other's place. */
async function searchUnread(
  asked: MessageQuery,
  { index, session: present, outOfView }: SessionSearchOptions,
  without: SessionId[] = [],
): Promise<MessageSearch> {
  const isOutOfView = outOfView();
  const [others, own] = await Promise.all([
    index.search({ ...asked, without: present === undefined ? without : [present, ...without] }),
    isOutOfView && present !== undefined ? index.search({ ...asked, only: present }) : { found: [], missing: [] },
  ]);
  const found = [...others.found, ...own.found.filter((message) => isOutOfView?.(message))];
  const missing = [...new Set([...others.missing, ...own.missing])].toSorted((a, b) => a - b);
  return { found: found.toSorted((a, b) => b.score - a.score), missing };
}

async function readAroundHit(
  { session, n }: FoundMessage,
  words: string[],
  { index }: SessionSearchOptions,
): Promise<ShownMessage[]> {
  const [near, first, last] = await Promise.all([
    index.around(session, n, HIT_WINDOW, HIT_WINDOW),
    index.around(session, 1, 0, ENDS - 1),
    index.around(session, LAST_ENTRY, ENDS - 1, 0),
  ]);
  const known = new Set(near.map((message) => message.n));
  const ends = joinMessages(first, last).filter((message) => !known.has(message.n));
  const fitted = fitEqually(ends, MAX_ENDS_CHARS);
  const used = fitted.reduce((sum, { text }) => sum + text.length, 0);
  return joinMessages(fitted, fitWindow(near, { n, words, maxChars: MAX_BEST_CHARS - used }));
}

// ---- reading ----

async function scroll(session: SessionId, n: number, args: Args, options: SessionSearchOptions): Promise<ToolResult> {
  const window = Math.min(MAX_WINDOW, Math.max(1, args.window ?? DEFAULT_WINDOW));
  const [near, titles] = await Promise.all([
    options.index.around(session, Math.max(1, n), window, window),
    readTitles([session], options),
  ]);
  if (near.length === 0 || !titles.has(session)) return refuseSession();
  const hit = near.find((message) => message.n >= n) ?? near.at(-1)!;
  const messages = near.map((message) =>
    message === hit ? toShown(message, clip(message.text, MAX_ASKED_CHARS)) : clipMessage(message, MAX_OTHER_CHARS),
  );
  const hint = `Read on with message ${near[0]!.n} or ${near.at(-1)!.n}. A text that ends in … is cut.`;
  return toResult({ count: near.length, hint }, [{ session, hit: hit.n, messages }], titles);
}

async function read(session: SessionId, options: SessionSearchOptions): Promise<ToolResult> {
  const { index } = options;
  const [start, titles] = await Promise.all([
    index.around(session, 1, 0, READ_FIRST + READ_LAST),
    readTitles([session], options),
  ]);
  if (start.length === 0 || !titles.has(session)) return refuseSession();
  const isWhole = start.length <= READ_FIRST + READ_LAST;
  const first = isWhole ? start : start.slice(0, READ_FIRST);
  const last = isWhole ? [] : await index.around(session, LAST_ENTRY, READ_LAST - 1, 0);
  const all = joinMessages(first, last);
  const messages = all.map((message) => clipMessage(message, MAX_OTHER_CHARS));
  const hint = isWhole
    ? "This is the whole session. A text that ends in … is cut: show it with message."
    : `Messages are missing after n ${first.at(-1)!.n}: read on there with message.`;
  return toResult({ count: all.length, hint }, [{ session, messages }], titles);
}

async function browse({ limit = MAX_HITS }: Args, options: SessionSearchOptions): Promise<ToolResult> {
  const { index, sessions } = options;
  const most = Math.min(MAX_HITS, Math.max(MIN_HITS, limit));
  const recent = await sessions.recent(most + 1);
  const listed = recent.filter(({ session }) => session !== options.session).slice(0, most);
  const shown = await Promise.all(
    listed.map(async ({ session }) => {
      const first = await index.around(session, 1, 0, 0);
      const messages = first.map((message) => toShown(message, clip(toOneLine(message.text), MAX_PREVIEW_CHARS)));
      return { session, messages };
    }),
  );
  const hint =
    listed.length === 0
      ? "There is no other session yet."
      : "The newest sessions, each with the start of its first message. Read one with session, or search with query.";
  return toResult({ count: listed.length, hint }, shown, toTitles(listed));
}

/** Says the same of a session that never was, was deleted, has no finished turn, or is of another profile. */
function refuseSession(): ToolResult {
  return fail(
    "session_not_found",
    "There is no session with this id to read. Take its id from a search, or from the list that you get without arguments.",
  );
}

// ---- what the model reads ----

interface ShownSession {
  session: SessionId;
  hit?: number;
  messages: ShownMessage[];
}

type Titles = Map<SessionId, Listed>;
type Listed = Pick<SessionInfo, "title" | "createdAt" | "kind" | "branchedFrom">;

async function readTitles(sessions: SessionId[], options: SessionSearchOptions): Promise<Titles> {
  return toTitles(await options.sessions.find(sessions));
}

function toTitles(sessions: (Listed & Pick<SessionInfo, "session">)[]): Titles {
  return new Map(sessions.map(({ session, ...rest }) => [session, rest]));
}

/** The person's own words apart from all others: they are in a part of their own. */
function toResult(outcome: JsonObject, shown: ShownSession[], titles: Titles): ToolResult {
  const sessions = shown.map(({ session, hit, messages }) => {
    const { title, createdAt, kind } = titles.get(session) ?? {};
    return {
      session,
      ...(title && { title }),
      ...(kind && { kind }),
      ...(createdAt !== undefined && { started: toMinute(createdAt) }),
      ...(hit !== undefined && { hit }),
      messages: messages
        .filter(({ role }) => role !== "user")
        .map((message) => ({ role: message.role, ...toLine(message) })),
    };
  });
  const said = shown.flatMap(({ messages }) => messages).filter(({ role }) => role === "user");
  const person: Record<SessionId, ReturnType<typeof toLine>[]> = {};
  for (const message of said) (person[message.session] ??= []).push(toLine(message));
  const order =
    said.length > 0 ? { order: "person has what this person wrote, by session; n is the order within a session." } : {};
  return succeed(
    { ...outcome, ...order },
    { ...(said.length > 0 && { principal: { person } }), content: { sessions } },
  );
}

function toLine({ n, at, text }: ShownMessage) {
  return { n, at: toMinute(at), text };
}

/** `2026-11-26 15:20`, UTC. */
function toMinute(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace("T", " ");
}
