// `npm run check -- regexes`: has recheck judge every regular expression of the product, literals and those that modules make
// when they are loaded. What was judged stands by its hash in regexes-checked.json, so that only new ones take time; `--open`
// judges those again that were not safe, `--all` each. Exit code 1 when one is not safe that is neither open nor excepted.
import { createHash } from "node:crypto";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { check } from "recheck";
import { EXCEPTIONS } from "./regex-exceptions.ts";
import { type FoundRegex, readLiterals } from "./regexes.ts";

const root = join(import.meta.dirname, "..");
const list = join(import.meta.dirname, "regexes-checked.json");
process.env.RECHECK_BACKEND ??= process.platform === "linux" && process.arch === "x64" ? "native" : "pure";
/** A pattern that is not judged by then counts as not safe. */
const TIMEOUT_MS = Number(process.env.RECHECK_TIMEOUT_MS ?? 10_000);
/** Two expressions at a time: the machine of a check has other work. */
const AT_ONCE = 2;

interface Checked {
  /** Hashes of expressions. */
  safe: string[];
  /** Not judged safe when the list was begun: what is over foreign text among them is measured by bench:hostile. */
  open: string[];
}

process.chdir(root);
const files = globSync("{core,stores,workers,cli,durable-objects}/**/*.ts", { cwd: root }).sort();
const found = [...files.flatMap((file) => readLiterals(file).regexes), ...(await madeByModules())];
const byHash = new Map(found.map((regex) => [hashOf(regex), regex]));
const before = JSON.parse(readFileSync(list, "utf8")) as Checked;
const [mode] = process.argv.slice(2);
const known = new Set(mode === "--all" ? [] : mode === "--open" ? before.safe : [...before.safe, ...before.open]);
const safe = new Set([...byHash.keys()].filter((hash) => known.has(hash) && !before.open.includes(hash)));
const unsafe = new Set(before.open.filter((hash) => byHash.has(hash) && known.has(hash)));
const toJudge = [...byHash].filter(([hash]) => !known.has(hash));
let failed = 0;
await Promise.all(Array.from({ length: AT_ONCE }, work));
const after: Checked = { safe: [...safe].sort(), open: [...unsafe].sort() };
if (mode !== undefined || failed === 0) writeIfNew(after);
console.log(`${safe.size} safe, ${unsafe.size} open`);
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
    unsafe.add(hash);
    if (!before.open.includes(hash)) failed++;
    const why =
      verdict.status === "vulnerable"
        ? `${verdict.complexity.summary}, by ${verdict.attack.pattern}`
        : "not judged in time";
    console.log(`${place}: /${pattern}/${flags}\n  ${why}`);
  }
}

function writeIfNew(checked: Checked): void {
  const next = `${JSON.stringify(checked, null, 2)}\n`;
  if (next === readFileSync(list, "utf8")) return;
  writeFileSync(list, next);
  console.log("scripts/regexes-checked.json is new: commit it.");
}

/** Lists of words with letters of all scripts are too large for recheck; with ASCII letters alone they have the same form. */
async function judge(pattern: string, flags: string): ReturnType<typeof check> {
  const verdict = await check(pattern, flags, { timeout: TIMEOUT_MS });
  if (verdict.status !== "unknown") return verdict;
  const narrow = pattern
    .replace(/\\p\{(?:L|Ll|Lu)\}/g, (_, at: number) => (isInClass(pattern, at) ? "a-z" : "[a-z]"))
    .replace(/\\p\{(?:N|M)\}/g, "\\d");
  return check(narrow, flags.replace(/[iuv]/g, ""), { timeout: TIMEOUT_MS });
}

function isInClass(pattern: string, at: number): boolean {
  return pattern.lastIndexOf("[", at) > pattern.lastIndexOf("]", at);
}

/** Expressions that are put together from strings, as the modules are loaded. */
async function madeByModules(): Promise<FoundRegex[]> {
  const made: FoundRegex[] = [];
  const Plain = RegExp;
  globalThis.RegExp = new Proxy(Plain, {
    construct(target, args: [string | RegExp, string?]) {
      const regex = new target(...args);
      const place = /\/(core\/[\w/.-]+\.ts:\d+)/.exec(new Error().stack ?? "")?.[1];
      if (typeof args[0] === "string" && place) made.push({ pattern: regex.source, flags: regex.flags, place });
      return regex;
    },
  });
  for (const file of files.filter((name) => name.startsWith("core/"))) await import(join(root, file));
  globalThis.RegExp = Plain;
  return made;
}

function hashOf({ pattern, flags }: FoundRegex): string {
  return createHash("sha256").update(`/${pattern}/${flags}`).digest("hex").slice(0, 16);
}
