// Where the code comes from that a shell or an interpreter runs: the network, an encoding, or somewhere else. Used by
// judge-command.ts. Pure.
import { basenameOf, hasFlag, isUnknown } from "./arguments.ts";
import { isInterpreter, readsProgram } from "./code-rules.ts";
import type { DangerousRule } from "./sentences.ts";
import type { SimpleCommand } from "./simple-commands.ts";
import { SHELLS, unwrap } from "./unwrap.ts";

export function findCode({ words, before, substituted, input, redirections }: SimpleCommand): DangerousRule[] {
  const [program = ""] = words;
  const name = basenameOf(program);
  const found: DangerousRule[] = [];
  if (program !== "" && isUnknown(program))
    found.push(substituted.length > 0 ? classifySource(substituted) : "unknown-code");
  const takesProgram = (SHELLS.has(name) && readsInput(words)) || (isInterpreter(program) && readsProgram(words));
  if ((name === "source" || name === ".") && words.slice(1).some((word) => STDIN.test(word)))
    found.push("unknown-code");
  if (takesProgram && before.length > 0 && input === null) found.push(classifySource(before));
  if (takesProgram && input !== null && isUnknown(input)) found.push("unknown-code");
  const isFed = redirections.some(({ operator, target }) => operator === "<" && isUnknown(target));
  if (takesProgram && isFed) found.push(classifySource(substituted));
  const runsFile = SHELLS.has(name) || name === "source" || name === "." || isInterpreter(program);
  if (runsFile && substituted.length > 0 && words.slice(1).some(isUnknown)) {
    const rule = classifySource(substituted);
    if (rule !== "unknown-code") found.push(rule);
  }
  return found;
}

const STDIN = /^\/(?:dev\/(?:stdin|fd\/\d+)|proc\/self\/fd\/\d+)$/;

function readsInput([, ...args]: string[]): boolean {
  return (
    hasFlag(args, "s") ||
    args.every((arg) => arg.startsWith("-") && !/^-[a-z]*c/i.test(arg)) ||
    args.includes("/dev/stdin")
  );
}

export const DOWNLOADERS = new Set(["curl", "wget", "fetch", "http", "https", "aria2c", "invoke-webrequest", "iwr"]);
const DECODERS = new Set(["base64", "base32", "xxd", "openssl", "uudecode", "gunzip", "zcat", "xz", "rev", "tr"]);

/** Where code comes from that another program runs. */
export function classifySource(sources: SimpleCommand[]): "remote-code" | "decoded-code" | "unknown-code" {
  const names = sources.map(({ words }) => basenameOf(unwrap(words).words[0] ?? ""));
  if (names.some((name) => DOWNLOADERS.has(name))) return "remote-code";
  return names.some((name) => DECODERS.has(name)) ? "decoded-code" : "unknown-code";
}

/** Tools that print settings for a shell, made to be evaluated. */
const KNOWN_TOOLS = new Set([
  "ssh-agent",
  "brew",
  "direnv",
  "pyenv",
  "rbenv",
  "nodenv",
  "fnm",
  "mise",
  "starship",
  "zoxide",
  "dircolors",
  "conda",
  "opam",
  "luarocks",
]);

export function isKnownTool(substituted: SimpleCommand[]): boolean {
  return substituted.length > 0 && substituted.every(({ words }) => KNOWN_TOOLS.has(basenameOf(words[0] ?? "")));
}
