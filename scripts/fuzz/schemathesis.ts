// Installs Schemathesis from PyPI and runs it. Called by fuzz.ts.
import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import * as z from "zod";

const VERSION = "4.32.5";
const CHECKS = [
  "not_a_server_error",
  "status_code_conformance",
  "content_type_conformance",
  "response_schema_conformance",
  "response_headers_conformance",
  "ignored_auth",
];
/** Longer than any answer of the rehearsal model. */
const REQUEST_TIMEOUT_S = 30;
/** Requests to each route in each pass, beside those that the fuzzer derives from the limits of the schemas. */
const EXAMPLES = 12;

export interface Fuzzer {
  program: string;
}

export interface FuzzOptions {
  url: string;
  key: string;
  /** Values by the name of a path parameter, for the pass that reaches what exists. */
  existing: Record<string, string>;
  seconds: number;
  seed: number;
  only: string | undefined;
  /** Where the reports are kept. */
  home: string;
}

export interface FuzzFailure {
  check: string;
  routes: string[];
}

export interface FuzzFigures {
  requests: number;
  failures: FuzzFailure[];
}

/** The fuzzer in a Python environment of its own, or why there is none. */
export async function installFuzzer(home: string): Promise<Fuzzer | { reason: string }> {
  const folder = join(home, `schemathesis-${VERSION}`);
  const program = join(folder, "bin", "schemathesis");
  if (existsSync(program)) return { program };
  const steps: [string, string[]][] = [
    ["python3", ["-m", "venv", folder]],
    [join(folder, "bin", "python"), ["-m", "pip", "install", "--quiet", `schemathesis==${VERSION}`]],
  ];
  for (const [command, args] of steps) {
    const { code, output } = await run(command, args);
    if (code !== 0) return { reason: `The fuzzer could not be installed: ${output.trim().split("\n").at(-1)}` };
  }
  return { program };
}

/** The fuzzer learns ids from answers, so these routes may end the key that it uses itself. They have a pass of their own, the last. */
const ENDING = ["revokeKey", "rotateKey", "changeKey", "deleteProfile"];
const withoutEnding = ENDING.flatMap((id) => ["--exclude-operation-id", id]);
const onlyEnding = ENDING.flatMap((id) => ["--include-operation-id", id]);

/** One pass with ids that are all invented, and one with those of things that exist. */
export async function runFuzzer(fuzzer: Fuzzer, options: FuzzOptions): Promise<FuzzFigures> {
  const passes = [
    await runPass(fuzzer, options, { name: "invented", parameters: {}, share: 0.45, routes: withoutEnding }),
    await runPass(fuzzer, options, {
      name: "existing",
      parameters: options.existing,
      share: 0.45,
      routes: withoutEnding,
    }),
    await runPass(fuzzer, options, { name: "ending", parameters: {}, share: 0.1, routes: onlyEnding }),
  ];
  return {
    requests: passes.reduce((sum, { requests }) => sum + requests, 0),
    failures: passes.flatMap(({ failures }) => failures),
  };
}

const Report = z.object({
  test_cases: z.object({ generated: z.int() }),
  failures: z.array(z.object({ title: z.string(), operations: z.array(z.string()) })),
  errors: z.array(z.object({ title: z.string(), operations: z.array(z.string()).default([]) })),
});

async function runPass(
  { program }: Fuzzer,
  { url, key, seconds, seed, only, home }: FuzzOptions,
  pass: { name: string; parameters: Record<string, string>; share: number; routes: string[] },
): Promise<FuzzFigures> {
  const config = join(home, `${pass.name}.toml`);
  const report = join(home, `${pass.name}.json`);
  const fixed = Object.entries(pass.parameters).map(([name, value]) => `"path.${name}" = ${JSON.stringify(value)}`);
  writeFileSync(config, `[parameters]\n${fixed.join("\n")}\n`, { mode: 0o600 });
  writeFileSync(report, "");
  const { output } = await run(
    program,
    [
      ...["--config-file", config, "run", `${url}/openapi.json`, "--header", `Authorization: Bearer ${key}`],
      ...["--checks", CHECKS.join(","), "--phases", "coverage,fuzzing", "--continue-on-failure", "--no-shrink"],
      ...[
        "--max-examples",
        String(EXAMPLES),
        "--seed",
        String(seed),
        "--max-time",
        String(Math.ceil(seconds * pass.share)),
      ],
      ...["--request-timeout", String(REQUEST_TIMEOUT_S), "--suppress-health-check", "all", "--no-color"],
      ...["--report", "json", "--report-json-path", report, "--output-truncate", "true"],
      ...pass.routes,
      ...(only === undefined ? [] : ["--include-path-regex", only]),
    ],
    { cwd: home, env: { SCHEMATHESIS_HOOKS: resolve(import.meta.dirname, "serializers.py") } },
  );
  writeFileSync(join(home, `${pass.name}.txt`), output, { mode: 0o600 });
  const text = readFileSync(report, "utf8");
  if (text === "") throw new Error(`The fuzzer ended without a report:\n${output.trim().slice(-2_000)}`);
  const { test_cases: cases, failures, errors } = Report.parse(JSON.parse(text));
  return {
    requests: cases.generated,
    failures: [...failures, ...errors].map(({ title, operations }) => ({ check: title, routes: operations })),
  };
}

function run(
  command: string,
  args: string[],
  { cwd, env = {} }: { cwd?: string; env?: Record<string, string> } = {},
): Promise<{ code: number; output: string }> {
  return new Promise((done) => {
    const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout.on("data", (data) => (output += String(data)));
    child.stderr.on("data", (data) => (output += String(data)));
    child.once("error", (error) => done({ code: 1, output: error.message }));
    child.once("close", (code) => done({ code: code ?? 1, output }));
  });
}
