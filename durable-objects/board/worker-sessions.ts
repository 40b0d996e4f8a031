// The sessions of a board's workers: made with the role's settings, given their card, reminded, stopped, looked at. Every step can be repeated:
// the session's id was chosen before the claim, and each message's key names the run. Called by the dispatch of a Board object.
import { clip } from "../../core/clip.ts";
import { REMINDER, composeMessage } from "../../core/board/dispatch/compose-message.ts";
import type { WorkerPort } from "../../core/board/dispatch/worker-port.ts";
import { type Failure, type Result, err, ok } from "../../core/errors.ts";
import { minLimit } from "../../core/quota.ts";
import type { Role } from "../../core/schemas/agenda/role.ts";
import type { BoardName, Card, CardRun } from "../../core/schemas/board/card.ts";
import { type SessionId, type TurnId, toTurnId } from "../../core/schemas/ids.ts";
import type { PostedMessage } from "../../core/session/accept-message.ts";
import { toBeginnerChat } from "../../core/session/channel/begun-by.ts";
import type { NewSession } from "../../core/session/engine.ts";
import { toSourcedText } from "../../core/session/turn/input-parts.ts";
import { PROFILE_GONE, beginSession } from "../begin-session.ts";
import type { AccountStub, AgendaStub, SessionStub } from "./context.ts";

export interface WorkerDeps {
  board: BoardName;
  account: Pick<AccountStub, "checkProfile" | "registerSession" | "eraseSession">;
  agenda: Pick<AgendaStub, "readRole">;
  session(id: SessionId): SessionStub;
  /** Tokens of a run, as the operator allows them. 0: no limit. */
  maxTokens: number;
}

const MAX_TITLE_CHARS = 200;
/** The message of the card begins the session. */
const FIRST_TURN = 1;
/** Failures of a post that the same message would meet again. */
const FINAL: readonly string[] = ["message_too_long", "idempotency_conflict", "session_not_found"];

export function createWorkerSessions({ board, account, agenda, session: open, maxTokens }: WorkerDeps): WorkerPort {
  async function readRole({ assignee }: CardRun): Promise<Result<Role | null>> {
    if (!assignee || !("role" in assignee)) return ok(null);
    const role = await agenda.readRole(assignee.role);
    return role.ok
      ? role
      : err("role_not_found", `There is no role '${assignee.role}'. Make it, or assign the card to another.`);
  }

  async function post(run: CardRun, session: SessionId, message: PostedMessage): Promise<Result<TurnId>> {
    const rev = await account.checkProfile();
    if (rev === null) return refuse(PROFILE_GONE.failure);
    const posted = await open(session).post({
      ...{ ...message, busy: "queue" },
      channel: { chat: toBeginnerChat({ kind: "card", board, run: run.id }), message: run.id },
      ...(rev > 0 && { settingsRev: rev }),
    });
    if (posted.ok) return ok(posted.value.turn);
    return FINAL.includes(posted.failure.code) ? refuse(posted.failure) : posted;
  }

  return {
    async begin(run, view, session) {
      const role = await readRole(run);
      if (!role.ok) return role;
      const { card } = view;
      const title = clip(`Card: ${card.title}`, MAX_TITLE_CHARS);
      const made = await beginSession({ account, session: open }, session, {
        ...{ title, createdAt: run.startedAt, kind: "card" },
        card: { board, card: card.id, run: run.id },
        ...toChoice(role.value, card, maxTokens),
      });
      if (!made.ok) return refuse(made.failure);
      const skills = [...new Set([...card.skills, ...(role.value?.skills ?? [])])];
      const posted = await post(run, session, {
        ...{ ...toSourcedText(composeMessage(view, run.lane)), key: `card:${run.id}` },
        ...(skills.length > 0 && { skills }),
      });
      // The card may have changed since an earlier attempt, whose message is there.
      const wasPosted = !posted.ok && posted.failure.code === "idempotency_conflict";
      return wasPosted ? ok(toTurnId(session, FIRST_TURN)) : posted;
    },
    // Nobody wrote it, so it is not the owner's word.
    remind: (run, session) =>
      post(run, session, { ...toSourcedText([{ source: "content", text: REMINDER }]), key: `card:${run.id}:reminder` }),
    async stop(session) {
      await open(session).stop();
    },
    async look(session, turn) {
      const read = await open(session).readTurn(turn);
      if (!read.ok) return "gone";
      const { state, reason, answer, notice, endedAt } = read.value;
      if (endedAt === null) return "open";
      const ended = state === "failed" || state === "stopped" ? state : "done";
      return { turn, ended: { state: ended, ...(reason && { code: reason }) }, text: answer ?? notice ?? "" };
    },
  };
}

/** What the role and the card set for the session. */
function toChoice(
  role: Role | null,
  { limits }: Card,
  maxTokens: number,
): Pick<NewSession, "choice" | "tools" | "budget"> {
  const { model, personality, tools } = role ?? {};
  const tokens = [role?.maxTokens ?? 0, limits.tokens ?? 0].reduce(minLimit, maxTokens);
  return {
    ...((model || personality) && { choice: { ...(model && { model }), ...(personality && { personality }) } }),
    ...(tools && { tools }),
    ...(tokens > 0 && { budget: { tokens, usdMicros: 0 } }),
  };
}

function refuse({ code, message }: Failure): Result<never> {
  return err(code, message, { isFinal: true });
}
