// Judges one regular expression with recheck. Called by regexes.ts. An expression that recheck calls vulnerable runs on recheck's own
// attack text, at 10 and 100 KB: bounded repetitions can multiply and still take constant time per character.
import { check } from "recheck";
import type { FoundRegex } from "./expressions.ts";

/**
 * `safe`: recheck found no attack. `bounded`: it found one, whose time grows linearly with the length. `vulnerable`: an attack whose
 * time grows faster. `undecided`: no verdict in time.
 */
export type Verdict =
  | { kind: "safe" }
  | { kind: "bounded" }
  | { kind: "vulnerable"; why: string }
  | { kind: "undecided"; why: string };

process.env.RECHECK_BACKEND ??= process.platform === "linux" && process.arch === "x64" ? "native" : "pure";
/** A pattern without a verdict after this time counts as unsafe. */
const TIMEOUT_MS = Number(process.env.RECHECK_TIMEOUT_MS ?? 10_000);
/** An expression is bounded if the 100 KB attack takes less than this, or closer to 10 than to 100 times as long as the 10 KB one. */
const BOUNDED_MS = 20;
const BOUNDED_GROWTH = 30;

type Diagnostics = Awaited<ReturnType<typeof check>>;
type Attack = Pick<Extract<Diagnostics, { status: "vulnerable" }>["attack"], "pumps" | "suffix">;

export async function judge({ pattern, flags }: Pick<FoundRegex, "pattern" | "flags">): Promise<Verdict> {
  const found = await diagnose(pattern, flags);
  if (found.status === "safe") return { kind: "safe" };
  if (found.status === "unknown") return { kind: "undecided", why: "not judged in time" };
  if (isBounded(pattern, flags, found.attack)) return { kind: "bounded" };
  return { kind: "vulnerable", why: `${found.complexity.summary}, by ${found.attack.pattern}` };
}

/** Replaces non-ASCII letters: recheck cannot handle word lists in all scripts, and the expression's structure stays the same. */
async function diagnose(pattern: string, flags: string): Promise<Diagnostics> {
  const found = await check(pattern, flags, { timeout: TIMEOUT_MS });
  if (found.status !== "unknown") return found;
  const narrow = pattern
    .replace(/\\p\{(?:L|Ll|Lu)\}/g, (_, at: number) => (isInClass(pattern, at) ? "a-z" : "[a-z]"))
    .replace(/\\p\{(?:N|M)\}/g, "\\d");
  return check(narrow, flags.replace(/[iuv]/g, ""), { timeout: TIMEOUT_MS });
}

function isBounded(pattern: string, flags: string, attack: Attack): boolean {
  const regex = new RegExp(pattern, flags.includes("g") ? flags : `${flags}g`);
  const [small, large] = [10 << 10, 100 << 10].map((chars) => {
    const text = buildAttackText(attack, chars);
    const times = [0, 1, 2].map(() => {
      const began = performance.now();
      text.match(regex);
      return performance.now() - began;
    });
    return Math.min(...times);
  }) as [number, number];
  return large < BOUNDED_MS || large / small < BOUNDED_GROWTH;
}

/** An attack string of any length. */
function buildAttackText({ pumps, suffix }: Attack, chars: number): string {
  const times = Math.ceil(chars / pumps.reduce((sum, { pump }) => sum + pump.length, 0));
  return pumps.map(({ prefix, pump }) => prefix + pump.repeat(times)).join("") + suffix;
}

function isInClass(pattern: string, at: number): boolean {
  return pattern.lastIndexOf("[", at) > pattern.lastIndexOf("]", at);
}
