// Drives Talaria as any client does: HTTP, server-sent events, a profile's key. Each conversation is a separate session.
import { CreatedProfile, SessionInfo } from "../../../core/schemas/api.ts";
import { type TimedRequest, send } from "../http.ts";
import { type Order, toOrderText } from "../orders.ts";
import type { MeterReading } from "./ours.ts";
import type { Conversation, Subject, TurnTiming } from "./subject.ts";

export const OPERATOR_TOKEN = "operator-token-of-the-bench";

const FIRST_TEXT = /^event: text_delta$/m;
const DONE = /^event: turn_end\ndata: .*"entry":(\d+).*"state":"done"/m;

export interface TalariaConversation extends Conversation {
  /** `lastEntry`: the number of the log's last entry after the turn. */
  turn(order: Order): Promise<TurnTiming & { lastEntry: number }>;
  /** Removes the object from memory, as an eviction does. The next request rebuilds it from storage. */
  evict(): Promise<void>;
}
export interface Talaria extends Subject {
  open(): Promise<TalariaConversation>;
}

/** `freshProfiles`: each conversation gets its own profile, so that none waits for another's review. */
export async function createTalaria(url: string, { freshProfiles = false } = {}): Promise<Talaria> {
  const createProfile = async () => CreatedProfile.parse(await call(`${url}/v1/profiles`, OPERATOR_TOKEN, {}));
  const shared = freshProfiles ? null : await createProfile();
  return {
    name: "ours",
    async open() {
      const { profile, key } = shared ?? (await createProfile());
      const { session } = SessionInfo.parse(await call(`${url}/v1/sessions`, key, { body: "{}" }));
      return {
        async turn(order) {
          const timed = await send(`${url}/v1/sessions/${session}/messages`, {
            headers: {
              authorization: `Bearer ${key}`,
              "content-type": "application/json",
              accept: "text/event-stream",
            },
            body: JSON.stringify({ text: toOrderText(order) }),
            mark: FIRST_TEXT,
          });
          const lastEntry = Number(DONE.exec(timed.text)?.[1]);
          if (!lastEntry || timed.firstMs === null) {
            throw new Error(`a turn of Talaria failed (${timed.status}): ${timed.text.slice(-600)}`);
          }
          return { sentAt: timed.sentAt, firstMs: timed.firstMs, totalMs: timed.totalMs, lastEntry };
        },
        meter: async () =>
          JSON.parse((await send(`${url}/bench/${profile}/${session}`, { method: "GET" })).text) as MeterReading,
        evict: async () => void (await send(`${url}/bench/${profile}/${session}`, { method: "DELETE" })),
        close: async () => {},
      };
    },
  };
}

async function call(url: string, key: string, request: TimedRequest): Promise<unknown> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const answer = await send(url, { ...request, headers });
  if (answer.status >= 300) throw new Error(`POST ${url} answered ${answer.status}: ${answer.text.slice(0, 400)}`);
  return JSON.parse(answer.text);
}
