// The tools that reach the web, as far as the deployment has what they need. Called by the registry of a session's tools.
import type { Tool } from "../../agent/contract.ts";
import type { Outbound } from "../../outbound/outbound.ts";
import type { Clock } from "../../ports.ts";
import { createPageReader } from "./page/page-reader.ts";
import type { Settings } from "../../schemas/settings.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import type { BrowserPort } from "./browser/browser-page.ts";
import { createBrowserTools } from "./browser/browser-tools.ts";
import type { SearchProvider } from "./search/provider.ts";
import { createWebExtract } from "./web-extract.ts";
import { createWebSearch } from "./web-search.ts";

/** What a deployment offers to these tools. Built by wiring/web.ts. */
export interface WebPorts {
  outbound: Outbound;
  /** `null`: no search service is set. */
  search: SearchProvider | null;
  /** Absent: the deployment has no browser. */
  browser?: BrowserPort;
}

export interface WebToolOptions {
  clock: Clock;
  settings: Settings;
  workspace: Workspace;
}

/** For one turn: pages that it has read, and its browser, are kept until it ends. */
export function createWebTools({ outbound, search, browser }: WebPorts, options: WebToolOptions): Tool[] {
  const { clock, settings, workspace } = options;
  const { maxResultChars } = settings.turn;
  return [
    ...(search ? [createWebSearch({ provider: search, outbound, clock })] : []),
    createWebExtract(createPageReader(outbound), settings),
    ...(browser ? createBrowserTools({ port: browser, clock, workspace, maxResultChars }) : []),
  ];
}
