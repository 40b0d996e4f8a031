// The environment variables that choose and configure an external memory provider. Read by the api Worker's Session and
// Account, and by the scripts that pass variables on. Pure. No failure contains the value of a key.
import { type Result, err, ok } from "../errors.ts";

/** `home`: the address without `url`. `workspace`: the variable of the part of the service that profiles share. */
export const PROVIDER_KINDS = {
  mem0: { key: "MEM0_API_KEY", url: "MEM0_BASE_URL", home: "https://api.mem0.ai" },
  honcho: {
    key: "HONCHO_API_KEY",
    url: "HONCHO_BASE_URL",
    home: "https://api.honcho.dev",
    workspace: "HONCHO_WORKSPACE",
  },
  supermemory: { key: "SUPERMEMORY_API_KEY", url: "SUPERMEMORY_BASE_URL", home: "https://api.supermemory.ai" },
  hindsight: { key: "HINDSIGHT_API_KEY", url: "HINDSIGHT_BASE_URL", home: "https://api.hindsight.vectorize.io" },
  openviking: {
    key: "OPENVIKING_API_KEY",
    url: "OPENVIKING_BASE_URL",
    home: "http://127.0.0.1:1933",
    workspace: "OPENVIKING_ACCOUNT",
  },
} as const;

export type ProviderName = keyof typeof PROVIDER_KINDS;

type Kind<Key extends string, Url extends string, Workspace extends string> = {
  key: Key;
  url: Url;
  home: string;
  workspace?: Workspace;
};
type VariableOf<K> =
  K extends Kind<infer Key, infer Url, infer Workspace>
    ? Key | Url | (string extends Workspace ? never : Workspace)
    : never;

/** What an operator may set. An empty variable counts as absent. */
export type ProviderEnv = {
  [Name in "TALARIA_MEMORY_PROVIDER" | VariableOf<(typeof PROVIDER_KINDS)[ProviderName]>]?: string;
};

export interface ProviderConfig {
  name: ProviderName;
  apiKey: string;
  /** Without a trailing slash. */
  baseUrl: string;
  /** Used by Honcho (its workspace) and OpenViking (its account) only. */
  workspace: string;
}

const DEFAULT_WORKSPACE = "talaria";
/** Honcho's rule for workspace names. */
const WORKSPACE = /^[a-zA-Z0-9_-]{1,512}$/;

/**
 * The named provider; `null` for none. Failures: `several_memory_providers`, `unknown_memory_provider`,
 * `memory_key_missing`, `bad_memory_url`, `bad_memory_workspace`.
 */
export function parseProviderEnv(env: ProviderEnv): Result<ProviderConfig | null> {
  const names = (env.TALARIA_MEMORY_PROVIDER ?? "")
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "" && name !== "none");
  const [name, ...others] = names;
  if (name === undefined) return ok(null);
  // With two, each would receive and return only half of the memory.
  if (others.length > 0) {
    return err(
      "several_memory_providers",
      `TALARIA_MEMORY_PROVIDER names ${names.length} external memories (${names.join(", ").slice(0, 80)}). Name one: only one can be used.`,
    );
  }
  return toConfig(name, env);
}

function toConfig(name: string, env: ProviderEnv): Result<ProviderConfig> {
  if (!isProviderName(name)) {
    return err(
      "unknown_memory_provider",
      `TALARIA_MEMORY_PROVIDER names '${name.slice(0, 40)}'. It can be one of: ${Object.keys(PROVIDER_KINDS).join(", ")}.`,
    );
  }
  const kind: Kind<keyof ProviderEnv, keyof ProviderEnv, keyof ProviderEnv> = PROVIDER_KINDS[name];
  const apiKey = env[kind.key]?.trim();
  if (!apiKey) {
    return err(
      "memory_key_missing",
      `TALARIA_MEMORY_PROVIDER is ${name}, which needs ${kind.key}. Set it; a server that needs no key accepts any value.`,
    );
  }
  if (/[^\x21-\x7e]/.test(apiKey)) {
    return err("memory_key_missing", `${kind.key} contains characters that are not valid in a header. Copy it again.`);
  }
  const baseUrl = parseBaseUrl(env[kind.url]?.trim() || kind.home);
  if (!baseUrl) {
    return err(
      "bad_memory_url",
      `${kind.url} must be an https address without credentials, query or fragment; http is allowed for this machine only.`,
    );
  }
  const workspace = (kind.workspace && env[kind.workspace]?.trim()) || DEFAULT_WORKSPACE;
  if (!WORKSPACE.test(workspace)) {
    return err("bad_memory_workspace", `${kind.workspace} takes letters, digits, _ and -, at most 512 of them.`);
  }
  return ok({ name, apiKey, baseUrl, workspace });
}

function isProviderName(name: string): name is ProviderName {
  return Object.hasOwn(PROVIDER_KINDS, name);
}

/** The key is sent to this host only, so the connection must be encrypted or local. */
function parseBaseUrl(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const isSafe = url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
  if (!isSafe || url.username || url.password || url.search || url.hash) return null;
  return `${url.origin}${url.pathname}`.replace(/(?<!\/)\/+$/, "");
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(host);
}
