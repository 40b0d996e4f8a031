// Files of a real machine that a write asks about first, after hermes-agent's list: they decide who may enter the machine, what runs
// by itself, or what instructs an agent. Used by the gates of write_file and patch. Pure.
import type { CallGate } from "../../agent/contract.ts";

interface Rule {
  /** Matched against each path in lower case, with a slash before it. */
  pattern: RegExp;
  why: string;
}

const RULES: Rule[] = [
  { pattern: /\/\.ssh\//, why: "It decides who may enter this machine, or others, by SSH." },
  {
    pattern:
      /\/\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|kshrc|cshrc|inputrc)$/,
    why: "Every new shell runs it.",
  },
  { pattern: /\/\.config\/(?:fish|autostart|systemd)\//, why: "It runs by itself." },
  {
    pattern:
      /\/(?:\.netrc|\.pgpass|\.npmrc|\.yarnrc|\.yarnrc\.yml|\.pypirc|\.git-credentials|\.htpasswd|id_(?:rsa|dsa|ecdsa|ed25519)|credentials|credentials\.json)$/,
    why: "It holds credentials, or says where they are sent.",
  },
  {
    pattern: /\/\.(?:aws|azure|gnupg|kube|docker|config\/gcloud)\//,
    why: "It holds credentials, or says where they are sent.",
  },
  { pattern: /\/\.env(?:rc|\.[^/]{1,100})?$/, why: "It holds the project's settings and secrets." },
  { pattern: /\/\.git\//, why: "It is Git's own: its hooks and settings run commands." },
  { pattern: /\/\.(?:gitconfig|gitmodules|husky\/[^/]{1,200})$/, why: "It makes Git run commands." },
  {
    pattern: /\/(?:\.github\/workflows|\.circleci|\.vscode|\.idea|\.devcontainer)\//,
    why: "It makes other programs run commands.",
  },
  { pattern: /\/\.gitlab-ci\.yml$/, why: "It makes other programs run commands." },
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

/** `null`: anybody may write it. */
export function whyProtected(path: string): string | null {
  const normal = `/${path
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .join("/")
    .toLowerCase()}`;
  return RULES.find(({ pattern }) => pattern.test(normal))?.why ?? null;
}
