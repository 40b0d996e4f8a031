// A channel and its platform in words for the terminal. Pure.
import type { PlatformInfo } from "../../core/schemas/channels/channel-api.ts";
import type { ChannelState } from "../../core/schemas/channels/channel.ts";
import { formatTime } from "../output/times.ts";

/** The variable of a field: `SLACK_BOT_TOKEN`. */
export function toVariable(platform: string, field: string): string {
  return `${platform}_${field.replaceAll(/[A-Z]/g, (letter) => `_${letter}`)}`.replaceAll("-", "_").toUpperCase();
}

export function describeChannel(title: string, channel: ChannelState): string {
  const { state, self, lastIn, lastOut, lastError } = channel;
  return [
    state === "verified"
      ? `${title} is verified${self ? `: the bot is ${self.name}` : ""}.`
      : `${title} is saved, not verified.`,
    `Last message in: ${formatTime(lastIn) || "none yet"}. Last message out: ${formatTime(lastOut) || "none yet"}.`,
    ...(lastError ? [`Last error: ${lastError.message} (${lastError.code}, ${formatTime(lastError.at)})`] : []),
  ].join("\n");
}

export function renderForm({ platform, title, form, steps, address }: PlatformInfo): string {
  return [
    `${title} (${platform})`,
    ...steps.map((step, index) => `${index + 1}. ${step}`),
    ...form.map(
      ({ name, help, secret, required }) =>
        `  ${name}${secret ? " (secret)" : ""}${required ? "" : " (optional)"}: ${help} ${toVariable(platform, name)}`,
    ),
    `Address: ${address ?? "none, since TALARIA_PUBLIC_URL is not set. `npm start` asks Telegram itself; other platforms need it."}`,
  ].join("\n");
}
