// Reads the body of a webhook, and values in it. Bodies come from other people's systems: nothing here throws for what they hold. Pure.
import { clip } from "../clip.ts";
import { isDeeper } from "../schemas/sessions/json-depth.ts";
import { isObject } from "../unknown-object.ts";

export interface Payload {
  /** Parsed JSON, or the fields of a form; for every other body its text. */
  value: unknown;
  /** The body as text. */
  raw: string;
}

/** [own] Deeper values are read as text. */
const MAX_DEPTH = 64;

export function readPayload(body: Uint8Array, contentType: string): Payload {
  const raw = new TextDecoder().decode(body);
  if (contentType.toLowerCase().startsWith("application/x-www-form-urlencoded")) {
    const form = Object.fromEntries(new URLSearchParams(raw));
    // GitHub sends forms with its JSON in this field.
    const inner = form.payload === undefined ? null : parseJson(form.payload);
    return inner ? { value: inner.value, raw: form.payload! } : { value: form, raw };
  }
  const parsed = parseJson(raw);
  return { value: parsed ? parsed.value : raw, raw };
}

function parseJson(text: string): { value: unknown } | null {
  try {
    const value: unknown = JSON.parse(text);
    return isDeeper(value, MAX_DEPTH) ? null : { value };
  } catch {
    return null; // not JSON
  }
}

/** `undefined`: there is no such value. Items of lists are named by their number. */
export function readPath(value: unknown, path: string): unknown {
  let at = value;
  for (const name of path.split(".")) {
    if (Array.isArray(at)) at = /^\d{1,9}$/.test(name) ? at[Number(name)] : undefined;
    else if (isObject(at)) at = Object.hasOwn(at, name) ? at[name] : undefined;
    else return undefined;
  }
  return at;
}

/** As text: a string as it is, everything else as JSON. */
export function toText(value: unknown, maxChars: number): string {
  return clip(typeof value === "string" ? value : (JSON.stringify(value) ?? ""), maxChars);
}

/** The type of event that the sender names; `null`: none. `action` is added as GitHub does: `issues.opened`. */
export function readEventTypes(headers: Record<string, string>, { value }: Payload): string[] {
  const header = headers["x-github-event"] ?? headers["x-gitlab-event"] ?? headers["x-event-type"];
  const inBody = ["type", "event_type", "event", "object_kind"].map((name) => readPath(value, name));
  const types = [header, ...inBody].filter((type): type is string => typeof type === "string" && type !== "");
  const action = readPath(value, "action");
  const [first] = types;
  const detailed = first !== undefined && typeof action === "string" ? [`${first}.${action}`] : [];
  return [...detailed, ...types].map((type) => clip(type, MAX_TYPE_CHARS));
}

const MAX_TYPE_CHARS = 100;
