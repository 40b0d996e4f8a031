// The variables that choose and open an external memory provider. Read by the api Worker's Session and by the scripts that
// hand variables over. Pure; no value of a key ever stands in a failure.
import { type Result, err, ok } from "../errors.ts";

export const PROVIDER_SECRETS = ["MEM0_API_KEY", "HONCHO_API_KEY"] as const;
export const PROVIDER_VARIABLES = [
  "TALARIA_MEMORY_PROVIDER",
  "MEM0_BASE_URL",
  "HONCHO_BASE_URL",
  "HONCHO_WORKSPACE",
] as const;

/** What an operator may set. An empty variable is an absent one. */
export type ProviderEnv = {
  [Name in (typeof PROVIDER_SECRETS)[number] | (typeof PROVIDER_VARIABLES)[number]]?: string;
};

export type ProviderName = "mem0" | "honcho";

export interface ProviderConfig {
  name: ProviderName;
  apiKey: string;
  /** Without a slash at its end. */
  baseUrl: string;
  /** Honcho's. */
  workspace: string;
}

const KINDS = {
  mem0: { key: "MEM0_API_KEY", url: "MEM0_BASE_URL", home: "https://api.mem0.ai" },
  honcho: { key: "HONCHO_API_KEY", url: "HONCHO_BASE_URL", home: "https://api.honcho.dev" },
} as const satisfies Record<ProviderName, { key: keyof ProviderEnv; url: keyof ProviderEnv; home: string }>;

const DEFAULT_WORKSPACE = "talaria";
/** Honcho's own rule. */
const WORKSPACE = /^[a-zA-Z0-9_-]{1,512}$/;

/**
 * The providers that are named, in order; none for none. More than one is for the slot to refuse. Failures:
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
      `TALARIA_MEMORY_PROVIDER is ${name}, which needs ${kind.key}. Set it; a server that asks for none takes any.`,
    );
  }
  if (/[^\x21-\x7e]/.test(apiKey)) {
    return err("memory_key_missing", `${kind.key} holds characters that no header can carry. Copy it again.`);
  }
  const baseUrl = parseBaseUrl(env[kind.url]?.trim() || kind.home);
  if (!baseUrl) {
    return err(
      "bad_memory_url",
      `${kind.url} must be an https address without credentials, query or fragment; http only for this machine itself.`,
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

/** The key goes to this host and no other, so nobody on the way may read it. */
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
