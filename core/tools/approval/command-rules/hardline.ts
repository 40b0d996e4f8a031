// The hardline floor: commands that never run, whatever the settings and the person say. Each destroys a machine, or ends it for
// everybody who uses it. Used by judge-command.ts. Pure.
import { basenameOf, hasAny, hasFlag, isBlockDevice, isWholeSystem, operandsOf } from "./arguments.ts";
import type { SimpleCommand } from "./simple-commands.ts";

const SENTENCES = {
  "delete-system": "It deletes the root, a system folder or a home folder as a whole.",
  "format-disk": "It formats or wipes a disk.",
  "write-disk": "It writes to a disk past its file system.",
  "fork-bomb": "It starts processes without end.",
  "kill-all": "It kills every process.",
  "stop-machine": "It stops or restarts the machine.",
} as const;
export type HardlineRule = keyof typeof SENTENCES;

export function explainHardline(rule: HardlineRule): string {
  return SENTENCES[rule];
}

/** `words`: the innermost program and its arguments. */
export function findHardline(
  words: string[],
  { redirections }: Pick<SimpleCommand, "redirections">,
): HardlineRule | null {
  const writes = redirections.filter(({ operator }) => operator.includes(">")).map(({ target }) => target);
  if (writes.some(isBlockDevice)) return "write-disk";
  if (writes.includes("/proc/sysrq-trigger")) return "stop-machine";
  const [program = "", ...args] = words;
  const name = basenameOf(program);
  if (/^mk(?:fs(?:\.\w+)?|e2fs|dosfs|ntfs)$/.test(name) || name === "newfs") return "format-disk";
  const rule = Object.hasOwn(RULES, name) ? RULES[name]! : undefined;
  return rule?.(args) ?? null;
}

type Rule = (args: string[]) => HardlineRule | null;

const stops: Rule = () => "stop-machine";
const deletes: Rule = (args) => {
  const isRecursive = hasFlag(args, "r") || hasFlag(args, "R") || hasAny(args, "--recursive");
  if (hasAny(args, "--no-preserve-root")) return "delete-system";
  return isRecursive && operandsOf(args).some(isWholeSystem) ? "delete-system" : null;
};
const writesOperands: Rule = (args) => (operandsOf(args).some(isBlockDevice) ? "write-disk" : null);
const writesLast: Rule = (args) => (isBlockDevice(operandsOf(args).at(-1) ?? "") ? "write-disk" : null);
const wipes: Rule = (args) => (operandsOf(args).some(isBlockDevice) ? "format-disk" : null);
const windowsDeletes: Rule = (args) => {
  const isRecursive = args.some((arg) => /^(?:-r(?:ec\w*)?|\/s)$/i.test(arg));
  return isRecursive && args.some(isWholeSystem) ? "delete-system" : null;
};
const finds: Rule = (args) => {
  const from = args.filter((arg, at) => !arg.startsWith("-") && args.slice(0, at).every((one) => !one.startsWith("-")));
  const deletesFound =
    args.includes("-delete") ||
    args.some((arg, at) => /^-(?:exec|ok)/.test(arg) && basenameOf(args[at + 1] ?? "") === "rm");
  return deletesFound && from.some(isWholeSystem) ? "delete-system" : null;
};

const RULES: Record<string, Rule> = {
  rm: deletes,
  srm: deletes,
  rimraf: (args) => (operandsOf(args).some(isWholeSystem) ? "delete-system" : null),
  find: finds,
  "remove-item": windowsDeletes,
  ri: windowsDeletes,
  rd: windowsDeletes,
  rmdir: windowsDeletes,
  del: windowsDeletes,
  erase: windowsDeletes,
  format: (args) => (args.some((arg) => /^[a-z]:/i.test(arg)) ? "format-disk" : null),
  "format-volume": () => "format-disk",
  "clear-disk": () => "format-disk",
  wipefs: wipes,
  blkdiscard: () => "format-disk",
  shred: wipes,
  mkswap: wipes,
  diskutil: ([verb = ""]) => (/^(?:erase|partition|zero|secureErase)/i.test(verb) ? "format-disk" : null),
  hdparm: (args) => (hasAny(args, "--security-erase", "--trim-sector-ranges") ? "format-disk" : null),
  nvme: ([verb = ""]) => (verb === "format" || verb === "sanitize" ? "format-disk" : null),
  dd: (args) => (args.some((arg) => arg.startsWith("of=") && isBlockDevice(arg.slice(3))) ? "write-disk" : null),
  tee: writesOperands,
  cp: writesLast,
  mv: writesLast,
  truncate: writesOperands,
  kill: (args) => (killsAll(args) ? "kill-all" : null),
  killall5: () => "kill-all",
  shutdown: (args) => (hasFlag(args, "c") || hasAny(args, "--help", "--show") ? null : "stop-machine"),
  reboot: stops,
  halt: stops,
  poweroff: stops,
  "stop-computer": stops,
  "restart-computer": stops,
  init: ([level = ""]) => (/^[06]$/.test(level) ? "stop-machine" : null),
  telinit: ([level = ""]) => (/^[06]$/.test(level) ? "stop-machine" : null),
  systemctl: (args) =>
    args.some((arg) => /^(?:reboot|poweroff|halt|kexec|emergency|rescue)$/.test(arg)) ? "stop-machine" : null,
};

/** Process -1 is every process; 1 is init. */
function killsAll(args: string[]): boolean {
  const [first = "", ...rest] = args;
  const hasSignal = /^-(?!-)/.test(first);
  const targets = (hasSignal ? rest : args).filter((arg) => arg !== "--" && !/^-s$/.test(arg));
  return targets.includes("-1") || targets.includes("1") || (args.includes("--") && args.includes("-1"));
}
