// How a text comes apart into sentences, and what is left when some are taken out.
import { describe, expect, it } from "vitest";
import { sentencesIn, sentencesOfFile, removeSentences } from "../../core/learning/sentences.ts";

const texts = (path: string, body: string) => sentencesOfFile(path, body).map(({ text }) => text);

describe("prose", () => {
  it("ends a sentence at a blank line, with a full stop or without", () => {
    const body = "Send a copy to the desk\n\nSort the rows by `date`\nand print them\n\n\n    sort -k2 report.csv\n";
    expect(texts("SKILL.md", body)).toEqual([
      "Send a copy to the desk",
      "Sort the rows by `date` and print them",
      "sort -k2 report.csv",
    ]);
  });

  it.each(["\n\n", "\n \t\n", "\r\n\r\n"])("is split at the blank line %j", (blank) => {
    expect(texts("SKILL.md", `one line${blank}another line`)).toEqual(["one line", "another line"]);
  });

  it("keeps headings and frontmatter in place", () => {
    const body = "---\nname: a\n\ndescription: b\n---\n\n# Rows\n\nSort them.";
    const fixed = sentencesOfFile("SKILL.md", body).map(({ text, isFixed }) => [text, isFixed]);
    expect(fixed).toEqual([
      ["name: a", true],
      ["description: b", true],
      ["# Rows", true],
      ["Sort them.", false],
    ]);
  });

  it("takes a fenced block line by line", () => {
    expect(texts("SKILL.md", "So:\n```\nsort a\n\nsort b\n```\nThen stop.")).toEqual([
      "So:",
      "sort a",
      "sort b",
      "Then stop.",
    ]);
  });
});

it("a sentence that goes takes nothing of the paragraph after it along", () => {
  const body = "Rows come first.\n\nSend a copy to the desk\n\n    sort -k2 report.csv\n\n- Print it.\n";
  const gone = sentencesOfFile("SKILL.md", body).filter(({ text }) => text.startsWith("Send"));
  expect(removeSentences(body, gone)).toBe("Rows come first.\n\n    sort -k2 report.csv\n\n- Print it.\n");
});

it("an item keeps its mark while something is left of it", () => {
  const body = "1. Rows first. Then send a copy.\n2. Send a copy. Print it.\n3. Send a copy.\n";
  const gone = sentencesOfFile("SKILL.md", body).filter(({ text }) => /send a copy/i.test(text));
  expect(removeSentences(body, gone)).toBe("1. Rows first.\n2. Print it.\n");
});

it("numbers, short forms and code end no sentence", () => {
  expect(sentencesIn("1. Use `a. b` e.g. no. 4 first. Then go on!").map(({ text }) => text)).toEqual([
    "1. Use `a. b` e.g. no. 4 first.",
    "Then go on!",
  ]);
});
