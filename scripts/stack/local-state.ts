// What `npm start` keeps on this machine: the operator's token, the profile, and the key that chat, demo and curl use. The files
// are under .talaria/, readable by this user only. A lost key can be replaced; a lost profile cannot. Never prints a token or a key.
import { randomBytes } from "node:crypto";
import { basename, dirname, join } from "node:path";
import * as z from "zod";
import { CreatedKey, CreatedProfile } from "../../core/schemas/api.ts";
import { ProfileId } from "../../core/schemas/ids.ts";
import { PlainError } from "../command-line.ts";
import { copyAside, readIfThere, writePrivate } from "./private-file.ts";
import { hasTable, readDatabases, readTable } from "./state-tables.ts";

export const LocalAccess = z.object({ url: z.string(), profile: z.string(), key: z.string() });
export type LocalAccess = z.infer<typeof LocalAccess>;

/** `<state>/profile.json`: the profile that `npm start` uses. */
const OwnProfile = z.object({ v: z.literal(1), profile: ProfileId });

/** A shorter token was truncated while it was written. Other characters are not allowed in a header. */
const TOKEN = /^[\x21-\x7e]{32,}$/;

/** The operator's token of a state folder, created on first use. It creates profiles and keys. */
export function readOperatorToken(stateDir: string): string {
  const file = join(stateDir, "operator-token");
  const storedToken = readIfThere(file)?.trim() ?? "";
  if (TOKEN.test(storedToken)) return storedToken;
  const token = randomBytes(32).toString("hex");
  writePrivate(file, `${token}\n`);
  return token;
}

export interface AccessOptions {
  /** `.talaria/local.json`. */
  file: string;
  stateDir: string;
  url: string;
  /** The operator's token. */
  token: string;
  /** Receives one line for each change. */
  say(line: string): void;
}

/**
 * The access in `file`. When the file cannot be read, or the API does not know its key (401), a new key is created for this state's
 * profile and the old file is kept under another name. A new profile is created only if the state has none. Throws a PlainError, and changes
 * nothing, when the state's profile cannot be determined or the API answers anything else.
 */
export async function openLocalAccess({ file, stateDir, url, token, say }: AccessOptions): Promise<LocalAccess> {
  const text = readIfThere(file);
  const access = parseAccess(text);
  const ownFile = join(stateDir, "profile.json");
  const ownText = readIfThere(ownFile);
  const own = parseOwn(ownText);
  if (access && (await isAccepted(url, access.key))) return keep({ ...access, url }, own !== access.profile);

  const stored = listProfiles(stateDir);
  const known = [
    ...new Set([own, access?.profile, ...findProfileIds(text), ...findProfileIds(ownText), ...stored]),
  ].filter((profile) => profile != null);
  const missing: string[] = [];
  let wasDeleted = false;
  for (const profile of known) {
    // The person deleted their own profile: create a new one instead of opening another person's.
    if (wasDeleted && stored.includes(profile)) break;
    const key = await createKey({ url, token, profile });
    if (typeof key !== "string") {
      missing.push(profile);
      wasDeleted ||= key.isGone && (profile === own || profile === access?.profile);
      continue;
    }
    const why = text === null ? "was missing" : access ? "has a key that is no longer accepted" : "could not be read";
    const others = stored.filter((other) => other !== profile);
    const more = others.length > 0 ? ` This state also holds ${others.join(", ")}.` : "";
    say(`${basename(file)} ${why}: created a new key for profile ${profile}.${aside()}${more}`);
    return keep({ url, profile, key });
  }
  if (own === null && access === null && hasSessions(stateDir))
    throw createUnknownProfileError({ file, text, ownFile, ownText });
  const created = await createProfile(url, token);
  if (missing.length > 0)
    say(
      `Profile ${missing.join(", ")} was deleted or never existed in this state: created ${created.profile}.${aside()}`,
    );
  else if (text !== null)
    say(`${basename(file)} could not be read, and this state has no profile: created ${created.profile}.${aside()}`);
  return keep({ url, ...created });

  function aside(): string {
    return text === null ? "" : ` The old file is kept as ${basename(copyAside(file))}.`;
  }

  function keep(kept: LocalAccess, isOther = own === null): LocalAccess {
    if (ownText !== null && isOther) {
      const why = own === null ? "could not be read" : `named ${own}, but the key belongs to ${kept.profile}`;
      say(`profile.json ${why}: rewritten. The old file is kept as ${basename(copyAside(ownFile))}.`);
    }
    if (own !== kept.profile) writePrivate(ownFile, `${JSON.stringify({ v: 1, profile: kept.profile })}\n`);
    writePrivate(file, `${JSON.stringify(kept, null, 2)}\n`);
    return kept;
  }
}

function createUnknownProfileError(files: {
  file: string;
  text: string | null;
  ownFile: string;
  ownText: string | null;
}): PlainError {
  const describeFault = (text: string | null) => (text === null ? "is missing" : "cannot be read");
  return new PlainError(
    `${files.file} ${describeFault(files.text)} and ${files.ownFile} ${describeFault(files.ownText)}, so the profile of this ` +
      `state's sessions is unknown. Restore one of the two files, or move ${dirname(files.file)} away to start with a new ` +
      "state. Nothing was changed.",
  );
}

/** The file's contents, with the profile taken from the key itself; `null` without a well-formed key. */
function parseAccess(text: string | null): LocalAccess | null {
  const parsed = LocalAccess.safeParse(parseJson(text));
  const [, profile] = KEY.exec(parsed.data?.key ?? "") ?? [];
  return parsed.success && profile !== undefined ? { ...parsed.data, profile } : null;
}

/** `tal_<profile>_<secret>`. */
const KEY = /^tal_([0-9a-hjkmnp-tv-z]{26})_[\w-]+$/;

function parseJson(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return null; // truncated
  }
}

function parseOwn(text: string | null): string | null {
  const parsed = OwnProfile.safeParse(parseJson(text));
  return parsed.success ? parsed.data.profile : null;
}

/** Profile ids in a file that is no longer valid JSON. */
function findProfileIds(text: string | null): string[] {
  const found = (text ?? "").matchAll(/(?:"profile"\s*:\s*"|tal_)([0-9a-hjkmnp-tv-z]{26})(?=["_])/g);
  return [...found].map((match) => match[1]!);
}

/**
 * Profiles with stored data that were not deleted, newest write to R2 first. They are found by their keys in R2 and KV, because
 * Miniflare's files do not name their Durable Objects.
 */
export function listProfiles(stateDir: string): string[] {
  const stored = (folder: string, table: string, at: string) =>
    readDatabases(join(dataFolder(stateDir), folder), (database) =>
      hasTable(database, table)
        ? database
            .prepare(
              `SELECT substr(key, 3, 26) AS profile, ${at} AS at, max(key GLOB 'p/*/GONE') AS gone FROM ${table} WHERE key GLOB 'p/*/*' GROUP BY 1`,
            )
            .all()
        : [],
    );
  const rows = [
    ...stored("r2/miniflare-R2BucketObject", "_mf_objects", "max(uploaded)"),
    ...stored("kv/miniflare-KVNamespaceObject", "_mf_entries", "0"),
  ];
  const gone = new Set(rows.filter((row) => row.gone).map(({ profile }) => String(profile)));
  const newest = rows.toSorted((a, b) => Number(b.at) - Number(a.at)).map(({ profile }) => String(profile));
  return [...new Set(newest)].filter((profile) => !gone.has(profile) && ProfileId.safeParse(profile).success);
}

/** A profile without sessions holds nothing to lose: a start may have been killed right after creating it. */
function hasSessions(stateDir: string): boolean {
  const accounts = join(dataFolder(stateDir), "do", "talaria-api-Account");
  return readTable(accounts, "session", "id").length > 0;
}

function dataFolder(stateDir: string): string {
  return join(stateDir, "data", "v3");
}

async function isAccepted(url: string, key: string): Promise<boolean> {
  const answer = await fetch(`${url}/v1/keys`, { headers: { authorization: `Bearer ${key}` } });
  const text = await answer.text();
  const { code } = (parseJson(text) ?? {}) as { code?: string };
  if (answer.ok || answer.status === 401 || code === "profile_gone") return answer.ok;
  throw refused("GET /v1/keys", answer.status, text);
}

/** The new key, or why there is none. `isGone`: the profile existed and was deleted. */
async function createKey({
  url,
  token,
  profile,
}: {
  url: string;
  token: string;
  profile: string;
}): Promise<string | { isGone: boolean }> {
  const answer = await fetch(`${url}/v1/keys`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ profile, label: "npm start" }),
  });
  const text = await answer.text();
  if (answer.ok) return CreatedKey.parse(JSON.parse(text)).key;
  const { code } = (parseJson(text) ?? {}) as { code?: string };
  if (code === "profile_gone") return { isGone: true };
  if (code === "profile_not_found" || code === "bad_profile_id") return { isGone: false };
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
  const where = status >= 500 ? " See the Workers' log, stack.log in the state folder." : "";
  return new PlainError(`${request} answered ${status}: ${why} Nothing was changed. Fix this and start again.${where}`);
}
