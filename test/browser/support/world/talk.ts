// How a world is filled: sessions, messages, and waiting until what they cause is there. Used by the files of this folder.
import { setTimeout as pause } from "node:timers/promises";
import { ProblemError } from "../../../../cli/connection/client.ts";
import type { ReviewDetail, TurnInfo } from "../../../../core/schemas/api.ts";
import type { Owner } from "../owner.ts";

/** Generous: other tests may use the same cores. */
const SETTLES_MS = 60_000;
const POLL_MS = 100;

/** Asks until there is an answer other than `null` and `undefined`. A 404 or 409 is asked again. */
export async function until<T>(what: string, ask: () => Promise<T | null | undefined>): Promise<T> {
  for (const end = Date.now() + SETTLES_MS; ; await pause(POLL_MS)) {
    const answer = await ask().catch((error: unknown) => {
      if (error instanceof ProblemError && [404, 409].includes(error.problem.status)) return null;
      throw error;
    });
    if (answer !== null && answer !== undefined) return answer;
    if (Date.now() > end) throw new Error(`${what}: not within ${SETTLES_MS / 1_000} s`);
  }
}

/** Sends a message and waits until its turn has ended, or waits for a person. */
export async function say({ client }: Owner, session: string, text: string): Promise<TurnInfo> {
  const { turn } = await client.postMessage(session, text);
  return until(`the turn of "${text.slice(0, 60)}"`, async () => {
    const found = (await client.session(session)).turns.find((each) => each.turn === turn);
    return found && found.state !== "queued" && found.state !== "running" ? found : null;
  });
}

/** A session in which each text was said. */
export async function converse(
  owner: Owner,
  texts: string[],
  fields: { title?: string; learning?: "on" | "off" } = {},
) {
  const { session } = await owner.client.createSession(fields);
  for (const text of texts) await say(owner, session, text);
  return session;
}

/** What the rehearsal model does when it is told to call a tool. */
export function order(tool: string, args: object): string {
  return `Call ${tool} with ${JSON.stringify(args)}`;
}

/** The newest review of the session, ended, with another id than `known`. */
export function awaitReview({ client }: Owner, session: string, known: string[] = []): Promise<ReviewDetail> {
  return until(`a review of ${session}`, async () => {
    const lines = await client.listReviews(session);
    const line = lines.find(({ review }) => !known.includes(review));
    return line && line.state !== "waiting" ? client.review(line.review) : null;
  });
}
