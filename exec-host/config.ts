// What the exec host is started with: from the environment (a container, a remote machine), or as one line of JSON on standard input
// (`npm start -- --shell`). Called by main.ts. The folder is checked here, so that both ways refuse the same ones.
import { statSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { parse } from "node:path";

export interface ExecConfig {
  folder: string;
  token: string;
  /** Address to listen on; a name of a network that others reach needs a long token. */
  address: string;
  port: number;
  /** Path of a Unix socket to listen on, instead of address and port. Its folder must be private. */
  socket?: string;
  /** Names, beside those of loopback, that a Host header may have. */
  hosts: string[];
  /** Of the person, not of the process that started this one. */
  umask?: number;
}

/** Why the host cannot start. The message is for a person. */
export class ConfigError extends Error {
  override name = "ConfigError";
}

const MIN_TOKEN_CHARS = 32;
const DEFAULT_LISTEN = "127.0.0.1:8790";

/** Removes what it read from `env`, so that no command inherits it. */
export function readEnvironment(env: NodeJS.ProcessEnv): ExecConfig {
  const take = (name: string) => {
    const value = env[name]?.trim() ?? "";
    delete env[name];
    return value;
  };
  const listen = take("TALARIA_EXEC_LISTEN") || DEFAULT_LISTEN;
  const [, address = "", port = ""] = /^(.{1,253}):(\d{1,5})$/.exec(listen) ?? [];
  const config = {
    folder: take("TALARIA_EXEC_FOLDER"),
    token: take("TALARIA_EXEC_TOKEN"),
    address: address.replace(/^\[(.*)\]$/, "$1"),
    port: Number(port),
    hosts: take("TALARIA_EXEC_HOST")
      .split(",")
      .map((name) => name.trim().toLowerCase())
      .filter(Boolean),
  };
  if (address === "" || config.port > 65_535) {
    throw new ConfigError(`TALARIA_EXEC_LISTEN must be like ${DEFAULT_LISTEN}.`);
  }
  if (config.folder === "") throw new ConfigError("Set TALARIA_EXEC_FOLDER to the folder that the agent may work in.");
  if (config.token.length < MIN_TOKEN_CHARS) {
    throw new ConfigError(
      `Set TALARIA_EXEC_TOKEN to a random text of at least ${MIN_TOKEN_CHARS} characters, such as: openssl rand -hex 32`,
    );
  }
  return config;
}

/** The folder's real path. Throws a ConfigError for one that may not be served. */
export function checkFolder(folder: string, home = homedir()): string {
  let real: string;
  try {
    real = realpathSync(folder);
    if (!statSync(real).isDirectory())
      throw new ConfigError(`${folder} is not a folder. Name the folder that the agent may work in.`);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`The folder ${folder} does not exist or cannot be read. Create it, or name another one.`);
  }
  const realHome = realpathOrNull(home);
  if (real === parse(real).root)
    throw new ConfigError(`${real} is the whole file system. Name a folder for the agent's work.`);
  if (realHome !== null && (realHome === real || realHome.startsWith(`${real}/`))) {
    throw new ConfigError(
      `${real} is or holds your home folder, with your keys and settings. Name a folder for the agent's work below it.`,
    );
  }
  return real;
}

function realpathOrNull(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null; // a user without a home folder
  }
}
