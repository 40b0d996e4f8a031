// Judges a shell command before it runs on a real machine: may it run, must a person be asked, or is it refused whatever the
// settings say. Reads the parsed command: every program in it, behind wrappers, and the scripts and code that it hands to others.
// Called by the gates of tools (command-gate.ts). Pure: no I/O, no clock.
import { basenameOf, isUnknown } from "./arguments.ts";
import { codeOf, findInCode, isInterpreter, looksHardline, namesMetadata, stringsIn } from "./code-rules.ts";
import { DOWNLOADERS, classifySource, findCode, isKnownTool } from "./code-sources.ts";
import { findDangerous } from "./programs/dangerous.ts";
import { findProtectedWrite, readsSecret, sendsInput, writtenBy } from "./file-rules.ts";
import { type HardlineRule, explainHardline, findHardline } from "./hardline.ts";
import { normaliseCommand } from "./normalise-command.ts";
import { runsHidden } from "./programs/hidden-commands.ts";
import { type DangerousRule, SENTENCES } from "./sentences.ts";
import { type SimpleCommand, parseLine } from "./simple-commands.ts";
import { findInEnvironment, findSql, findWrapped, wrapperScripts } from "./surroundings.ts";
import { UNKNOWN } from "./shell-words.ts";
import { SHELLS, scriptsOf, unwrap } from "./unwrap.ts";

/** A rule that a command met. */
export interface CommandFinding {
  /** Stable, such as `delete-forced`. */
  rule: string;
  /** For a person: what the command would do. One sentence. */
  sentence: string;
}

/** `refuse`: the hardline floor, which no setting and no person lifts. */
export type CommandVerdict =
  | { verdict: "run" }
  | { verdict: "ask"; findings: CommandFinding[] }
  | { verdict: "refuse"; finding: CommandFinding };

/** [own] A longer command hides what it does. The parser takes 0.2 s for 20,000 characters at most. */
export const MAX_COMMAND_CHARS = 20_000;
/** Shells in shells. */
const MAX_DEPTH = 6;
/** Commands of all scripts together. */
const MAX_COMMANDS = 4_000;

const TOO_LONG: CommandFinding = {
  rule: "too-complex",
  sentence: "It is too long or too deeply nested to be judged: write it to a script file, and run that.",
};

/** `stdin`: what the command reads as its input; a shell or an interpreter would run it. */
export function judgeCommand(command: string, stdin = ""): CommandVerdict {
  if (command.length > MAX_COMMAND_CHARS) return { verdict: "refuse", finding: TOO_LONG };
  const judging: Judging = { dangerous: new Set(), hardline: null, isTooComplex: false, commands: 0 };
  // A shell or an interpreter that would read a longer input counts as running unknown code.
  const input = stdin === "" ? null : stdin.length > MAX_COMMAND_CHARS ? UNKNOWN : stdin;
  judgeScript(judging, command, { input, depth: 0 });
  const { hardline, dangerous, isTooComplex } = judging;
  if (hardline) return { verdict: "refuse", finding: { rule: hardline, sentence: explainHardline(hardline) } };
  if (isTooComplex) return { verdict: "refuse", finding: TOO_LONG };
  if (dangerous.size === 0) return { verdict: "run" };
  return { verdict: "ask", findings: [...dangerous].map((rule) => ({ rule, sentence: SENTENCES[rule] })) };
}

interface Judging {
  readonly dangerous: Set<DangerousRule>;
  hardline: HardlineRule | null;
  isTooComplex: boolean;
  commands: number;
}

interface Scene {
  input: string | null;
  depth: number;
}

/**
 * As the text is, and as it looks: a shell reads full-width quotes and escape sequences as letters, so the plain text alone could
 * hide a command in what looks like a quotation or a comment.
 */
function judgeScript(judging: Judging, text: string, scene: Scene): void {
  const raw = text.replaceAll("\r\n", "\n");
  const normal = normaliseCommand(raw);
  judgeText(judging, raw, scene);
  if (normal !== raw.trim()) judgeText(judging, normal, scene);
}

function judgeText(judging: Judging, normal: string, { input, depth }: Scene): void {
  if (judging.isTooComplex) return;
  if (depth > MAX_DEPTH) {
    judging.isTooComplex = true;
    return;
  }
  const line = parseLine(normal);
  if (!line) {
    if (looksHardline(normal)) judging.hardline ??= "delete-system";
    judging.dangerous.add("unparsed");
    return;
  }
  if (line.isForkBomb) judging.hardline ??= "fork-bomb";
  judging.commands += Math.max(1, line.commands.length);
  if (line.isTooLong || judging.commands > MAX_COMMANDS) {
    judging.isTooComplex = true;
    return;
  }
  for (const script of line.scripts) judgeScript(judging, script, { input: null, depth: depth + 1 });
  const place: Place = { folder: null, downloaded: new Set(), depth };
  for (const command of line.commands) {
    const reads = command.input ?? (command.before.length === 0 ? input : null);
    judgeSimple(judging, { ...command, input: reads }, place);
  }
}

/** What earlier commands of the same script have done. */
interface Place {
  /** Where the script went with `cd`, if it is known. */
  folder: string | null;
  /** Files that it fetched from the network. */
  readonly downloaded: Set<string>;
  readonly depth: number;
}

function judgeSimple(judging: Judging, command: SimpleCommand, place: Place): void {
  const { dangerous } = judging;
  const { depth } = place;
  const { words, wrappers } = unwrap(command.words);
  const inner = { ...command, words };
  judging.hardline ??= findHardline(inFolder(words, place.folder), command);
  if (words.some((word) => place.downloaded.has(word)) && (runsFiles(words) || place.downloaded.has(words[0]!))) {
    dangerous.add("remote-code");
  }
  notePlace(words, command, place);
  const found = [
    findDangerous(words),
    ...writtenBy(words).map(findProtectedWrite),
    ...command.redirections.map(({ operator, target }) =>
      operator.includes(">") && !operator.includes("<<") ? findProtectedWrite(target) : null,
    ),
    ...findWrapped(wrappers, words),
    ...findInEnvironment(command),
    ...findCode(inner),
    ...findSql(inner),
    sendsInput(
      words,
      command.before.map((one) => unwrappedEnv(one.words)),
      command.redirections.flatMap(({ operator, target }) => (operator === "<" ? [target] : [])),
    ),
    runsHidden(words) ? ("hidden-program" as const) : null,
    isEmptying(inner) ? ("overwrite-file" as const) : null,
  ];
  for (const rule of found) if (rule) dangerous.add(rule);
  if (readsSecret(words)) dangerous.add("read-secret");
  const isText = /^(?:echo|printf|git|grep|rg)$/.test(basenameOf(words[0] ?? ""));
  if (!isText && words.some(namesMetadata)) dangerous.add("metadata-address");
  if (command.redirections.some(({ target }) => target.startsWith("/dev/tcp/") || target.startsWith("/dev/udp/"))) {
    dangerous.add("open-port");
  }
  const scripts = [...scriptsOf(words, command.input), ...wrapperScripts(wrappers)];
  for (const script of scripts) judgeInner(judging, script, inner, depth);
  for (const code of codeOf(words, command.input)) judgeCode(judging, { program: words[0]!, code }, depth);
}

/** `env` alone prints the environment. */
function unwrappedEnv(words: string[]): string[] {
  const inner = unwrap(words).words;
  return inner.length > 0 ? inner : words;
}

/** Relative paths as seen from where the script went. */
function inFolder(words: string[], folder: string | null): string[] {
  if (folder === null) return words;
  return words.map((word, at) => (at === 0 || /^[-/~]/.test(word) ? word : `${folder}/${word}`));
}

function runsFiles([program = ""]: string[]): boolean {
  const name = basenameOf(program);
  return SHELLS.has(name) || isInterpreter(program) || /^(?:source|\.|chmod|install)$/.test(name);
}

function notePlace(words: string[], { redirections, before }: SimpleCommand, place: Place): void {
  const [program = "", target = "~"] = words;
  const name = basenameOf(program);
  if (name === "cd" || name === "pushd") {
    if (/^[/~]/.test(target)) place.folder = target;
    else if (place.folder !== null) place.folder = isUnknown(target) ? null : `${place.folder}/${target}`;
  }
  const isFetched = DOWNLOADERS.has(name) || before.some((one) => DOWNLOADERS.has(basenameOf(one.words[0] ?? "")));
  if (!isFetched) return;
  const redirected = redirections.flatMap(({ operator, target: file }) => (operator.includes(">") ? [file] : []));
  for (const path of [...writtenBy(words), ...redirected]) {
    if (path !== "-" && path !== "/dev/null") place.downloaded.add(path);
  }
}

/** `> file`, `: > file`: the file's contents are gone. */
function isEmptying({ words, redirections }: SimpleCommand): boolean {
  const isNothing = words.length === 0 || (words.length === 1 && (words[0] === ":" || words[0] === "true"));
  return isNothing && redirections.some(({ operator, target }) => /^>\|?$/.test(operator) && target !== "/dev/null");
}

function judgeInner(judging: Judging, script: string, { substituted, words }: SimpleCommand, depth: number): void {
  if (isUnknown(script) && !isKnownTool(substituted)) {
    const rule = classifySource(substituted);
    const [first = ""] = script.trim().split(/\s+/);
    const isArgument = basenameOf(words[0] ?? "") === "find" || basenameOf(words[0] ?? "") === "fd";
    if (rule !== "unknown-code") judging.dangerous.add(rule);
    else if (isUnknown(first) || (!isArgument && substituted.length > 0)) judging.dangerous.add("unknown-code");
  }
  if (isUnknown(script) && isKnownTool(substituted)) return;
  judgeScript(judging, script, { input: null, depth: depth + 1 });
}

/** A program in another language may hold a command as a string. */
function judgeCode(judging: Judging, { program, code }: { program: string; code: string }, depth: number): void {
  const found = findInCode(program, code);
  for (const rule of found) judging.dangerous.add(rule);
  if (found.length === 0) return;
  for (const text of stringsIn(code)) {
    const inner: Judging = { dangerous: new Set(), hardline: null, isTooComplex: false, commands: judging.commands };
    judgeScript(inner, text, { input: null, depth: depth + 1 });
    judging.hardline ??= inner.hardline;
  }
  if (/(?:rmtree|rmSync|rm_rf?|rimraf)\s?\(\s?["'](?:\/|~)["']/.test(code)) judging.hardline ??= "delete-system";
}
