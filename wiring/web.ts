// Opens what the web tools of a session need. Called by the Session object.
import { judgeUrl } from "../core/outbound/judge-url.ts";
import type { Outbound } from "../core/outbound/outbound.ts";
import type { Settings } from "../core/schemas/settings.ts";
import { openSearch } from "../core/tools/web/search/search-env.ts";
import type { WebPorts } from "../core/tools/web/web.ts";
import { openBrowser } from "./browser.ts";
import { type OutboundEnv, readPolicy } from "./outbound.ts";

export interface BrowserBinding {
  /** Browser Rendering, where the operator adds it. */
  BROWSER?: Fetcher;
}

/** `report` gets what is wrong with the operator's variables; web_search is then absent. */
export function openWeb(
  env: OutboundEnv & BrowserBinding,
  settings: Settings,
  outbound: Outbound,
  report: (problem: string) => void,
): WebPorts {
  const search = openSearch(env, settings.web);
  if (!search.ok) report(search.failure.message);
  const policy = readPolicy(env, settings);
  return {
    outbound,
    search: search.ok ? search.value : null,
    ...(env.BROWSER && { browser: openBrowser(env.BROWSER, (url) => judgeUrl(url, policy)) }),
  };
}
