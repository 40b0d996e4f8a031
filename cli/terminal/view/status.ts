// The line below the editor (model, context, tokens, cost, time) and the line above it (a sign of work, or of a lost server). Used
// by screen.ts. The numbers come from the session view.
import { truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import { clean } from "./lines.ts";
import type { Theme } from "./theme.ts";

export interface Status {
  model: string;
  /** Tokens of the last prompt and its answer; null until a turn has ended. */
  context: number | null;
  /** Tokens; null if unknown. */
  window: number | null;
  /** Of the session, in and out, cached or not. */
  tokens: number;
  /** Of the calls whose price is known; 0: of none. */
  usd: number;
  /** Milliseconds of the turns of this session that this terminal saw. */
  ms: number;
  session: string | null;
}

/** What is going on now. */
export type Activity =
  | { kind: "idle" }
  /** `since`: milliseconds of the clock. `what`: such as `working` or a tool's name. */
  | { kind: "busy"; what: string; since: number; keys: string }
  | { kind: "lost"; reason: string; since: number };

export function renderStatus(status: Status, width: number, theme: Theme): string[] {
  const left = [
    clean(status.model),
    describeContext(status),
    `${shortNumber(status.tokens)} tokens`,
    status.usd > 0 || status.tokens === 0 ? `$${status.usd.toFixed(status.usd < 1 ? 4 : 2)}` : "cost –",
    formatTime(status.ms),
  ].join(" · ");
  const right = status.session === null ? "new session" : status.session;
  const gap = width - visibleWidth(left) - visibleWidth(right);
  // A narrow terminal shows the numbers and not the session's name, which /sessions also shows.
  return [theme.faint(gap < 2 ? truncateToWidth(left, width) : `${left}${" ".repeat(gap)}${right}`)];
}

function describeContext({ context, window }: Status): string {
  if (context === null) return "context –";
  if (window === null) return `context ${shortNumber(context)}`;
  return `context ${Math.min(100, Math.round((context / window) * 100))}% of ${shortNumber(window)}`;
}

const FRAMES = [..."⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"];
export const FRAME_MS = 120;

export function renderActivity(activity: Activity, now: number, width: number, theme: Theme): string[] {
  if (activity.kind === "idle") return [];
  const frame = FRAMES[Math.floor(now / FRAME_MS) % FRAMES.length]!;
  const time = formatTime(now - activity.since);
  if (activity.kind === "lost") {
    return [
      truncateToWidth(theme.warn(`${frame} server lost, trying again for ${time}: ${clean(activity.reason)}`), width),
    ];
  }
  const keys = activity.keys === "" ? "" : theme.faint(` · ${activity.keys}`);
  return [truncateToWidth(`${theme.accent(frame)} ${clean(activity.what)} ${time}${keys}`, width)];
}

/** Such as `950`, `12.3k` or `1.2M`. */
export function shortNumber(n: number): string {
  if (n < 1_000) return String(n);
  if (n < 999_950) return `${trim(n / 1_000)}k`;
  return `${trim(n / 1_000_000)}M`;
}

function trim(n: number): string {
  return n.toFixed(n < 100 ? 1 : 0).replace(/\.0$/, "");
}

/** Such as `0s`, `45s`, `2m 05s` or `1h 02m`. */
export function formatTime(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  const pad = (n: number) => String(n).padStart(2, "0");
  return minutes < 60 ? `${minutes}m ${pad(seconds % 60)}s` : `${Math.floor(minutes / 60)}h ${pad(minutes % 60)}m`;
}
