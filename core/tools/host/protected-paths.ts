// Files of a real machine that a write asks about first: those that the rules for commands protect, and those that make other programs
// run commands or instruct other agents. Used by the gates of write_file and patch. Pure.
import type { CallGate } from "../../agent/contract.ts";
import { findProtectedWrite } from "../approval/command-rules/file-rules.ts";
import { SENTENCES } from "../approval/command-rules/sentences.ts";

/** Matched against the path in lower case, with a slash before it. */
const MORE_RULES: { pattern: RegExp; why: string }[] = [
  { pattern: /\/\.(?:aws|azure|gnupg|kube|docker)\//, why: "It changes credentials, or where they are sent." },
  {
    pattern: /\/(?:\.yarnrc|\.yarnrc\.yml|\.htpasswd|credentials|credentials\.json)$/,
    why: SENTENCES["write-credentials"],
  },
  { pattern: /\/\.env(?:rc|\.[^/]{1,100})$/, why: SENTENCES["write-secrets"] },
  { pattern: /\/\.git\//, why: "It changes Git's own files, which can run commands." },
  { pattern: /\/\.(?:gitconfig|gitmodules|husky\/[^/]{1,200})$/, why: "It makes Git run commands." },
  {
    pattern: /\/(?:\.github\/workflows|\.circleci|\.vscode|\.idea|\.devcontainer)\/|\/\.gitlab-ci\.yml$/,
    why: "It makes other programs run commands.",
  },
  {
    pattern:
      /\/(?:agents|claude|gemini|soul|talaria|\.talaria|\.hermes)\.md$|\/\.(?:cursorrules|windsurfrules|clinerules)$|\/\.(?:cursor|claude|talaria)\//,
    why: "It instructs agents that work here.",
  },
];

/** `paths`: as the call names them. The host refuses to write through links, so their words are what is written. */
export function gateWrites(what: string, paths: string[]): CallGate {
  const reasons = paths.flatMap((path) => {
    const why = whyProtected(path);
    return why === null ? [] : [`'${path}': ${why}`];
  });
  if (reasons.length === 0) return { verdict: "run" };
  return { verdict: "ask", summary: `${what} ${paths.join(", ")}`, reasons };
}

/** `null`: an ordinary file. */
export function whyProtected(path: string): string | null {
  const normal = path
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .join("/");
  const rule = findProtectedWrite(path.startsWith("/") ? `/${normal}` : normal);
  if (rule) return SENTENCES[rule];
  return MORE_RULES.find(({ pattern }) => pattern.test(`/${normal.toLowerCase()}`))?.why ?? null;
}
