// Finds the address and the key of the API: from flags, then TALARIA_URL and TALARIA_KEY, then the file of `npm start`. Must
// never combine a key with another address than its own.
import { readFileSync } from "node:fs";
import * as z from "zod";

export interface Connection {
  url: string;
  key: string;
  /** The key comes from the local file. It must not be sent to a program of another user. */
  isOwn?: true;
}

/** Its message is shown without a stack. */
export class UsageError extends Error {
  override name = "UsageError";
}

const LocalState = z.object({ url: z.string(), profile: z.string(), key: z.string() });

export function readConnection(
  flags: { url?: string; key?: string },
  env: Record<string, string | undefined>,
  localFile: string,
): Connection {
  const local = readLocal(localFile);
  const url = flags.url ?? (env.TALARIA_URL || undefined) ?? local?.url;
  const given = flags.key ?? (env.TALARIA_KEY || undefined);
  const key = given ?? (isSameOrigin(url, local?.url) ? local?.key : undefined);
  if (!url) throw new UsageError(`No address. ${ADVICE}`);
  if (!URL.canParse(url))
    throw new UsageError(`${JSON.stringify(url)} is not a URL: write it as http://127.0.0.1:8787.`);
  if (!key) throw new UsageError(`No key for ${url}. ${ADVICE}`);
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new UsageError(`The key for ${url} contains characters that a key cannot have. ${ADVICE}`);
  return { url, key, ...(given === undefined && { isOwn: true }) };
}

const ADVICE =
  "Run `npm start` once: it makes a profile and writes .talaria/local.json. Or set TALARIA_URL and TALARIA_KEY, or pass --url and --key.";

function readLocal(file: string): z.infer<typeof LocalState> | null {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    // Not started yet, or run from another folder: flags or the environment must give the connection.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new UsageError(
      `${file} cannot be read: ${(error as Error).message}. Fix that, or start again with \`npm start\`.`,
    );
  }
  try {
    return LocalState.parse(JSON.parse(text));
  } catch {
    throw new UsageError(
      `${file} cannot be read as JSON with url, profile and key. Start Talaria again with \`npm start\`.`,
    );
  }
}

function isSameOrigin(url: string | undefined, local: string | undefined): boolean {
  if (!url || !local || !URL.canParse(url) || !URL.canParse(local)) return false;
  return new URL(url).origin === new URL(local).origin;
}
