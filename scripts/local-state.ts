// What `npm start` keeps on this machine: the operator's token, the profile, and the key that chat, demo and curl use. Files
// under .talaria/, readable by this user only. The profile is state; a key can be made again. Never prints a token or a key.
import { randomBytes } from "node:crypto";
import { basename, join } from "node:path";
import * as z from "zod";
import { CreatedKey, CreatedProfile } from "../core/schemas/api.ts";
import { ProfileId } from "../core/schemas/ids.ts";
import { PlainError } from "./command-line.ts";
import { keepAside, readIfThere, writePrivate } from "./private-file.ts";
import { hasTable, readDatabases } from "./state-tables.ts";

export const LocalAccess = z.object({ url: z.string(), profile: z.string(), key: z.string() });
export type LocalAccess = z.infer<typeof LocalAccess>;

/** `<state>/profile.json`: which profile is this machine's own. */
const OwnProfile = z.object({ v: z.literal(1), profile: ProfileId });

/** A token that is shorter was cut off while it was written. */
const MIN_TOKEN_CHARS = 32;

/** Made once for a state folder: it makes profiles and their first keys. */
export function operatorToken(stateDir: string): string {
  const file = join(stateDir, "operator-token");
  const kept = readIfThere(file)?.trim() ?? "";
  if (kept.length >= MIN_TOKEN_CHARS) return kept;
  const token = randomBytes(32).toString("hex");
  writePrivate(file, `${token}\n`);
  return token;
}

export interface AccessOptions {
  /** `.talaria/local.json`. */
  file: string;
  stateDir: string;
  url: string;
  /** The operator's. */
  token: string;
  /** Told what was done, unless nothing had to be. */
  say(line: string): void;
}

/**
 * The access in `file`. When it cannot be read, or its key is refused as unknown (401), a new key is made for the profile of
 * this state, and the old file is kept aside. A profile is made only for a state that has none. Any other answer is an error
 * that changes nothing.
 */
export async function localAccess({ file, stateDir, url, token, say }: AccessOptions): Promise<LocalAccess> {
  const text = readIfThere(file);
  const access = parseAccess(text);
  if (access && (await isAccepted(url, access.key))) return keep({ ...access, url });

  const candidates = [...new Set([ownProfile(stateDir), access?.profile, ...salvage(text), ...profilesIn(stateDir)])];
  const known = candidates.filter((profile) => profile != null);
  for (const profile of known) {
    const key = await createKey({ url, token, profile });
    if (key === null) continue;
    const why =
      text === null ? "was missing" : access ? "has a key that is not accepted any more" : "could not be read";
    const others = profilesIn(stateDir).filter((other) => other !== profile);
    const more = others.length > 0 ? ` This state also holds ${others.join(", ")}.` : "";
    say(`${basename(file)} ${why}: made a new key for profile ${profile}.${aside()}${more}`);
    return keep({ url, profile, key });
  }
  const made = await createProfile(url, token);
  if (known.length > 0)
    say(`Profile ${known.join(", ")} was deleted, or this state never had it: made ${made.profile}.${aside()}`);
  return keep({ url, ...made });

  function aside(): string {
    return text === null ? "" : ` The old file is kept as ${basename(keepAside(file))}.`;
  }

  function keep(kept: LocalAccess): LocalAccess {
    const mine = join(stateDir, "profile.json");
    if (ownProfile(stateDir) !== kept.profile) {
      writePrivate(mine, `${JSON.stringify({ v: 1, profile: kept.profile })}\n`);
    }
    writePrivate(file, `${JSON.stringify(kept, null, 2)}\n`);
    return kept;
  }
}

function parseAccess(text: string | null): LocalAccess | null {
  const parsed = LocalAccess.safeParse(parseJson(text));
  return parsed.success ? parsed.data : null;
}

function parseJson(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return null; // half-written
  }
}

function ownProfile(stateDir: string): string | null {
  const parsed = OwnProfile.safeParse(parseJson(readIfThere(join(stateDir, "profile.json"))));
  return parsed.success ? parsed.data.profile : null;
}

/** What a file that is no JSON any more still says. */
function salvage(text: string | null): string[] {
  const found = (text ?? "").matchAll(/(?:"profile"\s*:\s*"|tal_)([0-9a-hjkmnp-tv-z]{26})(?=["_])/g);
  return [...found].map((match) => match[1]!);
}

/** Profiles of a state, the one whose newest session is the newest first: an earlier version kept no profile.json. */
function profilesIn(stateDir: string): string[] {
  const found = readDatabases(join(stateDir, "data", "v3", "do", "talaria-api-Account"), (database) => {
    if (!hasTable(database, "keys") || !hasTable(database, "__miniflare_do_name")) return [];
    const [named] = database.prepare("SELECT name FROM __miniflare_do_name").all();
    const [newest] = database.prepare("SELECT max(id) AS session FROM session").all();
    return [{ profile: String(named?.name), session: String(newest?.session ?? "") }];
  });
  const valid = found.filter(({ profile }) => ProfileId.safeParse(profile).success);
  return valid.toSorted((a, b) => (a.session < b.session ? 1 : -1)).map(({ profile }) => profile);
}

async function isAccepted(url: string, key: string): Promise<boolean> {
  const answer = await fetch(`${url}/v1/keys`, { headers: { authorization: `Bearer ${key}` } });
  const text = await answer.text();
  const { code } = (parseJson(text) ?? {}) as { code?: string };
  if (answer.ok || answer.status === 401 || code === "profile_gone") return answer.ok;
  throw refused("GET /v1/keys", answer.status, text);
}

/** `null` when there is no such profile. */
async function createKey({
  url,
  token,
  profile,
}: {
  url: string;
  token: string;
  profile: string;
}): Promise<string | null> {
  const answer = await fetch(`${url}/v1/keys`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ profile, label: "npm start" }),
  });
  const text = await answer.text();
  if (answer.ok) return CreatedKey.parse(JSON.parse(text)).key;
  const { code } = (parseJson(text) ?? {}) as { code?: string };
  if (code === "profile_not_found" || code === "profile_gone" || code === "bad_profile_id") return null;
  throw refused("POST /v1/keys", answer.status, text);
}

async function createProfile(url: string, token: string): Promise<{ profile: string; key: string }> {
  const answer = await fetch(`${url}/v1/profiles`, { method: "POST", headers: { authorization: `Bearer ${token}` } });
  const text = await answer.text();
  if (!answer.ok) throw refused("POST /v1/profiles", answer.status, text);
  return CreatedProfile.parse(JSON.parse(text));
}

function refused(request: string, status: number, text: string): PlainError {
  const { detail, code } = (parseJson(text) ?? {}) as { detail?: string; code?: string };
  const why = detail ? `${detail} (${code})` : text.slice(0, 300);
  return new PlainError(`${request} answered ${status}: ${why} Nothing was changed; mend this and start again.`);
}
