import { describe, expect, it } from "vitest";
import { addedText } from "../../../core/learning/added-text.ts";
import { createClaims } from "../../../core/learning/review/rules/claims.ts";

const checkAll = createClaims(["docker", "jq", "pip"]);
const check = (text: string) => checkAll([text])?.code ?? null;

const CLAIMS = [
  "The browser tool does not work.",
  "Browser tools don't work in this environment.",
  "The terminal is broken; use write_file instead.",
  "`jq` is not available here.",
  "`web_search` always fails.",
  "The terminal tool cannot access the network.",
  "pip is not installed on this machine.",
  "Docker was unavailable.",
  "jq was not found.",
  "The sandbox has no access to the internet.",
  "Do not use the browser: it is broken.",
  "The browser_navigate tool is unreliable and should be avoided.",
  "The memory tool can't be used.",
  "skill_view fails every time.",
  "Network is down in the sandbox.",
  "The search tool no longer works.",
  "docker never works here.",
  "The `sum` tool cannot read semicolons.",
  "The shell is unable to run python.",
  "The GitHub integration is currently unavailable.",
  "Read the file first. The terminal doesn't work.",
];

const MOMENTS = [
  "The API returned 503 and worked on the second try.",
  "The request timed out twice and then went through.",
  "The call was rate limited.",
  "The connection was reset.",
];

const LESSONS = [
  "Do not use `head` with several files, because it prints headers.",
  "`sum` fails when the separator is a semicolon; pass `-s ';'`.",
  "If the API returns 503, wait two seconds and try again, at most three times.",
  "`grep` cannot match across lines: use `rg -U`.",
  "`sed -i` does not work on macOS without a suffix.",
  "`sum -c` does not work with quoted fields.",
  "Wait and repeat when a call timed out.",
  "The tool does not support CSV; convert the file first.",
  "The tool does not support CSV. Convert the file first.",
  "When jq is not installed, read the file with awk.",
  "If the browser is unavailable, say so.",
  "Do not take the separator for granted, because files differ.",
  "The report is not available before the first of the month.",
  "The command does not print a header. Add one by hand.",
  "Never run the command as root.",
  "The user does not work on Fridays.",
  "Ann cannot read red on green.",
  'The person said "the browser does not work" of a page that was still loading.',
  "| `409` | The service is down |",
];

describe("a claim", () => {
  it.each(CLAIMS)("about a tool is refused: %s", (text) => expect(check(text)).toBe("tool_claim"));
  it.each(MOMENTS)("about a temporary state is refused: %s", (text) => expect(check(text)).toBe("passing_failure"));
  it.each(LESSONS)("that is a lesson is accepted: %s", (text) => expect(check(text)).toBeNull());

  it("says which sentence it is, and how to write it instead", () => {
    expect(checkAll(["Look first. The browser tool does not work."])?.message).toBe(
      '"The browser tool does not work." says that a tool does not work or cannot do something, which will keep the agent ' +
        "from trying long after it is untrue: say under which condition it fails and what to do then, or leave it out.",
    );
  });

  it("is checked in less than two seconds in a long text of one word", () => {
    const started = performance.now();
    expect(checkAll(["a_".repeat(50_000), "a".repeat(100_000), "`".repeat(50_000)])).toBeNull();
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

describe("what a write adds", () => {
  const before = { "SKILL.md": "# Title\n\nThe terminal is broken.\n- One.\n" };

  it("is the text that no file had before: paragraphs as one line, code separately", () => {
    const after = {
      "SKILL.md":
        "# Title\n\nThe terminal is broken.\n- One.\n- Two goes\n  on here.\n\n```sh\nrun it\n```\nLast\nline.\n",
      "scripts/a.sh": "echo 1\n",
      "references/a.md": "- One.\nNew.\n",
    };
    expect(addedText(before, after)).toEqual({
      prose: ["- Two goes on here.", "Last line.", "New."],
      code: ["run it", "echo 1"],
    });
  });

  it("is nothing when lines were only removed or moved", () => {
    expect(addedText(before, { "references/b.md": "- One.\n\nThe terminal is broken.\n" })).toEqual({
      prose: [],
      code: [],
    });
  });
});
