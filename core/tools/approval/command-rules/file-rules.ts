// The files that a program writes, reads or sends, and what follows from it. Used by judge-command.ts. Pure.
import { type ProtectedKind, basenameOf, isSecretFile, operandsOf, protectionOf } from "./arguments.ts";
import { filesOfOptions } from "./programs/hidden-commands.ts";
import { type DangerousRule, when } from "./sentences.ts";

const WRITE_RULES: Record<ProtectedKind, DangerousRule> = {
  history: "hide-history",
  system: "write-system",
  ssh: "write-ssh",
  shell: "write-shell",
  credentials: "write-credentials",
  secrets: "write-secrets",
  git: "write-git",
  agent: "write-agent",
};

export function findProtectedWrite(path: string): DangerousRule | null {
  const kind = protectionOf(path);
  return kind && WRITE_RULES[kind];
}

/** The files that a program writes, by its arguments. */
export function writtenBy([program = "", ...args]: string[]): string[] {
  return [...filesOfOptions([program, ...args]), ...filesOfOperands([program, ...args])];
}

function filesOfOperands([program = "", ...args]: string[]): string[] {
  const operands = operandsOf(args);
  switch (basenameOf(program)) {
    case "tee":
    case "touch":
    case "truncate":
    case "rm":
    case "unlink":
    case "shred":
    case "chmod":
    case "chown":
      return operands;
    case "cp":
    case "ln":
    case "install":
    case "rsync":
    case "scp":
    case "mkdir":
      return [...operands.slice(-1), ...args.flatMap((arg, at) => (arg === "-t" ? args.slice(at + 1, at + 2) : []))];
    case "mv":
      return operands;
    case "sed":
    case "perl":
    case "ruby":
      return args.some((arg) => /^-(?:[a-zA-Z]*i|-in-place)/.test(arg)) ? operands : [];
    case "dd":
      return args.flatMap((arg) => (arg.startsWith("of=") ? [arg.slice(3)] : []));
    case "curl":
    case "wget":
      return args.flatMap((arg, at) =>
        /^(?:-o|-O|--output|--output-document)$/.test(arg) ? args.slice(at + 1, at + 2) : [],
      );
    default:
      return [];
  }
}

/** Programs that do not show or send the files in their arguments. */
const SHOWS_NO_FILE = new Set(
  (
    "echo printf ls stat chmod chown mkdir test [ which type git cd ssh-add rm touch source . docker podman node python python3 npx npm " +
    "wrangler sed tee mv find du"
  ).split(" "),
);

export function readsSecret([program = "", ...args]: string[]): boolean {
  const name = basenameOf(program);
  if (SHOWS_NO_FILE.has(name)) return false;
  const isIdentity = (at: number) => /^(?:ssh|scp|ssh-keygen)$/.test(name) && args[at - 1] === "-i";
  // A copy's last argument is its target.
  const sources = name === "cp" ? args.slice(0, -1) : args;
  return sources.some((arg, at) => isSecretFile(arg.slice(arg.indexOf("@") + 1)) && !isIdentity(at));
}

const SENDERS = new Set(["curl", "wget", "nc", "ncat", "netcat", "socat", "http", "https"]);

/** Programs that send what they read: the environment, or a file. */
export function sendsInput(words: string[], before: string[][], reads: string[]): DangerousRule | null {
  const name = basenameOf(words[0] ?? "");
  if (!SENDERS.has(name)) return null;
  if (before.some(([program = ""]) => /^(?:env|printenv|set|export)$/.test(basenameOf(program)))) return "read-secret";
  return when(/^(?:nc|ncat|netcat)$/.test(name) && (reads.length > 0 || before.length > 0), "open-port");
}
