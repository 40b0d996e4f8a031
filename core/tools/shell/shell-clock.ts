// The commands of the shell that read the clock: they read that of the session, which is another time when an earlier turn is run again.
// Used by shell-commands.ts.
import { type CustomCommand, defineCommand } from "just-bash/browser";
import type { Clock } from "../../ports.ts";

const DAY_MS = 86_400_000;
/** Words of `date -d` that mean another time each time, and how far that is from now. */
const RELATIVE: Partial<Record<string, number>> = { now: 0, today: 0, yesterday: -DAY_MS, tomorrow: DAY_MS };

export function createClockCommands(clock: Pick<Clock, "now">): CustomCommand[] {
  return [
    wrap("date", (args) => ["-d", toSeconds(clock.now()), ...withoutRelativeDates(args, clock.now())]),
    wrap("touch", (args) => ["-d", new Date(clock.now()).toISOString(), ...args]),
  ];
}

/** Of several options `-d`, both commands take the last. */
function wrap(name: string, toArgs: (args: string[]) => string[]): CustomCommand {
  return defineCommand(name, async (args, context) => {
    if (!context.origCommand) throw new Error(`just-bash gave no original ${name} to wrap`);
    return context.origCommand(args.includes("--help") ? args : toArgs(args));
  });
}

function toSeconds(ms: number): string {
  return `@${Math.floor(ms / 1_000)}`;
}

function withoutRelativeDates(args: string[], now: number): string[] {
  const resolve = (words: string): string => {
    const offset = RELATIVE[words.trim().toLowerCase()];
    return offset === undefined ? words : toSeconds(now + offset);
  };
  return args.map((arg, i) => {
    if (arg.startsWith("--date=")) return `--date=${resolve(arg.slice("--date=".length))}`;
    return ["-d", "--date"].includes(args[i - 1] ?? "") ? resolve(arg) : arg;
  });
}
