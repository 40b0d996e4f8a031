// What `npm start` keeps on this machine: the operator's token, and the profile and key that chat, demo and curl use.
// Files under .talaria/, readable by this user only. Never prints a token or a key.
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod";
import { CreatedProfile } from "../core/schemas/api.ts";

export const LocalAccess = z.object({ url: z.string(), profile: z.string(), key: z.string() });
export type LocalAccess = z.infer<typeof LocalAccess>;

/** Made once for a state folder: it makes profiles and their first keys. */
export function operatorToken(stateDir: string): string {
  const file = join(stateDir, "operator-token");
  try {
    const token = readFileSync(file, "utf8").trim();
    if (token) return token;
  } catch {
    // first start
  }
  const token = randomBytes(32).toString("hex");
  writePrivate(file, `${token}\n`);
  return token;
}

/**
 * The access in `file`, made new through the API when there is none or when this state does not know its key. The URL is
 * brought up to date.
 */
export async function localAccess(file: string, url: string, token: string): Promise<LocalAccess> {
  const known = readAccess(file);
  const access = known && (await isKnown(url, known.key)) ? { ...known, url } : await createAccess(url, token);
  writePrivate(file, `${JSON.stringify(access, null, 2)}\n`);
  return access;
}

function readAccess(file: string): LocalAccess | null {
  try {
    return LocalAccess.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return null; // none yet, or not ours to read
  }
}

async function isKnown(url: string, key: string): Promise<boolean> {
  const answer = await fetch(`${url}/v1/sessions`, { headers: { authorization: `Bearer ${key}` } });
  await answer.arrayBuffer();
  return answer.ok;
}

async function createAccess(url: string, token: string): Promise<LocalAccess> {
  const answer = await fetch(`${url}/v1/profiles`, { method: "POST", headers: { authorization: `Bearer ${token}` } });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`POST /v1/profiles answered ${answer.status}: ${text.slice(0, 300)}`);
  return { url, ...CreatedProfile.parse(JSON.parse(text)) };
}

/** Whole or not at all, and never readable by others, not even for a moment. */
function writePrivate(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const next = `${file}.${process.pid}`;
  writeFileSync(next, text, { mode: 0o600 });
  renameSync(next, file);
}
