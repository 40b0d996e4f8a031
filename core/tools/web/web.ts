// The tools that reach the web, as far as the deployment has what they need. Called by the registry of a session's tools.
import type { Tool } from "../../agent/contract.ts";
import type { Outbound } from "../../outbound/outbound.ts";
import type { Clock } from "../../ports.ts";
import { createPageReader } from "./page/page-reader.ts";
import type { Settings } from "../../schemas/settings.ts";
import type { SearchProvider } from "./search/provider.ts";
import { createWebExtract } from "./web-extract.ts";
import { createWebSearch } from "./web-search.ts";

/** What a deployment offers to these tools. Built by wiring/web.ts. */
export interface WebPorts {
  outbound: Outbound;
  /** `null`: no search service is set. */
  search: SearchProvider | null;
}

/** For one turn: pages that it has read are kept until it ends. */
export function createWebTools({ outbound, search }: WebPorts, clock: Clock, settings: Settings): Tool[] {
  return [
    ...(search ? [createWebSearch({ provider: search, outbound, clock })] : []),
    createWebExtract(createPageReader(outbound), settings),
  ];
}
