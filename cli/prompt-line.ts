// The prompt of a terminal, so that output never mixes with a line that is being typed. Used by converse.ts. A pipe has no
// prompt: there only the writing happens.
import type { Interface } from "node:readline";

const ERASE_LINE = "\r\x1b[2K";

export type PromptLine = ReturnType<typeof createPromptLine>;

export function createPromptLine(lines: Interface, terminal: boolean) {
  let isShown = false;

  function erase(): void {
    if (isShown) process.stdout.write(ERASE_LINE);
  }

  return {
    show(): void {
      isShown = terminal;
      if (isShown) lines.prompt();
    },
    hide(): void {
      erase();
      isShown = false;
    },
    /** The line was sent, so the cursor is below the prompt and nothing needs to be erased. */
    leave(): void {
      isShown = false;
    },
    /** Clears the prompt, writes, and restores the prompt with the typed text. */
    aside(write: () => void): void {
      erase();
      write();
      if (isShown) lines.prompt(true);
    },
  };
}
