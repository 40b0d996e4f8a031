// Carries out a pressed button: an approval, an answer to a question, or a command. Called by carry-event.ts. A repetition decides nothing twice:
// the session keeps the first decision.
import type { ButtonMeaning } from "../../core/channels/delivery/meaning.ts";
import type { Delivery } from "../../core/channels/delivery/deliver.ts";
import { isKeyOfAnother } from "../../core/channels/session-key.ts";
import type { Result } from "../../core/errors.ts";
import type { DecideApproval } from "../../core/schemas/api.ts";
import type { InboundMessage } from "../../core/schemas/channels/inbound.ts";
import type { ChannelsContext } from "./context.ts";
import type { CarryDeps, HeardMessage, HeardPress } from "./heard.ts";

const OVER = "This was decided already.";
const NOT_YOURS = "Only an owner or an admin of this channel may decide this.";
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
  const { role, event, hideId } = heard;
  if (means.does === "command") {
    const ran = await deps.runCommand(asMessage(heard, means.text));
    return ran ? DONE : OVER;
  }
  if (role !== "owner" && means.does === "answer") {
    // Everybody in a group sees the buttons of the question to one member.
    if (isKeyOfAnother(context.chats.find(asked)?.key ?? "", hideId(event.from.id))) return ANOTHERS;
  } else if (role === "user") return NOT_YOURS;
  const source = role === "owner" ? {} : { source: "content" as const };
  const decided = await context
    .session(means.session)
    .decideApproval(means.approval, { ...toDecision(means), ...source });
  return toText(decided);
}

function toDecision(means: Exclude<ButtonMeaning, { does: "command" }>): DecideApproval {
  if (means.does === "answer") return { answer: String(means.choice) };
  return means.does === "approve" ? { approve: true, scope: means.scope } : { approve: false };
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
