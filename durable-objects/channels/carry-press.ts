// Carries out a pressed button: an approval, an answer to a question, or a command. Called by carry-event.ts. A repetition decides nothing twice:
// the session keeps the first decision.
import type { ButtonMeaning } from "../../core/channels/delivery/meaning.ts";
import type { Delivery } from "../../core/channels/delivery/deliver.ts";
import { isKeyOfAnother } from "../../core/channels/session-key.ts";
import type { Result } from "../../core/errors.ts";
import type { InboundMessage } from "../../core/schemas/channels/inbound.ts";
import { sha256Hex } from "../../core/schemas/learning/digest.ts";
import type { ChannelsContext } from "./context.ts";
import type { CarryDeps, HeardMessage, HeardPress } from "./heard.ts";

const OVER = "This was decided already.";
const NOT_YOURS = "Only an owner or an admin of this channel may decide this.";
const NOT_FOR_GOOD = "Only an owner may allow something for good. Allow it once, or for the session.";
const ANOTHERS = "This question was put to somebody else.";
const DONE = "Done.";

export async function carryPress(
  context: ChannelsContext,
  deps: Pick<CarryDeps, "runCommand"> & { delivery: Pick<Delivery, "press"> },
  heard: HeardPress,
): Promise<void> {
  const { event, platform, channel } = heard;
  const pressed = deps.delivery.press(event.token, platform.name, event.chat);
  const text = pressed.state === "over" ? OVER : await decide(context, deps, heard, pressed);
  const answered = await platform.open(channel).answerPress?.(event, text);
  // Only a sign for the eye: the decision stands without it.
  if (answered && !answered.ok) context.report(`${platform.name}: press`, answered.failure.message);
}

/** Returns what the person is told. */
async function decide(
  context: ChannelsContext,
  deps: Pick<CarryDeps, "runCommand">,
  heard: HeardPress,
  { means, chat: asked }: { means: ButtonMeaning; chat: string },
): Promise<string> {
  const { role, event, chat, hideId } = heard;
  if (means.does === "command") {
    const ran = await deps.runCommand(asMessage(heard, means.text));
    return ran ? DONE : OVER;
  }
  const session = context.session(means.session);
  if (means.does === "answer") {
    const { approval, choice } = means;
    if (role === "owner") return toText(await session.decideApproval(approval, { answer: String(choice) }));
    // Everybody in a group sees the buttons of the question to one member.
    if (isKeyOfAnother(context.chats.find(asked)?.key ?? "", hideId(event.from.id))) return ANOTHERS;
    const question = await session.openApproval(approval);
    if (!question.ok || question.value.state !== "waiting") return OVER;
    // Not the owner's word: a message has its label.
    const key = `channel-${sha256Hex(`${heard.platform.name}\n${event.id}`)}`;
    const origin = { chat: chat.id, source: "content" as const };
    return toText(await session.post({ text: String(choice), key, channel: origin }));
  }
  if (role === "user") return NOT_YOURS;
  if (role === "admin" && means.does === "approve" && means.scope === "always") return NOT_FOR_GOOD;
  const decision = means.does === "approve" ? { approve: true, scope: means.scope } : { approve: false };
  return toText(await session.decideApproval(means.approval, decision));
}

function toText(decided: Result<unknown>): string {
  if (decided.ok) return DONE;
  return decided.failure.code === "approval_decided" ? OVER : decided.failure.message;
}

function asMessage(heard: HeardPress, text: string): HeardMessage {
  const { id, chat, from, at, context } = heard.event;
  const event: InboundMessage = {
    ...{ kind: "message", id, chat, from, at, text, addressed: true, files: [] },
    ...(context && { context }),
  };
  return { ...heard, event };
}
