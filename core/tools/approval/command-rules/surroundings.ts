// What surrounds a program in a command: wrappers, variables, the statements that it sends to a database. Used by judge-command.ts.
// Pure.
import { basenameOf, hasAny, hasFlag } from "./arguments.ts";
import { findInSql, isDatabaseClient } from "./code-rules.ts";
import type { DangerousRule } from "./sentences.ts";
import type { SimpleCommand } from "./simple-commands.ts";
import { SHELLS, type unwrap } from "./unwrap.ts";

type Wrappers = ReturnType<typeof unwrap>["wrappers"];

export function findWrapped(wrappers: Wrappers, words: string[]): DangerousRule[] {
  const found: DangerousRule[] = [];
  const name = basenameOf(words[0] ?? "");
  for (const { name: wrapper, options } of wrappers) {
    if (wrapper === "sudo" || wrapper === "doas") {
      const opensShell =
        hasFlag(options, "s") ||
        hasFlag(options, "i") ||
        hasAny(options, "--shell", "--login") ||
        SHELLS.has(name) ||
        name === "su";
      if (opensShell || hasFlag(options, "S") || hasFlag(options, "A") || hasAny(options, "--stdin", "--askpass"))
        found.push("sudo-unsafe");
      if (name === "rm" || name === "dd") found.push("delete-forced");
    }
    if ((wrapper === "xargs" || wrapper === "parallel") && (name === "rm" || name === "unlink" || name === "shred"))
      found.push("delete-many");
    // The script is one of the words from the input.
    if (wrapper === "xargs" && SHELLS.has(name) && /^-[a-z]*c$/.test(words.at(-1) ?? "")) found.push("unknown-code");
    if (wrapper === "exec" && words.length === 0) continue;
  }
  return found;
}

/** `env -S 'rm -rf x'` splits one argument into words. */
export function wrapperScripts(wrappers: Wrappers): string[] {
  return wrappers.flatMap(({ name, options }) =>
    name === "env"
      ? options.flatMap((option, at) => (/^-S$|^--split-string$/.test(option) ? options.slice(at + 1, at + 2) : []))
      : [],
  );
}

export function findInEnvironment({ words, variables }: SimpleCommand): DangerousRule[] {
  const [program = "", ...args] = words;
  const set = program === "export" || program === "declare" || program === "env" ? [...variables, ...args] : variables;
  return set.flatMap((assignment): DangerousRule[] => {
    const [name = "", value = ""] = assignment.split("=", 2);
    if (
      /^(?:LD_(?:PRELOAD|LIBRARY_PATH|AUDIT)|DYLD_\w+|BASH_ENV|ENV|PROMPT_COMMAND|GIT_SSH_COMMAND|GIT_EXTERNAL_DIFF)$/.test(
        name,
      )
    )
      return ["inject-library"];
    if (name === "PATH" && program !== "export" && /^(?:\.|\/tmp|\/var\/tmp|\/dev\/shm)/.test(value))
      return ["inject-library"];
    if (name === "DOCKER_HOST") return ["container-remote"];
    return /^HIST(?:FILE|SIZE|CONTROL)$/.test(name) && /^(?:|0|\/dev\/null)$/.test(value) ? ["hide-history"] : [];
  });
}

export function findSql({ words, input }: SimpleCommand): (DangerousRule | null)[] {
  if (!isDatabaseClient(words[0] ?? "")) return [];
  return [...words.slice(1), ...(input === null ? [] : [input])].map(findInSql);
}
