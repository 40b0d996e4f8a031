// Programs whose options run another program, and options that name a file to write. Without these rules a harmless program would
// hide a dangerous one. Used by judge-command.ts and file-rules.ts. Pure.
import { basenameOf } from "../arguments.ts";

/** Options of a program whose value is a command, or a program that it starts. */
const RUNNING_OPTIONS: Record<string, RegExp> = {
  git: /^(?:--upload-pack|--receive-pack|--exec|--open-files-in-pager|--extcmd)(?:=|$)|^-O(?!$)|^ext::/,
  rg: /^--(?:pre|hostname-bin)(?:=|$)/,
  go: /^--?(?:exec|vettool|toolexec)(?:=|$)/,
  make: /^(?:SHELL|MAKEFLAGS)=|^--eval(?:=|$)/,
  npm: /^--(?:script-shell|shell|node-options|prefix)(?:=|$)/,
  pnpm: /^--(?:script-shell|shell-emulator)(?:=|$)/,
  cargo: /^--config(?:=|$)/,
  sort: /^--compress-program(?:=|$)/,
  man: /^(?:-P|--pager)/,
  ssh: /^-o?(?:ProxyCommand|LocalCommand)/i,
  scp: /^(?:-S|-o?ProxyCommand)/i,
  rsync: /^(?:-e|--rsh)(?:=|$)/,
  mvn: /^-Dexec\./,
};
/** `ssh` may run a command for its connection by the option after `-o`. */
const RUNNING_VALUES = /^(?:ProxyCommand|LocalCommand)[= ]/i;
/** The usual remote shell of rsync. */
const PLAIN_SHELL = /^(?:-e|--rsh=)?(?:ssh(?: -[pi] ?[\w./~-]+)*)?$/;

/** An option makes the program run another one. */
export function runsHidden([program = "", ...args]: string[]): boolean {
  const name = basenameOf(program);
  const options = Object.hasOwn(RUNNING_OPTIONS, name) ? RUNNING_OPTIONS[name]! : null;
  if (!options) return false;
  return args.some((arg, at) => {
    if (name === "rsync") return options.test(arg) && !PLAIN_SHELL.test(arg.includes("=") ? arg : (args[at + 1] ?? ""));
    return options.test(arg) || ((name === "ssh" || name === "scp") && RUNNING_VALUES.test(arg));
  });
}

/** `--output=FILE` and its like. */
export function filesOfOptions([program = "", ...args]: string[]): string[] {
  switch (basenameOf(program)) {
    case "git":
    case "sort":
    case "tree":
      return valuesAfter(args, /^(?:--output|-o)$/, /^--output=(.+)/);
    case "find":
      return valuesAfter(args, /^-(?:fprint0?|fprintf|fls)$/);
    case "tsc":
      return valuesAfter(args, /^--(?:outFile|outDir|declarationDir)$/i);
    default:
      return [];
  }
}

function valuesAfter(args: string[], option: RegExp, joined?: RegExp): string[] {
  return args.flatMap((arg, at) => {
    if (option.test(arg)) return args.slice(at + 1, at + 2);
    const value = joined?.exec(arg)?.[1];
    return value === undefined ? [] : [value];
  });
}
