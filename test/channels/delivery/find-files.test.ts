import { describe, expect, test } from "vitest";
import { findFiles } from "../../../core/channels/delivery/find-files.ts";
import { isSilence, mayBeSilence } from "../../../core/channels/delivery/silence.ts";

const THERE = new Set(["a.csv", "out/my file.pdf", "/work/b.txt"]);
const find = (text: string) => findFiles(text, async (path) => THERE.has(path));

describe("the files of an answer", () => {
  test.each([
    ["Look:\nMEDIA:a.csv", "Look:", [{ path: "a.csv", isLink: false }]],
    ["- MEDIA:`x y.png`", "", [{ path: "x y.png", isLink: false }]],
    [
      'See [the table](a.csv) and [it](/work/b.txt "B").',
      "See the table and it.",
      [
        { path: "a.csv", isLink: true },
        { path: "/work/b.txt", isLink: true },
      ],
    ],
    ["![A chart](gone.png) below", "below", [{ path: "gone.png", isLink: false }]],
    ["[pdf](out/my%20file.pdf)", "pdf", [{ path: "out/my file.pdf", isLink: true }]],
    ["[pdf](sandbox:a.csv)\nMEDIA:a.csv", "pdf", [{ path: "a.csv", isLink: false }]],
  ])("are read from %j", async (text, rest, files) => {
    expect(await find(text)).toEqual({ text: rest, files });
  });

  test.each([
    "[site](https://example.com/a.csv)",
    "![x](https://example.com/x.png)",
    "[part](#a.csv)",
    "[other](//example.com/a.csv)",
    "[no such](b.csv)",
    "[bad](%E0%A4%A)",
    "MEDIA:/etc/passwd",
    "MEDIA:https://example.com/x.png",
    "`[code](a.csv)`",
    "```\nMEDIA:a.csv\n[x](a.csv)\n```",
    "~~~~\n```\nMEDIA:a.csv\n~~~~",
    "The line MEDIA:a.csv is in words.",
  ])("are not seen in %j", async (text) => {
    expect(await find(text)).toEqual({ text, files: [] });
  });

  test("are ten at most, and a long line of brackets is read at once", async () => {
    const many = Array.from({ length: 12 }, (_, n) => `MEDIA:${n}.txt`).join("\n");
    expect(await find(many)).toMatchObject({ text: "MEDIA:10.txt\nMEDIA:11.txt", files: { length: 10 } });
    const started = performance.now();
    await find("[](".repeat(100_000));
    await find("`".repeat(200_000));
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

describe("silence", () => {
  test.each([
    "[SILENT]",
    " silent ",
    "NO_REPLY",
    "no reply",
    "`[SILENT]`",
    "**[SILENT]**.",
    "[no_reply]",
    `\n\u00a0[SILENT]${" \n".repeat(40)}`,
  ])("is %j", (text) => {
    expect(isSilence(text)).toBe(true);
    for (let end = 0; end <= text.length; end++) expect(mayBeSilence(text.slice(0, end))).toBe(true);
  });
  test.each([
    "[SILENT] but",
    "Silently",
    "No reply came.",
    "Not [SILENT]",
    "[SILENT]\nbut",
    "[SILENT] [SILENT]",
    "x".repeat(50),
  ])("is not %j", (text) => {
    expect(isSilence(text)).toBe(false);
    expect(mayBeSilence(text)).toBe(false);
  });
});
