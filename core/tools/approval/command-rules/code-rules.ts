// Rules for code and texts inside a command: programs in other languages, SQL, addresses, and what can be said of a command that
// cannot be parsed. Every pattern is linear. Used by judge-command.ts. Pure.
import { basenameOf } from "./arguments.ts";
import type { DangerousRule } from "./sentences.ts";

/** Interpreters, with the options that are followed by code. */
const INTERPRETERS: Record<string, string[]> = {
  python: ["-c"],
  python2: ["-c"],
  python3: ["-c"],
  pypy: ["-c"],
  node: ["-e", "--eval", "-p", "--print", "-pe"],
  deno: ["eval"],
  bun: ["-e", "--eval"],
  perl: ["-e", "-E"],
  ruby: ["-e"],
  php: ["-r"],
  lua: ["-e"],
  rscript: ["-e"],
  osascript: ["-e"],
  awk: [],
  gawk: [],
  mawk: [],
  powershell: ["-command", "-c"],
  pwsh: ["-command", "-c"],
};

export function isInterpreter(program: string): boolean {
  return Object.hasOwn(INTERPRETERS, toLanguage(program));
}

/** `python3.12` is `python3`. */
function toLanguage(program: string): string {
  return basenameOf(program).replace(/^(python[23]?|pypy|perl|ruby|php|lua)[\d.]*$/, "$1");
}

/** Code in the arguments of an interpreter, or in its input. */
export function codeOf([program = "", ...args]: string[], input: string | null): string[] {
  const language = toLanguage(program);
  const options = Object.hasOwn(INTERPRETERS, language) ? INTERPRETERS[language]! : null;
  if (options === null) return [];
  if (/^[gm]?awk$/.test(language)) return args.filter((arg) => !arg.startsWith("-")).slice(0, 1);
  const given = args.flatMap((arg, at) => {
    if (options.includes(arg.toLowerCase())) return args.slice(at + 1, at + 2);
    // `-lane 'code'`, `-pe`, `-cprint(1)`.
    return /^-[a-zA-Z0]*[eEc]$/.test(arg) && arg.length > 2 ? args.slice(at + 1, at + 2) : [];
  });
  const hasFile = args.some((arg) => !arg.startsWith("-"));
  return given.length > 0 || hasFile || input === null ? given : [input];
}

/** Input of an interpreter is a program unless it has another one. */
export function readsProgram([, ...args]: string[]): boolean {
  return args.every((arg) => arg === "-" || arg === "-s" || /^-[uiIbBEsS]+$/.test(arg));
}

const CODE_PATTERNS: [DangerousRule, RegExp][] = [
  ["program-code", /\bos\.(?:system|popen|exec[lv]|spawn|remove|unlink|rmdir|removedirs|kill|chmod|chown)/],
  [
    "program-code",
    /\b(?:subprocess\b|shutil\.(?:rmtree|move)|pty\.spawn|rmtree|child_process|execSync|spawnSync|execFile)/,
  ],
  ["program-code", /\b(?:rm|rmdir|unlink)(?:Sync)?\s?\(/],
  [
    "program-code",
    /\b(?:Deno\.(?:run|remove|Command)|Bun\.spawn|FileUtils\.\w{0,20}rm|File\.(?:delete|unlink)|Dir\.(?:delete|rmdir))/,
  ],
  ["program-code", /\b(?:IO\.popen|Open3|shell_exec|passthru|proc_open|do shell script)/],
  ["program-code", /\b(?:system|exec|popen|unlink|qx|eval|__import__)\s?[("'{]/],
  ["program-code", /\b(?:system|unlink|exec)\s+["']/],
  ["program-code", /\bexec\s?\(|\beval\s?\(|compile\s?\(|\bFunction\s?\(/],
  ["remote-code", /\b(?:Invoke-Expression|iex|DownloadString)/i],
  ["open-port", /socket\.(?:socket|connect)|net\.(?:connect|Socket|createServer)|TCPSocket|fsockopen/],
];

export function findInCode(program: string, code: string): DangerousRule[] {
  // There, text between backticks is a command.
  if (/^(?:perl|ruby|php)$/.test(toLanguage(program)) && /`[^`]+`/.test(code)) return ["program-code"];
  const found = CODE_PATTERNS.flatMap(([rule, pattern]) => (pattern.test(code) ? [rule] : []));
  return pipesDownload(code) ? [...found, "remote-code"] : found;
}

/** Of PowerShell. */
function pipesDownload(code: string): boolean {
  const at = code.search(/\bInvoke-WebRequest/i);
  return at >= 0 && code.includes("|", at);
}

/** Texts between quotes in code: one of them may be a command. */
export function stringsIn(code: string): string[] {
  const found: string[] = [];
  for (const [, single, double, back] of code.matchAll(/'([^'\n]{1,2000})'|"([^"\n]{1,2000})"|`([^`]{1,2000})`/g)) {
    found.push(single ?? double ?? back ?? "");
  }
  // A list of words is one command: ['rm', '-rf', '/'].
  if (found.length > 1) found.push(found.join(" "));
  return found;
}

const SQL_CLIENTS = new Set([
  "psql",
  "mysql",
  "mariadb",
  "sqlite3",
  "sqlcmd",
  "duckdb",
  "cockroach",
  "clickhouse-client",
  "mongosh",
  "mongo",
  "cqlsh",
  "pgcli",
  "mycli",
  "sqlplus",
]);

export function isDatabaseClient(program: string): boolean {
  return SQL_CLIENTS.has(basenameOf(program));
}

export function findInSql(sql: string): DangerousRule | null {
  const bare = sql.replace(/'[^']*'/g, "''").replace(/--[^\n]*/g, "");
  const statements = bare.split(";");
  for (const statement of statements) {
    const text = statement.replace(/\s+/g, " ").trim();
    if (/^(?:drop|truncate) |^alter table .{1,200} drop /i.test(text) || /dropDatabase\(|\.drop\(/.test(text))
      return "sql-destroy";
    if (/^delete from /i.test(text) && !/ where /i.test(text)) return "sql-all-rows";
    if (/^update /i.test(text) && !/ where /i.test(text)) return "sql-all-rows";
  }
  return null;
}

/** [cf, aws, gcp, azure, alibaba] Addresses from which a machine in a cloud gets its credentials. */
const METADATA =
  /(?<![\w.])(?:169\.254\.169\.254|169\.254\.170\.2|100\.100\.100\.200|metadata\.google\.internal|metadata\.goog|fd00:ec2::254|0xa9fea9fe|2852039166)(?![\w.])/i;

export function namesMetadata(word: string): boolean {
  return METADATA.test(word);
}

/** For a text that is no valid command: what a shell would still run before it finds the error. */
const HARDLINE_TEXTS = [
  /\bmkfs(?:\.\w+)?\s/,
  /\bof=\/dev\/(?:sd|nvme|disk|hd|vd)/,
  />\s?\/dev\/(?:sd|nvme|hd|vd)/,
  /:\(\)\s?\{/,
];

export function looksHardline(text: string): boolean {
  return removesEverything(text) || HARDLINE_TEXTS.some((pattern) => pattern.test(text));
}

const WHOLE_TREE = /^["']?(?:\/|~|\$HOME|\$\{HOME\})["']?(?:[*;]|$)/;

/** `rm` with an option, and then the root or a home. */
function removesEverything(text: string): boolean {
  const words = text.split(/[\s&|(]+/);
  return words.some((word, i) => {
    if (word !== "rm" && !word.endsWith(";rm")) return false;
    const rest = words.slice(i + 1, i + 10);
    const first = rest.findIndex((other) => !other.startsWith("-"));
    return first > 0 && WHOLE_TREE.test(rest[first]!);
  });
}
