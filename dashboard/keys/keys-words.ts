// What the page Keys says of keys, sign-ins and the audit log. Pure.
import type { Answer } from "../data/api.ts";

export type KeyInfo = Answer<"GET /v1/keys">["keys"][number];
export type SignInInfo = Answer<"GET /v1/sign-ins">["signIns"][number];
export type AuditEntry = Answer<"GET /v1/audit">["entries"][number];
type Scope = KeyInfo["scopes"][number];

/** Each has what the one before has. */
export const RIGHTS: { name: string; about: string; scopes: Scope[] }[] = [
  { name: "Read", about: "Sees everything and changes nothing.", scopes: ["read"] },
  { name: "Daily work", about: "Also chats, and changes skills, memory and jobs.", scopes: ["read", "write"] },
  {
    name: "Administration",
    about: "Also makes keys, and changes what the agent may do.",
    scopes: ["read", "write", "admin"],
  },
];

const DAY_MS = 24 * 60 * 60_000;

const EXPIRIES: { name: string; days: number }[] = [
  { name: "In a day", days: 1 },
  { name: "In 3 days", days: 3 },
  { name: "In 7 days", days: 7 },
  { name: "In 30 days", days: 30 },
  { name: "In 90 days", days: 90 },
];

/** The expiries that end before the sign-in does, each with its time in ms since 1970. `end`: `null` if it is unknown. */
export function listExpiries(now: number, end: number | null): { name: string; at: number }[] {
  const all = EXPIRIES.map(({ name, days }) => ({ name, at: now + days * DAY_MS }));
  return all.filter(({ at }) => end !== null && at < end);
}

/** A browser cannot give a key a later end than its own sign-in has, nor learn the new secret of one that ends later. */
export function outlives({ expiresAt }: Pick<KeyInfo, "expiresAt">, end: number | null): boolean {
  return end !== null && (expiresAt === undefined || expiresAt > end);
}

export const GRACES: { name: string; seconds: number }[] = [
  { name: "At once", seconds: 0 },
  { name: "In an hour", seconds: 3_600 },
  { name: "In a day", seconds: 86_400 },
];

export function nameKey({ label, id }: Pick<KeyInfo, "label" | "id">): string {
  return label.trim() || id;
}

export function isExpired({ expiresAt }: Pick<KeyInfo, "expiresAt">, now: number): boolean {
  return expiresAt !== undefined && expiresAt <= now;
}

/** "key_create" as "Key create". */
export function nameAct(act: string): string {
  const words = act.replaceAll("_", " ");
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** Who did it: a key by its name, a browser by that of its key, the operator, or a person. */
export function nameActor({ by, key }: Pick<AuditEntry, "by" | "key">, keys: KeyInfo[]): string {
  if (by === "operator") return "The operator";
  const known = keys.find(({ id }) => id === (key ?? by));
  const name = known ? nameKey(known) : (key ?? by);
  return by.startsWith("sin_") ? `A browser, by ${name}` : name;
}
