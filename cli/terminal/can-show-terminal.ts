// Decides between the interactive terminal and the plain conversation. Called by the command line before it loads the terminal.

/** Whether the interactive terminal can be shown; else the plain conversation is. */
export function canShowTerminal(
  stdin: { isTTY?: boolean },
  stdout: { isTTY?: boolean },
  env: Record<string, string | undefined>,
): boolean {
  return Boolean(stdin.isTTY && stdout.isTTY) && env.TERM !== "dumb" && env.TERM !== undefined;
}
