// Files of a real machine that a write asks about first: those that the rules for commands protect, and those that make other programs
// run commands or instruct other agents. Used by the gates of write_file and patch. Pure.
import type { CallGate } from "../../agent/contract.ts";
import { findProtectedWrite } from "../approval/command-rules/file-rules.ts";
import { SENTENCES } from "../approval/command-rules/sentences.ts";

const OTHERS_RUN = "It makes other programs run commands.";
const INSTRUCTS = "It instructs agents that work here.";

/** Matched against the path in lower case, with a slash before it. */
const MORE_RULES: { pattern: RegExp; why: string }[] = [
  { pattern: /\/\.(?:aws|azure|gnupg|kube|docker)\//, why: "It changes credentials, or where they are sent." },
  {
    pattern: /\/(?:\.yarnrc|\.yarnrc\.yml|\.htpasswd|credentials|credentials\.json)$/,
    why: SENTENCES["write-credentials"],
  },
  { pattern: /\/\.env(?:rc|\.[^/]{1,100})$/, why: SENTENCES["write-secrets"] },
  // Also a file `.git`, which names the folder of a repository elsewhere.
  { pattern: /\/\.git(?:\/|$)/, why: "It changes Git's own files, which can run commands." },
  {
    pattern: /\/(?:\.gitconfig|\.gitmodules|\.pre-commit-config\.ya?ml|\.?lefthook\.ya?ml)$|\/\.(?:husky|githooks)\//,
    why: "It makes Git run commands.",
  },
  {
    pattern:
      /\/(?:\.(?:github|gitea|forgejo)\/(?:workflows|actions)|\.circleci|\.buildkite|\.woodpecker|\.vscode|\.idea|\.zed|\.devcontainer)\//,
    why: OTHERS_RUN,
  },
  {
    pattern:
      /\/(?:\.(?:gitlab-ci|travis|drone|woodpecker|appveyor)\.ya?ml|(?:azure|bitbucket)-pipelines\.ya?ml|appveyor\.ya?ml|jenkinsfile)$/,
    why: OTHERS_RUN,
  },
  {
    pattern:
      /\/(?:sitecustomize\.py|usercustomize\.py|[^/]{1,255}\.pth|\.cargo\/config(?:\.toml)?|\.rprofile|\.(?:gdb|lldb)init|\.(?:n?vim|ex)rc|\.dir-locals\.el|\.?mise\.toml|\.tmux\.conf)$/,
    why: OTHERS_RUN,
  },
  {
    pattern:
      /\/(?:agents|agents\.override|claude|claude\.local|gemini|soul|talaria|\.talaria|\.hermes|copilot-instructions)\.md$/,
    why: INSTRUCTS,
  },
  {
    pattern:
      /\/\.(?:cursorrules|windsurfrules|clinerules|mcp\.json|aider\.conf\.ya?ml)$|\/opencode\.jsonc?$|\/\.(?:cursor|claude|talaria|hermes|codex|gemini|agents|windsurf|clinerules|roo|kiro|continue|opencode|github\/instructions)\//,
    why: INSTRUCTS,
  },
];

/** `paths`: as the call names them. The host refuses to write through links, so their words are what is written. */
export function gateWrites(what: string, paths: string[]): CallGate {
  const guarded = paths.flatMap((path) => {
    const why = whyProtected(path);
    return why === null ? [] : [{ path, why }];
  });
  if (guarded.length === 0) return { verdict: "run" };
  // The model chose the paths, so they belong to the summary: the approval model trusts the reasons.
  const which = paths.length === 1 ? [] : guarded.map(({ path, why }) => `${path}: ${why}`);
  const summary = [`${what} ${paths.join(", ")}`, ...which].join("\n");
  return { verdict: "ask", summary, reasons: [...new Set(guarded.map(({ why }) => why))] };
}

/** `null`: an ordinary file. */
export function whyProtected(path: string): string | null {
  const normal = path
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .join("/");
  const named = path.startsWith("/") ? `/${normal}` : normal;
  // Some file systems do not distinguish `.SSH` from `.ssh`.
  const rule = findProtectedWrite(named) ?? findProtectedWrite(named.toLowerCase());
  if (rule) return SENTENCES[rule];
  return MORE_RULES.find(({ pattern }) => pattern.test(`/${normal.toLowerCase()}`))?.why ?? null;
}
