// The form of every identifier that is stored or crosses a boundary. Used by all layers to build keys and names. Pure.
import * as z from "zod";

/** 26 lower-case Crockford Base32 characters, random, never reused. */
export const ProfileId = z
  .string()
  .regex(/^[0-9a-hjkmnp-tv-z]{26}$/, "a profile id is 26 lower-case base32 characters");
export type ProfileId = z.infer<typeof ProfileId>;

/** A ULID, upper case. */
export const SessionId = z.string().regex(/^[0-9A-HJKMNP-TV-Z]{26}$/, "a session id is a ULID");
export type SessionId = z.infer<typeof SessionId>;

/** `<session>-<n>`, n from 1. */
export const TurnId = z.string().regex(/^[0-9A-HJKMNP-TV-Z]{26}-[1-9]\d*$/, "a turn id is <session>-<n>");
export type TurnId = z.infer<typeof TurnId>;

/** `<session>.<from>-<to>`: the range of entries that it covers, both ends included. */
export const ReviewId = z.string().regex(/^[0-9A-HJKMNP-TV-Z]{26}\.\d+-\d+$/, "a review id is <session>.<from>-<to>");
export type ReviewId = z.infer<typeof ReviewId>;

/** A curation run: UTC time `YYYYMMDDTHHMMSSZ`, so that listings sort by time, and four random characters. */
export const CurationId = z
  .string()
  .regex(/^\d{8}T\d{6}Z-[0-9a-z]{4}$/, "a curation run id is <UTC time>-<4 characters>");
export type CurationId = z.infer<typeof CurationId>;

export function toCurationId(nowMs: number, random: () => number): CurationId {
  const time = new Date(nowMs).toISOString().replace(/[-:]|\.\d+/g, "");
  const tail = Array.from({ length: 4 }, () => "0123456789abcdefghijklmnopqrstuvwxyz"[Math.floor(random() * 36)]);
  return `${time}-${tail.join("")}`;
}

/** When a run began, in milliseconds. */
export function fromCurationId(id: CurationId): number {
  const [, year, month, day, hours, minutes, seconds] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/
    .exec(id)!
    .map(Number);
  return Date.UTC(year!, month! - 1, day, hours, minutes, seconds);
}

/** Names that may be written. 58 characters leave room for `-local`; names that are read may have 64. */
export const SKILL_NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const MAX_SKILL_NAME = 64;
export const MAX_OWN_SKILL_NAME = 58;
export const SkillName = z
  .string()
  .max(MAX_SKILL_NAME, `a skill name has at most ${MAX_SKILL_NAME} characters`)
  .regex(SKILL_NAME, "a skill name is lower-case words joined by single hyphens, such as reading-tables");
export type SkillName = z.infer<typeof SkillName>;

/** SHA-256, 64 lower-case hexadecimal characters. */
export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, "a SHA-256 in lower-case hexadecimal");
export type Sha256 = z.infer<typeof Sha256>;

/** A UTC day, `YYYY-MM-DD`. */
export const Day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, "a day is YYYY-MM-DD, UTC");
export type Day = z.infer<typeof Day>;

export const DAY_MS = 24 * 60 * 60_000;

export function dayOf(timeMs: number): Day {
  return new Date(timeMs).toISOString().slice(0, 10);
}

/** The origin of an entry's part; see docs/LEARNING.md, "Sources". */
export const Source = z.enum(["principal", "outcome", "own", "content"]);
export type Source = z.infer<typeof Source>;

/** `<session>/<entry>#<source>`: one part of one entry, as evidence for a lesson. */
export const Citation = z
  .string()
  .regex(
    /^[0-9A-HJKMNP-TV-Z]{26}\/\d+#(principal|outcome|own|content)$/,
    "a citation is <session>/<entry>#<source>, such as 01J.../12#outcome",
  );
export type Citation = z.infer<typeof Citation>;

function toCitation(session: SessionId, entry: number, source: Source): Citation {
  return `${session}/${entry}#${source}`;
}

export function fromCitation(citation: Citation): { session: SessionId; entry: number; source: Source } {
  const [place = "", source = "own"] = citation.split("#");
  const [session = "", entry = "0"] = place.split("/");
  return { session, entry: Number(entry), source: source as Source };
}

/** A citation as a reviewer reads and writes it, since a review has one session: `12#outcome`. */
export function toPlace(entry: number, source: Source): string {
  return `${entry}#${source}`;
}

/** Also accepts brackets, quotation marks, the word "entry" and the session. */
const PLACE =
  /^[\s["'`(]*(?:entry )?(?:([0-9A-HJKMNP-TV-Z]{26})\/)?#?(\d{1,9})#(principal|outcome|own|content)[\s\]"'`).,;:]*$/i;

/** Parses a citation written by a model; `null` when it is not one. `session`: the session under review. */
export function readCitation(text: string, session: SessionId): Citation | null {
  if (text.length > MAX_PLACE_CHARS) return null;
  const [found, named, entry, source] = PLACE.exec(text) ?? [];
  if (!found) return null;
  return toCitation(named?.toUpperCase() ?? session, Number(entry), source!.toLowerCase() as Source);
}

const MAX_PLACE_CHARS = 100;

export function toTurnId(session: SessionId, n: number): TurnId {
  return `${session}-${n}`;
}

export function fromTurnId(id: TurnId): { session: SessionId; n: number } {
  const [session = "", n = "0"] = id.split("-");
  return { session, n: Number(n) };
}

export function toReviewId(session: SessionId, from: number, to: number): ReviewId {
  return `${session}.${from}-${to}`;
}

export function fromReviewId(id: ReviewId): { session: SessionId; from: number; to: number } {
  const [session = "", range = ""] = id.split(".");
  const [from = "0", to = "0"] = range.split("-");
  return { session, from: Number(from), to: Number(to) };
}
