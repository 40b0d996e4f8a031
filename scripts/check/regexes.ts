// `npm run check -- regexes`: recheck judges every regular expression of the product, literals and those built when modules load.
// An expression that it calls vulnerable runs on recheck's own attack string, at 10 and 100 KB: bounded repetitions can multiply
// and still take constant time per character. Verdicts are cached by hash in regexes-checked.json; `--open` judges the unsafe ones
// again, `--all` judges all. Exit code 1 for a new expression that is neither safe nor bounded nor excepted.
import { createHash } from "node:crypto";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { check } from "recheck";
import { EXCEPTIONS } from "./regex-exceptions.ts";
import { type FoundRegex, readLiterals } from "./expressions.ts";

const root = join(import.meta.dirname, "../..");
const list = join(import.meta.dirname, "regexes-checked.json");
process.env.RECHECK_BACKEND ??= process.platform === "linux" && process.arch === "x64" ? "native" : "pure";
/** A pattern without a verdict after this time counts as unsafe. */
const TIMEOUT_MS = Number(process.env.RECHECK_TIMEOUT_MS ?? 10_000);
/** Expressions judged at the same time; few, because checks run beside other work. */
const AT_ONCE = 2;
/** An expression is bounded if the 100 KB attack takes less than this, or closer to 10 than to 100 times as long as the 10 KB one. */
const BOUNDED_MS = 20;
const BOUNDED_GROWTH = 30;

type Attack = Pick<Extract<Awaited<ReturnType<typeof check>>, { status: "vulnerable" }>["attack"], "pumps" | "suffix">;

interface CheckedExpressions {
  /** Hashes of expressions. */
  safe: string[];
  /** recheck found an attack, but its time grows linearly with the length. */
  bounded: string[];
  /** No verdict in time when the list was first written. bench:hostile measures those that read untrusted text. */
  open: string[];
}

process.chdir(root);
const files = globSync("{core,stores,wiring,workers,cli,durable-objects}/**/*.ts", { cwd: root }).sort();
const found = [...files.flatMap((file) => readLiterals(file).regexes), ...(await collectFromModules())];
const byHash = new Map(found.map((regex) => [hashExpression(regex), regex]));
const before = JSON.parse(readFileSync(list, "utf8")) as CheckedExpressions;
const [mode] = process.argv.slice(2);
const known = new Set(
  mode === "--all" ? [] : mode === "--open" ? before.safe : [...before.safe, ...before.bounded, ...before.open],
);
const stillKnown = (hashes: string[]) => new Set(hashes.filter((hash) => byHash.has(hash) && known.has(hash)));
const [safe, bounded, open] = [before.safe, before.bounded, before.open].map(stillKnown) as [
  Set<string>,
  Set<string>,
  Set<string>,
];
const toJudge = [...byHash].filter(([hash]) => !known.has(hash));
let failed = 0;
await Promise.all(Array.from({ length: AT_ONCE }, work));
const after: CheckedExpressions = { safe: [...safe].sort(), bounded: [...bounded].sort(), open: [...open].sort() };
if (mode !== undefined || failed === 0) writeIfNew(after);
console.log(`${safe.size} safe, ${bounded.size} bounded, ${open.size} open`);
process.exit(failed === 0 ? 0 : 1);

async function work(): Promise<void> {
  for (let entry = toJudge.pop(); entry; entry = toJudge.pop()) {
    const [hash, { pattern, flags, place }] = entry;
    const isExcepted = EXCEPTIONS.some(({ under }) => place.startsWith(under));
    const verdict = isExcepted ? null : await judge(pattern, flags);
    if (!verdict || verdict.status === "safe") {
      safe.add(hash);
      continue;
    }
    if (verdict.status === "vulnerable" && isBounded(pattern, flags, verdict.attack)) {
      bounded.add(hash);
      continue;
    }
    open.add(hash);
    if (verdict.status === "vulnerable" || !before.open.includes(hash)) failed++;
    const why =
      verdict.status === "vulnerable"
        ? `${verdict.complexity.summary}, by ${verdict.attack.pattern}`
        : "not judged in time";
    console.log(`${place}: /${pattern}/${flags}\n  ${why}`);
  }
}

function writeIfNew(checked: CheckedExpressions): void {
  // Compares with the parsed file, whose layout the formatter may have changed.
  if (JSON.stringify(checked) === JSON.stringify(before)) return;
  writeFileSync(list, `${JSON.stringify(checked, null, 2)}\n`);
  console.log("scripts/check/regexes-checked.json has changed. Commit it.");
}

/** Replaces non-ASCII letters: recheck cannot handle word lists in all scripts, and the expression's structure stays the same. */
async function judge(pattern: string, flags: string): ReturnType<typeof check> {
  const verdict = await check(pattern, flags, { timeout: TIMEOUT_MS });
  if (verdict.status !== "unknown") return verdict;
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

/** Records expressions that modules build from strings while they load. */
async function collectFromModules(): Promise<FoundRegex[]> {
  const found: FoundRegex[] = [];
  const Plain = RegExp;
  globalThis.RegExp = new Proxy(Plain, {
    construct(target, args: [string | RegExp, string?]) {
      const regex = new target(...args);
      const place = /\/(core\/[\w/.-]+\.ts:\d+)/.exec(new Error().stack ?? "")?.[1];
      if (typeof args[0] === "string" && place) found.push({ pattern: regex.source, flags: regex.flags, place });
      return regex;
    },
  });
  for (const file of files.filter((name) => name.startsWith("core/"))) await import(join(root, file));
  globalThis.RegExp = Plain;
  return found;
}

function hashExpression({ pattern, flags }: FoundRegex): string {
  return createHash("sha256").update(`/${pattern}/${flags}`).digest("hex").slice(0, 16);
}
