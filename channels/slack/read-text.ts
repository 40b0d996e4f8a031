// What a text of Slack's says, as text and Markdown: mentions, channels, links and escaped characters. Called by read-event.ts and
// read-form.ts. Pure, but for the names that it is given.
const REFERENCE = /<([^<>]*)>/g;

/** [own] Each is a request to Slack when its name is not known yet. */
const MAX_NAMES = 5;

export interface SlackText {
  text: string;
  /** The bot is mentioned. */
  mentions: boolean;
}

/** `own`: ids of the bot's user. `nameOf`: the name of a person, or the id. */
export async function readText(
  raw: string,
  own: readonly string[],
  nameOf: (id: string) => Promise<string>,
): Promise<SlackText> {
  const found = [...raw.matchAll(REFERENCE)].flatMap(([, inner = ""]) => toMentioned(inner) ?? []);
  const others = [...new Set(found.filter((id) => !own.includes(id)))].slice(0, MAX_NAMES);
  const names = new Map(await Promise.all(others.map(async (id) => [id, await nameOf(id)] as const)));
  const mentions = found.some((id) => own.includes(id));
  const text = raw.replace(REFERENCE, (_, inner: string) => toWords(inner, own, names));
  return { text: unescape(mentions ? text.replace(/^[\s,:]+/, "").trim() : text), mentions };
}

function toMentioned(inner: string): string | null {
  return /^@([A-Z0-9_-]{1,100})(?:\||$)/.exec(inner)?.[1] ?? null;
}

/** https://docs.slack.dev/messaging/formatting-message-text */
function toWords(inner: string, own: readonly string[], names: ReadonlyMap<string, string>): string {
  const bar = inner.indexOf("|");
  const target = bar === -1 ? inner : inner.slice(0, bar);
  const label = bar === -1 ? "" : inner.slice(bar + 1);
  const id = target.slice(1);
  switch (target[0]) {
    case "@":
      if (own.includes(id)) return "";
      return `@${label || (names.get(id) ?? id)}`;
    case "#":
      return `#${label || id}`;
    case "!":
      if (label) return label;
      return `@${id.split("^").at(-1)!}`;
    default:
      return toLink(target, label);
  }
}

function toLink(target: string, label: string): string {
  const plain = target.replace(/^(?:mailto|tel):/, "");
  return label === "" || label === plain || label === target ? plain : `[${label}](${target})`;
}

function unescape(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
