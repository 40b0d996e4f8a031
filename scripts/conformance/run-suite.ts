// Runs the official conformance suite against a URL, and reads what it found. Prints nothing.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import * as z from "zod";
import { whyNotClaimed } from "./claims.ts";

export interface Suite {
  /** The folder of its package under node_modules. */
  package: string;
  /** Further flags of its command `server`. */
  flags: string[];
}

const NEXT = "mcp-conformance-next";

/** The released suite, which tests the protocols of 2025, and the next one, which tests that of 2026-07-28 and the extension of skills. */
export const SUITES: Suite[] = [
  { package: "@modelcontextprotocol/conformance", flags: ["--suite", "all"] },
  { package: NEXT, flags: ["--suite", "all", "--spec-version", "2026-07-28"] },
  { package: NEXT, flags: ["--scenario", "sep-2640-skills-enumeration"] },
  { package: NEXT, flags: ["--scenario", "sep-2640-skills-manifest"] },
  { package: NEXT, flags: ["--scenario", "sep-2640-skills-directory"] },
];

export interface ScenarioResult {
  scenario: string;
  outcome: "passed" | "failed" | "skipped";
  /** Checks that succeeded. */
  checks: number;
  /** Why it is not claimed, or what failed. */
  reasons: string[];
}

const Checks = z.array(z.object({ id: z.string(), status: z.string(), errorMessage: z.string().optional() }));
type Checks = z.infer<typeof Checks>;

/** Every scenario of the suite. Throws if the suite itself failed to run. */
export async function runSuite({ package: name, flags }: Suite, url: string): Promise<ScenarioResult[]> {
  const folder = mkdtempSync(join(tmpdir(), "talaria-conformance-"));
  try {
    const program = resolve(import.meta.dirname, "../../node_modules", name, "dist/index.js");
    const said = await run(process.execPath, [program, "server", "--url", url, ...flags, "-o", folder]);
    const results = readdirSync(folder).flatMap((entry) => {
      const [, scenario] = /^server-(.+?)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(entry) ?? [];
      if (scenario === undefined) return [];
      return judge(scenario, Checks.parse(JSON.parse(readFileSync(join(folder, entry, "checks.json"), "utf8"))));
    });
    if (results.length === 0) throw new Error(`${name} ran no scenario:\n${said.slice(-2_000)}`);
    return results.toSorted((a, b) => (a.scenario < b.scenario ? -1 : 1));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function judge(scenario: string, checks: Checks): ScenarioResult {
  const succeeded = checks.filter(({ status }) => status === "SUCCESS").length;
  const reason = whyNotClaimed(scenario);
  if (reason !== null) return { scenario, outcome: "skipped", checks: succeeded, reasons: [reason] };
  const failed = checks.filter(
    ({ id, status }) => (status === "FAILURE" || status === "WARNING") && whyNotClaimed(scenario, id) === null,
  );
  if (failed.length > 0) {
    const reasons = failed.map(({ id, errorMessage = "" }) => `${id}: ${errorMessage}`);
    return { scenario, outcome: "failed", checks: succeeded, reasons };
  }
  return succeeded > 0
    ? { scenario, outcome: "passed", checks: succeeded, reasons: [] }
    : { scenario, outcome: "failed", checks: 0, reasons: ["no check succeeded"] };
}

/** The suite ends with 1 when a scenario fails, which is judged here. */
function run(program: string, args: string[]): Promise<string> {
  return new Promise((done, fail) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece: Buffer) => (said += piece.toString()));
    child.once("error", fail);
    child.once("close", () => done(said));
  });
}
