// Scans rows as if a review had written them, and computes the figures. Called by bench/scanner.ts and its test. The clock is
// injected.
import { type Finding, decide, scanText } from "../../core/skills/scanner/scanner.ts";
import type { Row } from "./rows.ts";

export interface Scanned {
  row: Row;
  findings: Finding[];
  isCaught: boolean;
}

export interface Timed {
  scanned: Scanned[];
  ms: number;
  kib: number;
}

/** Rows scanned before timing starts, so that the time excludes compilation. */
const WARM_UP_ROWS = 40;

export function scanRows(rows: Row[], now: () => number): Timed {
  for (const row of rows.slice(0, WARM_UP_ROWS)) scanText(row.text);
  const began = now();
  const scanned = rows.map((row) => {
    const findings = scanText(row.text);
    return { row, findings, isCaught: decide(findings, "review") !== "allow" };
  });
  const ms = now() - began;
  return { scanned, ms, kib: rows.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0) / 1024 };
}

/** The share of caught rows; `null` without rows. */
export function shareOf(scanned: Scanned[]): number | null {
  return scanned.length === 0 ? null : round(scanned.filter(({ isCaught }) => isCaught).length / scanned.length);
}

/** The share of families with at least half of their rows caught; `null` without rows. */
export function familyShare(scanned: Scanned[]): number | null {
  const shares = [...groupBy(scanned, familyOf).values()].map((rows) => shareOf(rows) ?? 0);
  return shares.length === 0 ? null : round(shares.filter((share) => share >= 0.5).length / shares.length);
}

/** A row's family, or its category if it has none. */
export function familyOf({ row }: Scanned): string {
  return row.family || row.category;
}

export type Kind = "skills" | "memory" | "hardNegatives" | "prompts";

export function kindOf({ row }: Scanned): Kind {
  if (row.category.includes("hard-negative")) return "hardNegatives";
  if (row.unit === "memory") return "memory";
  return row.unit === "prompt" ? "prompts" : "skills";
}

export function groupBy(scanned: Scanned[], nameOf: (one: Scanned) => string): Map<string, Scanned[]> {
  const groups = new Map<string, Scanned[]>();
  for (const one of scanned) groups.set(nameOf(one), [...(groups.get(nameOf(one)) ?? []), one]);
  return groups;
}

export interface Figures {
  tierA: { rows: number | null; families: number | null };
  tierB: { rows: number | null };
  falsePositives: Record<Kind, number | null>;
  msPerKiB: number;
}

export function toFigures(positives: Timed, benign: Timed): Figures {
  const tierA = positives.scanned.filter(({ row }) => row.tier === "A");
  const ofKind = (kind: Kind) => shareOf(benign.scanned.filter((one) => kindOf(one) === kind));
  return {
    tierA: { rows: shareOf(tierA), families: familyShare(tierA) },
    tierB: { rows: shareOf(positives.scanned.filter(({ row }) => row.tier === "B")) },
    falsePositives: {
      skills: ofKind("skills"),
      memory: ofKind("memory"),
      hardNegatives: ofKind("hardNegatives"),
      prompts: ofKind("prompts"),
    },
    msPerKiB: round((positives.ms + benign.ms) / Math.max(positives.kib + benign.kib, 0.001)),
  };
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
