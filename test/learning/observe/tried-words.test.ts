import { describe, expect, it } from "vitest";
import { observeTurn } from "../../../core/learning/observe/observe.ts";
import type { Entry, JsonObject } from "../../../core/schemas/entry.ts";
import { SESSION, assistant, call, tool, user } from "../sample.ts";

const text = "a".repeat(64);
const companion = { name: "adding-up-local", text: "b".repeat(64), state: "trial" };
const SKILL = "Run `sum --delimiter ';' FILE` in /work/data, with `--mode strict`.";

/** `said`: the output of the call. `outcome`: what the harness added. */
type Try = [args: JsonObject, ok: boolean, said?: JsonObject, outcome?: JsonObject];

const WRONG = { stdout: "", stderr: "sum: that is wrong" };

interface Turn {
  loads?: (n: number) => Entry;
  name?: string;
  said?: JsonObject;
  /** All calls in one answer. */
  atOnce?: boolean;
}

/** Loads a skill, then makes the calls one after the other. */
function turn(tries: Try[], { loads = viewed(), name = "terminal", said = WRONG, atOnce = false }: Turn = {}) {
  const view = call("v", "skill_view", { name: "adding-up" });
  const calls = tries.map(([args], at) => call(`c${at}`, name, args));
  const entries: Entry[] = [
    user(1, "Add it up"),
    assistant(2, "", [view, ...(atOnce ? calls : [])]),
    loads(3),
    ...tries.flatMap(([, ok, own, outcome = { exit_code: ok ? 0 : 1 }], at) => {
      const parts = { outcome, ...((!ok || own) && { content: own ?? said }) };
      const answered = tool(5 + 2 * at, calls[at]!, parts, { failed: !ok, step: atOnce ? 1 : at + 1 });
      return atOnce ? [answered] : [assistant(4 + 2 * at, "", [calls[at]!]), answered];
    }),
    assistant(4 + 2 * tries.length, "Done."),
  ];
  return observeTurn({ session: SESSION, turn: 1, entries }).triedWords;
}

function viewed(outcome: JsonObject = {}, content = SKILL) {
  const view = call("v", "skill_view", { name: "adding-up" });
  return (n: number) => tool(n, view, { outcome: { name: "adding-up", text, ...outcome }, own: { content } });
}

const sum = (words: string): JsonObject => ({ command: `sum ${words} x.csv` });
const works = (words: string): Try => [sum(words), true];
const fails = (words: string): Try => [sum(words), false];

it.each<[what: string, tries: Try[], failed: string[]]>([
  ["no alternative worked", [fails("--mode strict"), fails("--mode loose --quiet")], ["strict"]],
  ["a call with two different words worked", [fails("--mode strict"), works("--mode loose --quiet")], ["strict"]],
  [
    "the call failed twice",
    [fails("--mode strict"), fails("--mode strict"), fails("--mode loose --quiet")],
    ["strict"],
  ],
])("a word of the text has failed if %s", (_what, tries, failed) => {
  expect(turn(tries)).toEqual([{ skill: "adding-up", text, failed, worked: [] }]);
});

describe("a word is blamed", () => {
  const [strict, odd, loose]: Try[] = [fails("--mode strict"), fails("--mode odd"), works("--mode loose")];
  const says = (stderr: string, ...tries: Try[]) => turn(tries, { said: { stdout: "", stderr } });
  const blamed = [{ failed: ["strict"], refused: ["strict"] }];

  it.each([
    "sum: unknown mode 'strict'",
    "modo desconocido: «strict»",
    "不正な値strictです",
    "restricted: strict",
    "bad strict; see --timeout, --locked",
  ])("if the program named it and the model changed it alone, after %j", (stderr) => {
    expect(says(stderr, strict!, odd!)).toMatchObject(blamed);
    expect(says(stderr, strict!, loose!)).toMatchObject(blamed);
  });

  it.each(["rc=22 EINVAL", "sum: line 9 is no number", "it is too strictly meant", "unstrict"])(
    "not where the program did not name it, though another worked: %s",
    (stderr) => {
      expect(says(stderr, strict!, loose!)).toEqual([{ skill: "adding-up", text, failed: ["strict"], worked: [] }]);
    },
  );

  it.each([
    "sum: the service is busy, try again",
    "curl: (7) Failed to connect to host: Connection refused",
    "connect ETIMEDOUT 10.0.0.7:443",
    "HTTP 503",
    "Rate limited: too many requests",
    "Operation not permitted",
    "Access denied for user 'app'",
    "fatal: Authentication failed",
    "getaddrinfo ENOTFOUND db",
    "No route to host",
    "Read-only file system",
    "Too many open files",
    "Killed",
    "sh: sum: command not found",
    "SSL certificate problem: certificate is not yet valid",
    "Keine Berechtigung",
    "Permission non accordée",
    ...["401", "403", "429", "500", "502", "503", "504"].map((code) => `strict: HTTP ${code}`),
  ])("not after a transient failure or a failure of the machine: %s", (stderr) => {
    expect(says(stderr, strict!, odd!, loose!)).toEqual([]);
  });

  it.each<[what: string, outcome: JsonObject]>([
    ["the harness stopped the call", { exit_code: 1, code: "command_limit" }],
    ...[126, 127, 130, 134, 137, 139, 143].map((code): [string, JsonObject] => [
      `its exit was ${code}`,
      { exit_code: code },
    ]),
    ...["refused", "aborted", "timed_out", "turn_ended"].map((code): [string, JsonObject] => [
      `it was ${code}`,
      { code },
    ]),
  ])("not if %s", (_what, outcome) => {
    expect(turn([[sum("--mode strict"), false, WRONG, outcome], loose!])).toEqual([]);
  });

  it("when the program named it, the model left it out, and the call worked", () => {
    const [given, left]: Try[] = [fails("-x --mode"), works("-x")];
    const loads = viewed({}, "Run `sum -x --mode FILE`.");
    const drops = (stderr: string, ...tries: Try[]) => turn(tries, { said: { stdout: "", stderr }, loads })?.[0];
    expect(drops("unknown option --mode", given!, left!)).toMatchObject({ refused: ["--mode"] });
    expect(drops("unknown option --mode", given!, fails("-x"))).not.toHaveProperty("refused");
    // Many calls work with less.
    expect(drops("line 9 is no number", given!, left!)).toMatchObject({ failed: ["--mode"] });
    expect(drops("line 9 is no number", given!, left!)).not.toHaveProperty("refused");
  });

  it("when the next call only prints less", () => {
    const less: Try = [{ command: "sum --mode odd x.csv 2>&1 | tail -20" }, false];
    expect(says("unknown mode strict", strict!, less)).toMatchObject(blamed);
    // A pager in the middle of a command line is part of the work.
    const cut: Try[] = [
      [{ command: "sum --mode strict x.csv | tail -n +2 | sort -k1" }, false],
      [{ command: "sum --mode odd x.csv | tail -n +2 | sort -k2" }, true],
    ];
    expect(says("unknown mode", ...cut)?.[0]).not.toHaveProperty("refused");
  });

  const run = (command: string, ok: boolean, stderr = "wrong"): Try => [{ command }, ok, { stdout: "", stderr }];

  it.each<[what: string, tries: Try[], content?: string]>([
    ["the calls were made together, in one answer", [strict!, loose!]],
    ["the word is the next of a list that has begun", [loose!, strict!, works("--mode odd")]],
    [
      "the word is the next of a list, one of which went through a pipe",
      [run("sum --mode loose x.csv 2>&1 | head", true), strict!, works("--mode odd")],
    ],
    [
      "the word had worked before, through a pipe",
      [run("sum --mode strict y.csv 2>&1 | tail -1", true), strict!, loose!],
    ],
    ["the text names both", [strict!, loose!], `${SKILL} The other one is loose.`],
    [
      "another command of the program followed",
      [run("svc status web", false), run("svc start web", true)],
      "`svc status`",
    ],
    ["another script followed", [run("npm run lint", false), run("npm run build", true)], "Use `npm run lint`."],
    ["the failed file was inspected", [run("node build.js", false), run("cat build.js", true)], "Use `node build.js`."],
    [
      "another command followed, after sudo",
      [run("sudo svc start web", false), run("sudo svc status web", true)],
      "`svc start`",
    ],
    [
      "another command followed, in another folder",
      [run("cd /srv && ENV=1 svc start web", false), run("cd /srv && ENV=1 svc logs web", true)],
      "`svc start`",
    ],
    ["the exit code was the answer", [[sum("--mode strict"), false, { stdout: "3c3 < a > b", stderr: "" }], loose!]],
    [
      "the arguments are data",
      [fails(`--mode strict ${"x ".repeat(5_000)}`), works(`--mode loose ${"x ".repeat(5_000)}`)],
    ],
  ])("not if %s, and is not reported", (what, tries, content) => {
    const atOnce = what.includes("together");
    const found = turn(tries, { atOnce, ...(content !== undefined && { loads: viewed({}, content) }) });
    expect(found).toEqual([]);
  });

  it.each<[what: string, word: string, tries: Try[]]>([
    ["two words were changed at once", "strict", [fails("--mode strict -d ';'"), works("--mode odd -d '|'")]],
    ["its replacement is less safe", "strict", [fails("a strict"), works("a --no-verify")]],
    ["the word required a certificate", "verify-full", [fails("-h db ssl=verify-full"), works("-h db ssl=require")]],
    ["the word was a secure address", "https://repo", [fails("get https://repo"), works("get http://repo")]],
    ["the replacement is a riskier environment", "staging", [fails("--to staging"), works("--to production")]],
    ["another command inspected it", "merge", [run("gh pr merge 7", false), run("gh pr view 7", true)]],
    ["the word is a short option", "-eu", [fails("--all -eu y"), works("--all -e y")]],
  ])("not if %s, but is reported", (_what, word, tries) => {
    const loads = viewed({}, `Run \`sum ${word}\`.`);
    const said = { stdout: "", stderr: `sum: wrong value '${word}'` };
    expect(turn(tries, { loads, said })).toEqual([{ skill: "adding-up", text, failed: [word], worked: [] }]);
  });

  it.each([
    ["sslmode=full", "sslmode=any"],
    ["--x=tlsv1.3", "--x=any"],
    ["--x=a.cert", "--x=none"],
    ["--x=verified", "--x=any"],
    ["--x=secure", "--x=plain"],
    ["StrictHostKey=ask", "StrictHostKey=never"],
    ["--x=auth", "--x=anonymous"],
    ["--x=encrypted", "--x=plain"],
    ["--x=validated", "--x=any"],
    ["--x=careful", "--x=--force"],
    ["--x=keep", "--x=delete"],
    ["--x=enabled", "--x=disabled"],
    ["--x=told", "--x=ignore"],
  ])("not if %s is replaced by %s, but is reported", (was, is) => {
    const word = was.split("=")[1]!;
    const said = { stdout: "", stderr: `sum: wrong value '${word}'` };
    const tries: Try[] = [fails(`--all ${was}`), works(`--all ${is}`)];
    expect(turn(tries, { said, loads: viewed({}, `Run \`sum ${word}\`.`) })?.[0]).not.toHaveProperty("refused");
    tries[1] = works(`--all ${was.replace(word, "moss")}`);
    const isGuarded = /ssl|hostkey|tls|cert|verif|secur|auth|encrypt|valid/i.test(was);
    expect(turn(tries, { said, loads: viewed({}, `Run \`sum ${word}\`.`) })?.[0]?.refused).toEqual(
      isGuarded ? undefined : [word],
    );
  });

  it("when the output went through 2>&1", () => {
    const said = { stdout: "sum: unknown mode strict", stderr: "" };
    const tries: Try[] = ["strict", "loose"].map((mode) => [{ command: `sum --mode ${mode} x.csv 2>&1` }, false]);
    expect(turn(tries, { said })).toMatchObject(blamed);
  });

  it.each([
    ["a name and its value", "mode=strict", "tone=loose"],
    ["two words for one", "--mode strict x", "--mode loose"],
    ["one word to two", "--mode strict", "--mode loose --quiet"],
  ])("not if the model changed %s", (_what, was, is) => {
    const tries: Try[] = [
      [{ command: `sum --all ${was}` }, false],
      [{ command: `sum --all ${is}` }, true],
    ];
    const said = { stdout: "", stderr: "sum: wrong mode strict" };
    const found = turn(tries, { said, loads: viewed({}, "Use `sum mode strict`.") });
    expect(found?.[0]?.failed).toContain("strict");
    expect(found?.[0]).not.toHaveProperty("refused");
  });

  it("when one read-only command replaces another", () => {
    const tries = ["show", "view"].map((word) => run(`gh pr ${word} 7`, word === "view", "unknown command show"));
    expect(turn(tries, { loads: viewed({}, "Use `gh pr show`.") })).toMatchObject([{ refused: ["show"] }]);
  });

  it("not when the program printed nothing: it may have found nothing", () => {
    expect(says("", strict!, odd!, loose!)).toEqual([]);
  });

  it("not when the model changed more than the word", () => {
    const tries: Try[] = [strict!, fails("--mode odd --quiet")];
    expect(says("unknown mode", ...tries)?.[0]).not.toHaveProperty("refused");
  });
});

it.each<[what: string, tries: Try[]]>([
  ["nothing else was tried", [fails("--mode strict")]],
  ["the same call worked when it was repeated", [fails("--mode strict"), works("--mode strict")]],
  ["a later call with the word worked", [fails("--mode strict a"), works("--mode loose"), works("--mode strict")]],
  ["the text does not contain the word", [fails("--mode odd"), works("--mode loose")]],
  ["a different action followed", [fails("--mode strict"), [{ command: "awk -f add.awk <y.csv" }, true]]],
  ["the word is too long", [fails(`--mode ${"長".repeat(14)}`), works("--mode loose")]],
])("no word has failed if %s", (_what, tries) => {
  expect(turn(tries, { loads: viewed({}, `${SKILL} ${"長".repeat(14)}`) })).toEqual([]);
});

it("compares a failure with the twenty calls after it, and reads the first hundred", () => {
  const look: Try = [{ command: "cat x.csv" }, true];
  const worksAfter = (calls: number) =>
    turn([fails("--mode strict"), ...Array.from({ length: calls - 1 }, () => look), works("--mode loose")]);
  expect([worksAfter(20)?.length, worksAfter(21)?.length]).toEqual([1, 0]);

  const others = Array.from({ length: 100 }, (): Try => [{ command: "tidy --all" }, false]);
  const failing: Try[] = [fails("--mode strict"), works("--mode loose")];
  expect([turn([...others.slice(1), ...failing])?.length, turn([...others, ...failing])?.length]).toEqual([1, 0]);
});

it("reports at most five words of one text in one turn", () => {
  const [words, same] = ["aa bb cc dd ee ff gg", "k1 k2 k3 k4 k5 k6 k7 k8"];
  const tries: Try[] = [fails(`--all ${words} ${same}`), works(`--all ${same}`)];
  expect(turn(tries, { loads: viewed({}, `${SKILL} ${words}`) })?.[0]?.failed).toEqual(["aa", "bb", "cc", "dd", "ee"]);
});

it.each<[how: string, loads: (n: number) => Entry]>([
  ["by skill_view", viewed({ failed_words: ["strict"] })],
  [
    "by a note",
    (n) => ({
      ...{ v: 1, n, turn: 1, at: 0, kind: "note", code: "recalled_skill" },
      parts: [{ source: "own", text: `<skill name="adding-up">\n${SKILL}\n</skill>` }],
      skills: [{ skill: "adding-up", text, failedWords: ["strict"] }],
    }),
  ],
])("a failed word works again if it was shown as failed %s", (_how, loads) => {
  expect(turn([works("--mode strict")], { loads })).toEqual([
    { skill: "adding-up", text, failed: [], worked: ["strict"] },
  ]);
  // The same work without the word counts as well.
  expect(turn([works("--mode loose")], { loads })).toEqual([
    { skill: "adding-up", text, failed: ["strict"], worked: [] },
  ]);
  // An unrelated call with the word, or a turn without it, says nothing about it.
  for (const command of ["grep -rn strict docs", "sum --help | grep -n strict", "shred x.csv"]) {
    expect(turn([[{ command }, true]], { loads })).toEqual([{ skill: "adding-up", text, failed: [], worked: [] }]);
  }
  // Neither does a command line that may hide a failure.
  const hidden: Try = [{ command: "sum --mode strict x.csv | head -3" }, true, { stdout: "", stderr: "unknown mode" }];
  expect(turn([hidden], { loads })?.[0]?.worked).toEqual([]);
});

describe("a word that was shown as failed", () => {
  const told = (content: string, word: string, ...tries: Try[]) =>
    turn(tries, { loads: viewed({ failed_words: [word] }, content) })?.[0]?.failed;
  const does = (command: string, ok = true): Try => [{ command }, ok];

  it("fails again when the same work was done without it", () => {
    expect(told("Use `sum --mode strict`.", "strict", does("sum --mode loose x"))).toEqual(["strict"]);
    // A call with only half of the neighbouring words may be another one. A failed call did nothing.
    expect(told("Use `sum strict --all`.", "strict", does("sum x.csv"))).toEqual([]);
    expect(told("Use `sum --mode strict`.", "strict", does("sum --mode loose x", false))).toEqual([]);
    // A word alone in its code span has the other code spans of the line as neighbours.
    expect(told("Use `sum` with `strict`.", "strict", does("sum x.csv"))).toEqual(["strict"]);
    expect(told("Use `cut -f` and `sum strict`.", "strict", does("cut -f 2 x.csv"))).toEqual([]);
  });

  it("does not fail again if it has no neighbours or is an option: many calls work without it", () => {
    expect(told("Use `strict`.", "strict", does("sum x.csv"))).toEqual([]);
    expect(told("Use `sum --fast`.", "--fast", does("sum x.csv"))).toEqual([]);
  });

  it("works again when a call with it worked, even without neighbours", () => {
    const loads = viewed({ failed_words: ["strict"] }, "Use `strict`.");
    expect(turn([[{ command: "sum strict x" }, true]], { loads })?.[0]?.worked).toEqual(["strict"]);
  });

  it("is judged only by calls after the text was loaded", () => {
    const view = call("v", "skill_view", { name: "adding-up" });
    const [bad, good] = [sum("--mode strict"), sum("--mode loose")].map((args, at) => call(`c${at}`, "terminal", args));
    const run = (n: number, what: typeof view, exitCode: number, step: number) =>
      tool(n, what, { outcome: { exit_code: exitCode }, content: WRONG }, { failed: exitCode > 0, step });
    const loads = viewed({ failed_words: ["strict"] });
    const seen = (...runs: Entry[]) => {
      const entries: Entry[] = [user(1, "Add it up"), ...runs, assistant(4, "", [view]), loads(5)];
      return observeTurn({ session: SESSION, turn: 1, entries }).triedWords;
    };
    const nothing = [{ skill: "adding-up", text, failed: [], worked: [] }];
    expect(seen(run(2, bad!, 1, 1), run(3, good!, 0, 2))).toEqual(nothing);
    expect(seen(run(3, good!, 0, 2))).toEqual(nothing);
  });
});

it("compares calls of one tool, and ignores data and malformed text", () => {
  const strict: Try = fails("--mode strict");
  const entry = (tries: Try[], name: string) => turn(tries, { name, loads: viewed({}, "Use `strict`.") });
  expect(entry([strict, works("--mode loose")], "terminal")).toHaveLength(1);
  const long = "xx ".repeat(1_000);
  expect(entry([fails(`--mode strict ${long}`), works(`--mode loose ${long}`)], "terminal")).toHaveLength(1);
  const broken = "a\ud800";
  const tries: Try[] = [fails(`--mode ${broken}`), works("--mode loose")];
  expect(turn(tries, { loads: viewed({}, `Use \`${broken}\`.`) })).toEqual([]);

  const [one, other] = ["terminal", "service"].map((name, at) =>
    call(`c${at}`, name, sum(`--mode ${at ? "loose" : "strict"}`)),
  );
  const entries: Entry[] = [
    user(1, "Add it up"),
    viewed()(2),
    tool(3, one!, { outcome: { exit_code: 1 }, content: WRONG }, { failed: true, step: 1 }),
    tool(4, other!, { outcome: { exit_code: 0 } }, { step: 2 }),
  ];
  expect(observeTurn({ session: SESSION, turn: 1, entries }).triedWords).toEqual([]);
});

describe("two command lines", () => {
  const isTold = (was: string, is: string) => {
    const tries: Try[] = [
      [{ command: was }, false],
      [{ command: is }, true],
    ];
    return turn(tries, { loads: viewed({}, "Use `strict`, or `--strict`.") })?.length === 1;
  };

  it.each([
    ["sum --mode strict 'a;b' \"c|d\"", "sum --mode loose 'a b' \"c|d\""],
    ["env A=1 nohup sum -x strict", "env A=2 nohup sum -x loose"],
    ["docker run --fmt strict web", "docker run --fmt loose web"],
    ["docker run --strict web", "docker run --loose web"],
    ["docker compose run strict-web --all strict", "docker compose run strict-web --all loose"],
    ["sum -x strict a.csv | sort -u", "sum -x loose a.csv | sort -u"],
  ])("%s and %s are the same action", (was, is) => expect(isTold(was, is)).toBe(true));

  it.each([
    ["npm run strict --all", "npm run loose --all"],
    ...["sudo", "doas", "env A=1", "time", "nohup", "exec", "command", "npx", "bunx"].map((runs) => [
      `${runs} svc strict web`,
      `${runs} svc loose web`,
    ]),
    ["python3 -m strict --all", "python3 -m loose --all"],
    ["nohup strict --all a", "nohup loose --all a"],
    ["sum --all strict || sort -u", "sum --all loose || head -u"],
    ["sum -x strict aa bb cc", "sum -x loose dd ee ff"],
  ])("%s and %s are different actions", (was, is) => expect(isTold(was, is)).toBe(false));
});

it("separates the words of a companion from those of its base", () => {
  const content = `Run sum --mode strict.\n\n# Learned here, in adding-up-local\n\nPass \`--delimiter tab\`.`;
  const loads = viewed({ companion: { ...companion, failed_words: ["tab"] } }, content);
  expect(turn([fails("--mode strict"), works("--mode loose --delimiter tab")], { loads })).toEqual([
    { skill: "adding-up", text, failed: ["strict"], worked: [] },
    { skill: "adding-up-local", text: companion.text, failed: [], worked: ["tab"] },
  ]);
});
