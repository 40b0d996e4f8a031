// The folder of `npm start -- --shell`. Called by start.ts before anything starts.
import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { ConfigError, checkFolder } from "../../exec-host/config.ts";
import { UsageError } from "../command-line.ts";

/**
 * The real path. `from`: what a relative folder is relative to. Throws a UsageError for a folder that may not be served: also one that
 * holds `home`, Talaria's own state, or lies in it.
 */
export function chooseShellFolder(given: string, from: string, home: string): string {
  let folder: string;
  try {
    folder = checkFolder(resolve(from, given));
  } catch (error) {
    if (error instanceof ConfigError) throw new UsageError(error.message);
    throw error;
  }
  const state = realPath(home);
  if (!`${state}/`.startsWith(`${folder}/`) && !folder.startsWith(`${state}/`)) return folder;
  throw new UsageError(`${given} holds Talaria's own state, with its keys. Name a folder for the agent's work.`);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // the first start makes it
  }
}
