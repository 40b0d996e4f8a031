// Accepts a message: checks its size, its idempotency key and the queue, and enqueues its turn. All of this is one synchronous
// block, so that two messages cannot both take the same place. Called by the engine.
import { type Result, assert, err, ok } from "../errors.ts";
import type { Accepted } from "../schemas/api.ts";
import { type SkillName, toTurnId } from "../schemas/ids.ts";
import { sha256Hex } from "../schemas/learning/digest.ts";
import type { ChannelOrigin } from "../schemas/channels/delivery.ts";
import type { GivenImage } from "../schemas/media/image.ts";
import type { ClientPart } from "../schemas/sessions/client-part.ts";
import type { BusyMode } from "../schemas/settings.ts";
import { readClientPart } from "./client/read-client-part.ts";
import { takeImages } from "./images/take-images.ts";
import { type TurnDetails, type TurnRow, hasBegun } from "./log-turns.ts";
import type { Continuation } from "./context.ts";
import type { Engine } from "./open-engine.ts";
import { areSettingsOld, renewProfileSettings } from "./prompt/profile-settings.ts";
import { tellTurnStart } from "./turn/accept-input.ts";
import { type SourcedPiece, toSourcedText } from "./turn/input-parts.ts";

export interface PostedMessage {
  text: string;
  images?: GivenImage[] | undefined;
  /** Idempotency key. */
  key?: string;
  /** What the message does while a turn is running. Absent: the operator's `turn.busy`. */
  busy?: BusyMode;
  /** The message is for this turn, and refused once the turn has ended or while it has not begun. */
  joins?: number;
  /** What a compatible endpoint adds. Absent: nothing, and the turn pays nothing for it. */
  client?: ClientPart | undefined;
  /** Several people or programs wrote it: which of them how much. Absent: one did. See `toSourcedText`. */
  sources?: SourcedPiece[] | undefined;
  /** Skills whose texts follow it: the session loads those that it has. Not with a text that begins with a slash. */
  skills?: SkillName[] | undefined;
  /** The chat it came from, which is told how its turn ends. Not a part of the body. */
  channel?: ChannelOrigin | undefined;
  /** It goes on with a goal. Not a part of the body. */
  goal?: TurnDetails["goal"];
  /** Revision of the profile's settings, as the sender knows it. Absent: nothing is set. Not a part of the body. */
  settingsRev?: number;
}

export interface AcceptedMessage {
  turn: TurnRow;
  /** The same key and body came before. `turn` is the one they started. */
  replayed: boolean;
}

/**
 * Failures: `message_too_long`, `idempotency_conflict`, `turn_not_running`, `too_many_queued`, and those of `takeImages` and
 * `readClientPart`.
 */
export async function acceptMessage(engine: Engine, input: PostedMessage): Promise<Result<AcceptedMessage>> {
  const { context, driver } = engine;
  // Which names the client's tools may have depends on the profile's settings.
  if (input.client?.tools && areSettingsOld(context, { more: input })) await renewProfileSettings(context);
  const placed = placeMessage(engine, input);
  if (!placed.ok || placed.value.replayed) return placed;
  const { turn } = placed.value;
  if (turn.state === "running") tellTurnStart(context, turn);
  driver.redirect();
  // The answer to the request waits for the alarm; the first model call does not.
  await Promise.all([context.jobs.arm(), kick(engine)]);
  return placed;
}

/**
 * Places the message with which a goal goes on, if nothing else is open. Synchronous, so that a person's message cannot come between. False: one
 * waits or runs. A message that was placed before is not placed again. Throws what `placeMessage` refuses.
 */
export function continueGoal(engine: Engine, message: Continuation): boolean {
  const { context, driver } = engine;
  if (context.log.openTurns().length > 0) return false;
  const { parts, mark, ...rest } = message;
  const placed = placeMessage(engine, { ...rest, ...toSourcedText(parts), busy: "queue", goal: mark });
  // The person has changed the goal's words since.
  const isPlaced = placed.ok || placed.failure.code === "idempotency_conflict";
  if (!isPlaced) throw new Error(`${placed.failure.code}: ${placed.failure.message}`);
  if (!placed.ok || placed.value.replayed) return true;
  tellTurnStart(context, placed.value.turn);
  driver.kick();
  return true;
}

/** Async wrapper: errors become rejections. */
async function kick({ driver }: Engine): Promise<void> {
  driver.kick();
}

/** Without driving the turn. */
export function placeMessage({ context, driver }: Engine, input: PostedMessage): Result<AcceptedMessage> {
  const { host, log } = context;
  const { maxMessageChars, maxQueuedTurns, busy } = host.settings.turn;
  const covered = input.sources?.reduce((sum, { chars }) => sum + chars, 0) ?? input.text.length;
  assert(covered === input.text.length, "the pieces of a message do not cover its text");
  // The words of a goal have limits of their own: refused here, it would neither go on nor end.
  if (!input.goal && input.text.length > maxMessageChars) {
    const message = `A message has at most ${maxMessageChars} characters. Put longer texts into a file.`;
    return err("message_too_long", message);
  }
  const before = input.key === undefined ? null : log.key(input.key);
  if (before && !isSameBody(before.hash, input)) {
    return err("idempotency_conflict", "This Idempotency-Key came with another body before. Use a new key.");
  }
  if (before) return ok({ turn: log.turn(before.turn)!, replayed: true });
  const open = log.openTurns();
  if (input.joins !== undefined && !open.some((turn) => turn.n === input.joins && hasBegun(turn))) {
    return err("turn_not_running", `Turn ${input.joins} does not run: it has ended, or has not begun.`);
  }
  if (open.length >= maxQueuedTurns) {
    const message = `${open.length} messages are waiting in this session. Try again when one is answered.`;
    return err("too_many_queued", message);
  }
  const taken = takeImages(context, input.images ?? []);
  if (!taken.ok) return taken;
  const client = input.client ? readClientPart(context, input.client) : ok(null);
  if (!client.ok) return client;
  const turn = host.sql.transaction(() => {
    const images = taken.value.store();
    const { text, settingsRev, channel, sources, goal, skills } = input;
    const message = {
      ...{ text, settingsRev, channel, sources, goal, skills, ...(images.length > 0 && { images }) },
      ...{ busy: input.busy ?? busy, isBusyChosen: input.busy !== undefined },
      ...(client.value && { client: client.value }),
    };
    const accepted = driver.accept((log.lastTurn()?.n ?? 0) + 1, message);
    if (input.key !== undefined) log.putKey(input.key, hashBody(input), accepted.n);
    return accepted;
  });
  return ok({ turn, replayed: false });
}

export function toAccepted(session: string, { turn, replayed }: AcceptedMessage): Accepted {
  return {
    session,
    turn: toTurnId(session, turn.n),
    entry: turn.input,
    replayed,
    events: `/v1/sessions/${session}/events?turn=${turn.n}`,
  };
}

const BODY_V2 = "v2:";

/** Hashes all fields that the body has. A field left out differs from the same field set to its default. */
function hashBody(input: PostedMessage): string {
  const { key: _, settingsRev: __, channel: ___, goal: ____, ...body } = input;
  const fields = Object.entries(body).filter(([, value]) => value !== undefined);
  return BODY_V2 + sha256Hex(JSON.stringify(fields.sort(([a], [b]) => (a < b ? -1 : 1))));
}

/** Version 1 hashed the text alone. */
function isSameBody(hash: string, input: PostedMessage): boolean {
  return hash === (hash.startsWith(BODY_V2) ? hashBody(input) : sha256Hex(input.text));
}
