// What people do on the fake Slack, as the requests that Slack makes of it, signed. Used by the fixture of the conformance kit and by the
// test of the whole story.
import { createHmac } from "node:crypto";
import type { ChannelRequest } from "../../../../core/channels/platform.ts";
import type { SaidFile } from "../fixture.ts";
import { type FakeSlack, type FakeSlackBot, TEAM } from "./fake-slack.ts";

export interface SlackWritten {
  user: string;
  channel: string;
  text: string;
  ts: string;
  event?: string;
  thread?: string;
  /** Who wrote the message that the thread began with. */
  parent?: string;
  /** The id of a bot that wrote it. */
  bot?: string;
  editedAt?: string;
  files?: readonly SaidFile[];
  more?: object;
}

/** A message; for a text with a slash, the slash command. */
export function toWrittenBody(fake: FakeSlack, bot: FakeSlackBot, origin: string, written: SlackWritten): string {
  const { user, channel, text, ts, event = `Ev${ts}` } = written;
  if (text.startsWith("/")) return toCommandBody(bot, origin, { user, channel, text, trigger: event });
  const message = {
    ...{ type: "message", ts, text: escape(text), user, team: TEAM },
    ...(written.thread !== undefined && { thread_ts: written.thread, parent_user_id: written.parent ?? user }),
    ...(written.bot !== undefined && { bot_id: written.bot }),
    ...(written.files && { subtype: "file_share", files: written.files.map((file) => toFile(fake, origin, file)) }),
    ...written.more,
  };
  const place = { channel, channel_type: channel.startsWith("D") ? "im" : "channel" };
  const at = written.editedAt ?? ts;
  const changed = {
    ...{ type: "message", subtype: "message_changed", hidden: true, ts: at, event_ts: at, ...place },
    message: { ...message, edited: { user, ts: at } },
    previous_message: { ...message, text: "before" },
  };
  const inner = written.editedAt === undefined ? { ...message, ...place, event_ts: ts } : changed;
  return toEnvelope(bot, event, inner);
}

export function toEnvelope(bot: FakeSlackBot, event: string, inner: object): string {
  return JSON.stringify({
    ...{ token: "deprecated", team_id: TEAM, api_app_id: bot.app, type: "event_callback" },
    ...{ event: inner, event_id: event, event_time: 1_800_000_000 },
    authorizations: [{ team_id: TEAM, user_id: bot.user, is_bot: true }],
  });
}

export function toCommandBody(
  bot: FakeSlackBot,
  origin: string,
  { user, channel, text, trigger }: { user: string; channel: string; text: string; trigger: string },
): string {
  const [command = "", ...words] = text.split(" ");
  const isDirect = channel.startsWith("D");
  return new URLSearchParams({
    ...{ token: "deprecated", team_id: TEAM, team_domain: "garden", api_app_id: bot.app, command },
    ...{ text: words.join(" "), trigger_id: trigger, user_id: user, user_name: user.toLowerCase() },
    ...{ channel_id: channel, channel_name: isDirect ? "directmessage" : "garden" },
    response_url: `${origin}/respond/${bot.app}`,
  }).toString();
}

export function toPressBody(
  bot: FakeSlackBot,
  origin: string,
  pressed: { user: string; channel: string; message: string; token: string; event: string; thread?: string },
): string {
  const { user, channel, message, token, event, thread } = pressed;
  const within = thread === undefined ? {} : { thread_ts: thread };
  const payload = {
    ...{ type: "block_actions", api_app_id: bot.app, trigger_id: event, team: { id: TEAM, domain: "garden" } },
    ...{ user: { id: user, username: user.toLowerCase(), name: user.toLowerCase(), team_id: TEAM } },
    channel: { id: channel, name: channel.startsWith("D") ? "directmessage" : "garden" },
    container: { type: "message", message_ts: message, channel_id: channel, is_ephemeral: false, ...within },
    actions: [{ type: "button", action_id: token, block_id: "b1", value: token, action_ts: event }],
    response_url: `${origin}/respond/${bot.app}`,
  };
  return new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
}

export function signSlack(
  secret: string,
  body: string,
  { at, url = "https://talaria.test/channels/slack/p1" }: { at: number; url?: string },
): ChannelRequest {
  const time = String(Math.floor(at / 1_000));
  const signature = createHmac("sha256", secret).update(`v0:${time}:${body}`).digest("hex");
  const type = body.startsWith("{") ? "application/json" : "application/x-www-form-urlencoded";
  const headers = { "content-type": type, "x-slack-request-timestamp": time, "x-slack-signature": `v0=${signature}` };
  return { method: "POST", url, headers, body: new TextEncoder().encode(body) };
}

/** Mentions keep their brackets, `<@U…>`. */
function escape(text: string): string {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return escaped.replace(/&lt;(@U\w+)&gt;/g, "<$1>");
}

function toFile(fake: FakeSlack, origin: string, file: SaidFile): object {
  const id = fake.addFile(file);
  const url = `${origin}/files-pri/${id}`;
  return {
    ...{ id, name: file.name, title: file.name, mimetype: file.mediaType, size: file.bytes.length, mode: "hosted" },
    ...{ url_private: url, url_private_download: url },
    ...(file.kind === "voice" && { subtype: "slack_audio" }),
  };
}
