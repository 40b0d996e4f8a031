// Reads through the API what became of the deliveries: which ids are messages of sessions, and whether every turn has ended.
import { send } from "../support/http.ts";
import { readIds } from "./plan.ts";

interface Caller {
  url: string;
  key: string;
}

const PAGE = 500;
const AT_ONCE = 4;

async function get<T>({ url, key }: Caller, path: string): Promise<T> {
  const { status, text } = await send(`${url}${path}`, { method: "GET", headers: { authorization: `Bearer ${key}` } });
  if (status !== 200) throw new Error(`GET ${path} answered ${status}: ${text.slice(0, 200)}`);
  return JSON.parse(text) as T;
}

/** How many deliveries of the route wait. A route posts in the order of acceptance, so a posted newest one means that none waits. */
export async function hasWaiting(caller: Caller, name: string): Promise<boolean> {
  for (let after = ""; ;) {
    const path = `/v1/webhooks/${name}/deliveries?limit=100${after && `&after=${after}`}`;
    const { deliveries, next } = await get<{ deliveries: { state: string }[]; next?: string }>(caller, path);
    if (deliveries.some(({ state }) => state === "waiting")) return true;
    if (next === undefined) return false;
    after = next;
  }
}

export async function listSessions(caller: Caller): Promise<string[]> {
  const found: string[] = [];
  for (let after = ""; ;) {
    const path = `/v1/sessions?kind=webhook&limit=${PAGE}${after && `&after=${after}`}`;
    const { sessions, next } = await get<{ sessions: { session: string }[]; next?: string }>(caller, path);
    found.push(...sessions.map(({ session }) => session));
    if (next === undefined) return found;
    after = next;
  }
}

/** `null`: a turn of the session has not ended. Otherwise the ids of its messages, each as often as it is there. */
async function readSession(caller: Caller, session: string): Promise<string[] | null> {
  const { state } = await get<{ state: string }>(caller, `/v1/sessions/${session}`);
  if (state !== "idle") return null;
  const ids: string[] = [];
  for (let after = ""; ;) {
    const path = `/v1/sessions/${session}/entries?limit=${PAGE}${after && `&after=${after}`}`;
    const page = await get<{ entries: { kind: string; parts: { text: string }[] }[]; next?: string }>(caller, path);
    const inputs = page.entries.filter(({ kind }) => kind === "user");
    ids.push(...inputs.flatMap(({ parts }) => readIds(parts.map(({ text }) => text).join(""))));
    if (page.next === undefined) return ids;
    after = page.next;
  }
}

/** Turns by delivery. `null`: some turn has not ended. */
export async function countTurns(caller: Caller): Promise<Map<string, number> | null> {
  const sessions = await listSessions(caller);
  const turns = new Map<string, number>();
  let isOver = true;
  const work = Array.from({ length: AT_ONCE }, async () => {
    for (let session = sessions.pop(); session !== undefined && isOver; session = sessions.pop()) {
      const ids = await readSession(caller, session);
      if (ids === null) isOver = false;
      for (const id of ids ?? []) turns.set(id, (turns.get(id) ?? 0) + 1);
    }
  });
  await Promise.all(work);
  return isOver ? turns : null;
}
