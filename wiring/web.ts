// Opens what the web tools of a session need. Called by the Session object.
import type { Outbound } from "../core/outbound/outbound.ts";
import type { Settings } from "../core/schemas/settings.ts";
import { type SearchEnv, openSearch } from "../core/tools/web/search/search-env.ts";
import type { WebPorts } from "../core/tools/web/web.ts";

/** `report` gets what is wrong with the operator's variables; web_search is then absent. */
export function openWeb(
  env: SearchEnv,
  settings: Settings,
  outbound: Outbound,
  report: (problem: string) => void,
): WebPorts {
  const search = openSearch(env, settings.web);
  if (!search.ok) report(search.failure.message);
  return { outbound, search: search.ok ? search.value : null };
}
