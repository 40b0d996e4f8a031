// A client of the HTTP API with one typed method for each route. Used by the terminal client and by scripts that drive a running
// stack. Resumes a streamed turn after a broken connection. http.ts sends the requests.
import { TurnId, fromTurnId } from "../../core/schemas/ids.ts";
import { ChildList } from "../../core/schemas/sessions/delegation.ts";
import type * as z from "zod";
import {
  Accepted,
  CreatedKey,
  CreatedProfile,
  CreatedSession,
  type CreateSession,
  CurationReport,
  CurationRunList,
  CurationStarted,
  CuratorStatus,
  EntryList,
  FileList,
  Forgotten,
  Health,
  KeyList,
  MemoryList,
  ReviewDetail,
  ReviewLineList,
  SearchResults,
  SessionDetail,
  SessionList,
  SkillDetail,
  SkillList,
  SkillRevisionDetail,
  SkillRevisionList,
  Stopped,
  StoredFile,
  TurnObservation,
} from "../../core/schemas/api.ts";
import { ModelList } from "../../core/schemas/models.ts";
import { Observation, type Rating } from "../../core/schemas/learning/learning.ts";
import { LearningLedger } from "../../core/schemas/learning/ledger.ts";
import type { GivenImage } from "../../core/schemas/media/image.ts";
import type { ChangeSession } from "../../core/schemas/sessions/session-choice.ts";
import type { BusyMode } from "../../core/schemas/settings.ts";
import { SkillHead } from "../../core/schemas/skill.ts";
import { type UsageBy, UsageReport } from "../../core/schemas/usage.ts";
import type { MemoryStoreName } from "../../core/schemas/memory.ts";
import { type BackoffOptions, createBackoff } from "./backoff.ts";
import { ProtocolError, type StreamedEvent, readAgentEvents } from "../events.ts";
import type { Contract } from "./contract.ts";
import { type Http, ProblemError, UnreachableError, createHttp, toUnreachable } from "./http.ts";
import { type ListRoute, fillRoute } from "./routes.ts";
import { createCall, createList, createSend } from "./typed-call.ts";
import { readSocket } from "./socket.ts";

export interface ClientOptions extends BackoffOptions {
  /** The API's address, such as `http://127.0.0.1:8787`. */
  url: string;
  /** `tal_…`, or the operator's token for the routes that create profiles and keys. */
  key: string;
  /** The server is this machine's own stack: the key is sent only if no other user listens there. */
  isOwn?: boolean;
}

export type Client = ReturnType<typeof createClient>;

// The errors that the methods throw.
export { ProblemError, UnreachableError };

/** Methods throw ProblemError or UnreachableError; an aborted signal throws its reason. */
export function createClient(options: ClientOptions) {
  const http = createHttp(options);
  const call = createCall(http);
  const send = createSend(http);
  const list = createList(http);

  /** Every item of a list. */
  const listAll = async <R extends ListRoute, T extends Contract[R]["answer"], Item>(
    ...asked: Parameters<typeof list<R, T, Item>>
  ): Promise<Item[]> => (await list(...asked)).items;

  return {
    /** Calls any route with a JSON answer, by its name in the API's description. */
    call,
    /** Sends the request of any route by its name; the caller reads the answer. */
    send,
    /** Reads any list, whole or up to a limit. */
    list,
    /** Sends any request. */
    http,
    health: () => call(Health, "GET /health"),

    createProfile: () => call(CreatedProfile, "POST /v1/profiles"),
    createKey: (profile: string, label?: string) => call(CreatedKey, "POST /v1/keys", { body: { profile, label } }),
    listKeys: () => listAll(KeyList, "GET /v1/keys", ({ keys }) => keys),
    revokeKey: (id: string) => send("DELETE /v1/keys/{id}", { params: { id } }),

    createSession: (body: z.input<typeof CreateSession> = {}) => call(CreatedSession, "POST /v1/sessions", { body }),
    listSessions: () => listAll(SessionList, "GET /v1/sessions", ({ sessions }) => sessions),
    deleteSession: (session: string) => send("DELETE /v1/sessions/{session}", { params: { session } }),
    session: (session: string) => call(SessionDetail, "GET /v1/sessions/{session}", { params: { session } }),
    /** The newest sessions, one page. */
    recentSessions: async () => (await call(SessionList, "GET /v1/sessions")).sessions,
    /** The models that may be chosen, the default first. */
    models: async () => (await call(ModelList, "GET /v1/models")).models,
    changeSession: (session: string, change: ChangeSession) =>
      call(SessionDetail, "PATCH /v1/sessions/{session}", { params: { session }, body: change }),
    /** The sessions that this one delegated tasks to. */
    children: async (session: string) =>
      (await call(ChildList, "GET /v1/sessions/{session}/children", { params: { session } })).children,
    entries: (session: string, after = 0) =>
      listAll(EntryList, "GET /v1/sessions/{session}/entries", ({ entries }) => entries, {
        params: { session },
        after: String(after),
      }),
    /** Usage of the profile, by default of the last 30 days. Returns totals and the first 1,000 lines. */
    usage: (query: { from?: string; to?: string; by?: UsageBy } = {}) => call(UsageReport, "GET /v1/usage", { query }),
    /** Rates an ended turn, even days later. The last rating counts. */
    rate: (session: string, turn: number, rating: Rating) =>
      call(Observation, "POST /v1/sessions/{session}/turns/{n}/rating", { params: { session, n: turn }, body: rating }),
    observation: (session: string, turn: number) =>
      call(TurnObservation, "GET /v1/sessions/{session}/turns/{n}/observation", { params: { session, n: turn } }),
    /** Begins a session that is as this one was after a turn, by default the newest that has ended. */
    branchSession: (session: string, body: { turn?: number }, key: string) =>
      call(SessionDetail, "POST /v1/sessions/{session}/branch", {
        params: { session },
        body,
        headers: { "idempotency-key": key },
      }),
    stop: (session: string) => call(Stopped, "POST /v1/sessions/{session}/stop", { params: { session } }),
    /** Posts a message and returns without waiting for its turn. `busy`: what it does to a running turn. */
    postMessage: (
      session: string,
      text: string,
      key?: string,
      { busy, images = [] }: { busy?: BusyMode | undefined; images?: GivenImage[] } = {},
    ) =>
      call(Accepted, "POST /v1/sessions/{session}/messages", {
        params: { session },
        body: { text, ...(busy ? { busy } : {}), ...(images.length > 0 ? { images } : {}) },
        headers: key ? { "idempotency-key": key } : {},
      }),
    /** One WebSocket with the events of all turns after an id. Does not reconnect. */
    watch: (session: string, from: { after: string; signal: AbortSignal; onOpen?: () => void }) =>
      readSocket({ url: http.url, key: http.keyToSend(), session, ...from }),
    streamMessage: (session: string, text: string, stream: StreamOptions = {}) =>
      streamMessage(http, options, { session, text }, stream),
    /** One event stream, from `after` to the end of `turn` or of the newest turn. Does not reconnect. */
    readEvents: (session: string, from: ReadFrom = {}) => readEvents(http, session, from),

    putFile: (session: string, path: string, body: string | Uint8Array<ArrayBuffer>) =>
      http.json(StoredFile, "PUT", filePath(session, path), { body }),
    getFile: async (session: string, path: string) =>
      new Uint8Array(await (await http.send("GET", filePath(session, path))).arrayBuffer()),
    deleteFile: (session: string, path: string) => http.send("DELETE", filePath(session, path)),
    listFiles: (session: string) =>
      listAll(FileList, "GET /v1/sessions/{session}/files", ({ files }) => files, { params: { session } }),

    listSkills: () => listAll(SkillList, "GET /v1/skills", ({ skills }) => skills),
    skill: (name: string) => call(SkillDetail, "GET /v1/skills/{name}", { params: { name } }),
    putSkill: (name: string, files: Record<string, string>) =>
      call(SkillHead, "PUT /v1/skills/{name}", { params: { name }, body: { files } }),
    skillRevisions: (name: string) =>
      listAll(SkillRevisionList, "GET /v1/skills/{name}/revisions", ({ revisions }) => revisions, { params: { name } }),
    skillRevision: (name: string, rev: number) =>
      call(SkillRevisionDetail, "GET /v1/skills/{name}/revisions/{rev}", { params: { name, rev } }),
    /** Reverts what a revision changed and keeps later changes. */
    undoSkillRevision: (name: string, rev: number) =>
      call(SkillHead, "POST /v1/skills/{name}/revisions/{rev}/undo", { params: { name, rev } }),
    pinSkill: (name: string, pinned: boolean) =>
      call(SkillHead, "POST /v1/skills/{name}/pin", { params: { name }, body: { pinned } }),
    archiveSkill: (name: string) => call(SkillHead, "POST /v1/skills/{name}/archive", { params: { name } }),
    restoreSkill: (name: string, rev?: number) =>
      call(SkillHead, "POST /v1/skills/{name}/restore", { params: { name }, body: { rev } }),

    listMemory: (store?: MemoryStoreName) =>
      listAll(MemoryList, "GET /v1/memory", ({ entries }) => entries, { query: { store } }),
    forget: (store: MemoryStoreName, id: string) =>
      call(Forgotten, "DELETE /v1/memory/{store}/{memory}", { params: { store, memory: id } }),

    /** Searches the messages of all sessions. */
    search: (query: Contract["GET /v1/search"]["query"]) => call(SearchResults, "GET /v1/search", { query }),

    /** Returns the newest page only. */
    listReviews: async (session?: string) =>
      (await call(ReviewLineList, "GET /v1/reviews", { query: { session } })).reviews,
    review: (review: string) => call(ReviewDetail, "GET /v1/reviews/{review}", { params: { review } }),

    /** The ledger of the profile, with a page of its skills by name, or with one skill and its history. */
    learning: (query: { skill?: string; after?: string; limit?: string; by?: "day" | "week" } = {}) =>
      call(LearningLedger, "GET /v1/learning", { query }),

    adoptSkill: (name: string) => call(SkillHead, "POST /v1/skills/{name}/adopt", { params: { name } }),
    curator: () => call(CuratorStatus, "GET /v1/curator"),
    pauseCurator: () => call(CuratorStatus, "POST /v1/curator/pause"),
    resumeCurator: () => call(CuratorStatus, "POST /v1/curator/resume"),
    runCurator: (dryRun = false, consolidate = false) => {
      const query = { dryRun: dryRun ? "1" : undefined, consolidate: consolidate ? "1" : undefined } as const;
      return call(CurationStarted, "POST /v1/curator/run", { query });
    },
    rollBackCuration: (run: string) =>
      call(CurationStarted, "POST /v1/curator/runs/{run}/rollback", { params: { run } }),
    listCurationRuns: () => listAll(CurationRunList, "GET /v1/curator/runs", ({ runs }) => runs),
    curationReport: (run: string) => call(CurationReport, "GET /v1/curator/runs/{run}", { params: { run } }),
  };
}

export interface StreamOptions {
  /** The idempotency key. Absent: a new one. */
  key?: string;
  signal?: AbortSignal;
  /** Called before each retry with the reason. */
  onReconnect?: (reason: Error) => void;
  images?: GivenImage[];
}

export interface ReadFrom {
  /** The last event id that was received. */
  after?: string;
  /** Only this turn's events. */
  turn?: number;
  signal?: AbortSignal;
}

/**
 * Posts a message and yields its turn's events up to `turn_end`. Resumes after a broken connection: with the same
 * idempotency key before the first event, with `Last-Event-ID` after it.
 */
async function* streamMessage(
  http: Http,
  options: BackoffOptions,
  { session, text }: { session: string; text: string },
  { key = crypto.randomUUID(), signal = NEVER, onReconnect, images = [] }: StreamOptions,
): AsyncGenerator<StreamedEvent> {
  const headers = { ...SSE, "idempotency-key": key };
  const body = { text, ...(images.length > 0 && { images }) };
  const backoff = createBackoff(options);
  let after: string | undefined;
  let turn: number | undefined;
  for (;;) {
    try {
      const response =
        after === undefined
          ? await http.send("POST", `/v1/sessions/${session}/messages`, { body, headers, signal })
          : await openEvents(http, session, { after, turn, signal });
      turn ??= readTurnNumber(response);
      for await (const streamed of readAgentEvents(requireBody(response))) {
        after = streamed.id;
        backoff.reset();
        yield streamed;
        const { event } = streamed;
        if (event.type === "steer_add" && event.turn === turn) turn = event.into;
        if (event.type === "turn_end" && event.turn === turn) return;
      }
      throw new UnreachableError("The stream ended before its turn did.");
    } catch (error) {
      signal?.throwIfAborted();
      await backoff.next(toUnreachable(error, http.url), onReconnect);
    }
  }
}

async function* readEvents(http: Http, session: string, from: ReadFrom): AsyncGenerator<StreamedEvent> {
  try {
    yield* readAgentEvents(requireBody(await openEvents(http, session, from)));
  } catch (error) {
    from.signal?.throwIfAborted();
    throw toUnreachable(error, http.url);
  }
}

function openEvents(http: Http, session: string, { after, turn, signal = NEVER }: ReadFrom): Promise<Response> {
  const headers = after === undefined ? SSE : { ...SSE, "last-event-id": after };
  const [method, path] = fillRoute("GET /v1/sessions/{session}/events", { params: { session }, query: { turn } });
  return http.send(method, path, { headers, signal });
}

const SSE = { accept: "text/event-stream" };
/** Never aborts. A stream has no timeout: it lasts as long as its turn. */
const NEVER = new AbortController().signal;

/** The turn of a posted message: the last part of the header `talaria-turn: <session>-<n>`. */
function readTurnNumber(response: Response): number {
  const turn = TurnId.safeParse(response.headers.get("talaria-turn"));
  if (!turn.success) throw new ProtocolError("The answer to a message does not name its turn.");
  return fromTurnId(turn.data).n;
}

/** Escapes each part of the path separately, so that names may hold `?`, `#` or `%`. */
function filePath(session: string, path: string): string {
  return `/v1/sessions/${session}/files/${path.split("/").map(encodeURIComponent).join("/")}`;
}

function requireBody(response: Response): ReadableStream<Uint8Array> {
  if (!response.body) throw new UnreachableError("The answer has no body.");
  return response.body;
}
