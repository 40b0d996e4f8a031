// `npm run check [-- step …]`: runs everything that a change must pass, or only the named steps, each as its own program. Prints
// the output of failed steps, then a table. Exit code 1 when a step failed.
import { spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { readFlags } from "./command-line.ts";

interface Step {
  name: string;
  what: string;
  /** Run one after the other. */
  commands: string[][];
}

const STEPS: Step[] = [
  { name: "lint", what: "layers, cycles, correctness", commands: [["oxlint", "--deny-warnings"]] },
  { name: "format", what: "oxfmt --check", commands: [["oxfmt", "--check"]] },
  {
    name: "types",
    what: "tsc, everything",
    commands: [
      ["tsc", "--noEmit"],
      ["tsc", "-p", "dashboard", "--noEmit"],
    ],
  },
  { name: "core", what: "tsc, core without platform types", commands: [["tsc", "-p", "core", "--noEmit"]] },
  {
    name: "regexes",
    what: "recheck, no expression that is slow",
    commands: [["node", "--import", "./scripts/text-modules.mjs", "scripts/check/regexes.ts"]],
  },
  { name: "deploy", what: "plan and bundles, no warning", commands: [["node", "scripts/deploy.ts", "--dry-run"]] },
  { name: "tests", what: "vitest run", commands: [["vitest", "run"]] },
];

const root = resolve(import.meta.dirname, "..");
const USAGE = `Usage: npm run check [-- STEP …]

Runs everything that a change must pass, or these steps: ${STEPS.map(({ name }) => name).join(", ")}.

  -h, --help  this text`;
const requestedSteps = process.argv.slice(2);
const flag = requestedSteps.find((name) => name.startsWith("-"));
if (flag) readFlags(USAGE, {});
const unknown = requestedSteps.filter((name) => !STEPS.some((step) => step.name === name));
if (unknown.length > 0) {
  console.error(`No step ${unknown.join(", ")}. Steps: ${STEPS.map(({ name }) => name).join(", ")}.`);
  process.exit(2);
}

const rows: { step: Step; code: number; seconds: number }[] = [];
for (const step of STEPS.filter(({ name }) => requestedSteps.length === 0 || requestedSteps.includes(name))) {
  const began = performance.now();
  let code = 0;
  for (const command of step.commands) {
    const result = await run(command);
    code ||= result.code;
    if (result.code !== 0) console.log(`── ${step.name}: ${command.join(" ")}\n${result.output.trimEnd()}\n`);
  }
  rows.push({ step, code, seconds: (performance.now() - began) / 1000 });
}
for (const { step, code, seconds } of rows) {
  const verdict = code === 0 ? "ok    " : "FAILED";
  console.log(`${verdict}  ${step.name.padEnd(7)} ${seconds.toFixed(1).padStart(6)} s  ${step.what}`);
}
process.exitCode = rows.some(({ code }) => code !== 0) ? 1 : 0;

/** Runs a program of node_modules; `node` is the Node that runs this script. */
function run([program = "", ...args]: string[]): Promise<{ code: number; output: string }> {
  return new Promise((done, fail) => {
    const file = program === "node" ? process.execPath : join(root, "node_modules", ".bin", program);
    const child = spawn(file, args, {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    child.stdout.on("data", (data) => (output += String(data)));
    child.stderr.on("data", (data) => (output += String(data)));
    child.once("error", fail);
    child.once("close", (code) => done({ code: code ?? 1, output }));
  });
}
