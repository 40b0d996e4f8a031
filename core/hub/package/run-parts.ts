// Finds what a package runs: files that can be run, and pieces of code that its texts show. Pure; reads untrusted texts in linear time.
import type { HubCommand } from "../../schemas/hub/hub-api.ts";
import { type FileBodies, type FileBody, textOrEmpty } from "../../schemas/file-body.ts";

/** [hermes] The scripts that its guard knows, and what other systems start by name. */
const PROGRAM =
  /\.(?:sh|bash|zsh|fish|ksh|py|pyw|js|mjs|cjs|ts|mts|cts|tsx|jsx|rb|pl|pm|php|lua|tcl|r|go|rs|swift|java|jar|class|ps1|psm1|bat|cmd|vbs|wsf|scpt|applescript|exe|msi|com|dll|so|dylib|bin|run|app|apk|deb|rpm|wasm|o|out)$/i;
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

/** Sorted paths: by extension, by a shebang, by the bytes of a program, by a name that a build tool runs; and the skill's own checks. */
export function findScripts(files: FileBodies): string[] {
  return Object.entries(files)
    .filter(([path, body]) => PROGRAM.test(path) || CHECK.test(path) || BUILD_FILE.test(path) || isProgram(body))
    .map(([path]) => path)
    .sort();
}

function isProgram(body: FileBody): boolean {
  if (typeof body === "string" && /^\uFEFF?#!/.test(body)) return true;
  // A short program may be valid UTF-8, and is then held as text.
  const byteAt = (at: number) => (typeof body === "string" ? body.charCodeAt(at) : body[at]);
  return MAGIC.some((bytes) => bytes.every((byte, at) => byteAt(at) === byte));
}

const MAX_COMMANDS = 50;
const MAX_CODE_CHARS = 400;
/** Longer texts are not read to the end by a person either. */
const MAX_READ_CHARS = 256 << 10;
const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*([\w+#.-]{0,20})/;
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

/** Code in fences of a shell or a scripting language, and in fences without one that show a prompt (`$ ls`). */
export function findCommands(files: FileBodies): HubCommand[] {
  const texts = Object.keys(files)
    .filter((path) => /\.(?:md|markdown|mdx|txt)$/i.test(path))
    .sort();
  return texts.flatMap((path) => commandsIn(path, textOrEmpty(files[path]))).slice(0, MAX_COMMANDS);
}

function commandsIn(path: string, text: string): HubCommand[] {
  const found: HubCommand[] = [];
  let open: { fence: string; language: string; line: number; code: string[] } | null = null;
  const close = () => {
    if (!open) return;
    const code = open.code.join("\n").trim();
    const runs = RUN_LANGUAGES.has(open.language) || (open.language === "" && /^[$>%] /m.test(code));
    if (runs && code !== "") found.push(toCommand(path, open.line, open.language || "console", code));
    open = null;
  };
  for (const [n, line] of text.slice(0, MAX_READ_CHARS).split("\n").entries()) {
    const mark = FENCE.exec(line);
    if (open) {
      const ends = mark?.[1]!.startsWith(open.fence) === true && line.trim() === mark[1];
      if (ends) close();
      else open.code.push(line);
    } else if (mark) {
      open = { fence: mark[1]!, language: mark[2]!.toLowerCase(), line: n + 1, code: [] };
    } else {
      for (const [, code] of line.matchAll(INLINE_RUN)) found.push(toCommand(path, n + 1, "sh", code!));
    }
  }
  close();
  return found;
}

function toCommand(path: string, line: number, language: string, code: string): HubCommand {
  return { path, line, language, code: code.slice(0, MAX_CODE_CHARS).toWellFormed() };
}
