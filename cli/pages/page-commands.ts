// The commands that show or change something outside the conversation and answer with a text, and the branch of a session. Used by the
// terminal and by the plain conversation, which show the text in their own ways.
import type { ClientCommandName } from "../../core/commands/commands.ts";
import type { SessionDetail } from "../../core/schemas/api.ts";
import { createBackoff } from "../connection/backoff.ts";
import { type Client, UnreachableError } from "../connection/client.ts";
import { renderLearning } from "../learning.ts";
import { createLessons } from "./lessons.ts";
import { rateLastTurn, renderMemory, renderSearch, renderSkills, renderUsage } from "./pages.ts";

export const BRANCH_FORM = "Write it as /branch [TURN], with the number of a turn.";

/** `session`: the present one; `null` before the first message. */
export function createPageCommands(client: Client, session: () => string | null) {
  const lessons = createLessons(client);
  return {
    usage: () => renderUsage(client, session()),
    learning: async (skill) => renderLearning(await client.learning(skill === "" ? {} : { skill })).trimEnd(),
    why: () => lessons.why(session()),
    unlearn: (n) => lessons.unlearn(session(), n),
    rate: (argument) => rateLastTurn(client, session(), argument),
    skills: (name) => renderSkills(client, name),
    memory: () => renderMemory(client),
    search: (words) => renderSearch(client, words),
  } satisfies Partial<Record<ClientCommandName, (argument: string) => Promise<string>>>;
}

/** `turn`: its number, "" for the newest. `null` for another text. Repeated with one idempotency key while the server is away. */
export async function branchSession(
  client: Pick<Client, "branchSession">,
  session: string,
  turn: string,
): Promise<SessionDetail | null> {
  if (!/^\d{0,9}$/.test(turn)) return null;
  const body = turn === "" ? {} : { turn: Number(turn) };
  const key = crypto.randomUUID();
  const backoff = createBackoff({});
  for (;;) {
    try {
      return await client.branchSession(session, body, key);
    } catch (error) {
      if (!(error instanceof UnreachableError)) throw error;
      await backoff.next(error);
    }
  }
}
