// What the session view asks the server beside the events: a message of another client, the size of the context, the chosen model. Used by
// session-view.ts. A read that fails changes nothing on the screen: the next one is asked after the next turn.
import { promptTokens, textOf } from "../../core/schemas/entry.ts";
import type { Client } from "../connection/client.ts";
import type { Screen } from "./view/screen.ts";

export interface ReadsOptions {
  client: Pick<Client, "entries" | "session">;
  screen: Screen;
  onChoice(model: string | undefined): void;
}

export function createReads({ client, screen, onChoice }: ReadsOptions) {
  return {
    /** The text of a turn's message. */
    async input(session: string, entry: number, setText: (text: string) => void): Promise<void> {
      const found = await client.entries(session, entry - 1).catch(() => []);
      const input = found.find(({ n }) => n === entry);
      setText(input ? textOf(input) : "(a message of another client)");
      screen.draw();
    },
    /** `final`: the last entry of a turn. The status line shows what its model call read and wrote. */
    async context(session: string, final: number): Promise<void> {
      const found = await client.entries(session, final - 1).catch(() => []);
      const answer = found.findLast((entry) => entry.kind === "assistant");
      if (answer?.kind !== "assistant") return;
      const { usage } = answer.answer;
      screen.setStatus({ context: promptTokens(usage) + usage.output });
    },
    /** After a command, which may have chosen another model. */
    async choice(session: string): Promise<void> {
      const found = await client.session(session).catch(() => null);
      if (found) onChoice(found.model);
    },
  };
}
