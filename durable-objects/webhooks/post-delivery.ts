// Posts a webhook's message to its session, which is made first where there is none. Every step can be repeated: the session's id was chosen
// when the delivery was accepted, and the message's key names the delivery. Called by the pump of a Webhooks object.
import { type Result, ok } from "../../core/errors.ts";
import type { Clock } from "../../core/ports.ts";
import { type SessionId, type TurnId, fromTurnId } from "../../core/schemas/ids.ts";
import { toBeginnerChat } from "../../core/session/channel/begun-by.ts";
import type { WaitingDelivery } from "../../core/webhooks/delivery-rows.ts";
import { PROFILE_GONE, beginSession } from "../begin-session.ts";
import type { AccountStub, SessionStub } from "./context.ts";

type MessageRow = WaitingDelivery & { session: SessionId };

export interface PostingDeps {
  clock: Clock;
  account: AccountStub;
  session(id: SessionId): SessionStub;
  /** Whether each delivery of the row's route has a session of its own. */
  isOneOff(row: MessageRow): boolean;
  /** The session was deleted: another one takes its place, or the delivery fails. */
  replace(row: MessageRow): void;
}

/** How long a revision of the profile's settings counts as the present one, as in the api Worker. */
const REV_MS = 30_000;

export function createPoster(deps: PostingDeps) {
  const { clock, account } = deps;
  let known: { rev: number; at: number } | null = null;

  /** `null`: the profile was deleted. */
  async function settingsRev(): Promise<number | null> {
    if (known && clock.now() < known.at + REV_MS) return known.rev;
    const rev = await account.checkProfile();
    known = rev === null ? null : { rev, at: clock.now() };
    return rev;
  }

  async function make(row: MessageRow): Promise<Result<null>> {
    const { session, route, at: createdAt } = row;
    const made = await beginSession(deps, session, { title: `Webhook ${route}`, createdAt, kind: "webhook" });
    if (!made.ok && made.failure.code === "session_gone") deps.replace(row);
    return made;
  }

  return {
    /** As `PumpDeps.sessions.post`. */
    async post(row: MessageRow): Promise<Result<{ turn: TurnId }>> {
      const rev = await settingsRev();
      if (rev === null) return PROFILE_GONE;
      // A session that takes many messages is there most of the time.
      if (deps.isOneOff(row)) {
        const made = await make(row);
        if (!made.ok) return made;
      }
      const message = {
        text: row.text,
        busy: "queue" as const,
        key: `webhook:${row.route}:${row.id}:${row.at}`,
        ...(row.answers && {
          channel: {
            chat: toBeginnerChat({ kind: "webhook", route: row.route }),
            message: row.id,
            source: "content" as const,
          },
        }),
        ...(rev > 0 && { settingsRev: rev }),
      };
      const posted = await deps.session(row.session).post(message);
      if (posted.ok) return ok({ turn: posted.value.turn });
      if (posted.failure.code !== "session_not_found") return posted;
      const made = await make(row);
      if (!made.ok) return made;
      const again = await deps.session(row.session).post(message);
      return again.ok ? ok({ turn: again.value.turn }) : again;
    },

    async isOpen(session: SessionId, turn: TurnId): Promise<boolean> {
      const read = await deps.session(session).readTurn(fromTurnId(turn).n);
      return read.ok && read.value.endedAt === null;
    },
  };
}
