// Each file of the must-fail tree names the one lint rule that must find it. `npm run check -- lint` checks the product itself.
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const tree = join(root, "test/fixtures/must-fail");

// The globs of a config are relative to its folder, so the tree is linted beside a copy of the real one.
const copy = mkdtempSync(join(tmpdir(), "talaria-lint-"));
cpSync(tree, copy, { recursive: true });
cpSync(join(root, ".oxlintrc.json"), join(copy, ".oxlintrc.json"));
afterAll(() => rmSync(copy, { recursive: true, force: true }));

interface Finding {
  filename: string;
  code: string;
  help?: string;
}

const oxlint = join(root, "node_modules/oxlint/bin/oxlint");
const linted = spawnSync(process.execPath, [oxlint, "--deny-warnings", "-f", "json"], {
  cwd: copy,
  encoding: "utf8",
  maxBuffer: 64 << 20,
});
const findings = (JSON.parse(linted.stdout) as { diagnostics: Finding[] }).diagnostics;

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => /\.tsx?$/.test(path));
}

const findRule = (finding: Finding) => /\(([^)]+)\)/.exec(finding.code)?.[1] ?? finding.code;

describe("the lint rules", () => {
  it("find exactly what each file of the must-fail tree says", () => {
    const expected = filesOf(tree).flatMap((path) => {
      const rule = /^\/\/ must fail: (\S+)$/m.exec(readFileSync(join(tree, path), "utf8"))?.[1];
      return rule ? [`${path}: ${rule}`] : [];
    });
    const found = findings.map((finding) => `${finding.filename}: ${findRule(finding)}`);
    expect(expected.length).toBeGreaterThan(40);
    expect(found.sort()).toEqual(expected.sort());
  });

  it("have a file in the must-fail tree for every message of a layer", () => {
    const config = JSON.parse(readFileSync(join(root, ".oxlintrc.json"), "utf8")) as {
      overrides: { rules: Record<string, unknown> }[];
    };
    const messages = config.overrides.flatMap(({ rules }) => {
      const [, options] = (rules["no-restricted-imports"] ?? []) as [string?, { patterns: { message: string }[] }?];
      return options?.patterns.map(({ message }) => message) ?? [];
    });
    const shown = new Set(findings.map(({ help }) => help));
    expect([...new Set(messages)].filter((message) => !shown.has(message))).toEqual([]);
  });
});
