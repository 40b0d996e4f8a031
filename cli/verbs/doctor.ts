// `talaria doctor`: checks this machine and the server, each line with what was found and how to fix it.
import type { DoctorLine } from "../../core/schemas/doctor.ts";
import { EXIT } from "../command-line/exit-codes.ts";
import type { Verb } from "../command-line/verb.ts";
import { UsageError } from "../connection/connection.ts";
import { type ServerPart, checkServer } from "../doctor/check-server.ts";
import { checkLocal, checkPort } from "../doctor/local-checks.ts";
import { count } from "../show.ts";

const MARKS = { ok: "✓", warn: "!", fail: "✗" } as const;

export const doctor: Verb = {
  name: "doctor",
  help: "check this machine and the server, and say how to fix what is wrong",
  actions: [
    {
      name: null,
      help: "tries every part once; exit code 0 only if all is well",
      flags: { local: { type: "boolean", help: "this machine only: asks no server and costs nothing" } },
      async run({ flags, json, output, client, connection, home, accessFile, version }) {
        const local = checkLocal({ home, accessFile, nodeVersion: process.version });
        const server = flags.local === true ? { lines: [] } : await askServer();
        const lines = [...local, ...server.lines];
        const isWell = lines.every(({ state }) => state === "ok");
        if (json) output.json({ ok: isWell, lines, ...(server.spent && { spent: server.spent }) });
        else {
          output.text(lines.map(renderLine).join("\n"));
          output.note(summarise(lines, server));
        }
        return isWell ? EXIT.answered : EXIT.failed;

        async function askServer(): Promise<ServerPart> {
          try {
            return await checkServer({ client: client(), url: connection().url, version, now: Date.now });
          } catch (error) {
            if (!(error instanceof UsageError)) throw error;
            const [found = "", fix = "Set TALARIA_URL and TALARIA_KEY."] = error.message.split(/(?<=\.) /);
            return { lines: [{ check: "server", state: "fail", found, fix }, await checkPort(null)] };
          }
        }
      },
    },
  ],
};

function renderLine({ check, state, found, fix }: DoctorLine): string {
  return `${MARKS[state]} ${check}: ${found}${fix === undefined ? "" : `\n    ${fix}`}`;
}

function summarise(lines: DoctorLine[], { spent }: ServerPart): string {
  const of = (state: DoctorLine["state"]) => lines.filter((line) => line.state === state).length;
  const cost = spent
    ? ` It used ${count(spent.modelCalls, "model call")}, ${count(spent.tokens, "token")}, $${spent.usd.toFixed(4)}.`
    : "";
  if (of("fail") + of("warn") === 0) return `All is well.${cost}`;
  return `${of("fail")} failed, ${count(of("warn"), "warning")}.${cost}`;
}
