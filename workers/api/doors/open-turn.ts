// Finds, continues, branches or begins the session of a compatible request, and posts its message. What a request becomes is stored before
// it is done, so that a repeated request does the same. Called by every door. Throws an AppError for every refusal.
import { fromTurnId } from "../../../core/schemas/ids.ts";
import type { Context } from "hono";
import { parseSessionCommand } from "../../../core/commands/parse-command.ts";
import type { DoorPlan } from "../../../durable-objects/conversations/conversation-rows.ts";
import type { ApiEnv } from "../auth/principal.ts";
import { AppError } from "../problems.ts";
import { makeBranch } from "../sessions/make-branch.ts";
import { openAccount, openSession, unwrapResponse } from "../sessions/session-rpc.ts";
import { answerCalls, findCallPlace } from "./answer-calls.ts";
import type { DoorRequest, DoorTurn, TurnPlace } from "./contract.ts";
import { askConversations } from "./conversations-rpc.ts";
import { followTurn } from "./follow-turn.ts";
import { readResults, splitNew } from "./history.ts";
import { type Planned, planRequest } from "./plan-request.ts";
import { toClientPart } from "./to-client-part.ts";

/** A placeholder host: the stub addresses one object. */
const SESSION_URL = "https://session/messages";

type Scope = Context<ApiEnv>;

export async function openTurn(c: Scope, request: DoorRequest): Promise<DoorTurn> {
  const results = readResults(request.messages);
  const called = results.length === 0 ? null : findCallPlace(results);
  const isAnswer = request.messages.at(-1)?.role === "tool";
  if (isAnswer && !called) {
    throw new AppError(
      "call_unknown",
      `No call has the id '${results[0]!.callId.slice(0, 80)}'. Send a message instead.`,
    );
  }
  if (called) {
    const session = openSession(c.env, c.var.profile, called.session);
    const resumed = await answerCalls(session, called, results);
    if (isAnswer)
      return { ...called, joined: false, isCommand: false, isFormatted: Boolean(request.format), events: resumed };
    // The person has said something too: it joins the turn that goes on.
    return post(c, request, await planRequest(c, { ...request, session: called.session }), "steer");
  }
  return post(c, request, await planRequest(c, request));
}

async function post(c: Scope, request: DoorRequest, { plan, joined }: Planned, busy?: "steer"): Promise<DoorTurn> {
  const { env, var: at } = c;
  const { session: id, key, isNew } = plan;
  const session = openSession(env, at.profile, id);
  if (isNew) await beginSession(c, plan);
  const { history, text, images } = splitNew(request.messages, plan.known);
  const client = toClientPart(request, history);
  const message = {
    ...{ text, key },
    ...(images.length > 0 && { images }),
    ...(busy && { busy }),
    ...(client && { client }),
    ...(at.settingsRev > 0 && { settingsRev: at.settingsRev }),
  };
  const send = async () => {
    const asked = new Request(SESSION_URL, { method: "POST", body: JSON.stringify(message) });
    return unwrapRefused(c, request, plan, await session.fetch(asked));
  };
  const answer = await send().catch(async (error: unknown) => {
    if (isNew || !(error instanceof AppError) || error.code !== "session_not_found") throw error;
    // The first request of the client's conversation has listed the session and has not begun it yet, or died before.
    const first = await askConversations(env, at.profile, (desk) => desk.findFirst(id));
    if (!first) throw error;
    await beginSession(c, first);
    return send();
  });
  const turn = fromTurnId(answer.headers.get("talaria-turn")!).n;
  const isCommand = parseSessionCommand(text) !== null;
  const events = followTurn(session, { turn, opened: answer.body! });
  return { session: id, turn, joined, isCommand, isFormatted: Boolean(request.format), events };
}

/** Idempotent. */
async function beginSession(c: Scope, plan: DoorPlan): Promise<void> {
  const { session, branch, learning, createdAt } = plan;
  if (branch) return branchAt(c, plan, branch);
  if (await openSession(c.env, c.var.profile, session).create({ learning, title: "", createdAt })) return;
  throw new AppError("session_not_found", "The session was deleted meanwhile. Send the request again.");
}

/** A session that was made for this message alone goes with it if it is refused. One with the client's own name stays for the next try. */
async function unwrapRefused(c: Scope, request: DoorRequest, plan: DoorPlan, answer: Response): Promise<Response> {
  try {
    return await unwrapResponse(answer);
  } catch (refused) {
    const { env, var: at } = c;
    const { session, key, isNew } = plan;
    if (isNew && request.conversation === undefined) {
      // A retry may have been posted before, and be refused only a reader.
      const read = await openSession(env, at.profile, session).readExchange({ key });
      if (!read.ok) c.executionCtx.waitUntil(Promise.resolve(openAccount(env, at.profile).eraseSession(session)));
    }
    throw refused;
  }
}

/** Files of that time, or the present ones if those are no longer kept. */
async function branchAt(c: Scope, { session, key, createdAt }: DoorPlan, from: TurnPlace): Promise<void> {
  const asked = { turn: from.turn, session, at: createdAt };
  try {
    await makeBranch(c.env, c.var.profile, from.session, { ...asked, key: `then:${key}` });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "files_not_kept") throw error;
    await makeBranch(c.env, c.var.profile, from.session, { ...asked, key: `now:${key}`, files: "now" });
  }
}
