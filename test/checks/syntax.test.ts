// Scripts that cannot be parsed are refused before they are stored, whatever checks the skill has.
import { describe, expect, it } from "vitest";
import { createCheckInspector } from "../../core/tools/skills/check-inspector.ts";
import { runChecks as run } from "../support/quickjs.ts";

const parse = (path: string, text: string) => run.parse!(path, text);

describe("a valid script", () => {
  it.each([
    ["scripts/a.sh", "#!/bin/bash\nset -euo pipefail\nfor f in *.csv; do\n  cut -d';' -f2 \"$f\" | sort -u\ndone\n"],
    [
      "scripts/a.sh",
      "sum() { awk -F';' '{s+=$2} END{print s}' \"$1\"; }\nif [[ -n ${1:-} ]]; then sum \"$1\"; fi\ncat <<'END'\na ( b\nEND\n",
    ],
    ["scripts/a.sh", "import --table {{table}} --file {{file-name}}\n"],
    ["scripts/a.js", "import { readFile } from './b.js';\nconsole.log(await readFile('x'));\n"],
    ["scripts/a.js", "#!/usr/bin/env node\nconst fs = require('fs');\nmodule.exports = { n: 010 };\n"],
    ["scripts/a.js", "const table = '{{table}}', n = {{count}};\n"],
    [
      "scripts/a.py",
      "import re\n# it's (a comment\nx = {'a': [1, 2], \"b\": (3,)}\ns = '''it's\n(long'''\nprint(f\"{x['a']}\" \\\n  r'\\(')\n",
    ],
    ["scripts/a.json", '{"a": [1, "{{b}}"]}'],
    ["scripts/a.yaml", "a:\n  - b: 1\n    c: 'd'\n"],
    ["scripts/a.rb", "def ("],
    ["scripts/too-long-to-be-parsed.sh", `for f in *; do\n${"# -\n".repeat(5_001)}`],
    ["scripts/too-long-to-be-parsed.yaml", `"\n${"# a comment\n".repeat(1_400)}`],
    ["scripts/noending", "((("],
  ])("passes: %s", async (path, text) => expect(await parse(path, text)).toBeNull());
});

describe("a script that cannot be parsed", () => {
  it.each([
    ["scripts/a.sh", "for f in *.csv; do\n  echo $f\n", /Parse error/],
    ["scripts/a.sh", "while read line\ndo echo $line\n", /Parse error/],
    ["scripts/a.js", "const a = ;\n", /^line 1: SyntaxError/],
    ["scripts/a.js", "const a = 1;\n\nfunction (\n", /^line 3: SyntaxError/],
    ["scripts/a.py", "print('a'\nx = 1\n", /line 1: '\(' is not closed/],
    ["scripts/a.py", "x = [1, 2)\n", /line 1: '\)' closes nothing/],
    ["scripts/a.py", "y = 1\nx = 'abc\n", /line 2: a string does not end/],
    ["scripts/a.py", 'y = 1\nx = """abc\n', /line 2: a string does not end/],
    ["scripts/a.json", '{"a": 1,\n "b": }', /^Unexpected token '}'.*JSON$/],
    ["scripts/a.yml", "a: [1, 2\nb: 3\n", /./],
  ])("is rejected: %s %j", async (path, text, why) => expect(await parse(path, text)).toMatch(why));

  it("is parsed fast, whatever it contains", async () => {
    const hostile: [string, string][] = [
      ["scripts/a.sh", "(".repeat(100_000)],
      ["scripts/a.js", "[".repeat(150_000)],
      ["scripts/a.py", "'\\".repeat(90_000)],
      ["scripts/a.yaml", "- ".repeat(3_000)],
    ];
    const began = performance.now();
    for (const [path, text] of hostile) await parse(path, text);
    expect(performance.now() - began).toBeLessThan(10_000);
  }, 30_000);
});

describe("a write of a skill", () => {
  const inspect = createCheckInspector(run);
  const write = (before: Record<string, string> | null, after: Record<string, string>, approved = false) =>
    inspect({
      ...{ name: "a", after, description: "", citations: [], approved },
      before: before && ({ head: {}, files: before } as never),
    });
  const bad = { "SKILL.md": "# A", "scripts/a.sh": "if true; then\n" };

  it("with such a script is refused, and the error says where it is wrong", async () => {
    expect(await write(null, bad)).toEqual({
      code: "bad_script",
      message:
        "Nothing was written: scripts of the skill cannot be parsed, as `findings` shows. Correct them and call again.",
      facts: { findings: [expect.stringMatching(/^scripts\/a\.sh: Parse error/)] },
    });
  });

  it("passes if the script was there before or a person has approved it", async () => {
    expect(await write(bad, { ...bad, "SKILL.md": "# B" })).toBeNull();
    expect(await write(null, bad, true)).toBeNull();
  });

  it("does not parse files that are not scripts", async () => {
    expect(await write(null, { "SKILL.md": "# A", "templates/a.sh": "if true; then\n" })).toBeNull();
  });
});
