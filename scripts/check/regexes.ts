// `npm run check -- regexes`: judges every regular expression of the product, literals and those built when modules load (see
// judge-regex.ts). Verdicts are cached by hash in regexes-checked.json; `--open` judges the unsafe ones again, `--all` judges all.
// Exit code 1 for a new expression that is neither safe nor bounded nor excepted.
import { createHash } from "node:crypto";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type FoundRegex, readLiterals } from "./expressions.ts";
import { type Verdict, judge } from "./judge-regex.ts";
import { EXCEPTIONS } from "./regex-exceptions.ts";

const root = join(import.meta.dirname, "../..");
const listFile = join(import.meta.dirname, "regexes-checked.json");
/** Expressions judged at the same time; few, because checks run beside other work. */
const AT_ONCE = 2;

interface CheckedExpressions {
  /** Hashes of expressions. */
  safe: string[];
  /** recheck found an attack, but its time grows linearly with the length. */
  bounded: string[];
  /** No verdict in time when the list was first written. bench:hostile measures those that read untrusted text. */
  open: string[];
}

process.chdir(root);
process.exit(await main(process.argv[2]));

async function main(mode: string | undefined): Promise<number> {
  const before = JSON.parse(readFileSync(listFile, "utf8")) as CheckedExpressions;
  const expressions = await findExpressions();
  const kept = selectKept(before, mode, expressions);
  const keptHashes = new Set(Object.values(kept).flat());
  const verdicts = await judgeAll([...expressions].filter(([hash]) => !keptHashes.has(hash)));
  const after = addVerdicts(kept, verdicts);
  const hasFailed = [...verdicts].some(
    ([hash, { kind }]) => kind === "vulnerable" || (kind === "undecided" && !before.open.includes(hash)),
  );
  // A failed run without a mode leaves the list alone: the new expression is to be fixed, not recorded.
  if (mode !== undefined || !hasFailed) writeIfNew(before, after);
  console.log(`${after.safe.length} safe, ${after.bounded.length} bounded, ${after.open.length} open`);
  return hasFailed ? 1 : 0;
}

/** Every expression of the product, by hash. */
async function findExpressions(): Promise<Map<string, FoundRegex>> {
  const files = globSync("{core,channels,stores,wiring,workers,cli,durable-objects}/**/*.ts", { cwd: root }).sort();
  // Not loaded: a module of the host starts it, and those of the page need a browser.
  const unloaded = globSync(["exec-host/**/*.ts", "dashboard/**/*.{ts,tsx}"], { cwd: root }).sort();
  const literals = [...files, ...unloaded].flatMap((file) => readLiterals(file).regexes);
  const found = [...literals, ...(await collectFromModules(files))];
  return new Map(found.map((regex) => [hashExpression(regex), regex]));
}

/** The cached verdicts that this run does not repeat, without those of expressions that no longer exist. */
function selectKept(
  { safe, bounded, open }: CheckedExpressions,
  mode: string | undefined,
  expressions: Map<string, FoundRegex>,
): CheckedExpressions {
  const existing = (hashes: string[]) => hashes.filter((hash) => expressions.has(hash));
  if (mode === "--all") return { safe: [], bounded: [], open: [] };
  if (mode === "--open") return { safe: existing(safe), bounded: [], open: [] };
  return { safe: existing(safe), bounded: existing(bounded), open: existing(open) };
}

/** Prints each expression that is neither safe nor bounded as soon as it is judged. */
async function judgeAll(expressions: [hash: string, regex: FoundRegex][]): Promise<Map<string, Verdict>> {
  const verdicts = new Map<string, Verdict>();
  const waiting = [...expressions];
  const work = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [hash, regex] = next;
      const isExcepted = EXCEPTIONS.some(({ under }) => regex.place.startsWith(under));
      const verdict = isExcepted ? { kind: "safe" as const } : await judge(regex);
      verdicts.set(hash, verdict);
      if ("why" in verdict) console.log(`${regex.place}: /${regex.pattern}/${regex.flags}\n  ${verdict.why}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return verdicts;
}

function addVerdicts(kept: CheckedExpressions, verdicts: Map<string, Verdict>): CheckedExpressions {
  const judged = (...kinds: Verdict["kind"][]) =>
    [...verdicts].filter(([, { kind }]) => kinds.includes(kind)).map(([hash]) => hash);
  return {
    safe: [...kept.safe, ...judged("safe")].sort(),
    bounded: [...kept.bounded, ...judged("bounded")].sort(),
    open: [...kept.open, ...judged("vulnerable", "undecided")].sort(),
  };
}

function writeIfNew(before: CheckedExpressions, after: CheckedExpressions): void {
  // Compares with the parsed file, whose layout the formatter may have changed.
  if (JSON.stringify(after) === JSON.stringify(before)) return;
  writeFileSync(listFile, `${JSON.stringify(after, null, 2)}\n`);
  console.log("scripts/check/regexes-checked.json has changed. Commit it.");
}

/** Records expressions that modules build from strings while they load. */
async function collectFromModules(files: string[]): Promise<FoundRegex[]> {
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
