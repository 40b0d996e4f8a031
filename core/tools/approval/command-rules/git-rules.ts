// The dangerous commands of git. Used by dangerous.ts. Pure.
import { hasAny, hasFlag, operandsOf } from "./arguments.ts";
import { type DangerousRule, when } from "./sentences.ts";

/** Options of git before its subcommand that take a value. */
const GIT_VALUED = new Set(["-C", "-c", "--git-dir", "--work-tree", "--namespace"]);

export function judgeGit(all: string[]): DangerousRule | null {
  let at = 0;
  while (at < all.length && all[at]!.startsWith("-")) at += GIT_VALUED.has(all[at]!) ? 2 : 1;
  const [verb = "", ...args] = all.slice(at);
  if (all.slice(0, at).some((arg) => /^alias\.|hooksPath|sshCommand|core\.editor|pager=/i.test(arg)))
    return "git-config";
  const operands = operandsOf(args);
  switch (verb) {
    case "reset":
      return when(hasAny(args, "--hard", "--merge"), "git-discard");
    case "clean":
      return when((hasFlag(args, "f") || hasAny(args, "--force")) && !hasFlag(args, "n"), "git-discard");
    case "branch":
      return when(
        hasFlag(args, "D") ||
          ((hasFlag(args, "d") || hasAny(args, "--delete")) && (hasFlag(args, "f") || hasAny(args, "--force"))),
        "git-discard",
      );
    case "submodule":
      return when(args[0] === "deinit" && (hasFlag(args, "f") || hasAny(args, "--force")), "git-discard");
    case "checkout":
      return when(
        args.includes("--") || operands.includes(".") || hasFlag(args, "f") || hasAny(args, "--force"),
        "git-discard",
      );
    case "switch":
      return when(hasFlag(args, "f") || hasAny(args, "--discard-changes", "--force"), "git-discard");
    case "restore":
      return when(!hasFlag(args, "S") && !hasAny(args, "--staged"), "git-discard");
    case "stash":
      return when(/^(?:drop|clear)$/.test(args[0] ?? ""), "git-discard");
    case "rm":
      return when(!hasAny(args, "--cached") && (hasFlag(args, "f") || hasFlag(args, "r")), "git-discard");
    case "filter-branch":
    case "filter-repo":
      return "git-discard";
    case "reflog":
      return when(/^(?:expire|delete)$/.test(args[0] ?? ""), "git-discard");
    case "gc":
      return when(
        args.some((arg) => arg.startsWith("--prune")),
        "git-discard",
      );
    case "update-ref":
      return when(hasFlag(args, "d"), "git-discard");
    case "worktree":
      return when(args[0] === "remove" && hasFlag(args, "f"), "git-discard");
    case "push": {
      const isForced =
        hasFlag(args, "f") || hasFlag(args, "d") || args.some((arg) => /^--(?:force|delete|mirror|prune)/.test(arg));
      return when(isForced || operands.slice(1).some((arg) => /^[+:]/.test(arg)), "git-force");
    }
    case "config": {
      const isWrite = operands.length > 1 || hasAny(args, "--unset", "--unset-all", "--remove-section");
      return when(
        isWrite && (hasAny(args, "--global", "--system") || args.some((arg) => /^alias\.|hooksPath/i.test(arg))),
        "git-config",
      );
    }
    default:
      return null;
  }
}
