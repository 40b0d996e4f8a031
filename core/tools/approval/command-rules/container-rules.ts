// The dangerous commands of container programs. Used by dangerous.ts. Pure.
import { operandsOf } from "./arguments.ts";
import { type DangerousRule, when } from "./sentences.ts";

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
