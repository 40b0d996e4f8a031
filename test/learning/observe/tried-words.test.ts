import { describe, expect, it } from "vitest";
import { observeTurn } from "../../../core/learning/observe/observe.ts";
import type { Entry, JsonObject } from "../../../core/schemas/entry.ts";
import { SESSION, assistant, call, tool, user } from "../sample.ts";

const text = "a".repeat(64);
const companion = { name: "adding-up-local", text: "b".repeat(64), state: "trial" };
const SKILL = "Run `sum --delimiter ';' FILE` in /work/data, with `--mode strict`.";

/** `said`: what this call printed. */
type Try = [args: JsonObject, ok: boolean, said?: JsonObject];

const WRONG = { stdout: "", stderr: "sum: that is wrong" };

interface Turn {
  loads?: (n: number) => Entry;
  name?: string;
  said?: JsonObject;
  /** All calls in one answer. */
  atOnce?: boolean;
}

/** A skill is loaded, then the calls are made one after the other. */
function turn(tries: Try[], { loads = viewed(), name = "terminal", said = WRONG, atOnce = false }: Turn = {}) {
  const view = call("v", "skill_view", { name: "adding-up" });
  const calls = tries.map(([args], at) => call(`c${at}`, name, args));
  const entries: Entry[] = [
    user(1, "Add it up"),
    assistant(2, "", [view, ...(atOnce ? calls : [])]),
    loads(3),
    ...tries.flatMap(([, ok, own], at) => {
      const parts = { outcome: { exit_code: ok ? 0 : 1 }, ...((!ok || own) && { content: own ?? said }) };
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

it.each<[what: string, tries: Try[], failed: string[]]>([
  [
    "nothing that was tried instead worked",
    [
      [sum("--mode strict"), false],
      [sum("--mode loose --quiet"), false],
    ],
    ["strict"],
  ],
  [
    "a call worked that differs in two words",
    [
      [sum("--mode strict"), false],
      [sum("--mode loose --quiet"), true],
    ],
    ["strict"],
  ],
  [
    "it failed twice",
    [
      [sum("--mode strict"), false],
      [sum("--mode strict"), false],
      [sum("--mode loose --quiet"), false],
    ],
    ["strict"],
  ],
])("a word of the text failed when %s", (_what, tries, failed) => {
  expect(turn(tries)).toEqual([{ skill: "adding-up", text, failed, worked: [] }]);
});

describe("a word is blamed", () => {
  const [strict, odd, loose]: Try[] = [
    [sum("--mode strict"), false],
    [sum("--mode odd"), false],
    [sum("--mode loose"), true],
  ];
  const says = (stderr: string, ...tries: Try[]) => turn(tries, { said: { stdout: "", stderr } });
  const blamed = [{ failed: ["strict"], refused: ["strict"] }];

  it.each(["sum: unknown mode 'strict'", "rc=22 EINVAL", "línea 4290: modo desconocido"])(
    "where the model changed it alone, after %j",
    (stderr) => {
      expect(says(stderr, strict!, odd!)).toMatchObject(blamed);
    },
  );

  it.each([
    "sum: the service is busy, try again",
    "curl: (7) Failed to connect to host: Connection refused",
    "connect ETIMEDOUT 10.0.0.7:443",
    "HTTP 503",
    "Rate limited: too many requests",
  ])("not after what passes by itself: %s", (stderr) => {
    expect(says(stderr, strict!, odd!)).toEqual([]);
  });

  it("not where a failure passed by itself, though another word worked meanwhile", () => {
    expect(says("sum: busy", strict!, odd!, loose!)).toEqual([]);
  });

  it("where it was left out, and the call worked", () => {
    expect(says("unknown option", [sum("a strict"), false], [sum("a"), true])).toMatchObject(blamed);
    expect(says("unknown option", [sum("a strict"), false], [sum("a"), false])?.[0]).not.toHaveProperty("refused");
  });

  it("where the next call only prints less", () => {
    const less: Try = [{ command: "sum --mode odd x.csv 2>&1 | tail -20" }, false];
    expect(says("unknown mode", strict!, less)).toMatchObject(blamed);
  });

  it.each<[what: string, tries: Try[], content?: string]>([
    ["the calls were made together", [strict!, odd!]],
    ["it is the next of a list that has begun", [loose!, strict!, odd!]],
    ["the text names both", [strict!, odd!], `${SKILL} The other one is odd.`],
    [
      "two things were changed at once",
      [
        [sum("--mode strict -d ;"), false],
        [sum("--mode odd -d ,"), true],
      ],
    ],
    [
      "what was put in its place does less for safety",
      [
        [sum("a strict"), false],
        [sum("a --no-verify"), true],
      ],
    ],
    [
      "another command of the program followed",
      [
        [{ command: "strict-service status web" }, false, { stdout: "", stderr: "web is dead" }],
        [{ command: "strict-service start web" }, true],
      ],
      "Look with `strict-service status NAME`.",
    ],
    [
      "the exit code was the answer",
      [
        [sum("--mode strict"), false, { stdout: "3c3 < a > b", stderr: "" }],
        [sum("--mode odd"), false, { stdout: "they differ", stderr: "" }],
      ],
    ],
  ])("not where %s", (what, tries, content) => {
    const atOnce = what.endsWith("together");
    const said = { stdout: "", stderr: "wrong" };
    const found = turn(tries, { said, atOnce, ...(content !== undefined && { loads: viewed({}, content) }) });
    // What is no opinion is not told either; what may be one waits for another.
    const isTold = what.startsWith("two things") || what.startsWith("what was put");
    expect(found).toEqual(isTold ? [{ skill: "adding-up", text, failed: ["strict"], worked: [] }] : []);
  });

  it("not where the program said nothing: it may have found nothing", () => {
    expect(says("", strict!, odd!, loose!)).toEqual([]);
  });

  it("not where the model changed more than that", () => {
    const tries: Try[] = [strict!, [sum("--mode odd --quiet"), false]];
    expect(says("unknown mode", ...tries)?.[0]).not.toHaveProperty("refused");
  });
});

it.each<[what: string, tries: Try[]]>([
  ["nothing else was tried", [[sum("--mode strict"), false]]],
  [
    "the same call worked when it was repeated",
    [
      [sum("--mode strict"), false],
      [sum("--mode strict"), true],
    ],
  ],
  [
    "a later call worked with it",
    [
      [sum("--mode strict a"), false],
      [sum("--mode loose"), true],
      [sum("--mode strict"), true],
    ],
  ],
  [
    "the text does not have it",
    [
      [sum("--mode odd"), false],
      [sum("--mode loose"), true],
    ],
  ],
  [
    "what followed was another deed",
    [
      [sum("--mode strict"), false],
      [{ command: "awk -f add.awk <y.csv" }, true],
    ],
  ],
  [
    "it is longer than a word",
    [
      [sum(`--mode ${"strict".repeat(11)}`), false],
      [sum("--mode loose"), true],
    ],
  ],
])("no word failed where %s", (_what, tries) => {
  expect(turn(tries, { loads: viewed({}, `${SKILL} ${"strict".repeat(11)}`) })).toEqual([]);
});

it("tells at most five words of one text in one turn", () => {
  const [words, same] = ["aa bb cc dd ee ff gg", "k1 k2 k3 k4 k5 k6 k7 k8"];
  const tries: Try[] = [
    [sum(`${words} ${same}`), false],
    [sum(same), true],
  ];
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
])("a word that had failed, as the reader was told %s, works again", (_how, loads) => {
  expect(turn([[sum("--mode strict"), true]], { loads })).toEqual([
    { skill: "adding-up", text, failed: [], worked: ["strict"] },
  ]);
  // The same was done without it, which counts as well.
  expect(turn([[sum("--mode loose"), true]], { loads })).toEqual([
    { skill: "adding-up", text, failed: ["strict"], worked: [] },
  ]);
  // What else a call did with the word, or a turn without, says nothing of it.
  for (const command of ["grep -rn strict docs", "sum --help | grep -n strict", "shred x.csv"]) {
    expect(turn([[{ command }, true]], { loads })).toEqual([{ skill: "adding-up", text, failed: [], worked: [] }]);
  }
  // Nor does a line of commands that may hide a failure.
  const hidden: Try = [{ command: "sum --mode strict x.csv | head -3" }, true, { stdout: "", stderr: "unknown mode" }];
  expect(turn([hidden], { loads })?.[0]?.worked).toEqual([]);
});

it("tells the words of a companion apart from those of its base", () => {
  const content = `Run sum --mode strict.\n\n# Learned here, in adding-up-local\n\nPass --delimiter tab.`;
  const loads = viewed({ companion: { ...companion, failed_words: ["tab"] } }, content);
  expect(
    turn(
      [
        [sum("--mode strict"), false],
        [sum("--mode loose --delimiter tab"), true],
      ],
      { loads },
    ),
  ).toEqual([
    { skill: "adding-up", text, failed: ["strict"], worked: [] },
    { skill: "adding-up-local", text: companion.text, failed: [], worked: ["tab"] },
  ]);
});
