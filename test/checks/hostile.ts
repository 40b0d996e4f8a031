// Checks that must pass, and hostile scripts that must be stopped. Run by the tests in Node and in workerd.
import type { CheckResult } from "../../core/skills/checks.ts";

type Files = Record<string, string>;
type Expected = Pick<CheckResult, "ok" | "runnable"> & { why?: RegExp; output?: RegExp };

const check = (run: object, pattern: string, more: object) =>
  JSON.stringify({ run, expect: { pattern, ...(more as { expect?: object }).expect }, ...more });

/** A skill with one check that runs this script. */
export const script = (kind: "js" | "sh", code: string, pattern = "^ok$", more: object = {}): Files => ({
  "SKILL.md": "---\nname: a\ndescription: d\n---\n\nx\n",
  [`scripts/a.${kind}`]: code,
  "checks/a.json": check({ script: `scripts/a.${kind}` }, pattern, more),
});

export const command = (line: string, pattern = "^ok$", more: object = {}): Files => ({
  "SKILL.md": "---\nname: a\ndescription: d\n---\n\nx\n",
  "checks/a.json": check({ command: line }, pattern, more),
});

const HOLDS: Expected = { ok: true, runnable: true };
const fails = (why: RegExp, output?: RegExp): Expected => ({
  ok: false,
  runnable: true,
  why,
  ...(output && { output }),
});
const notRunnable = (why: RegExp): Expected => ({ ok: false, runnable: false, why });

export const HOLDING: [string, Files, Expected][] = [
  [
    "a command",
    command("cat in.txt | sort -n | head -1 | sed 's/1/ok/'", "^ok$", { files: { "in.txt": "3\n1\n2\n" } }),
    HOLDS,
  ],
  ["a shell script", script("sh", "echo ok"), HOLDS],
  ["awk with a special separator", command("printf 'a|ok\\n' | awk -F'|' '{print $2}'"), HOLDS],
  [
    "an exit code that is expected",
    command("echo ok; exit 3", "ok", { expect: { pattern: "ok", exitCode: 3 } }),
    HOLDS,
  ],
  ["a script in JavaScript", script("js", `console.log("ok")`), HOLDS],
  [
    "one that reads a file",
    script("js", `console.log(readFile("./in.txt").trim())`, "^ok$", { files: { "in.txt": "no\nok\n" } }),
    HOLDS,
  ],
  [
    "one that imports another",
    {
      ...script("js", `import { f } from "./lib/b.js"; console.log(f())`),
      "scripts/lib/b.js": `export const f = () => "ok"`,
    },
    HOLDS,
  ],
  ["one that awaits", script("js", `await Promise.resolve(); console.log("ok")`), HOLDS],
  [
    "one that awaits a thousand times",
    script("js", `for (let i = 0; i < 1000; i++) await null; console.log("ok")`),
    HOLDS,
  ],
  [
    "one that shows values",
    script("js", `console.log([1, "a"], { b: null }, undefined)`, String.raw`^\[1,"a"\] \{"b":null\} undefined$`),
    HOLDS,
  ],
  [
    "one that asks for the time and for chance",
    script("js", `console.log(Date.now() + new Date().getTime(), Math.random())`, "^0 0.5$"),
    HOLDS,
  ],
  ["sleep, which takes no time", command("sleep 100000; echo ok"), HOLDS],
];

export const FAILING: [string, Files, Expected][] = [
  ["another exit code", command("echo ok; exit 3"), fails(/exit code 3 instead of 0/, /ok/)],
  ["other output", command("echo no"), fails(/nothing in its output matches \/\^ok\$\//, /no/)],
  ["an error", script("js", `throw new TypeError("bad input")`), fails(/exit code 1/, /TypeError: bad input/)],
  ["null that it throws", script("js", "throw null"), fails(/exit code 1/, /^null$/m)],
  ["no JavaScript", script("js", "let ="), fails(/exit code 1/, /SyntaxError/)],
  [
    "a promise that never settles",
    script("js", `console.log("ok"); await new Promise(() => {})`),
    fails(/exit code 1/, /never comes/),
  ],
  ["an invalid pattern", command("echo ok", "("), fails(/not a valid regular expression/)],
];

export const HOSTILE: [string, Files, Expected][] = [
  ["an endless loop", script("js", "for (;;);"), fails(/not end in time/)],
  ["a loop that catches the interrupt", script("js", "for (;;) try { for (;;); } catch {}"), fails(/not end in time/)],
  [
    "promises without end",
    script("js", "const f = async () => { for (;;) await null; }; f();"),
    fails(/not end in time/),
  ],
  [
    "an error whose message never ends",
    script("js", "throw { get message() { for (;;); } }"),
    fails(/not end in time/),
  ],
  [
    "a catastrophic pattern in a script",
    script("js", `/^(a|a)*$/.test("a".repeat(28) + "b"); for (;;);`),
    fails(/not end in time/),
  ],
  ["a catastrophic pattern of the check", command(`echo ${"a".repeat(60)}b`, "^(a+)+$"), fails(/takes too long/)],
  ["endless recursion", script("js", "const f = () => f() + 1; f()"), fails(/memory or stack limit/)],
  ["nesting that the parser recurses on", script("js", `eval("(".repeat(1e5))`), fails(/memory or stack limit/)],
  [
    "a value too deep to be shown",
    script("js", "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; console.log(a)"),
    fails(/./),
  ],
  ["bytes without end", script("js", "const a = []; for (;;) a.push(new Uint8Array(65536).fill(1))"), fails(/memory/)],
  ["objects without end", script("js", "const a = []; for (;;) a.push({ a })"), fails(/memory/)],
  ["a text that doubles", script("js", `let s = "x"; for (;;) s += s`), fails(/memory/)],
  ["output without end", script("js", `for (;;) console.log("x".repeat(1000))`), fails(/output limit of a check/)],
  ["one output too long", script("js", `console.log("x".repeat(4e6))`), fails(/./)],
  ["the network", script("js", `await fetch("https://example.com")`), notRunnable(/fetch/)],
  ["modules of Node", script("js", `import fs from "node:fs"; console.log("ok")`), notRunnable(/node:fs/)],
  ["require", script("js", `require("child_process").execSync("id")`), notRunnable(/require/)],
  ["the process", script("js", `console.log(process.env)`), notRunnable(/process/)],
  [
    "the host's globals through a constructor",
    script(
      "js",
      `const g = (() => {}).constructor("return globalThis")(); console.log(typeof g.process, typeof g.WebAssembly, typeof g.setTimeout, typeof g.fetch); console.log("ok")`,
      "^undefined undefined undefined undefined$",
    ),
    HOLDS,
  ],
  [
    "files outside of its folder",
    script(
      "js",
      `try { readFile("../../etc/passwd"); } catch (e) { console.log(e.message); }`,
      "^there is no file 'etc/passwd'$",
    ),
    HOLDS,
  ],
  [
    "a prototype through JSON",
    script("js", `const o = JSON.parse('{"__proto__": {"x": 1}}'); Object.prototype.x = 1; console.log("ok")`),
    HOLDS,
  ],
  ["an endless loop in the shell", script("sh", "while true; do :; done"), fails(/not end in time/)],
  ["a loop that sleeps", script("sh", "while true; do sleep 1; done"), fails(/not end in time/)],
  ["a loop in awk", script("sh", "awk 'BEGIN { while (1) x++ }'"), fails(/not end in time/)],
  ["a fork bomb", script("sh", "f() { f | f & }; f"), fails(/not end in time/)],
  ["a variable that doubles", script("sh", "x=aaaaaaaaaa; while true; do x=$x$x; done"), fails(/memory/)],
  ["output of the shell without end", script("sh", "seq 1 100000000"), fails(/./)],
  ["the shell's network", command("curl https://example.com"), notRunnable(/curl/)],
  ["missing programs", command("node scripts/a.js | grep ok"), notRunnable(/node/)],
  ["python", command("python3 -c 'print(1)'"), notRunnable(/python3/)],
  [
    "the host's files",
    command("cat ../../etc/passwd /proc/self/environ ~/.ssh/id_rsa; echo end", "root:|PATH=|KEY"),
    fails(/nothing in its output/),
  ],
];
