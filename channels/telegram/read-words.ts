// What a message of Telegram's says, as text, and whether it speaks to the bot. Called by read-update.ts. Pure.
import type { BotIdentity } from "../../core/channels/platform.ts";
import type { Content, Entity } from "./updates.ts";

export interface Words {
  text: string;
  /** It mentions the bot, or is a command for it. */
  addressed: boolean;
}

/** A stretch of the text, in UTF-16 units as Telegram counts, and what is written in its place. */
interface Change {
  from: number;
  to: number;
  text: string;
}

/** Code, links and what stands for a thing without words become Markdown. `self` null: nobody is addressed. */
export function readWords(content: Content, self: BotIdentity | null): Words {
  const raw = content.text ?? content.caption;
  if (raw === undefined) return { text: describeThing(content), addressed: false };
  const entities = (content.text === undefined ? content.caption_entities : content.entities) ?? [];
  const changes: Change[] = [];
  let addressed = false;
  for (const entity of entities) {
    if (!entity || entity.offset + entity.length > raw.length) continue;
    const part = raw.slice(entity.offset, entity.offset + entity.length);
    const own = self && readAddress(entity, part, self);
    if (own !== null) addressed = true;
    const change = own ?? toMarkdown(entity, part);
    if (change !== null) changes.push({ from: entity.offset, to: entity.offset + entity.length, text: change });
  }
  const text = applyChanges(raw, changes);
  return { text: addressed ? text.replace(/^[\s,:]+(?=[^\s,:])/u, "").trim() : text, addressed };
}

/** What remains of the words that address the bot: "" of a mention, the bare command of `/new@bot`. `null`: they do not. */
function readAddress(entity: Entity, part: string, self: BotIdentity): string | null {
  const handle = `@${self.name}`.toLowerCase();
  if (entity.type === "mention") return part.toLowerCase() === handle ? "" : null;
  if (entity.type === "text_mention") return String(entity.user?.id) === self.id ? "" : null;
  if (entity.type !== "bot_command" || entity.offset !== 0) return null;
  const at = part.indexOf("@");
  if (at === -1) return part;
  return part.slice(at).toLowerCase() === handle ? part.slice(0, at) : null;
}

function toMarkdown(entity: Entity, part: string): string | null {
  switch (entity.type) {
    case "code":
      return part.includes("`") ? null : `\`${part}\``;
    case "pre":
      return part.includes("```") ? null : `\n\`\`\`${entity.language ?? ""}\n${part.replace(/\n$/, "")}\n\`\`\`\n`;
    case "text_link":
      return entity.url === undefined || entity.url === part ? null : `[${part}](${entity.url})`;
    default:
      return null;
  }
}

/** Of two changes that overlap the first is made. */
function applyChanges(raw: string, changes: Change[]): string {
  let text = "";
  let at = 0;
  for (const change of changes.toSorted((a, b) => a.from - b.from)) {
    if (change.from < at) continue;
    text += raw.slice(at, change.from) + change.text;
    at = change.to;
  }
  return text + raw.slice(at);
}

function describeThing({ sticker, venue, location, contact, poll }: Content): string {
  if (sticker) return sticker.emoji ?? "";
  if (contact) return `Contact: ${[contact.first_name, contact.last_name].join(" ").trim()}, ${contact.phone_number}`;
  if (poll) return [`Poll: ${poll.question}`, ...poll.options.map(({ text }) => `- ${text}`)].join("\n");
  if (!location) return "";
  const place = `${location.latitude}, ${location.longitude}`;
  return venue ? `Location: ${venue.title}, ${venue.address} (${place})` : `Location: ${place}`;
}
