// The dangerous commands by program: those that a person must allow. Rules for files are in file-rules.ts, those for code in
// code-rules.ts, those for administrators' programs in system-rules.ts. Used by judge-command.ts. Pure.
import { basenameOf, hasAny, hasFlag, isUnknown, isWholeSystem, operandsOf, protectionOf } from "../arguments.ts";
import { type DangerousRule, when } from "../sentences.ts";
import { judgeContainers, judgeGit } from "./git-and-containers.ts";
import { type Rule, SYSTEM_RULES, always } from "./system-rules.ts";

const removes: Rule = (args) => {
  if (hasAny(args, "--help", "--version")) return null;
  const isForced = /[rRf]/.test(args.filter((arg) => /^-[A-Za-z]+$/.test(arg)).join(""));
  if (isForced || hasAny(args, "--recursive", "--force")) return "delete-forced";
  return when(
    operandsOf(args).some((arg) => /[*?[]/.test(arg) || isUnknown(arg)),
    "delete-many",
  );
};
const windowsRemoves: Rule = (args) =>
  when(
    args.some((arg) => /^(?:-r(?:ec\w*)?|-fo\w*|\/[sqf])$/i.test(arg)),
    "windows-delete",
  );
const packages: Rule = (args) =>
  when(
    args.some((arg) => /^(?:uninstall|remove|purge|autoremove|erase|unlink|rm)$/.test(arg)) ||
      args.some((arg) => /^-R\w*$/.test(arg)),
    "package-remove",
  );
const services: Rule = (args) =>
  when(
    args.some((arg) => /^(?:stop|restart|disable|mask|kill|unload|bootout|reload-or-restart|isolate)$/.test(arg)),
    "stop-service",
  );
const clusters: Rule = (args) =>
  when(
    args.some((arg) =>
      /^(?:delete|destroy|drain|cordon|uninstall|terminate-\w[\w-]*|delete-\w[\w-]*|rb|rollback|evict)$/.test(arg),
    ) ||
      hasAny(args, "-auto-approve", "--auto-approve") ||
      (args.includes("s3") && args.includes("rm")),
    "cluster-change",
  );

const editors: Rule = (args) =>
  when(
    args.some((arg) => /^:?(?:[\d%.,$]{0,20})!|\bsystem\(/.test(arg)),
    "editor-shell",
  );
const powershells: Rule = (args) =>
  when(
    args.some((arg) => /^[-/]e(?:nc?\w*|c)$/i.test(arg)),
    "decoded-code",
  );

const RULES: Record<string, Rule> = {
  ...SYSTEM_RULES,
  rm: removes,
  srm: removes,
  rimraf: always("delete-forced"),
  unlink: always("delete-forced"),
  shred: always("overwrite-file"),
  truncate: (args) => when(hasFlag(args, "s") || hasAny(args, "--size"), "overwrite-file"),
  rmdir: windowsRemoves,
  rd: windowsRemoves,
  del: windowsRemoves,
  erase: windowsRemoves,
  "remove-item": windowsRemoves,
  ri: windowsRemoves,
  reg: ([verb = ""]) => when(/^delete$/i.test(verb), "windows-delete"),
  "set-executionpolicy": always("windows-policy"),
  "invoke-expression": always("remote-code"),
  iex: always("remote-code"),
  find: (args) => {
    const runsRemoval = args.some(
      (arg, at) => /^-(?:exec|ok)/.test(arg) && /^(?:rm|unlink|shred)$/.test(basenameOf(args[at + 1] ?? "")),
    );
    return when(args.includes("-delete") || runsRemoval, "delete-many");
  },
  chmod: (args) => {
    const mode = args.find((arg) => !/^-[A-Za-z]*$|^--/.test(arg) || /^-[rwxs]/.test(arg)) ?? "";
    const isOpen = /^0?[0-7]{0,2}[0-7]?[2367]$/.test(mode) || /^0?[2467][0-7]{3}$/.test(mode);
    return when(isOpen || mode.split(",").some(letsOthersWrite) || /[+=][rwx]*s/.test(mode), "open-permissions");
  },
  chown: (args) =>
    when(
      hasFlag(args, "R") || hasAny(args, "--recursive") || /^(?:root|0)(?:[:.]|$)/.test(operandsOf(args)[0] ?? ""),
      "change-owner",
    ),
  chgrp: (args) => when(hasFlag(args, "R"), "change-owner"),
  systemctl: services,
  launchctl: services,
  service: (args) => services(args, ""),
  "rc-service": services,
  sc: services,
  kill: (args) =>
    when(
      /^-(?:9|KILL|SIGKILL)$/i.test(args[0] ?? "") || (args[0] === "-s" && /KILL|9/.test(args[1] ?? "")),
      "kill-process",
    ),
  pkill: always("kill-process"),
  killall: always("kill-process"),
  taskkill: always("kill-process"),
  git: judgeGit,
  npm: (args) => npmRule(args),
  pnpm: (args) => npmRule(args),
  yarn: (args) => npmRule(args),
  bun: (args) => npmRule(args),
  pip: packages,
  pip3: packages,
  uv: packages,
  conda: packages,
  apt: packages,
  "apt-get": packages,
  dpkg: (args) => when(hasFlag(args, "r") || hasFlag(args, "P"), "package-remove"),
  rpm: (args) => when(hasFlag(args, "e"), "package-remove"),
  yum: packages,
  dnf: packages,
  zypper: packages,
  brew: packages,
  apk: (args) => when(args[0] === "del", "package-remove"),
  pacman: packages,
  snap: packages,
  flatpak: packages,
  gem: packages,
  cargo: (args) => packages(args, "") || when(args[0] === "publish" || args[0] === "yank", "package-publish"),
  choco: packages,
  winget: packages,
  twine: ([verb]) => when(verb === "upload", "package-publish"),
  docker: judgeContainers,
  podman: judgeContainers,
  nerdctl: judgeContainers,
  "docker-compose": (args) =>
    when(
      args.some((arg) => /^(?:down|rm|stop|kill|restart)$/.test(arg)),
      "container-lifecycle",
    ),
  kubectl: clusters,
  helm: clusters,
  terraform: clusters,
  tofu: clusters,
  pulumi: clusters,
  aws: clusters,
  gcloud: clusters,
  gsutil: (args) => when(args.includes("rm") || args.includes("rb"), "cluster-change"),
  az: clusters,
  wrangler: clusters,
  history: (args) => when(hasFlag(args, "c") || hasFlag(args, "d") || hasFlag(args, "w"), "hide-history"),
  unset: (args) =>
    when(
      args.some((arg) => arg.startsWith("HIST")),
      "hide-history",
    ),
  set: (args) => when(args.includes("+o") && args.includes("history"), "hide-history"),
  shopt: (args) => when(args.includes("histappend") && hasFlag(args, "u"), "hide-history"),
  nc: judgeNetcat,
  ncat: judgeNetcat,
  netcat: judgeNetcat,
  socat: (args) =>
    when(
      args.some((arg) => /^(?:exec|system):/i.test(arg) || /-listen:/i.test(arg)),
      "open-port",
    ),
  rsync: (args) =>
    when(
      args.some((arg) => /^--del(?:ete[\w-]*)?$/.test(arg)),
      "sync-delete",
    ),
  rclone: (args) => when(/^(?:sync|delete|purge|move)$/.test(args[0] ?? ""), "sync-delete"),
  "redis-cli": (args) =>
    when(
      args.some((arg) => /^flush(?:all|db)$/i.test(arg)),
      "store-flush",
    ),
  cp: (args) => when(args[0] === "/dev/null", "overwrite-file"),
  tar: judgeTar,
  gpg: (args) =>
    when(
      args.some((arg) => /^--(?:delete|export-secret)/.test(arg)),
      "write-credentials",
    ),
  "ssh-keygen": (args) => when(args.some((arg) => protectionOf(arg) === "ssh") || hasFlag(args, "R"), "write-ssh"),
  "ssh-copy-id": always("write-ssh"),
  vim: editors,
  vi: editors,
  nvim: editors,
  emacs: (args) =>
    when(
      args.some((arg) => /shell-command|call-process/.test(arg)),
      "editor-shell",
    ),
  powershell: powershells,
  pwsh: powershells,
  talaria: (args) => when(/^(?:stop|update|uninstall|restart)$/.test(args[0] ?? ""), "stops-agent"),
  "stop-process": always("kill-process"),
};

/** `words`: the innermost program and its arguments. */
export function findDangerous(words: string[]): DangerousRule | null {
  const [program = "", ...args] = words;
  const name = basenameOf(program);
  const rule = Object.hasOwn(RULES, name) ? RULES[name]! : undefined;
  return rule?.(args, name) || null;
}

function npmRule(args: string[]): DangerousRule | null {
  const [verb = ""] = operandsOf(args);
  if (/^(?:publish|unpublish|deprecate|owner|dist-tag)$/.test(verb)) return "package-publish";
  return when(/^(?:uninstall|remove|rm|un|r|prune)$/.test(verb), "package-remove");
}

function judgeTar(args: string[]): DangerousRule | null {
  if (args.some((arg) => /^--(?:to-command|checkpoint-action|use-compress-program|rsh-command)/.test(arg)))
    return "unknown-code";
  const extracts =
    args.some((arg) => /^-?[a-zA-Z]*x/.test(arg) && !arg.startsWith("--")) || hasAny(args, "--extract", "--get");
  const target = args.find((_, at) => /^(?:-C|--directory)$/.test(args[at - 1] ?? "")) ?? "";
  return when(
    extracts && target !== "" && (isWholeSystem(target) || protectionOf(`${target}/x`) !== null),
    "write-system",
  );
}

function judgeNetcat(args: string[]): DangerousRule | null {
  return when(["e", "c", "l"].some((flag) => hasFlag(args, flag)) || hasAny(args, "--exec", "--listen"), "open-port");
}

/** A clause of a symbolic mode: `o+w`, `a=rwx`. */
function letsOthersWrite(clause: string): boolean {
  const [who = "", what = ""] = clause.split(/[+=]/);
  return /[ao]/.test(who) && what.includes("w");
}
