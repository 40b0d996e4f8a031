// Finds what a package runs: files that can be run, and pieces of code that its texts show. Pure; reads untrusted texts in linear time.
import type { HubCommand } from "../../schemas/hub/hub-api.ts";
import { type FileBodies, type FileBody, textOrEmpty } from "../../schemas/file-body.ts";
import { sha256Hex } from "../../schemas/learning/digest.ts";

/** [hermes] The scripts that its guard knows, what other systems start by name, and what is compiled. */
const PROGRAM =
  /\.(?:command|csh|tcsh|dash|nu|ipynb|kts?|groovy|gradle|scala|clj|jl|exs?|erl|csx?|fsx|vb|hta|reg|scr|pif|lnk|desktop|service|py[cz]|whl|awk|sed|mk|cmake|dart|zig|nim|hs|ml|lisp|el|c|cc|cpp|cxx|mm?|sh|bash|zsh|fish|ksh|py|pyw|js|mjs|cjs|ts|mts|cts|tsx|jsx|rb|pl|pm|php|lua|tcl|r|go|rs|swift|java|jar|class|ps1|psm1|bat|cmd|vbs|wsf|scpt|applescript|exe|msi|com|dll|so|dylib|bin|run|app|apk|deb|rpm|wasm|o|out)$/i;
/** A shell runs such a file, too: a name without an extension, other than what people only read. */
const BARE = /(?:^|\/)(?!(?:license|licence|readme|notice|changelog|authors|contributors|codeowners)$)[a-z][\w-]*$/;
const CHECK = /^checks\/.*\.json$/i;
/** Names without an extension that a build tool runs. */
const BUILD_FILE =
  /(?:^|\/)(?:Makefile|makefile|GNUmakefile|Dockerfile|Justfile|justfile|Rakefile|package\.json|setup\.cfg|pyproject\.toml)$/;

/** ELF, Mach-O in both orders and the fat one (also Java), DOS, WebAssembly. */
const MAGIC = [
  [0x7f, 0x45, 0x4c, 0x46],
  [0xcf, 0xfa, 0xed, 0xfe],
  [0xce, 0xfa, 0xed, 0xfe],
  [0xfe, 0xed, 0xfa, 0xcf],
  [0xfe, 0xed, 0xfa, 0xce],
  [0xca, 0xfe, 0xba, 0xbe],
  [0x4d, 0x5a],
  [0x00, 0x61, 0x73, 0x6d],
];

/** Sorted paths: by extension or none, by a shebang, by the bytes of a program, by a name that a build tool runs; and the skill's own checks. */
export function findScripts(files: FileBodies): string[] {
  return Object.entries(files)
    .filter(([path, body]) => isRunByName(path) || isProgram(body))
    .map(([path]) => path)
    .sort();
}

/** Full-width letters and blanks at the end look like the plain name, and some systems take them for it. */
function isRunByName(path: string): boolean {
  const plain = path.normalize("NFKC").trimEnd();
  return [PROGRAM, BARE, CHECK, BUILD_FILE].some((form) => form.test(plain));
}

function isProgram(body: FileBody): boolean {
  if (typeof body === "string" && /^\uFEFF?#!/.test(body)) return true;
  // A short program may be valid UTF-8, and is then held as text.
  const byteAt = (at: number) => (typeof body === "string" ? body.charCodeAt(at) : body[at]);
  return MAGIC.some((bytes) => bytes.every((byte, at) => byteAt(at) === byte));
}

const MAX_CODE_CHARS = 400;
/** In a list, in a quotation, or indented, it is a fence to a person and a model all the same. */
const MARKERS = /^(?:[-*+]|\d{1,9}[.)])[ \t]+/;
const FENCE = /^(`{3,}|~{3,})[ \t]*\{?\.?([\w+#.-]{0,20})/;
/** A line of a shell in a fence of any language: after a prompt, or a word that starts a program. */
const SHELL_LINE =
  /^[ \t]*(?:[$>%][ \t]|(?:sudo[ \t]+)?(?:curl|wget|bash|sh|zsh|python3?|node|deno|bun|npx|npm|pnpm|yarn|pip3?|pipx|uvx?|cargo|brew|apt|apt-get|docker|kubectl|git|ssh|scp|rsync|nc|rm|chmod|eval|export|source|make)[ \t])/m;
/** The same in a line that is indented as code is. */
const INDENTED_LINE =
  /^(?: {4}|\t)[ \t]*((?:sudo[ \t]+)?(?:curl|wget|bash|sh|python3?|npx|npm|pip3?|uvx?|ssh|scp|nc|rm|eval)[ \t].*)/;
const RUN_LANGUAGES = new Set([
  ...[
    "sh",
    "bash",
    "shell",
    "zsh",
    "fish",
    "console",
    "terminal",
    "shell-session",
    "sh-session",
    "powershell",
    "pwsh",
    "ps1",
  ],
  ...[
    "bat",
    "batch",
    "cmd",
    "python",
    "python3",
    "py",
    "javascript",
    "js",
    "node",
    "typescript",
    "ts",
    "ruby",
    "rb",
    "perl",
    "php",
  ],
]);
/** The text of Claude Code that runs a command as the skill is loaded. It is never run here. */
const INLINE_RUN = /!`([^`\n]{1,400})`/g;

/** All code in fences of a shell or a scripting language, and what looks like a shell's in others or where it is indented. Not of scripts. */
export function findCommands(files: FileBodies): HubCommand[] {
  const texts = Object.keys(files)
    .filter((path) => !isRunByName(path))
    .sort();
  return texts.flatMap((path) => commandsIn(path, textOrEmpty(files[path])));
}

function commandsIn(path: string, text: string): HubCommand[] {
  const found: HubCommand[] = [];
  let open: { fence: string; language: string; line: number; code: string[] } | null = null;
  const close = () => {
    if (!open) return;
    const code = open.code.join("\n").trim();
    const runs = RUN_LANGUAGES.has(open.language) || SHELL_LINE.test(code);
    if (runs && code !== "") found.push(toCommand(path, open.line, open.language || "console", code));
    open = null;
  };
  for (const [n, line] of text.split("\n").entries()) {
    const bare = line
      .replace(/^[ \t>]+/, "")
      .replace(MARKERS, "")
      .trimEnd();
    const mark = FENCE.exec(bare);
    if (open) {
      const ends = mark?.[1]!.startsWith(open.fence) === true && bare === mark[1];
      if (ends) close();
      else open.code.push(line);
    } else if (mark) {
      open = { fence: mark[1]!, language: mark[2]!.toLowerCase(), line: n + 1, code: [] };
    } else {
      for (const [, code] of line.matchAll(INLINE_RUN)) found.push(toCommand(path, n + 1, "sh", code!));
      const indented = INDENTED_LINE.exec(line);
      if (indented) found.push(toCommand(path, n + 1, "console", indented[1]!));
    }
  }
  close();
  return found;
}

/** A longer code ends in its hash: what an update changes behind its beginning is another code. */
function toCommand(path: string, line: number, language: string, code: string): HubCommand {
  const isLong = code.length > MAX_CODE_CHARS;
  const shown = isLong ? `${code.slice(0, MAX_CODE_CHARS).toWellFormed()}… (${sha256Hex(code).slice(0, 16)})` : code;
  return { path, line, language, code: shown };
}
