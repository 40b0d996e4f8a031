// Which search service web_search uses, by the operator's keys and the settings `web.*`. Read by wiring/ and by the scripts that
// check variables. Pure. No failure contains the value of a key.
import { type Result, err, ok } from "../../../errors.ts";
import type { Settings } from "../../../schemas/settings.ts";
import { BRAVE_BASE, createBrave } from "./brave.ts";
import { EXA_BASE, createExa } from "./exa.ts";
import { SEARCH_PROVIDERS, type SearchProvider, type SearchProviderName } from "./provider.ts";
import { createSearxng } from "./searxng.ts";
import { TAVILY_BASE, createTavily } from "./tavily.ts";

export const SEARCH_SECRETS = ["BRAVE_API_KEY", "TAVILY_API_KEY", "EXA_API_KEY"] as const;
export const SEARCH_VARIABLES = ["SEARXNG_URL"] as const;

/** An empty variable counts as absent. */
export type SearchEnv = { [Name in (typeof SEARCH_SECRETS)[number] | (typeof SEARCH_VARIABLES)[number]]?: string };

/** The variable that makes a service available. */
const VARIABLE_OF = {
  brave: "BRAVE_API_KEY",
  tavily: "TAVILY_API_KEY",
  exa: "EXA_API_KEY",
  searxng: "SEARXNG_URL",
} as const satisfies Record<SearchProviderName, keyof SearchEnv>;

/**
 * `null`: no service is set, so there is no web_search. Failures: `search_key_missing`, `bad_search_key`, `bad_search_url`.
 */
export function openSearch(env: SearchEnv, settings: Settings["web"]): Result<SearchProvider | null> {
  const isSet = (name: SearchProviderName) => (env[VARIABLE_OF[name]] ?? "").trim() !== "";
  const name = settings.search === "auto" ? SEARCH_PROVIDERS.find(isSet) : settings.search;
  if (name === undefined) return ok(null);
  const variable = VARIABLE_OF[name];
  if (!isSet(name)) {
    return err("search_key_missing", `The setting web.search is ${name}, which needs ${variable}. Set it.`);
  }
  const value = env[variable]!.trim();
  if (name === "searxng") {
    const base = readBase(settings.searxng.apiBase ?? value);
    return base === null ? badUrl(variable) : ok(createSearxng({ base }));
  }
  if (/[^\x21-\x7e]/.test(value)) {
    return err("bad_search_key", `${variable} contains characters that are not valid in a header. Copy it again.`);
  }
  const { make, home } = SERVICES[name];
  const base = readBase(settings[name].apiBase ?? home);
  return base === null ? badUrl(`The setting web.${name}.apiBase`) : ok(make({ apiKey: value, base }));
}

/** Addresses that the operator configured, for the URL policy. The services' own are public. */
export function listSearchAddresses(env: SearchEnv, settings: Settings["web"]): string[] {
  const bases = SEARCH_PROVIDERS.map((name) => settings[name].apiBase);
  return [...bases, env.SEARXNG_URL?.trim()].flatMap((address) => address || []);
}

const SERVICES = {
  brave: { make: createBrave, home: BRAVE_BASE },
  tavily: { make: createTavily, home: TAVILY_BASE },
  exa: { make: createExa, home: EXA_BASE },
};

/** Without a trailing slash. `null`: not such an address. */
function readBase(text: string): string | null {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) return null;
  return `${url.origin}${url.pathname}`.replace(/(?<!\/)\/+$/, "");
}

function badUrl(what: string): Result<never> {
  return err("bad_search_url", `${what} must be an http or https address without credentials, query or fragment.`);
}
