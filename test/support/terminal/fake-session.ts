// A session as the API shows it, for tests of the interactive terminal: each message becomes a turn, whose events the test sends. Records
// the requests.
import { type Handler, answerJson, answerProblem, startFakeApi } from "../fake-api.ts";
import type { FakeSocket } from "../wires/fake-socket.ts";
import type { AgentEvent } from "../../../core/schemas/entry.ts";

export const SESSION = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
const USAGE = { input: 10, output: 2, cacheRead: 0, cacheWrite: 0 };
export const STATS = { modelCalls: 1, toolCalls: 0, failedCalls: 0, usage: USAGE, usdMicros: 1_500 };
const INFO = { session: SESSION, title: "", learning: "on", backend: "workspace", createdAt: 1 };
export const DETAIL = { ...INFO, state: "idle", turns: [], reviewing: [], usage: { calls: 0, tokens: 0, usd: 0 } };

export type FakeSession = Awaited<ReturnType<typeof startFakeSession>>;

/** `routes`: further ones, or others in place of those that are here. */
export async function startFakeSession(routes: Record<string, Handler> = {}) {
  const posted: { text: string; busy?: string; key: string }[] = [];
  const sockets: FakeSocket[] = [];
  const called: string[] = [];
  let away = false;
  let entry = 0;
  const post: Handler = async (response, request) => {
    if (away) return answerProblem(503, "workers_away")(response, request);
    const key = String(request.headers["idempotency-key"]);
    posted.push({ ...(JSON.parse(request.body) as { text: string; busy?: string }), key });
    const turn = `${SESSION}-${posted.length}`;
    await answerJson(202, { session: SESSION, turn, entry: null, replayed: false, events: "/" })(response, request);
  };
  const note =
    (name: string, handler: Handler): Handler =>
    (response, request) => {
      called.push(name);
      return handler(response, request);
    };
  const api = await startFakeApi(
    [],
    {
      "POST /v1/sessions": note("create", answerJson(201, INFO)),
      [`GET /v1/sessions/${SESSION}`]: (response, request) =>
        (away ? answerProblem(502, "workers_away") : answerJson(200, DETAIL))(response, request),
      [`POST /v1/sessions/${SESSION}/messages`]: post,
      [`POST /v1/sessions/${SESSION}/stop`]: note("stop", answerJson(200, { stopped: [] })),
      "GET /v1/skills": answerJson(200, { skills: [] }),
      "GET /v1/models": answerJson(200, {
        object: "list",
        data: [],
        models: [{ name: "m", isDefault: true, window: 1_000 }],
        slots: [],
      }),
      ...routes,
    },
    (socket) => (away ? socket.cut() : void sockets.push(socket)),
  );
  const socket = async () => {
    while (sockets.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    return sockets.at(-1)!;
  };
  const send = async (event: AgentEvent, offset = 0) => {
    const at = "entry" in event ? event.entry : entry;
    (await socket()).send(`${at}.${offset}`, event);
  };
  return {
    url: api.url,
    posted,
    called,
    send,
    begin: (turn: number) => send({ type: "turn_start", turn, entry: (entry = turn * 10) }),
    say: (text: string, offset = 0) =>
      send({ type: "text_delta", entry: entry + 1, offset, text }, offset + text.length),
    end: (turn: number, state: "done" | "stopped" = "done") => {
      const reason = state === "done" ? "answer" : "stopped";
      return send({ type: "turn_end", turn, entry: entry + 1, state, reason, stats: STATS }, 999_999);
    },
    /** The server is away for requests and sockets, or there again. */
    setAway(isAway: boolean): void {
      away = isAway;
      if (isAway) for (const one of sockets.splice(0)) one.cut();
    },
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  };
}
