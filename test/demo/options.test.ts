// The demo's command line, and how its answers are checked.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isCorrect } from "../../scripts/demo/answers.ts";
import { UsageError } from "../../scripts/command-line.ts";
import { isRehearsal, parseOptions } from "../../scripts/demo/options.ts";

describe("the command line", () => {
  it("has only a seed by default", () => {
    expect(parseOptions([])).toEqual({ story: "table", data: undefined, seed: 5, json: false });
  });

  it("takes the word workbench, with the flags that fit it", () => {
    const given = parseOptions(["workbench", "--seed", "3", "--data", "x"]);
    expect(given).toEqual({ story: "workbench", data: "x", seed: 3, json: false });
  });

  it("reads a skill with the name its front matter gives", () => {
    const path = join(mkdtempSync(join(tmpdir(), "skill-")), "SKILL.md");
    const text = "---\nname: My Office Files\ndescription: How to read them.\n---\nText.\n";
    writeFileSync(path, text);
    expect(parseOptions(["--data", "x", "--seed", "12", "--skill", path, "--json"])).toEqual({
      story: "table",
      data: "x",
      seed: 12,
      json: true,
      skill: { name: "my-office-files", text },
    });
  });

  it.each([
    [["--seed", "x"], '--seed takes a whole number, not "x".'],
    [["--seed", "-1"], "--seed"],
    [["--sed", "1"], "Unknown option '--sed'"],
    [["extra"], 'The only word the demo takes is workbench, not "extra".'],
    [["workbench", "extra"], '"extra"'],
    [["workbench", "--skill", "x"], "--skill is for the demo without workbench."],
    [["--skill", "/no/such/file"], "--skill: /no/such/file cannot be read."],
  ])("%j is refused with an explanation", (args, message) => {
    expect(() => parseOptions(args)).toThrow(UsageError);
    expect(() => parseOptions(args)).toThrow(message);
  });
});

describe("the model", () => {
  it.each([
    [{}, true],
    [{ ANTHROPIC_API_KEY: " " }, true],
    [{ TALARIA_MODEL: "rehearsal", ANTHROPIC_API_KEY: "k" }, true],
    [{ ANTHROPIC_API_KEY: "k" }, false],
    [{ OPENAI_API_KEY: "k" }, false],
    [{ TALARIA_MODEL: "anthropic:m" }, false],
  ])("with the environment %j is rehearsal: %s", (env, expected) => {
    expect(isRehearsal(env)).toBe(expected);
  });
});

describe("an answer", () => {
  it.each<[string, number, number, boolean]>([
    ["The mean is **12.35**.", 12.3456, 2, true],
    ["The mean is 12.3456.", 12.3456, 2, true],
    ["The mean is 12.36.", 12.3456, 2, false],
    ["About 1,234,567.89 in all.", 1_234_567.891, 2, true],
    ["Zusammen 1.234.567,89.", 1_234_567.891, 2, true],
    ["Minus: −3.10", -3.1, 2, true],
    ["The smallest of `12.35` is 7.", 12.35, 2, false],
    ["I cannot say.", 1, 2, false],
  ])("“%s” for %d to %d places is right: %s", (text, answer, places, right) => {
    expect(isCorrect(text, { answer, places })).toBe(right);
  });
});
