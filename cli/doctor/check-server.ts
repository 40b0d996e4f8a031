// The part of `talaria doctor` that asks the server: whether it answers, its version and clock, and its own check-up. Called by the verb.
import { DoctorReport, type DoctorLine } from "../../core/schemas/doctor.ts";
import { type Client, ProblemError, UnreachableError } from "../connection/client.ts";
import { checkPort } from "./local-checks.ts";

/** The checks of the server end within 30 seconds; its keys may be busy before that. */
const REPORT_MS = 90_000;
const MAX_SKEW_MS = 5_000;

export interface ServerOptions {
  client: Client;
  url: string;
  /** Of this program. */
  version: string;
  now(): number;
}

export interface ServerPart {
  lines: DoctorLine[];
  spent?: DoctorReport["spent"];
}

export async function checkServer({ client, url, version, now }: ServerOptions): Promise<ServerPart> {
  const check = "server";
  let health: Awaited<ReturnType<Client["health"]>>;
  try {
    health = await client.health();
  } catch (error) {
    if (!(error instanceof UnreachableError || error instanceof ProblemError)) throw error;
    const fix = "Start it with `npm start`, or correct TALARIA_URL or --url.";
    return { lines: [{ check, state: "fail", found: error.message, fix }, await checkPort(url)] };
  }
  const lines: DoctorLine[] = [
    { check, state: "ok", found: `${url}, version ${health.version}, model ${health.model}` },
  ];
  if (health.version !== version) {
    const found = `this program is ${version}, the server is ${health.version}`;
    lines.push({ check: "versions", state: "warn", found, fix: "Use the program of the version that is deployed." });
  }
  const began = now();
  try {
    const report = await client.call(DoctorReport, "POST /v1/doctor", { signal: AbortSignal.timeout(REPORT_MS) });
    return { lines: [...lines, compareClocks(report, began, now()), ...report.lines], spent: report.spent };
  } catch (error) {
    lines.push(describeRefusal(error));
    return { lines };
  }
}

/** `at` is from the end of the request: the answer's way is all that is unknown. */
function compareClocks({ at, ms }: DoctorReport, began: number, ended: number): DoctorLine {
  const skew = at < began + ms ? began + ms - at : Math.max(0, at - ended);
  const found = skew < 1_000 ? "the same as the server's" : `${Math.round(skew / 1_000)} s away from the server's`;
  if (skew <= MAX_SKEW_MS) return { check: "clock", state: "ok", found };
  return { check: "clock", state: "warn", found, fix: "Set this machine's clock, such as with NTP." };
}

const FIXES: Record<string, string> = {
  key_unknown: "Use a valid key: `npm start` writes one to .talaria/local.json.",
  operator_token_unknown:
    "Check the key in --key, TALARIA_KEY or .talaria/local.json: it is neither a key of a profile nor the operator's token.",
  scope_missing: "Use a key with the scope `admin`, or the operator's token with --key.",
  route_not_found: "Deploy this version of Talaria: the server is older and has no check-up.",
  bad_settings: "Correct TALARIA_SETTINGS as the sentence says, then start or deploy again.",
  doctor_busy: "Wait for the other check-up to end, then try again.",
};

function describeRefusal(error: unknown): DoctorLine {
  const check = "check-up of the server";
  if (!(error instanceof ProblemError)) {
    const found = error instanceof Error ? error.message : String(error);
    return {
      check,
      state: "fail",
      found,
      fix: "Look at the Workers' log: stack.log in the state folder, or `wrangler tail`.",
    };
  }
  const fix = FIXES[error.problem.code] ?? "Do what the sentence says, then check again.";
  return { check, state: "fail", found: error.message, fix };
}
