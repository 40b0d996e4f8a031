// Finds, continues, branches or begins the session of a compatible request, and posts its message. What a request becomes is stored before
// it is done, so that a repeated request does the same. Called by every door. Throws an AppError for every refusal.
import type { Context } from "hono";
import { ulid } from "ulid";
import { sha256Hex } from "../../../core/schemas/learning/digest.ts";
import type { SessionId } from "../../../core/schemas/ids.ts";
import type { Exchange } from "../../../core/session/readers/exchange.ts";
import type { DoorPlan } from "../../../durable-objects/account-conversations.ts";
import type { ApiEnv } from "../auth/principal.ts";
import { AppError, unwrap } from "../problems.ts";
import { assertUsableText } from "../sessions/messages.ts";
import { makeBranch } from "../sessions/make-branch.ts";
import { openAccount, openSession, unwrapResponse } from "../sessions/session-rpc.ts";
import { answerCalls, findCallPlace } from "./answer-calls.ts";
import type { DoorRequest, DoorTurn, TurnPlace } from "./contract.ts";
import { type Place, findPlace, hasGoneOn } from "./find-place.ts";
import { followTurn } from "./follow-turn.ts";
import { type NewMessages, readPositions, readResults, splitNew } from "./history.ts";
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
    if (isAnswer) return { session: called.session, turn: called.turn, joined: false, events: resumed };
    // The person has said something too: it joins the turn that goes on.
    return post(c, request, await plan(c, { ...request, session: called.session }), "steer");
  }
  return post(c, request, await plan(c, request));
}

interface Planned {
  plan: DoorPlan;
  joined: boolean;
}

async function plan(c: Scope, request: DoorRequest): Promise<Planned> {
  const { session, conversation, previous, learning, messages } = request;
  assertPostable(splitNew(messages, 0));
  const account = openAccount(c.env, c.var.profile);
  const name = conversation === undefined ? null : sha256Hex(conversation);
  const isRepeat = request.isRetry || request.key !== undefined;
  const request_ = { request: sha256Hex(request.key ?? request.bodyHash), body: request.bodyHash };
  const read = readPositions(messages);
  const { positions } = read;
  const named = session ?? conversation;
  // A session that has more than the client knows is found by the same client only.
  const own = named === undefined ? null : readPositions(messages, named);
  const chains = [...positions, ...(own?.positions ?? [])].map(({ chain }) => chain);
  const mustFind = isRepeat || named !== undefined || (chains.length > 0 && !previous);
  const found = mustFind
    ? unwrap(await account.findConversation({ repeats: isRepeat ? request_ : undefined, session, name, chains }))
    : { joined: null, named: null, rows: [] };
  if (found.joined) return { plan: found.joined, joined: true };
  if (found.named && learning !== undefined && learning !== found.named.learning) {
    const detail = `Learning is ${found.named.learning} in this session, and stays so. Begin another session, or leave X-Talaria-Learning out.`;
    throw new AppError("learning_differs", detail);
  }
  const wanted = found.named?.learning ?? learning ?? "on";
  const guidance = request.guidance === null ? null : sha256Hex(request.guidance);
  const open = (id: SessionId) => openSession(c.env, c.var.profile, id);
  const asked = { rows: found.rows, learning: wanted, guidance, open };
  let place: Place | null = previous ? await readPrevious(c, previous) : null;
  let chain = own?.chain ?? read.chain;
  if (!previous) {
    place = await findPlace({ ...asked, positions });
    const isWhole = place !== null && !place.isPast;
    if (isWhole || !found.named) chain = read.chain;
    if (!isWhole && own) place = (await findPlace({ ...asked, positions: own.positions })) ?? place;
  }
  const isNew = found.named ? false : !place || place.isPast;
  const made: DoorPlan = {
    ...{ v: 1, key: ulid(), session: found.named?.session ?? (isNew ? ulid() : place!.session) },
    ...{ known: place?.known ?? 0, isNew, learning: wanted, guidance, createdAt: Date.now() },
    ...(isNew && place && { branch: { session: place.session, turn: place.turn } }),
  };
  if (previous) chain = sha256Hex(made.key);
  const begun = unwrap(await account.beginConversation({ ...request_, chain, name, plan: made }));
  return { plan: begun as DoorPlan, joined: false };
}

/** The client names the turn that it goes on from, so all that it sends is new. */
async function readPrevious(c: Scope, { session, turn }: TurnPlace): Promise<Place> {
  const read = await openSession(c.env, c.var.profile, session).readExchange({ turn });
  const exchange: Exchange = unwrap(read);
  return { session, turn, known: 0, isPast: hasGoneOn(exchange) };
}

async function post(c: Scope, request: DoorRequest, { plan, joined }: Planned, busy?: "steer"): Promise<DoorTurn> {
  const { env, var: at } = c;
  const { session: id, key, isNew, branch, learning, createdAt } = plan;
  const session = openSession(env, at.profile, id);
  if (branch) await branchAt(c, plan, branch);
  else if (isNew && !(await session.create({ learning, title: "", createdAt }))) {
    throw new AppError("session_not_found", "The session was deleted meanwhile. Send the request again.");
  }
  const { history, text, images } = splitNew(request.messages, plan.known);
  const client = toClientPart(request, history);
  const message = {
    ...{ text, key },
    ...(images.length > 0 && { images }),
    ...(busy && { busy }),
    ...(client && { client }),
    ...(at.settingsRev > 0 && { settingsRev: at.settingsRev }),
  };
  const asked = new Request(SESSION_URL, { method: "POST", body: JSON.stringify(message) });
  const answer = await unwrapResponse(await session.fetch(asked));
  const turn = Number(answer.headers.get("talaria-turn")!.split("-")[1]);
  return { session: id, turn, joined, events: followTurn(session, { turn, opened: answer.body! }) };
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

/** Before anything is stored: a message that no model takes must not become a row. */
function assertPostable({ text, images }: NewMessages): void {
  assertUsableText(text, images.length > 0);
}
