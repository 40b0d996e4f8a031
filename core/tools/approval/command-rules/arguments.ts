// Reads the arguments of a program: its options, its paths. Used by the rules. Pure.
import { UNKNOWN } from "./shell-words.ts";

/** `/usr/bin/rm` and `rm.exe` are `rm`. */
export function basenameOf(program: string): string {
  const name = program.slice(Math.max(program.lastIndexOf("/"), program.lastIndexOf("\\")) + 1);
  return name.replace(/\.(?:exe|cmd|bat|com)$/i, "").toLowerCase();
}

/** A short option alone or among others: `-rf` has `r`. */
export function hasFlag(args: string[], letter: string): boolean {
  return args.some((arg) => /^-[A-Za-z0-9]+$/.test(arg) && arg.includes(letter, 1));
}

export function hasAny(args: string[], ...options: string[]): boolean {
  return args.some((arg) => options.some((option) => arg === option || arg.startsWith(`${option}=`)));
}

/** Arguments that are not options. After `--` all are. */
export function operandsOf(args: string[]): string[] {
  const end = args.indexOf("--");
  const before = end < 0 ? args : args.slice(0, end);
  return [...before.filter((arg) => !arg.startsWith("-") || arg === "-"), ...(end < 0 ? [] : args.slice(end + 1))];
}

/** A path without `//`, `.` and `..`. The home folder is `~`. A relative path stays relative. */
export function resolvePath(path: string): string {
  const home = path.replace(/^(?:\/home\/[^/]+|\/root|\/Users\/[^/]+)(?=\/|$)/, "~");
  const isAbsolute = home.startsWith("/");
  const parts: string[] = [];
  for (const part of home.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else if (part !== ".." || !isAbsolute) parts.push(part);
  }
  return `${isAbsolute ? "/" : ""}${parts.join("/")}` || (isAbsolute ? "/" : ".");
}

const SYSTEM =
  "bin|boot|dev|etc|home|lib|lib32|lib64|opt|proc|root|run|sbin|srv|sys|usr|var|System|Library|Applications|Users|private";
/** The root, a folder that the system needs as a whole, or a home. Also all that is directly in one. */
const WHOLE_SYSTEM = [
  /^\/\*?$/,
  new RegExp(`^/(?:${SYSTEM})(?:/\\*)?$`, "i"),
  /^\/(?:usr|var)\/(?:bin|lib|sbin|local|log)(?:\/\*)?$/i,
  /^~[\w-]*(?:\/\.?\*)?$/,
  /^[A-Za-z]:[\\/]?\*?(?:\.\*)?$/,
  /^(?:%SystemRoot%|\$env:SystemRoot)$/i,
];

export function isWholeSystem(path: string): boolean {
  const spellings = [resolvePath(path), path];
  return WHOLE_SYSTEM.some((pattern) => spellings.some((spelling) => pattern.test(spelling)));
}

/** A disk or a partition. */
export function isBlockDevice(path: string): boolean {
  return /^\/dev\/(?:[shv]d[a-z]|nvme\d|xvd[a-z]|mmcblk\d|r?disk\d|loop\d|md\d|dm-\d|mapper\/|sd[*?[])/.test(path);
}

const SYSTEM_FILE =
  /^\/(?:etc|usr|bin|sbin|lib|lib64|boot|sys|proc|System|Library|private\/etc)\/|^\/(?:var\/spool\/cron|root)\b/;
const SSH_FILE = /(?:^|\/)\.ssh\/./;
const SHELL_FILE =
  /(?:^|\/)\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|kshrc|cshrc|tcshrc|inputrc|xprofile|xinitrc)$|(?:^|\/)\.config\/(?:fish\/|autostart\/|systemd\/)/;
const CREDENTIALS =
  /(?:^|\/)(?:\.aws\/(?:credentials|config)|\.netrc|\.pgpass|\.npmrc|\.pypirc|\.git-credentials|\.kube\/config|\.docker\/config\.json|\.vault-token|id_(?:rsa|dsa|ecdsa|ed25519)|shadow|gshadow)$/;
const CREDENTIALS_FOLDER = /(?:^|\/)(?:\.gnupg\/.|\.config\/(?:gcloud|gh|hub)(?!\w))/;
const PROJECT_SECRETS = /(?:^|\/)\.env(?:\.(?!example$|sample$|template$|dist$)[\w.-]+)?$|(?:^|\/)\.dev\.vars$/;
const GIT_FILE = /(?:^|\/)\.git\/(?:hooks\/.|config$)/;
const AGENT_FILE = /(?:^|\/)(?:SOUL\.md|AGENTS\.md|CLAUDE\.md|\.cursorrules|\.(?:talaria|hermes)\.md|wrangler\.toml)$/;
const AGENT_FOLDER = /(?:^|\/)\.talaria\/./;

export type ProtectedKind = "history" | "system" | "ssh" | "shell" | "credentials" | "secrets" | "git" | "agent";

/** What a file is that only its owner should change; `null`: an ordinary file. */
export function protectionOf(path: string): ProtectedKind | null {
  const resolved = resolvePath(path);
  if (/^\/(?:dev\/(?:null|std(?:out|err|in)|tty|fd\/\d+)|proc\/self\/fd\/\d+)$/.test(path)) return null;
  if (/(?:^|\/)\.\w+_history$/.test(resolved)) return "history";
  if (SSH_FILE.test(resolved)) return "ssh";
  if (SHELL_FILE.test(resolved)) return "shell";
  if (holdsCredentials(resolved)) return "credentials";
  if (PROJECT_SECRETS.test(resolved)) return "secrets";
  if (GIT_FILE.test(resolved)) return "git";
  if (AGENT_FILE.test(resolved) || AGENT_FOLDER.test(resolved)) return "agent";
  return SYSTEM_FILE.test(resolved) && !/^\/(?:usr\/(?:local\/)?src|sys\/fs\/cgroup)\//.test(resolved)
    ? "system"
    : null;
}

/** A file whose contents are secrets. */
export function isSecretFile(path: string): boolean {
  const resolved = resolvePath(path);
  return holdsCredentials(resolved) || PROJECT_SECRETS.test(resolved) || isPrivateInSsh(resolved);
}

function holdsCredentials(path: string): boolean {
  return CREDENTIALS.test(path) || CREDENTIALS_FOLDER.test(path);
}

/** A folder `.ssh`, or what lies in one, but for public keys, known hosts and settings. */
function isPrivateInSsh(path: string): boolean {
  const parts = path.split("/");
  const at = parts.indexOf(".ssh");
  const inside = parts.slice(at + 1).join("/");
  return at >= 0 && !/^(?:known_hosts|config)/.test(inside) && !inside.endsWith(".pub");
}

export function isUnknown(word: string): boolean {
  return word.includes(UNKNOWN);
}
