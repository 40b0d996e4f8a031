// `talaria completion`: a script for the shell, made from the table of verbs and flags.
import { CHAT_FLAGS, COMMON_FLAGS } from "../command-line/flags.ts";
import type { Flags, Verb } from "../command-line/verb.ts";
import { UsageError } from "../connection/connection.ts";

export const completion: Verb = {
  name: "completion",
  help: "write the completion script of a shell",
  actions: [
    {
      name: null,
      words: "SHELL",
      help: 'bash or zsh; for bash: eval "$(talaria completion bash)"',
      run({ words: [shell = ""], output, verbs }) {
        if (shell !== "bash" && shell !== "zsh")
          throw new UsageError(`completion takes bash or zsh, not ${JSON.stringify(shell)}.`);
        output.text(
          shell === "bash" ? renderBash(verbs) : `autoload -U +X bashcompinit && bashcompinit\n${renderBash(verbs)}`,
        );
        return Promise.resolve();
      },
    },
  ],
};

function renderBash(verbs: readonly Verb[]): string {
  const cases = verbs.map((verb) => {
    const names = verb.actions.flatMap(({ name }) => name ?? []);
    const flags = Object.assign({}, COMMON_FLAGS, ...verb.actions.map((action) => action.flags ?? {})) as Flags;
    return `    ${verb.name}) words="${[...names, ...listFlags(flags)].join(" ")}" ;;`;
  });
  const first = [...verbs.map(({ name }) => name), ...listFlags({ ...CHAT_FLAGS, ...COMMON_FLAGS })];
  return `_talaria() {
  local words
  case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
    *) words="${first.join(" ")}" ;;
  esac
  [ "$COMP_CWORD" -eq 1 ] && words="${first.join(" ")}"
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _talaria talaria
`;
}

function listFlags(flags: Flags): string[] {
  return Object.keys(flags).map((name) => `--${name}`);
}
