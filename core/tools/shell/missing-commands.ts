// What the shell says about commands that it does not have: one sentence that names what to use instead, in one table. Made into the
// shell's command_not_found_handle, which the patched just-bash calls (scripts/patch-just-bash.mjs) wherever a command is looked for.
import { type CustomCommand, defineCommand, getCommandNames } from "just-bash/browser";
import { distance } from "fastest-levenshtein";

/** What there is beside the shell. */
export interface Alternatives {
  /** Whether the session has a tool of this name. */
  isOffered(tool: string): boolean;
  /** Whether another session of the profile could work on a real machine. */
  hasMachine: boolean;
}

export const NO_ALTERNATIVES: Alternatives = { isOffered: () => false, hasMachine: false };

interface MissingCommands {
  names: readonly string[];
  /** What is not here, and what to use instead. */
  sentence(here: Alternatives): string;
}

const words = (text: string) => text.split(" ");
const inCode = ({ isOffered }: Alternatives, what: string) =>
  isOffered("execute_code") ? `${what} in JavaScript with execute_code` : null;
const either = (...choices: (string | null)[]) => choices.filter((choice) => choice !== null).join(", or ");

/** A sentence that ends with the real machine, where there is one. `instead`: what works here; absent: nothing does. */
function orOnMachine({ hasMachine }: Alternatives, missing: string, instead?: string): string {
  if (!hasMachine) return `${missing}: ${instead ?? "tell the person that it cannot be done here"}.`;
  const machine = "a session on a real machine (backend host) has it";
  return `${missing}: ${instead === undefined ? machine : `${instead}; ${machine}`}.`;
}

/** Every command has one row. */
export const MISSING_COMMANDS: readonly MissingCommands[] = [
  {
    names: words("python python2 python3 pypy pypy3 ipython jupyter pytest"),
    sentence: (here) =>
      orOnMachine(here, "there is no Python here", either(inCode(here, "write it"), "use awk, sed and jq")),
  },
  {
    names: words("node nodejs deno bun tsx ts-node tsc js-exec qjs"),
    sentence: (here) =>
      here.isOffered("execute_code")
        ? "this shell does not run JavaScript: call the tool execute_code instead."
        : orOnMachine(here, "there is no JavaScript here", "use awk, sed and jq"),
  },
  {
    names: words(
      "perl ruby irb php lua luajit r rscript julia java javac kotlin scala groovy swift elixir erl ghc ocaml tclsh pwsh",
    ),
    sentence: (here) =>
      orOnMachine(
        here,
        "there is no interpreter for this here",
        either(inCode(here, "write it"), "use awk, sed and jq"),
      ),
  },
  {
    names: words(
      "gcc g++ cc c++ clang clang++ cpp ld as ar nm objdump gdb make cmake ninja meson bazel go gofmt rustc cargo zig nim dotnet mvn gradle ant",
    ),
    sentence: (here) => orOnMachine(here, "nothing can be compiled or built here"),
  },
  {
    names: words("curl wget http https httpie aria2c lynx w3m links"),
    sentence: (here) =>
      here.isOffered("web_extract")
        ? "this shell has no network: read a page with web_extract."
        : orOnMachine(here, "this shell has no network", "ask the person to upload what you need"),
  },
  {
    names: words(
      "ssh scp sftp rsync ftp telnet nc ncat netcat socat ping traceroute dig nslookup host whois ip ifconfig netstat ss nmap openssl ssh-keygen gpg aws gcloud az gh wrangler",
    ),
    sentence: (here) => orOnMachine(here, "this shell has no network and no keys"),
  },
  {
    names: words("git svn hg bzr cvs"),
    sentence: (here) =>
      orOnMachine(
        here,
        "there is no version control here",
        "compare files with diff, and copy a file before you change it",
      ),
  },
  {
    names: words(
      "pip pip3 pipx uv poetry conda virtualenv npm npx yarn pnpm corepack gem bundle composer cpan apt apt-get aptitude dpkg yum dnf rpm apk pacman zypper brew port snap flatpak nix",
    ),
    sentence: (here) =>
      orOnMachine(
        here,
        "nothing can be installed here",
        either("use the commands that there are (help lists them)", inCode(here, "write it")),
      ),
  },
  {
    names: words("sudo su doas chown chgrp passwd useradd usermod groupadd visudo login"),
    sentence: () => "there are no users and no rights to gain here: run the command itself, without it.",
  },
  {
    names: words(
      "docker docker-compose podman buildah kubectl helm minikube vagrant terraform ansible ansible-playbook qemu chroot",
    ),
    sentence: (here) => orOnMachine(here, "there are no containers and no other machines here"),
  },
  {
    names: words("vi vim nvim view nano emacs ed ex pico micro code"),
    sentence: ({ isOffered }) => {
      const tools = ["patch", "write_file"].filter(isOffered);
      return `there is no editor here: change a file with ${either(...tools, "sed -i", "cat > file <<EOF")}.`;
    },
  },
  {
    names: words("less more most man info pager"),
    sentence: ({ isOffered }) =>
      `nobody can page through a text here: use ${either("head, tail or sed -n", isOffered("read_file") ? "read_file" : null)}.`,
  },
  {
    names: words(
      "jobs fg bg disown nohup setsid screen tmux watch crontab at batch systemctl service journalctl launchctl supervisorctl",
    ),
    sentence: (here) =>
      orOnMachine(here, "there are no background jobs or services here, and a command runs to its end within its call"),
  },
  {
    names: words("ps top htop kill killall pkill pgrep lsof strace renice nice ionice pidof pstree vmstat iostat"),
    sentence: () => "there are no processes to see or to end here: a command runs to its end within its call.",
  },
  {
    names: words(
      "uname arch id groups users who w last uptime df free nproc lscpu lsblk lsusb lspci mount umount fdisk dmesg sysctl ulimit hostnamectl locale getconf getent tput stty reset",
    ),
    sentence: () => "this shell is only a folder of files, with no machine to ask about.",
  },
  {
    names: words("tar zip unzip gzcat bzip2 bunzip2 xz unxz 7z 7za zstd lz4 rar unrar cpio"),
    sentence: (here) =>
      orOnMachine(here, "there are no archives here but gzip and gunzip", "keep files apart, in folders"),
  },
  {
    names: words("sqlite3 sqlite psql mysql mariadb redis-cli mongo mongosh duckdb"),
    sentence: (here) =>
      orOnMachine(
        here,
        "there are no databases here",
        either("use awk, sort, join and jq over files", inCode(here, "compute it")),
      ),
  },
  {
    names: words("bc dc units factor"),
    sentence: (here) =>
      `there is no calculator here: ${either(`use awk 'BEGIN { print 7 / 2 }'`, inCode(here, "compute it"))}.`,
  },
  {
    names: words("yq xmllint xsltproc xan csvkit csvcut mlr pandoc"),
    sentence: (here) =>
      orOnMachine(
        here,
        "there is no parser for this format here",
        either("use jq for JSON and awk for tables", inCode(here, "parse it")),
      ),
  },
  {
    names: words("convert magick identify ffmpeg ffprobe pdftotext exiftool tesseract soffice libreoffice gnuplot dot"),
    sentence: (here) => orOnMachine(here, "this shell works on text only"),
  },
  {
    names: words("yes shuf dd truncate mktemp fmt pr csplit install inotifywait xdg-open open pbcopy pbpaste"),
    sentence: (here) =>
      `this one is missing here: ${either("build it from awk, head and printf", inCode(here, "write it"))}.`,
  },
];

const BY_NAME = new Map(MISSING_COMMANDS.flatMap((row) => row.names.map((name) => [name, row] as const)));

/** The name of the shell's command, as in bash. */
const HANDLE = "command_not_found_handle";
const BUILTINS = words(
  "cd echo export exit test source set unset shift read local declare let printf type command eval trap wait",
);
const NOTE = "bash: &: there are no background jobs here: the command before it ran to its end first.\n";

/**
 * The shell calls it with the name of a command; with `-v NAME` for `command -v`; with `#! LINE` for the first line of a script, where
 * exit code 0 lets the script run; and with `&` after a command that should have run in the background.
 */
export function createMissingHandle(here: Alternatives): CustomCommand {
  let hasNoted = false;
  return defineCommand(HANDLE, async ([what = "", ...rest]) => {
    if (what === "&") {
      const stderr = hasNoted ? "" : NOTE;
      hasNoted = true;
      return { stdout: "", stderr, exitCode: 0 };
    }
    if (what === "-v") {
      const sentence = explainMissing(rest[0] ?? "", here);
      return { stdout: "", stderr: sentence === null ? "" : `bash: ${rest[0]}: ${sentence}\n`, exitCode: 1 };
    }
    if (what === "#!") return explainInterpreter(rest[0] ?? "", here);
    return { stdout: "", stderr: toNotFound(what, here), exitCode: 127 };
  });
}

/** The sentence of the table; `null`: the table does not know the command. */
export function explainMissing(name: string, here: Alternatives): string | null {
  return BY_NAME.get(toBaseName(name).toLowerCase())?.sentence(here) ?? null;
}

function toNotFound(name: string, here: Alternatives): string {
  const sentence = explainMissing(name, here);
  if (sentence !== null) return `bash: ${name}: command not found: ${sentence}\n`;
  if (name.includes("/")) return `bash: ${name}: No such file or directory\n`;
  const near = findNear(name);
  return `bash: ${name}: command not found${near.length > 0 ? `: did you mean ${near.join(" or ")}?` : ""}\n`;
}

/** `#!/usr/bin/env -S python3 -u` names python3. */
function explainInterpreter(line: string, here: Alternatives): { stdout: string; stderr: string; exitCode: number } {
  const [first = "", ...rest] = line.replace(/^#!/, "").trim().split(/\s+/);
  const named = toBaseName(first) === "env" ? (rest.find((word) => !word.startsWith("-")) ?? "") : first;
  const name = toBaseName(named);
  if (name === "" || /^(ba|da|z|k|a)?sh$/.test(name)) return { stdout: "", stderr: "", exitCode: 0 };
  return { stdout: "", stderr: toNotFound(name, here), exitCode: 127 };
}

/** At most two letters apart, and fewer in a short word. */
function findNear(name: string): string[] {
  if (name.length > 32) return [];
  const limit = name.length <= 3 ? 1 : 2;
  const known = [...new Set<string>([...getCommandNames(), ...BUILTINS])].filter((command) => !BY_NAME.has(command));
  return known
    .map((command) => ({ command, far: distance(name, command) }))
    .filter(({ far }) => far <= limit)
    .toSorted((a, b) => a.far - b.far)
    .slice(0, 2)
    .map(({ command }) => command);
}

function toBaseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
