// What the views of the terminal show: answers, tool calls, messages, status, panels; and that no text controls the terminal.
import { visibleWidth } from "@earendil-works/pi-tui";
import { describe, expect, it } from "vitest";
import { createChoicePanel, createListPanel } from "../../../cli/terminal/view/panels.ts";
import { createQuestionPanel } from "../../../cli/terminal/question-panel.ts";
import { highlightCode } from "../../../cli/terminal/view/highlight.ts";
import { formatTime, renderActivity, renderStatus, shortNumber } from "../../../cli/terminal/view/status.ts";
import { createTheme } from "../../../cli/terminal/view/theme.ts";
import { createTranscript } from "../../../cli/terminal/view/transcript.ts";

const theme = createTheme(true);
const plainTheme = createTheme(false);
const WIDTH = 60;

/** Without styles, so that only the words are compared. */
const plain = (rows: string[]) => rows.map((row) => row.replace(/\x1b\[[\d;]*m/g, "").trimEnd());

const call = (entry: number, name: string, args: Record<string, unknown>, result: object, failed = false) =>
  [
    { type: "tool_start", entry, name, args },
    { type: "tool_end", entry, name, failed, result: JSON.stringify(result) },
  ] as const;

describe("the transcript", () => {
  it("shows a streamed answer as Markdown, wrapped at words, with its pieces in place", () => {
    const transcript = createTranscript(theme);
    transcript.apply({ type: "text_delta", entry: 2, offset: 0, text: "# Title\n\nSome **bo" });
    transcript.apply({
      type: "text_delta",
      entry: 2,
      offset: 18,
      text: "ld** words that go on over the end of a row of sixty signs.",
    });
    const rows = transcript.component.render(WIDTH);
    expect(plain(rows)).toEqual(["Title", "", "Some bold words that go on over the end of a row of sixty", "signs."]);
    expect(rows.every((row) => visibleWidth(row) <= WIDTH)).toBe(true);
    expect(rows.join("")).toContain("\x1b[1m");
  });

  it("highlights code, and leaves it plain without colour", () => {
    const text = "```ts\nconst a = 1; // one\n```";
    const coloured = createTranscript(theme);
    const plainOne = createTranscript(plainTheme);
    for (const one of [coloured, plainOne]) one.apply({ type: "text_delta", entry: 2, offset: 0, text });
    expect(coloured.component.render(WIDTH).join("\n")).toContain("\x1b[35mconst\x1b[39m");
    const rows = plainOne.component.render(WIDTH);
    expect(rows.join("\n")).not.toMatch(/\x1b\[3\d/);
    expect(plain(rows).join("\n")).toContain("const a = 1; // one");
  });

  it("shows a tool call as one row, folded and unfolded, and a failed one with its error", () => {
    const transcript = createTranscript(theme);
    for (const event of call(3, "terminal", { command: "ls" }, { exit_code: 0, stdout: "a.txt\nb.txt\n" }))
      transcript.apply(event);
    for (const event of call(4, "terminal", { command: "no" }, { error: "no such command" }, true))
      transcript.apply(event);
    expect(plain(transcript.component.render(WIDTH))).toEqual([
      "  ✓ terminal ls",
      "  ✗ terminal no",
      "    no such command",
    ]);
    transcript.toggleFold();
    expect(plain(transcript.component.render(WIDTH))).toEqual([
      "  ✓ terminal ls",
      "    a.txt",
      "    b.txt",
      "  ✗ terminal no",
      "    no such command",
    ]);
  });

  it("shows the difference of a changed file and of a changed skill below the call", () => {
    const transcript = createTranscript(theme);
    const diff = "--- a.txt\n+++ a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n";
    for (const event of call(3, "patch", { path: "a.txt" }, { files: [], diff })) transcript.apply(event);
    const skill = { action: "patch", name: "x", old_string: "a\nb\n", new_string: "a\nc\n" };
    for (const event of call(4, "skill_manage", skill, { done: "changed" })) transcript.apply(event);
    const lines = Array.from({ length: 30 }, (_, n) => `line ${n}`).join("\n");
    for (const event of call(5, "write_file", { path: "b.txt", content: lines }, { path: "b.txt" }))
      transcript.apply(event);
    const rows = transcript.component.render(WIDTH);
    expect(plain(rows)).toEqual([
      "  ✓ patch a.txt",
      "    @@ -1,2 +1,2 @@",
      "     one",
      "    -two",
      "    +TWO",
      "  ✓ skill_manage patch x",
      "    @@ -1,2 +1,2 @@",
      "     a",
      "    -b",
      "    +c",
      "  ✓ write_file b.txt",
      ...Array.from({ length: 8 }, (_, n) => `    +line ${n}`),
      "    … 22 more lines",
    ]);
    expect(rows.join("\n")).toContain("\x1b[31m-two\x1b[39m");
    expect(rows.join("\n")).toContain("\x1b[32m+TWO\x1b[39m");
  });

  it("folds a long message of the person, and says how it is unfolded", () => {
    const transcript = createTranscript(theme);
    const text = Array.from({ length: 40 }, (_, n) => `row ${n + 1}`).join("\n");
    transcript.addPerson(text, "joined the running turn");
    const rows = plain(transcript.component.render(WIDTH));
    expect(rows.slice(0, 2)).toEqual(["› row 1", "  row 2"]);
    expect(rows.slice(12)).toEqual(["  … 28 more lines (Ctrl-O shows them)", "  joined the running turn"]);
    transcript.toggleFold();
    expect(plain(transcript.component.render(WIDTH))).toContain("  row 40");
  });

  it("lets no text of a model, a tool or a file control the terminal", () => {
    const evil = "a\x1b]52;c;ZXZpbA==\x07b\x1b]8;;http://evil\x1b\\c\x1b[2J\x9b2Jd\u202ee\u2066f\rg\x00h\u200fi";
    const transcript = createTranscript(theme);
    transcript.addPerson(evil);
    transcript.addNote(evil);
    transcript.addPage(evil);
    transcript.apply({
      type: "text_delta",
      entry: 2,
      offset: 0,
      text: `${evil}\n\n\`${evil}\`\n\n[x](http://${evil})\n\n\`\`\`js\n${evil}\n\`\`\``,
    });
    transcript.apply({ type: "reasoning_delta", entry: 2, text: evil });
    for (const event of call(3, evil, { command: evil, content: evil }, { stdout: evil, [evil]: evil }))
      transcript.apply(event);
    for (const event of call(4, "patch", {}, { diff: evil })) transcript.apply(event);
    transcript.apply({ type: "notice_add", entry: 5, code: "learned", text: evil });
    transcript.apply({ type: "notice_add", entry: 6, code: "command_answer", text: evil });
    const question = {
      for: "approval" as const,
      id: "ab12cd34ab12cd34ab12",
      summary: evil,
      reasons: [evil],
      covers: evil,
      until: 9,
    };
    transcript.apply({ type: "turn_park", turn: 1, entry: 7, question, text: evil });
    const panel = createQuestionPanel(question, { theme, answer() {}, onChange() {} })!;
    transcript.toggleFold();
    const status = { model: evil, context: 1, window: null, tokens: 1, usd: 0, ms: 0, session: null };
    const rows = [
      ...transcript.component.render(WIDTH),
      ...panel.render(WIDTH),
      ...renderStatus(status, WIDTH, theme),
      ...renderActivity({ kind: "busy", what: evil, since: 0, keys: "" }, 0, WIDTH, theme),
    ];
    // Only styles are left: SGR sequences, and nothing of C0, C1 or the overrides of direction.
    const rest = rows.join("").replace(/\x1b\[[\d;]*m/g, "");
    expect(rest).not.toMatch(/[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u);
    expect(rest).toContain("52;c;ZXZpbA==");
    expect(rows.every((row) => visibleWidth(row) <= WIDTH)).toBe(true);
  });

  it("keeps wide signs within the width, at 80 columns and at 20", () => {
    const transcript = createTranscript(theme);
    transcript.addPerson("日本語の文章です。".repeat(12));
    transcript.apply({ type: "text_delta", entry: 2, offset: 0, text: "漢字👩‍👩‍👧 ".repeat(30) });
    for (const event of call(3, "terminal", { command: "漢字".repeat(40) }, { stdout: "字".repeat(90) }))
      transcript.apply(event);
    transcript.toggleFold();
    for (const width of [80, 20]) {
      expect(transcript.component.render(width).filter((row) => visibleWidth(row) > width)).toEqual([]);
    }
  });
});

describe("the highlighter", () => {
  const tag = (name: string) => (text: string) => `<${name}>${text}</${name}>`;
  const styles = { keyword: tag("k"), string: tag("s"), number: tag("n"), name: tag("t"), faint: tag("c") };

  it("ends a style at the end of each line, and keeps every sign of the code", () => {
    const lines = highlightCode('/* a\n b */ if (x < "&amp;") return;', "js", styles);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toBe("<c>/* a</c>");
    expect(lines.join("\n").replace(/<\/?[kstnc]>/g, "")).toBe('/* a\n b */ if (x < "&amp;") return;');
  });

  it("leaves code in an unknown language as it is", () => {
    expect(highlightCode("a\nb", "klingon", styles)).toEqual(["a", "b"]);
    expect(highlightCode("a\nb", undefined, styles)).toEqual(["a", "b"]);
  });
});

describe("the status line", () => {
  const status = {
    model: "m",
    context: 50_000,
    window: 200_000,
    tokens: 1_234_567,
    usd: 0.5,
    ms: 65_000,
    session: "01ARZ3NDEKTSV4RRFFQ69G5FAV",
  };

  it("shows model, share of the context, tokens, cost and time, and the session where there is room", () => {
    expect(plain(renderStatus(status, 100, theme))[0]).toMatch(
      /^m · context 25% of 200k · 1\.2M tokens · \$0\.5000 · 1m 05s {10,}01ARZ3/,
    );
    const unpriced = { ...status, usd: 0 };
    expect(plain(renderStatus(unpriced, 100, theme))[0]).toContain(" · cost – · ");
    const [narrow = ""] = plain(renderStatus(status, 60, theme));
    expect(narrow).toBe("m · context 25% of 200k · 1.2M tokens · $0.5000 · 1m 05s");
  });

  it.each([
    [0, "0s"],
    [59_999, "59s"],
    [3_723_000, "1h 02m"],
  ])("writes %d ms as %s", (ms, text) => expect(formatTime(ms)).toBe(text));

  it.each([
    [999, "999"],
    [1_000, "1k"],
    [12_345, "12.3k"],
    [999_950, "1M"],
  ])("writes %d as %s", (n, text) => expect(shortNumber(n)).toBe(text));
});

describe("a panel", () => {
  const choose = (several = false) => {
    const chosen: number[][] = [];
    let now = 0;
    const panel = createChoicePanel({
      title: "May it?",
      choices: [{ key: "y", label: "yes" }, { label: "later" }, { key: "n", label: "no" }],
      hint: "hint",
      several,
      theme,
      onChoose: (places) => void chosen.push(places),
      onChange() {},
      clock: () => now,
    });
    return { panel, chosen, wait: (ms: number) => (now += ms) };
  };

  it("takes a number, a letter, or the arrows and Enter", () => {
    const { panel, chosen, wait } = choose();
    wait(500);
    for (const key of ["2", "n", "\x1b[B", "\r"]) expect(panel.handleKey(key)).toBe(true);
    expect(chosen).toEqual([[1], [2], [1]]);
    expect(panel.handleKey("q")).toBe(false);
  });

  it("leaves keys that come at once to the editor, because they were meant for it", () => {
    const { panel, chosen, wait } = choose();
    expect(panel.handleKey("y")).toBe(false);
    expect(chosen).toEqual([]);
    wait(500);
    panel.handleKey("y");
    expect(chosen).toEqual([[0]]);
  });

  it("marks several and sends them with Enter, in their order", () => {
    const { panel, chosen, wait } = choose(true);
    wait(500);
    for (const key of ["3", "1", "2", "2", "\r"]) panel.handleKey(key);
    expect(chosen).toEqual([[0, 2]]);
  });

  it("asks several questions one after the other and answers them in one message", () => {
    const sent: string[] = [];
    const question = {
      for: "clarify" as const,
      id: "x",
      until: 9,
      questions: [
        { question: "Colour?", choices: ["red", "blue"], multiSelect: false },
        { question: "Sizes?", choices: ["1", "2", "3"], multiSelect: true },
      ],
    };
    const panel = createQuestionPanel(question, {
      theme,
      answer: (text) => void sent.push(text),
      onChange() {},
      quietMs: 0,
    })!;
    expect(plain(panel.render(WIDTH))[0]).toBe("1) Colour?");
    panel.handleKey("2");
    expect(plain(panel.render(WIDTH))[0]).toBe("2) Sizes?");
    for (const key of ["1", "3", "\r"]) panel.handleKey(key);
    // Where a choice is itself a number, the choice is named.
    expect(sent).toEqual(["2; 1,3"]);
  });

  it("offers for an approval only what it may cover, and names its id", () => {
    const sent: string[] = [];
    const question = { for: "approval" as const, id: "ab12cd34ab12cd34ab12", summary: "rm a", reasons: [], until: 9 };
    const make = (covers: string | null) =>
      createQuestionPanel(
        { ...question, covers },
        { theme, answer: (text) => void sent.push(text), onChange() {}, quietMs: 0 },
      )!;
    expect(plain(make(null).render(WIDTH)).filter((row) => /\d\./.test(row))).toHaveLength(2);
    const wide = make("every `git status`");
    for (const key of ["1", "2", "3", "4"]) {
      wide.handleKey(key);
      expect(wide.handleKey("y")).toBe(false);
      wide.handleKey("\r");
    }
    expect(sent).toEqual([
      "/approve ab12cd34ab12cd34ab12 once",
      "/approve ab12cd34ab12cd34ab12 session",
      "/approve ab12cd34ab12cd34ab12 always",
      "/deny ab12cd34ab12cd34ab12",
    ]);
  });

  it("narrows a list by what is typed", () => {
    const chosen: string[] = [];
    const items = ["alpha", "beta", "gamma"].map((label) => ({ value: label, label, description: "" }));
    const panel = createListPanel({
      title: "Sessions",
      items,
      theme,
      onChoose: (value) => void chosen.push(value),
      onCancel() {},
      onChange() {},
    });
    for (const key of ["m", "m", "\r"]) panel.handleKey(key);
    expect(chosen).toEqual(["gamma"]);
  });
});
