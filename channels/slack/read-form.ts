// Reads what Slack sends as forms: slash commands and pressed buttons. Called by channels/slack.ts. Never throws.
import type { Received } from "../../core/channels/platform.ts";
import type { ChatPlace } from "../../core/schemas/channels/inbound.ts";
import { readJson, toMessage, toPress } from "../support/events.ts";
import type { SlackChannel } from "./call-slack.ts";
import { BlockActions, SlashCommand } from "./forms.ts";
import { fetchDirectChat, fetchName } from "./names.ts";
import { readText } from "./read-text.ts";

/** The one command for all: `/talaria usage`, `/talaria /title Rain`, `/talaria how much rain fell?`. */
export const ANY_COMMAND = "/talaria";

/** `sentAt`: the signed time, in ms. */
export async function readForm(form: URLSearchParams, sentAt: number, channel: SlackChannel): Promise<Received> {
  const payload = form.get("payload");
  if (payload !== null) return readPress(readJson(payload), sentAt, channel);
  const parsed = SlashCommand.safeParse(Object.fromEntries(form));
  if (!parsed.success) return { events: [] };
  const { command, trigger_id, user_id, user_name, response_url } = parsed.data;
  const said = await readText(parsed.data.text, [], (id) => fetchName(channel, id));
  return {
    events: toMessage({
      id: `command.${trigger_id}`,
      chat: await toPlace(parsed.data, channel),
      from: { id: user_id, name: user_name ?? user_id },
      at: sentAt,
      text: toLine(command, said.text.trim()),
      addressed: true,
      ...(response_url !== undefined && { context: { respond: response_url } }),
    }),
  };
}

async function readPress(payload: unknown, sentAt: number, channel: SlackChannel): Promise<Received> {
  const parsed = BlockActions.safeParse(payload);
  if (!parsed.success) return { events: [] };
  const { user, container, actions, response_url } = parsed.data;
  const { id } = parsed.data.channel;
  const { message_ts: message, thread_ts: thread } = container;
  const [{ value, action_ts = "" }] = actions;
  return {
    events: toPress({
      id: `press.${id}.${message}.${user.id}.${action_ts}`,
      chat: { id, kind: id.startsWith("D") ? "direct" : "group", ...(thread !== undefined && { thread }) },
      from: { id: user.id, name: await fetchName(channel, user.id) },
      at: sentAt,
      token: value,
      message,
      ...(response_url !== undefined && { context: { respond: response_url } }),
    }),
  };
}

function toLine(command: string, text: string): string {
  if (command !== ANY_COMMAND) return `${command} ${text}`.trim();
  if (text === "") return "/help";
  // With more words it may be a sentence, such as "search the house": then a command keeps its slash.
  return /^[a-z]+$/.test(text) ? `/${text}` : text;
}

/** Two people's direct chat is a group for the bot, which is not in it. */
async function toPlace(
  { channel_id: id, channel_name: name, user_id: user }: SlashCommand,
  channel: SlackChannel,
): Promise<ChatPlace> {
  const isDirect = id.startsWith("D") && (await fetchDirectChat(channel, user)) === id;
  return { id, kind: isDirect ? "direct" : "group", ...(name !== undefined && !id.startsWith("D") && { title: name }) };
}
