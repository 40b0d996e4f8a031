// The exit codes of `talaria`: one table, from which the program, `--help` and docs/GUIDE.md take them.

export const EXIT = {
  answered: 0,
  failed: 1,
  usage: 2,
  refused: 3,
  unreachable: 4,
  waits: 5,
  newer: 10,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_MEANINGS: Record<keyof typeof EXIT, string> = {
  answered: "answered, or done",
  failed: "the turn failed or was stopped, the server failed, a check found a fault, or a tried skill does not help",
  usage: "the command line is wrong, or a file of yours cannot be read",
  refused: "the server refused the request",
  unreachable: "the server does not answer",
  waits: "the turn waits for a person's answer",
  newer: "`update --check`: there is a newer version",
  interrupted: "interrupted by Ctrl-C",
};
