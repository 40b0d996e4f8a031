// Fills the templates of a webhook route with values of a payload. Values are never templates: braces in them stay as they are. Pure.
import { clip } from "../clip.ts";
import { type Payload, readPath, toText } from "./payload.ts";

/** [hermes] Characters of `{__raw__}`, and of an object or a list. */
export const RAW_CHARS = 4_000;
export const NESTED_CHARS = 2_000;
/** [own] Of a text, such as the body of an issue. */
const TEXT_CHARS = 20_000;
/** [own] Of a whole message: half of `turn.maxMessageChars`. */
export const MESSAGE_CHARS = 50_000;
const KEY_CHARS = 200;

const PLACE = /\{([A-Za-z0-9_$@:.-]+)\}/g;

/** A place without a value stays as it is written, so that the reader sees what is missing. */
export function fillTemplate(template: string, payload: Payload, maxChars = MESSAGE_CHARS): string {
  const filled = template.replace(PLACE, (place, path: string) => {
    if (path === "__raw__") return clip(payload.raw, RAW_CHARS);
    const value = readPath(payload.value, path);
    if (value === undefined) return place;
    return toText(value, typeof value === "object" && value !== null ? NESTED_CHARS : TEXT_CHARS);
  });
  return clip(filled, maxChars);
}

/** What the key of a session or of a group of events is made of. */
export function fillKey(template: string, payload: Payload): string {
  return fillTemplate(template, payload, KEY_CHARS);
}

/** The words for a route without a template of its own. */
export function defaultTemplate(name: string): string {
  return `The webhook \`${name}\` has received an event:\n\n{__raw__}`;
}

/** A text that begins like a command of a session would be one: no payload may give commands. */
export function toMessage(name: string, text: string): string {
  const isCommandLike = /^\s*[/!@]/.test(text) || text.trim() === "";
  return isCommandLike ? `The webhook \`${name}\` has received:\n\n${text}` : text;
}
