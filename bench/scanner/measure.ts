// Scans rows as if a review had written them, and computes the figures. Called by bench/scanner.ts and its test. The clock is
// injected.
import { type Finding, decide, scanText } from "../../core/skills/scanner/scanner.ts";
import type { Row } from "./rows.ts";

export interface ScannedRow {
  row: Row;
  findings: Finding[];
  isCaught: boolean;
}

export interface ScanRun {
  scanned: ScannedRow[];
  ms: number;
  kib: number;
}

/** Rows scanned before timing starts, so that the time excludes compilation. */
const WARM_UP_ROWS = 40;

export function scanRows(rows: Row[], now: () => number): ScanRun {
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
export function computeCaughtShare(scanned: ScannedRow[]): number | null {
  return scanned.length === 0 ? null : round(scanned.filter(({ isCaught }) => isCaught).length / scanned.length);
}

/** The share of families with at least half of their rows caught; `null` without rows. */
export function computeFamilyShare(scanned: ScannedRow[]): number | null {
  const shares = [...groupBy(scanned, nameFamily).values()].map((rows) => computeCaughtShare(rows) ?? 0);
  return shares.length === 0 ? null : round(shares.filter((share) => share >= 0.5).length / shares.length);
}

/** A row's family, or its category if it has none. */
export function nameFamily({ row }: ScannedRow): string {
  return row.family || row.category;
}

export type Kind = "skills" | "memory" | "hardNegatives" | "prompts";

export function classifyRow({ row }: ScannedRow): Kind {
  if (row.category.includes("hard-negative")) return "hardNegatives";
  if (row.unit === "memory") return "memory";
  return row.unit === "prompt" ? "prompts" : "skills";
}

export function groupBy(scanned: ScannedRow[], nameOf: (one: ScannedRow) => string): Map<string, ScannedRow[]> {
  const groups = new Map<string, ScannedRow[]>();
  for (const one of scanned) groups.set(nameOf(one), [...(groups.get(nameOf(one)) ?? []), one]);
  return groups;
}

export interface Figures {
  tierA: { rows: number | null; families: number | null };
  tierB: { rows: number | null };
  falsePositives: Record<Kind, number | null>;
  msPerKiB: number;
}

export function toFigures(positives: ScanRun, benign: ScanRun): Figures {
  const tierA = positives.scanned.filter(({ row }) => row.tier === "A");
  const ofKind = (kind: Kind) => computeCaughtShare(benign.scanned.filter((one) => classifyRow(one) === kind));
  return {
    tierA: { rows: computeCaughtShare(tierA), families: computeFamilyShare(tierA) },
    tierB: { rows: computeCaughtShare(positives.scanned.filter(({ row }) => row.tier === "B")) },
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
