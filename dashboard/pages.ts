// Every page: its address, its name, its group in the navigation, and how its code is loaded. The one place that knows them all.
import type { ComponentType } from "preact";
import type { IconName } from "./components/icon.tsx";

export interface PageProps {
  /** The parts of the address after the page's own, unescaped: `["csv-mean", "3"]` of `#/skills/csv-mean/3`. */
  rest: string[];
}

export interface PageEntry {
  /** First part of the address after `#/`. */
  slug: string;
  /** Name of its link in the navigation. */
  name: string;
  icon: IconName;
  load(): Promise<{ Page: ComponentType<PageProps> }>;
}

export const GROUPS: { name: string; pages: PageEntry[] }[] = [
  {
    name: "Work",
    pages: [
      { slug: "chat", name: "Chat", icon: "chat", load: () => import("./pages/chat.tsx") },
      { slug: "sessions", name: "Sessions", icon: "list", load: () => import("./pages/sessions.tsx") },
      { slug: "board", name: "Board", icon: "board", load: () => import("./pages/board.tsx") },
      { slug: "goals", name: "Goals", icon: "goal", load: () => import("./pages/goals.tsx") },
      { slug: "jobs", name: "Jobs", icon: "clock", load: () => import("./pages/jobs.tsx") },
    ],
  },
  {
    name: "Learning",
    pages: [
      { slug: "skills", name: "Skills", icon: "skill", load: () => import("./pages/skills.tsx") },
      { slug: "hub", name: "Hub", icon: "download", load: () => import("./pages/hub.tsx") },
      { slug: "learning", name: "Learning", icon: "chart", load: () => import("./pages/learning.tsx") },
      { slug: "memory", name: "Memory", icon: "memory", load: () => import("./pages/memory.tsx") },
    ],
  },
  {
    name: "Connections",
    pages: [
      { slug: "channels", name: "Channels", icon: "channel", load: () => import("./pages/channels.tsx") },
      { slug: "webhooks", name: "Webhooks", icon: "hook", load: () => import("./pages/webhooks.tsx") },
      { slug: "mcp-servers", name: "MCP servers", icon: "plug", load: () => import("./pages/mcp-servers.tsx") },
    ],
  },
  {
    name: "Administration",
    pages: [
      { slug: "usage", name: "Usage", icon: "money", load: () => import("./pages/usage.tsx") },
      { slug: "keys", name: "Keys", icon: "key", load: () => import("./pages/keys.tsx") },
      { slug: "models", name: "Models", icon: "model", load: () => import("./pages/models.tsx") },
      { slug: "settings", name: "Settings", icon: "settings", load: () => import("./pages/settings.tsx") },
      { slug: "health", name: "Health", icon: "health", load: () => import("./pages/health.tsx") },
    ],
  },
];

/** The page of an address; the first one where the address names none. */
export function findPage(slug: string | undefined): PageEntry | undefined {
  const all = GROUPS.flatMap(({ pages }) => pages);
  return slug === undefined ? all[0] : all.find((page) => page.slug === slug);
}

/** The parts of a hash location such as `/skills/csv-mean`. A part that is not validly escaped stays as it is. */
export function splitLocation(location: string): string[] {
  return location.split("/").filter(Boolean).map(unescapePart);
}

/** An address of the page, for links: `#/skills/csv%20mean`. */
export function hrefOf(...parts: (string | number)[]): string {
  return `#/${parts.map((part) => encodeURIComponent(String(part).toWellFormed())).join("/")}`;
}

/** The address of a turn in its conversation, by its id `<session>-<n>`. */
export function hrefOfTurn(turn: string): string {
  const dash = turn.lastIndexOf("-");
  return hrefOf("chat", turn.slice(0, dash), turn.slice(dash + 1));
}

function unescapePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
