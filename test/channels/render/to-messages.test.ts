import fc from "fast-check";
import { Lexer } from "marked";
import { describe, expect, test } from "vitest";
import type { Flavour } from "../../../core/channels/render/flavour.ts";
import { measure, render, toMessages } from "../../../core/channels/render/to-messages.ts";
import { anyText } from "../../support/any-text.ts";
import { runs } from "../../support/thorough.ts";

const FLAVOURS: Flavour[] = [
  "html",
  "matrix",
  "email",
  "mrkdwn",
  "whatsapp",
  "google-chat",
  "markdown",
  "discord",
  "plain",
];

const TEXT = [
  "# Rain in *May*",
  "It rained **12 mm**, ~~not~~ `a < b`: [source](https://x.test/a?b=1&c=2), snake_case & <b>.",
  "1. one\n2. two\n   - [x] done\n   - [ ] open",
  "> said\n> twice",
  "```js\nif (a < b) x();\n```",
  "| day | mm |\n|---|--:|\n| 1 | 12 |\n| 10 | 3 |",
  "---",
  "![rain](https://x.test/rain.png) [file](notes.md) [bad](javascript:x)",
].join("\n\n");

describe("Markdown is written in the form of each platform:", () => {
  test("Telegram's tags", () => {
    expect(render(TEXT, "html")).toBe(
      [
        "<b>Rain in <i>May</i></b>",
        'It rained <b>12 mm</b>, <s>not</s> <code>a &lt; b</code>: <a href="https://x.test/a?b=1&amp;c=2">source</a>, snake_case &amp; &lt;b&gt;.',
        "1. one\n2. two\n   • ☑ done\n   • ☐ open",
        "<blockquote>said\ntwice</blockquote>",
        '<pre><code class="language-js">if (a &lt; b) x();</code></pre>',
        "<pre>day  mm\n───  ──\n1    12\n10    3</pre>",
        "———",
        '<a href="https://x.test/rain.png">rain</a> [file](notes.md) [bad](javascript:x)',
      ].join("\n\n"),
    );
  });

  test("Slack's marks", () => {
    expect(render(TEXT, "mrkdwn")).toBe(
      [
        "*Rain in _May_*",
        "It rained *12 mm*, ~not~ `a &lt; b`: <https://x.test/a?b=1&amp;c=2|source>, snake_case &amp; &lt;b&gt;.",
        "1. one\n2. two\n   • ☑ done\n   • ☐ open",
        "> said\n> twice",
        "```\nif (a &lt; b) x();\n```",
        "```\nday  mm\n───  ──\n1    12\n10    3\n```",
        "———",
        "<https://x.test/rain.png|rain> [file](notes.md) [bad](javascript:x)",
      ].join("\n\n"),
    );
  });

  test("WhatsApp's marks", () => {
    expect(render(TEXT, "whatsapp")).toContain("It rained *12 mm*, ~not~ `a < b`: source (https://x.test/a?b=1&c=2), ");
  });

  test("CommonMark, as it was written", () => {
    const inert = TEXT.replace("<b>", "<\u200Bb>").replace("![rain]", "\u200B[rain]");
    expect(render(inert, "markdown")).toBe(inert.replace("|---|--:|", "| --- | --: |"));
    expect(render(TEXT, "markdown")).toBe(render(inert, "markdown"));
    expect(render("a \\* b &amp; \\_c\\_ ***d*** `` ` ``", "markdown")).toBe("a \\* b &amp; \\_c\\_ ***d*** `` ` ``");
  });

  test("Discord's, whose tables are columns", () => {
    expect(render(TEXT, "discord")).toContain("```\nday  mm\n───  ──\n1    12\n10    3\n```");
    expect(render("#### Rain", "discord")).toBe("**Rain**");
  });

  test("whole HTML", () => {
    expect(render(TEXT, "matrix")).toBe(
      "<h1>Rain in <em>May</em></h1>" +
        '<p>It rained <strong>12 mm</strong>, <del>not</del> <code>a &lt; b</code>: <a href="https://x.test/a?b=1&amp;c=2">source</a>, snake_case &amp; &lt;b&gt;.</p>' +
        "<ol><li>one</li><li>two<ul><li>☑ done</li><li>☐ open</li></ul></li></ol>" +
        "<blockquote><p>said<br>twice</p></blockquote>" +
        '<pre><code class="language-js">if (a &lt; b) x();</code></pre>' +
        '<table><thead><tr><th>day</th><th align="right">mm</th></tr></thead><tbody><tr><td>1</td><td align="right">12</td></tr><tr><td>10</td><td align="right">3</td></tr></tbody></table>' +
        '<hr><p><a href="https://x.test/rain.png">rain</a> [file](notes.md) [bad](javascript:x)</p>',
    );
  });

  test("plain words", () => {
    expect(render(TEXT, "plain")).toContain(
      "It rained 12 mm, not a < b: source (https://x.test/a?b=1&c=2), snake_case & <b>.",
    );
  });

  describe("marks within a word are read as they are meant:", () => {
    const apart = (text: string) => text.replaceAll("·", "\u200B");
    const LINES = ["mrkdwn", "whatsapp", "google-chat"] as const;
    const ALL = [...LINES, "html", "matrix", "email", "markdown", "discord", "plain"] as const;
    const bare = (flavour: Flavour, text: string) => render(text, flavour).replaceAll(/^<p>|<\/p>$/g, "");

    test.each(["snake_case_name", "a_b_c and __d", "2 * 3 * 4", "f(a_, _b)", "x*y", "~/a and ~/b"])(
      "%j is no mark anywhere",
      (text) => {
        for (const flavour of ALL) expect(bare(flavour, text), flavour).toBe(text);
      },
    );

    test.each(["2*3*4", "10*20*30 = 6000", "1.5*2*x"])("%j is multiplied", (text) => {
      for (const flavour of ALL) {
        const isMarkdown = flavour === "markdown" || flavour === "discord";
        expect(bare(flavour, text), flavour).toBe(isMarkdown ? text.replaceAll("*", "\\*") : text);
      }
    });

    test.each([
      ["a**b**c", "a·*b*·c", "a<b>b</b>c", "a**b**c", "abc"],
      ["これは**大事**です", "これは·*大事*·です", "これは<b>大事</b>です", "これは**大事**です", "これは大事です"],
      ["**un**do", "*un*·do", "<b>un</b>do", "**un**do", "undo"],
      ["re~~do~~", "re·~do~", "re<s>do</s>", "re~~do~~", "redo"],
      ["the `x`s", "the `x`·s", "the <code>x</code>s", "the `x`s", "the xs"],
      ["**a _b_ c**d", "*a _b_ c*·d", "<b>a <i>b</i> c</b>d", "**a *b* c**d", "a b cd"],
      ["**a**, *b*!", "*a*, _b_!", "<b>a</b>, <i>b</i>!", "**a**, *b*!", "a, b!"],
    ])("%j", (text, marks, html, markdown, plain) => {
      for (const flavour of LINES) expect(render(text, flavour), flavour).toBe(apart(marks));
      expect(render(text, "html")).toBe(html);
      for (const flavour of ["markdown", "discord"] as const) expect(render(text, flavour)).toBe(markdown);
      expect(render(text, "plain")).toBe(plain);
    });
  });

  test("an address by itself stays one", () => {
    const text = "See https://x.test/a.";
    expect(render(text, "html")).toBe('See <a href="https://x.test/a">https://x.test/a</a>.');
    expect(render(text, "mrkdwn")).toBe("See <https://x.test/a>.");
    for (const flavour of ["plain", "whatsapp", "markdown", "discord", "google-chat"] as const)
      expect(render(text, flavour)).toBe(text);
  });

  test("code that contains a fence stays in its block", () => {
    const text = "````\n```\nx\n```\n````";
    expect(render(text, "markdown")).toBe(text);
    expect(render(text, "mrkdwn").match(/```/g)).toHaveLength(2);
  });

  test("nothing in a text calls everybody", () => {
    expect(render("<!channel> <@U1> <!here>", "mrkdwn")).toBe("&lt;!channel&gt; &lt;@U1&gt; &lt;!here&gt;");
    expect(render("<users/all>", "google-chat")).not.toContain("<users/all>");
    for (const call of ["@all", "@HERE", "\\@channel", "&#64;all", "&commat;all", "@&#97;ll", "**@everyone**"]) {
      expect(render(call, "markdown"), call).toContain("@\u200B");
    }
    for (const text of ["ada@all", "@allen", "`@all`", "@ada"]) expect(render(text, "markdown")).toBe(text);
  });
});

describe("no platform shows a remote image, which would be fetched with what is in its address:", () => {
  const address = "https://x.test/a.png?k=secret";

  test.each([
    `![a](${address})`,
    `!![a](${address})`,
    `![a][1]\n\n[1]: ${address}`,
    `[![a](${address})](https://x.test)`,
    `| a |\n|---|\n| ![a](${address}) |`,
    `![a](${address} b)`,
    `<img src="${address}">`,
    `<div><IMG\nsrc='${address}'></div>`,
    `<details><summary>a</summary><picture><source srcset="${address}"></picture></details>`,
    `<details style="background:url(${address})">`,
  ])("%s", (text) => {
    for (const flavour of ["html", "matrix", "email", "mrkdwn", "markdown"] as const) {
      expect(render(text, flavour)).not.toMatch(/<(?:img|picture|source|div|details )/i);
    }
    expect(render(text, "markdown")).not.toContain("![");
  });

  test("what fetches nothing stays", () => {
    const text = "See <details><summary>More</summary>H<sub>2</sub>O</details> 1 < 2 `<img>` <https://x.test>";
    expect(render(text, "markdown")).toBe(text.replace("<https://x.test>", "https://x.test"));
  });
});

describe("a text is cut into messages", () => {
  const form = (flavour: Flavour, text: number, textUnit: "utf16" | "codePoints" | "bytes" = "utf16") => ({
    flavour,
    limits: { text, textUnit },
  });

  test("between paragraphs where it can, and a heading stays with its text", () => {
    expect(toMessages("# A\n\nfirst words\n\n## B\n\nsecond words", form("markdown", 24))).toEqual([
      "# A\n\nfirst words",
      "## B\n\nsecond words",
    ]);
  });

  test("a code block is closed and opened again, at a line's end", () => {
    const messages = toMessages("```js\none();\ntwo();\nthree();\nfour();\n```", form("html", 64));
    expect(messages).toEqual([
      '<pre><code class="language-js">one();\ntwo();</code></pre>',
      '<pre><code class="language-js">three();\nfour();</code></pre>',
    ]);
  });

  test("marks are closed and opened again, and a link stays whole", () => {
    const messages = toMessages("**one two three four [five six](https://x.test/) seven eight**", form("html", 50));
    for (const text of messages)
      expect(text).toMatch(/^<b>[^<]*(?:<a href="https:\/\/x.test\/">five six<\/a>)?[^<]*<\/b>$/);
    expect(messages.join(" ")).toContain('<a href="https://x.test/">five six</a>');
  });

  test("a table has its head again", () => {
    const rows = Array.from({ length: 9 }, (_, index) => `| ${index} | x |`).join("\n");
    const messages = toMessages(`| day | mm |\n|---|---|\n${rows}`, form("markdown", 70));
    expect(messages.length).toBeGreaterThan(1);
    for (const text of messages) expect(text).toMatch(/^\| day \| mm \|\n\| --- \| --- \|\n/);
  });

  test("a list goes on with its numbers", () => {
    expect(toMessages("1. aaaa\n2. bbbb\n3. cccc", form("matrix", 46))).toEqual([
      "<ol><li>aaaa</li><li>bbbb</li></ol>",
      '<ol start="3"><li>cccc</li></ol>',
    ]);
  });

  test("an emoji of several parts is one character", () => {
    for (const text of toMessages("👩‍👩‍👧".repeat(20), form("plain", 20))) expect(text).toMatch(/^(?:👩‍👩‍👧)+$/u);
  });

  test("a text without words is no message", () => {
    for (const text of ["", " \n\n ", "[a]: https://x.test\n"]) expect(toMessages(text, form("html", 100))).toEqual([]);
  });
});

const word = fc.stringMatching(/^[a-z0-9<>&.]{1,12}$/);
const inline = fc.oneof(
  { weight: 4, arbitrary: word },
  word.map((text) => `**${text}**`),
  word.map((text) => `*${text}*`),
  word.map((text) => `\`${text}\``),
  word.map((text) => `[${text}](https://x.test/${encodeURIComponent(text)})`),
  fc.constantFrom("👩‍👩‍👧", "日本語", "é", "\n", "~~gone~~", "***both***"),
);
const line = fc.array(inline, { minLength: 1, maxLength: 30 }).map((parts) => parts.join(" "));
const block = fc.oneof(
  line,
  line.map((text) => `# ${text.replaceAll("\n", " ")}`),
  fc
    .array(line, { minLength: 1, maxLength: 6 })
    .map((items) => items.map((text) => `- ${text.replaceAll("\n", "\n  ")}`).join("\n")),
  line.map((text) => `> ${text.replaceAll("\n", "\n> ")}`),
  fc.array(word, { minLength: 1, maxLength: 40 }).map((lines) => `\`\`\`js\n${lines.join("\n")}\n\`\`\``),
  fc
    .array(word, { minLength: 1, maxLength: 8 })
    .map((rows) => `| a | b |\n|---|---|\n${rows.map((text) => `| ${text} | x |`).join("\n")}`),
);
const markdown = fc.oneof(
  { weight: 3, arbitrary: fc.array(block, { minLength: 1, maxLength: 8 }).map((blocks) => blocks.join("\n\n")) },
  anyText({ maxLength: 400 }),
);
const limit = fc.record({
  text: fc.integer({ min: 120, max: 700 }),
  textUnit: fc.constantFrom("utf16" as const, "codePoints" as const, "bytes" as const),
});

test("a text that begins with a character of two units is not cut within it where there is room for one", () => {
  const text = `> 👩‍👩‍👧 ${"a".repeat(60)}`;
  for (let room = 3; room < 12; room++) {
    const messages = toMessages(text, { flavour: "google-chat", limits: { text: room, textUnit: "utf16" } });
    expect(messages.every((message) => message.isWellFormed())).toBe(true);
  }
});

describe("of any text", () => {
  test.each(FLAVOURS)("no message in %s is above its limit, blank, or cut within a character", (flavour) => {
    fc.assert(
      fc.property(markdown, limit, (text, limits) => {
        for (const message of toMessages(text, { flavour, limits })) {
          expect(measure(message, limits.textUnit)).toBeLessThanOrEqual(limits.text);
          expect(message.trim()).not.toBe("");
          expect(message.isWellFormed()).toBe(true);
        }
      }),
      { numRuns: runs(60) },
    );
  });

  test.each(["html", "matrix"] as const)("every tag in %s is closed where it was opened", (flavour) => {
    fc.assert(
      fc.property(markdown, limit, (text, limits) => {
        for (const message of toMessages(text, { flavour, limits })) assertBalanced(message);
      }),
      { numRuns: runs(100) },
    );
  });

  test.each(["markdown", "discord", "mrkdwn", "whatsapp", "google-chat"] as const)(
    "every fence in %s is closed",
    (flavour) => {
      fc.assert(
        fc.property(fc.array(block, { minLength: 1, maxLength: 8 }), limit, (blocks, limits) => {
          for (const message of toMessages(blocks.join("\n\n"), { flavour, limits }))
            expect((message.match(/^(?:> |\s)*```/gm) ?? []).length % 2, message).toBe(0);
        }),
        { numRuns: runs(60) },
      );
    },
  );

  test("no letter is lost or doubled", () => {
    fc.assert(
      fc.property(fc.array(block, { minLength: 1, maxLength: 8 }), limit, (blocks, limits) => {
        const letters = (text: string) => text.replaceAll(/[^a-z0-9]/g, "");
        const source = blocks.filter((text) => !text.startsWith("|")).join("\n\n");
        const whole = render(source, "plain");
        const cut = toMessages(source, { flavour: "plain", limits });
        expect(letters(cut.join(""))).toBe(letters(whole));
      }),
      { numRuns: runs(100) },
    );
  });

  test("a text of any characters keeps its letters", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z \n*_`~#>[\]()!|&;<-]{0,300}$/), (text) => {
        const hasLinks = new Lexer().lex(text).some(({ type }) => type === "def") || /\]\s*[([]/.test(text);
        fc.pre(!hasLinks && !text.includes("&") && !/[`~]{3}/.test(text));
        const letters = (part: string) => part.replaceAll(/[^a-z]/g, "").replaceAll("br", "");
        expect(letters(render(text, "plain"))).toBe(letters(text));
      }),
      { numRuns: runs(200) },
    );
  });
});

test("a hostile text is written in bounded processor time", () => {
  const n = 3_000;
  const texts = {
    emphasis: "_a__b".repeat(10_000),
    tables: `${"|a".repeat(5)}\n${"|-".repeat(4)}\n`.repeat(1_200),
    rules: `${"* * ".repeat(10_000)}a`,
    quotes: ">".repeat(n),
    lists: `${"- ".repeat(n)}a`,
    brackets: "[".repeat(n),
    underlines: `${"_".repeat(n)}a${"_".repeat(n)}`,
    mail: `${"a".repeat(n)}@`,
    word: "a".repeat(100_000),
    indents: Array.from({ length: 200 }, (_, index) => `${" ".repeat(index * 2)}- a`).join("\n"),
  };
  for (const [name, text] of Object.entries(texts)) {
    const started = process.cpuUsage();
    const messages = toMessages(text, { flavour: "html", limits: { text: 4_096, textUnit: "utf16" } });
    expect(messages.length, name).toBeGreaterThan(0);
    expect(process.cpuUsage(started).user, `${name}, µs of processor time`).toBeLessThan(8_000_000);
  }
});

function assertBalanced(html: string): void {
  const open: string[] = [];
  for (const [, close, name] of html.matchAll(/<(\/?)([a-z0-9]+)[^>]*>/g)) {
    if (name === "br" || name === "hr") continue;
    if (close) expect(open.pop(), html).toBe(name);
    else open.push(name!);
  }
  expect(open, html).toEqual([]);
}
