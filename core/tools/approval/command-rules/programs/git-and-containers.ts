// The dangerous commands of git and of container programs. Used by dangerous.ts. Pure.
import { hasAny, hasFlag, operandsOf } from "../arguments.ts";
import { type DangerousRule, when } from "../sentences.ts";

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

export function judgeContainers(args: string[]): DangerousRule | null {
  if (args.some((arg) => /^(?:-H|--host|--context)(?:=|$)/.test(arg))) return "container-remote";
  const verbs = operandsOf(args);
  const [verb = "", second = ""] = verbs;
  const isRun = verb === "run" || verb === "create" || second === "run";
  if (isRun) {
    const isOpen = args.some((arg, at) => {
      if (/^--(?:privileged|cap-add|device|pid=host|net(?:work)?=host|ipc=host|userns=host)/.test(arg)) return true;
      const mount = /^(?:-v|--volume|--mount)$/.test(args[at - 1] ?? "")
        ? arg
        : (/^(?:-v|--volume=|--mount=)(.+)/.exec(arg)?.[1] ?? "");
      return /^(?:\/(?::|etc|root|home|var\/run|proc|sys|dev)|~)|source=\/(?:,|$|etc|root|var\/run)|docker\.sock/.test(
        mount,
      );
    });
    return when(isOpen, "container-escape");
  }
  if (/^(?:rm|rmi|stop|kill|restart|pause|swarm)$/.test(verb)) return "container-lifecycle";
  return when(/^(?:rm|prune|down|stop|kill|restart|remove)$/.test(second), "container-lifecycle");
}
