// The environment variables that choose and configure an external memory provider. Read by the api Worker's Session and
// by the scripts that pass variables on. Pure. No failure contains the value of a key.
import { type Result, err, ok } from "../errors.ts";

export const PROVIDER_SECRETS = ["MEM0_API_KEY", "HONCHO_API_KEY"] as const;
export const PROVIDER_VARIABLES = [
  "TALARIA_MEMORY_PROVIDER",
  "MEM0_BASE_URL",
  "HONCHO_BASE_URL",
  "HONCHO_WORKSPACE",
] as const;

/** What an operator may set. An empty variable counts as absent. */
export type ProviderEnv = {
  [Name in (typeof PROVIDER_SECRETS)[number] | (typeof PROVIDER_VARIABLES)[number]]?: string;
};

export type ProviderName = "mem0" | "honcho";

export interface ProviderConfig {
  name: ProviderName;
  apiKey: string;
  /** Without a trailing slash. */
  baseUrl: string;
  /** Used by Honcho only. */
  workspace: string;
}

const KINDS = {
  mem0: { key: "MEM0_API_KEY", url: "MEM0_BASE_URL", home: "https://api.mem0.ai" },
  honcho: { key: "HONCHO_API_KEY", url: "HONCHO_BASE_URL", home: "https://api.honcho.dev" },
} as const satisfies Record<ProviderName, { key: keyof ProviderEnv; url: keyof ProviderEnv; home: string }>;

const DEFAULT_WORKSPACE = "talaria";
/** Honcho's rule for workspace names. */
const WORKSPACE = /^[a-zA-Z0-9_-]{1,512}$/;

/**
 * The named providers, in order; `none` names none. The slot refuses more than one. Failures:
 * `unknown_memory_provider`, `memory_key_missing`, `bad_memory_url`, `bad_memory_workspace`.
 */
export function parseProviderEnv(env: ProviderEnv): Result<ProviderConfig[]> {
  const names = (env.TALARIA_MEMORY_PROVIDER ?? "")
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "" && name !== "none");
  const configs: ProviderConfig[] = [];
  for (const name of names) {
    const config = toConfig(name, env);
    if (!config.ok) return config;
    configs.push(config.value);
  }
  return ok(configs);
}

function toConfig(name: string, env: ProviderEnv): Result<ProviderConfig> {
  if (!isProviderName(name)) {
    return err(
      "unknown_memory_provider",
      `TALARIA_MEMORY_PROVIDER names '${name.slice(0, 40)}'. It can be ${Object.keys(KINDS).join(" or ")}.`,
    );
  }
  const kind = KINDS[name];
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
  const workspace = env.HONCHO_WORKSPACE?.trim() || DEFAULT_WORKSPACE;
  if (!WORKSPACE.test(workspace)) {
    return err("bad_memory_workspace", "HONCHO_WORKSPACE takes letters, digits, _ and -, at most 512 of them.");
  }
  return ok({ name, apiKey, baseUrl, workspace });
}

function isProviderName(name: string): name is ProviderName {
  return Object.hasOwn(KINDS, name);
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
