// `talaria update`: the same as `npm run update`, from anywhere. The program in a checkout updates that checkout; an installed copy says how.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { EXIT, type ExitCode } from "../command-line/exit-codes.ts";
import { type Verb, textFlag } from "../command-line/verb.ts";

export const update: Verb = {
  name: "update",
  help: "put the newest version in place, after a trial on a copy of the state",
  actions: [
    {
      name: null,
      help: "updates the checkout that this program is in; stop Talaria first. A failed or interrupted update changes nothing",
      flags: {
        check: { type: "boolean", help: "only tell what is new" },
        to: { type: "string", value: "REF", help: "a branch, a tag or a commit" },
        back: { type: "boolean", help: "put back the version before the last update" },
        yes: { type: "boolean", help: "ask nothing" },
      },
      async run({ flags, home, output }) {
        const root = dirname(home);
        if (!existsSync(join(root, ".git"))) {
          output.note(
            `${root} is not a git checkout. Clone the repository, stop Talaria, copy ${home} into the clone, and use the program there.`,
          );
          return EXIT.failed;
        }
        const to = textFlag(flags, "to");
        const switches = ["check", "back", "yes"].filter((name) => flags[name] === true).map((name) => `--${name}`);
        return runUpdate(root, [...switches, ...(to === undefined ? [] : ["--to", to])]);
      },
    },
  ],
};

function runUpdate(root: string, flags: string[]): Promise<ExitCode> {
  const script = [join(root, "scripts/run.mjs"), "scripts/update.ts", ...flags];
  const child = spawn(process.execPath, script, { cwd: root, stdio: "inherit" });
  // The update decides what a signal means. A terminal sends it to both.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
  return new Promise((done, fail) => {
    child.once("error", fail);
    child.once("close", (code) => {
      const known = Object.values(EXIT).find((one) => one === code);
      done(known ?? EXIT.failed);
    });
  });
}
