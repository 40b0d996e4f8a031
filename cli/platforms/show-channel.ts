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
      ({ name, help, secret, required, file }) =>
        `  ${name}${secret ? " (secret)" : ""}${required ? "" : " (optional)"}: ${help} ${file ? `${name}=PATH, or ` : ""}${toVariable(platform, name)}`,
    ),
    // An e-mail comes to the address of its field.
    ...(platform === "email" ? [] : [`Address: ${address ?? NO_ADDRESS}`]),
  ].join("\n");
}

const NO_ADDRESS =
  "none, since TALARIA_PUBLIC_URL is not set. `npm start` asks Telegram itself; other platforms need it.";

/** What a person does after the fields are saved. */
export function describeNext({ platform, title, steps, address }: PlatformInfo): string {
  const trial = `Try it with \`talaria channels test ${platform}\`, then write to the bot.`;
  if (platform === "telegram" || platform === "email") return trial;
  if (address === null)
    return `${title} cannot reach this deployment yet: the operator has to set TALARIA_PUBLIC_URL. Answers could already be sent.`;
  return steps.some((step) => step.includes(address)) ? `Give ${title} this address: ${address}\n${trial}` : trial;
}
