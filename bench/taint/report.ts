// The report of bench:taint: one line per family, the wrong decisions, and the figures. Called by bench/taint.ts. It shows only
// the ids of poisoned cases, because their text may be hostile.
import type { MeasuredCase } from "./measure.ts";

export interface Figures {
  honest: { total: number; whole: number; part: number };
  poison: { total: number; landed: number };
  families: Record<string, { total: number; whole?: number; part?: number; landed?: number }>;
}

export function toFigures(measured: MeasuredCase[]): Figures {
  const families: Figures["families"] = {};
  const of = (kind: "honest" | "poison") => measured.filter(({ given }) => given.kind === kind);
  for (const name of [...new Set(measured.map(({ given }) => given.family))].toSorted()) {
    const all = measured.filter(({ given }) => given.family === name);
    const honest = all.filter(({ given }) => given.kind === "honest");
    families[name] = {
      total: all.length,
      ...(honest.length > 0 && countHonest(honest)),
      ...(honest.length < all.length && { landed: all.filter(({ landed }) => landed).length }),
    };
  }
  return {
    honest: { total: of("honest").length, ...countHonest(of("honest")) },
    poison: { total: of("poison").length, landed: of("poison").filter(({ landed }) => landed).length },
    families,
  };
}

function countHonest(honest: MeasuredCase[]): { whole: number; part: number } {
  const count = (wanted: MeasuredCase["entered"]) => honest.filter(({ entered }) => entered === wanted).length;
  return { whole: count("whole"), part: count("part") };
}

export function printReport(measured: MeasuredCase[]): void {
  const { families } = toFigures(measured);
  console.log("Family                           cases   whole    part  landed");
  for (const [name, { total, whole, part, landed }] of Object.entries(families)) {
    const cells = [total, whole, part, landed].map((count) => String(count ?? "").padStart(8));
    console.log(`${name.padEnd(30)}${cells.join("")}`);
  }
  for (const { given, why } of measured.filter((one) => one.given.kind === "honest" && one.entered !== "whole")) {
    console.log(`held: ${given.id} (${given.family}): ${why}`);
  }
  for (const { given } of measured.filter(({ landed }) => landed)) console.log(`landed: ${given.id} (${given.family})`);
  console.log("");
}
