// `npm run bench:limits [-- --only TEXT]`: runs each tool and command on the largest input that it accepts. Each case has its own
// process, which limits heap and buffers together to an isolate's 128 MB. Method: bench/README.md.
import { execFile } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEFAULTS } from "../core/limits.ts";
import { createWorkspace, migrateWorkspace } from "../core/workspace/workspace.ts";
import { chosenBy, readFlags, parseWholeNumber } from "../scripts/command-line.ts";
import { CASES } from "./limits/cases.ts";
import { FIXTURES, type FixtureName } from "./limits/fixtures.ts";
import type { HeldMemory } from "./limits/hold.ts";
import { toSql } from "./limits/sql.ts";

const USAGE = `Usage: npm run bench:limits [-- --only TEXT --mib N]

  --only TEXT  only cases whose name contains TEXT
  --mib N      the memory limit in MiB (default 128, an isolate's)
  -h, --help   this text; the method is in bench/README.md`;

const values = readFlags(USAGE, { only: { type: "string" }, mib: { type: "string", default: "128" } });
const mib = parseWholeNumber(USAGE, "--mib", values.mib, 1);
const cases = chosenBy(USAGE, values.only, CASES);
const folder = mkdtempSync(join(tmpdir(), "talaria-limits-"));
const failed: string[] = [];
const databases = new Map<FixtureName, string>();
try {
  for (const { name, fixture } of cases) {
    const database = join(folder, "case.db");
    copyFileSync(ensureDatabase(fixture), database);
    const measured = await runHeld(database, name);
    for (const path of [database, `${database}.fresh`]) rmSync(path, { force: true });
    const { result, died } = measured;
    const isFailed = result === null || result.outcome === "wrong";
    if (isFailed) failed.push(name);
    const how = result ? `${result.outcome}${result.code ? ` (${result.code})` : ""}` : `DIED: ${died}`;
    const peaks = `heap ${measured.peakHeapMiB} external ${measured.peakExternalMiB} both ${measured.peakMiB} MiB, ${result?.ms ?? "-"} ms`;
    console.log(
      `${isFailed ? "FAIL" : "ok  "} ${name.replaceAll("\n", "\\n").slice(0, 90).padEnd(90)} ${how}; ${peaks}`,
    );
    if (result && (isFailed || process.env.SAY)) console.log(`       ${JSON.stringify(result.said)}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const name of failed) console.log(`failed: ${name}`);
console.log(JSON.stringify({ cases: cases.length, failed: failed.length }));

function ensureDatabase(fixture: FixtureName): string {
  const known = databases.get(fixture);
  if (known) return known;
  const path = join(folder, `${fixture}.db`);
  const database = new DatabaseSync(path);
  const sql = toSql(database);
  migrateWorkspace(sql);
  const { maxFileBytes, maxWorkspaceBytes: maxBytes } = DEFAULTS.turn;
  const workspace = createWorkspace({ sql, clock: { now: () => 0, sleep: async () => {} }, maxFileBytes, maxBytes });
  for (const [file, content] of Object.entries<string | Uint8Array>(FIXTURES[fixture]())) {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    const put = workspace.putAsPrincipal(file, bytes);
    if (!put.ok) throw new Error(put.failure.message);
  }
  database.close();
  databases.set(fixture, path);
  return path;
}

function runHeld(database: string, name: string): Promise<HeldMemory> {
  const script = join(import.meta.dirname, "limits/hold.ts");
  const none = { result: null, heapLimitMiB: 0, peakExternalMiB: 0, peakHeapMiB: 0, peakMiB: 0 };
  return new Promise((resolve) => {
    const args = [...process.execArgv, script, database, name, String(mib)];
    execFile(process.execPath, args, { timeout: 180_000, killSignal: "SIGKILL" }, (error, stdout) => {
      const last = stdout.trimEnd().split("\n").at(-1);
      if (last) resolve(JSON.parse(last) as HeldMemory);
      else
        resolve({ ...none, died: error?.killed ? "out of time" : (error?.message.split("\n").at(-2) ?? "no answer") });
    });
  });
}
