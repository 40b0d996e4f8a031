// Decides what a request becomes: a turn that an earlier attempt began, or the next one of a session that goes on, branches or begins.
// Stores the decision before anything is done. Called by open-turn.ts.
import type { Context } from "hono";
import { ulid } from "ulid";
import type { Learning } from "../../../core/schemas/api.ts";
import type { SessionId, Sha256 } from "../../../core/schemas/ids.ts";
import { sha256Hex } from "../../../core/schemas/learning/digest.ts";
import type { DoorPlan, FoundConversation } from "../../../durable-objects/conversations/conversation-rows.ts";
import { readModelChoices } from "../../../wiring/models.ts";
import type { ApiEnv } from "../auth/principal.ts";
import { type Env, parseEnvSettings } from "../env.ts";
import { AppError, unwrap } from "../problems.ts";
import { assertUsableText } from "../sessions/messages.ts";
import { openSession } from "../sessions/session-rpc.ts";
import type { DoorRequest, TurnPlace } from "./contract.ts";
import { askConversations } from "./conversations-rpc.ts";
import { type Place, findPlace, hasGoneOn } from "./find-place.ts";
import { readPositions, splitNew } from "./history.ts";
import { toClientPart } from "./to-client-part.ts";

export interface Planned {
  plan: DoorPlan;
  /** An earlier attempt made the plan. */
  joined: boolean;
}

export async function planRequest(c: Context<ApiEnv>, request: DoorRequest): Promise<Planned> {
  const { env } = c;
  assertPostable(request);
  assertModel(env, request.model);
  const { profile } = c.var;
  const { conversation, previous } = request;
  const name = conversation === undefined ? null : sha256Hex(conversation);
  const repeat = { request: sha256Hex(request.key ?? request.bodyHash), body: request.bodyHash };
  const isRepeat = request.isRetry || request.key !== undefined;
  const session = request.session ?? previous?.session;
  const histories = readHistories(request);
  const chains = histories.flatMap(({ positions }) => positions.map(({ chain }) => chain));
  const isAsked = isRepeat || name !== null || session !== undefined || chains.length > 0;
  const asked = { repeats: isRepeat ? repeat : undefined, session, name, chains };
  const found = isAsked ? unwrap(await askConversations(env, profile, (desk) => desk.find(asked))) : NOTHING;
  if (found.joined) return { plan: found.joined, joined: true };
  const learning = chooseLearning(request, found);
  const guidance = request.guidance === null ? null : sha256Hex(request.guidance);

  const open = (id: SessionId) => openSession(env, profile, id);
  const { place, chain } = previous
    ? { place: await readPrevious(c, previous), chain: null }
    : await findInHistories(histories, (positions) =>
        findPlace({ rows: found.rows, positions, learning, guidance, open }),
      );
  const named = previous ? undefined : found.named?.session;
  const plan = toPlan({ named, place, learning, guidance });
  const goesOn = named === undefined && !plan.isNew && place?.ended !== undefined;
  const after = goesOn ? { row: place.ended!, turn: place.turn, fork: ulid() } : undefined;
  const begun = { ...repeat, isRepeat, chain: chain ?? sha256Hex(plan.key), name, plan, after };
  const held = unwrap(await askConversations(env, profile, (desk) => desk.begin(begun)));
  return { plan: held, joined: held.key !== plan.key };
}

const NOTHING: FoundConversation = { joined: null, named: null, rows: [] };

type History = ReturnType<typeof readPositions>;

/**
 * Ways to name the conversation. The first is of a session that has the client's whole history. The second, in a session that the client
 * names, is of what this client alone has sent there: such a session may have more.
 */
function readHistories({ messages, session, conversation, previous }: DoorRequest): History[] {
  if (previous) return [];
  const own = session ?? conversation;
  return [readPositions(messages), ...(own === undefined ? [] : [readPositions(messages, own)])];
}

/** Where the history goes on, and the chain that its last message gets. */
async function findInHistories(
  histories: History[],
  find: (positions: History["positions"]) => Promise<Place | null>,
): Promise<{ place: Place | null; chain: Sha256 }> {
  const [whole, own] = histories as [History, History?];
  const place = await find(whole.positions);
  if (!own || (place && !place.isPast)) return { place, chain: whole.chain };
  return { place: (await find(own.positions)) ?? place, chain: own.chain };
}

function toPlan(asked: {
  /** The session that the client names. It never branches. */
  named: SessionId | undefined;
  place: Place | null;
  learning: Learning;
  guidance: Sha256 | null;
}): DoorPlan {
  const { named, place, learning, guidance } = asked;
  const isNew = named === undefined && (!place || place.isPast);
  const session = named ?? (isNew ? ulid() : place!.session);
  return {
    ...{ v: 1, key: ulid(), session, known: place?.known ?? 0, isNew, learning, guidance, createdAt: Date.now() },
    ...(isNew && place && { branch: { session: place.session, turn: place.turn } }),
  };
}

/** A session that learns must not take what the client wants kept out. */
function chooseLearning({ learning }: DoorRequest, { named }: FoundConversation): Learning {
  if (!named || learning === undefined || learning === named.learning) return named?.learning ?? learning ?? "on";
  const detail = `Learning is ${named.learning} in this session, and stays so. Begin another session, or leave X-Talaria-Learning out.`;
  throw new AppError("learning_differs", detail);
}

/** The client names the turn that it goes on from, so all that it sends is new. */
async function readPrevious(c: Context<ApiEnv>, { session, turn }: TurnPlace): Promise<Place> {
  const exchange = unwrap(await openSession(c.env, c.var.profile, session).readExchange({ turn }));
  return { session, turn, known: 0, isPast: hasGoneOn(exchange) };
}

function assertModel(env: Env, model: string | null): void {
  if (model === null) return;
  const names = readModelChoices(env, parseEnvSettings(env)).map(({ name }) => name);
  if (names.includes(model)) return;
  const detail = `There is no model '${model.slice(0, 200)}'. Send talaria, or a name that GET /v1/models lists.`;
  throw new AppError("model_not_found", detail, { errors: [{ in: "json", path: "model", message: "no such model" }] });
}

/** Before anything is stored: a message that no model takes, and a client's part that no session takes. */
function assertPostable(request: DoorRequest): void {
  const { history, text, images } = splitNew(request.messages, 0);
  assertUsableText(text, images.length > 0);
  toClientPart(request, history);
}
