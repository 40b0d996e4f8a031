// Ctrl-Z: gives the terminal back to the shell and stops, until the shell's `fg` continues this program. Used by run-terminal.ts.
import type { Screen } from "../view/screen.ts";

/** A program without a shell that could continue it is not stopped by the signal: after this time it goes on by itself. */
const REFUSED_MS = 200;
/** The launcher and npm, which wait for this program, stop with it. */
const OWN_GROUP = 0;

/** `send`: sends a signal to a group of processes. */
export function suspend(
  screen: Pick<Screen, "pause" | "start">,
  send: (group: number, signal: string) => unknown = process.kill.bind(process),
): void {
  if (process.platform === "win32") return;
  screen.pause();
  const goOn = () => {
    clearTimeout(timer);
    process.off("SIGCONT", goOn);
    screen.start();
  };
  process.on("SIGCONT", goOn);
  const timer = setTimeout(goOn, REFUSED_MS);
  send(OWN_GROUP, "SIGTSTP");
}
