// What a command really runs: the program behind `sudo`, `env`, `xargs` and their like, and the scripts that it hands to a shell.
// Used by judge-command.ts. Pure.
import { basenameOf, hasFlag } from "./arguments.ts";
import { UNKNOWN } from "./shell-words.ts";

/** Programs that run the program after their options. Values: short and long options that take a value. */
const WRAPPERS: Record<string, { valued: string; skips?: number; assigns?: true }> = {
  sudo: { valued: "ugpChrRtTD", assigns: true },
  doas: { valued: "uC" },
  env: { valued: "uCS", assigns: true },
  nohup: { valued: "" },
  setsid: { valued: "" },
  nice: { valued: "n" },
  ionice: { valued: "cnp" },
  time: { valued: "fo" },
  timeout: { valued: "ks", skips: 1 },
  stdbuf: { valued: "ioe" },
  command: { valued: "" },
  builtin: { valued: "" },
  exec: { valued: "a" },
  busybox: { valued: "" },
  toybox: { valued: "" },
  strace: { valued: "eopPsu" },
  ltrace: { valued: "eop" },
  unshare: { valued: "" },
  chroot: { valued: "", skips: 1 },
  flock: { valued: "wE", skips: 1 },
  xargs: { valued: "aEIiLlnPsd" },
  parallel: { valued: "jIn" },
  caffeinate: { valued: "tw" },
  proxychains: { valued: "f" },
  winpty: { valued: "" },
};

export const SHELLS = new Set(["sh", "bash", "zsh", "dash", "ash", "ksh", "mksh", "fish", "rbash"]);

/** Programs that run the program after a subcommand: `poetry run rm`, `pnpm exec rm`, `npx rimraf`. */
const RUNNERS: Record<string, string[]> = {
  npx: [],
  bunx: [],
  uvx: [],
  pipx: ["run"],
  npm: ["exec", "x"],
  pnpm: ["exec", "dlx"],
  yarn: ["exec", "dlx"],
  bun: ["x"],
  uv: ["run"],
  poetry: ["run"],
  pipenv: ["run"],
  hatch: ["run"],
  rye: ["run"],
  bundle: ["exec"],
  mise: ["exec", "x"],
  rustup: ["run"],
};

/** The words from the program on that a runner starts; `null`: it starts none. */
function afterRunner(words: string[]): string[] | null {
  const name = basenameOf(words[0]!);
  const verbs = Object.hasOwn(RUNNERS, name) ? RUNNERS[name]! : null;
  if (!verbs) return null;
  let at = 1;
  if (verbs.length > 0) {
    while (words[at]?.startsWith("-")) at++;
    if (!verbs.includes(words[at] ?? "")) return null;
    at++;
  }
  while (words[at]?.startsWith("-") && !/^(?:-c|--call)$/.test(words[at]!)) at++;
  return at < words.length ? words.slice(at) : null;
}

/** The words from the innermost program on, and the wrappers before it. */
export function unwrap(words: string[]): { words: string[]; wrappers: { name: string; options: string[] }[] } {
  const wrappers: { name: string; options: string[] }[] = [];
  let rest = words;
  while (rest.length > 0) {
    const name = basenameOf(rest[0]!);
    const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name]! : undefined;
    const started = wrapper ? null : afterRunner(rest);
    if (started) {
      wrappers.push({ name, options: rest.slice(1, rest.length - started.length) });
      // `npx -c 'rm -rf build'` is a script for a shell.
      rest = /^(?:-c|--call)$/.test(started[0]!) ? ["sh", "-c", ...started.slice(1)] : started;
      continue;
    }
    if (!wrapper) break;
    const options = takeOptions(rest.slice(1), wrapper);
    wrappers.push({ name, options });
    rest = rest.slice(1 + options.length);
    if (name === "command" && options.some((option) => /^-[vV]+$/.test(option))) return { words: [], wrappers };
  }
  return { words: rest, wrappers };
}

function takeOptions(words: string[], { valued, skips = 0, assigns }: (typeof WRAPPERS)[string]): string[] {
  let at = 0;
  while (at < words.length) {
    const word = words[at]!;
    if (word === "--") {
      at++;
      break;
    }
    const isOption = word.startsWith("-") && word !== "-";
    if (!isOption && !(assigns && /^[A-Za-z_]\w*=/.test(word))) break;
    // `-u root`, but not `-uroot` or `--user=root`.
    const takesNext =
      isOption && (word.startsWith("--") ? LONG_VALUED.has(word) : valued.includes(word.at(-1)!) && word.length === 2);
    at += takesNext ? 2 : 1;
  }
  return words.slice(0, Math.min(words.length, at + skips));
}

const LONG_VALUED = new Set([
  "--user",
  "--group",
  "--unset",
  "--chdir",
  "--adjustment",
  "--signal",
  "--max-args",
  "--replace",
  "--delimiter",
  "--max-procs",
  "--arg-file",
]);

/** Scripts that a program runs as shell commands: of `sh -c`, `eval`, `ssh host …`, `find -exec`, `trap`, `watch`. */
export function scriptsOf(words: string[], input: string | null): string[] {
  const [program = "", ...args] = words;
  const name = basenameOf(program);
  if (SHELLS.has(name)) return shellScripts(args, input);
  switch (name) {
    case "eval":
      return [args.join(" ")];
    case "watch":
      return [
        args.slice(args.findIndex((arg, i) => !arg.startsWith("-") && !/^-[nd]$/.test(args[i - 1] ?? ""))).join(" "),
      ];
    case "docker":
    case "podman":
      return containerScripts(args);
    case "trap":
      return args.slice(0, 1);
    case "su":
    case "runuser":
      return valuesOf(args, ["-c", "--command"]);
    case "ssh":
      return sshScripts(args);
    case "find":
    case "fd":
      return findScripts(args);
    case "git":
      return valuesOf(args, ["--exec", "-x"]);
    case "tmux":
    case "screen":
      return [
        args
          .slice(args.findIndex((arg, i) => !arg.startsWith("-") && !/^-[StcnfL]$/.test(args[i - 1] ?? "")))
          .join(" "),
        ...args.filter((arg) => arg.includes(" ")),
      ];
    case "at":
    case "batch":
      return input === null ? [] : [input];
    default:
      return [];
  }
}

function shellScripts(args: string[], input: string | null): string[] {
  if (hasFlag(args, "n")) return [];
  const at = args.findIndex((arg) => /^-[a-z]+$/i.test(arg) && /c/i.test(arg));
  if (at >= 0) {
    const script = args.slice(at + 1).find((arg) => !arg.startsWith("-"));
    return script === undefined ? [] : [script];
  }
  const file = args.find((arg) => !arg.startsWith("-"));
  const readsInput = file === undefined || hasFlag(args, "s") || file === "/dev/stdin";
  return readsInput && input !== null ? [input] : [];
}

function sshScripts(args: string[]): string[] {
  const host = args.findIndex(
    (arg, at) => !arg.startsWith("-") && !/^-[bcDEeFIiJLlmOopQRSWw]$/.test(args[at - 1] ?? ""),
  );
  return host < 0 || host === args.length - 1 ? [] : [args.slice(host + 1).join(" ")];
}

/** `docker exec OPTIONS CONTAINER COMMAND`. */
function containerScripts(args: string[]): string[] {
  const at = args.indexOf("exec");
  if (at < 0) return [];
  const rest = args.slice(at + 1);
  const container = rest.findIndex(
    (arg, i) => !arg.startsWith("-") && !/^(?:-[uwe]|--user|--workdir|--env)$/.test(rest[i - 1] ?? ""),
  );
  return container < 0
    ? []
    : [
        rest
          .slice(container + 1)
          .map(quoteWord)
          .join(" "),
      ];
}

/** More commands of one search are not written by honest people, and each would be judged with all after it. */
const MAX_EXECS = 10;
const EXEC = new Set(["-exec", "-execdir", "-ok", "-okdir", "-x", "--exec", "-X", "--exec-batch"]);

/** The found paths are unknown, but lie below where the search begins. */
function findScripts(args: string[]): string[] {
  const from = args.find((arg) => !arg.startsWith("-")) ?? ".";
  const starts = args.flatMap((arg, at) => (EXEC.has(arg) ? [at] : []));
  // Unknown code asks.
  if (starts.length > MAX_EXECS) return [UNKNOWN];
  return starts.map((at) => {
    const end = args.findIndex((one, i) => i > at && (one === ";" || one === "+"));
    const words = args
      .slice(at + 1, end < 0 ? undefined : end)
      .map((word) => (word === "{}" ? `${from}/${UNKNOWN}` : word));
    return words.map(quoteWord).join(" ");
  });
}

/** A word as a shell reads it back. */
export function quoteWord(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

function valuesOf(args: string[], options: string[]): string[] {
  return args.flatMap((arg, at) => {
    if (options.includes(arg)) return args.slice(at + 1, at + 2);
    const long = options.find((option) => option.startsWith("--") && arg.startsWith(`${option}=`));
    return long ? [arg.slice(long.length + 1)] : [];
  });
}
