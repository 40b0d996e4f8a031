// Judges a shell command before it runs on a real machine: may it run, must a person be asked, or is it refused whatever the
// settings say. Called by the gates of tools (command-gate.ts). Pure: no I/O, no clock.

/** A rule that a command met. */
export interface CommandFinding {
  /** Stable, such as `recursive-delete`. */
  rule: string;
  /** For a person: what the command would do. One sentence. */
  sentence: string;
}

/** `refuse`: the hardline floor, which no setting and no person lifts. */
export type CommandVerdict =
  | { verdict: "run" }
  | { verdict: "ask"; findings: CommandFinding[] }
  | { verdict: "refuse"; finding: CommandFinding };

/** `stdin`: what the command reads as its input; a shell or an interpreter would run it. */
export function judgeCommand(command: string, _stdin = ""): CommandVerdict {
  if (/\brm\s+(?:-\w+\s+)+\/(?:\s|$)/.test(command)) {
    return {
      verdict: "refuse",
      finding: { rule: "delete-root", sentence: "It deletes the root of the file system." },
    };
  }
  if (/\brm\s+-\w*[rf]/.test(command)) {
    return {
      verdict: "ask",
      findings: [{ rule: "recursive-delete", sentence: "It deletes files without asking." }],
    };
  }
  return { verdict: "run" };
}
