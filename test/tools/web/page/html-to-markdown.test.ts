// What becomes of a page: its text, its links, its structure; what is left out; and that no page is slow.
import { describe, expect, it } from "vitest";
import { htmlToMarkdown } from "../../../../core/tools/web/page/html/html-to-markdown.ts";

const convert = (html: string) => htmlToMarkdown(html, "https://site.example/docs/page.html", 1_000_000);
const markdown = (html: string) => convert(html).markdown;

describe("htmlToMarkdown", () => {
  it.each<[string, string, string]>([
    ["headings and paragraphs", "<h1>A</h1><p>b<p>c<h2>D <em>e</em></h2>f", "# A\n\nb\n\nc\n\n## D *e*\n\nf"],
    ["white space", "<p> a\n  b &nbsp; c </p>", "a b c"],
    ["line breaks", "<p>a<br>b <br/> c</p>", "a\nb\nc"],
    [
      "marks",
      "<p><b>a</b> <i>b</i> <del>c</del> <code>d</code> x<strong> e </strong>y</p>",
      "**a** *b* ~~c~~ `d` x **e** y",
    ],
    ["entities", "<p>&lt;b&gt; &amp;amp; &#x41; &eacute;</p>", "<b> &amp; A é"],
    [
      "absolute links",
      '<a href="../x?a=1#f">x</a> <a href="//o.example/y">y</a>',
      "[x](https://site.example/x?a=1#f) [y](https://o.example/y)",
    ],
    ["a base", '<base href="/b/"><a href="c">c</a>', "[c](https://site.example/b/c)"],
    [
      "links that are no addresses",
      '<a href="javascript:evil()">a</a> <a href="#top">b</a> <a href="data:,x">c</a> <a>d</a>',
      "a b c d",
    ],
    [
      "a link around blocks",
      '<a href="/card"><h3>Card</h3><p>text</p></a>',
      "### [Card](https://site.example/card)\n\ntext",
    ],
    [
      "images with words",
      '<img src="a.png" alt="A plan"> <img src="b.png" alt=""> <img src="data:image/png;base64,AA" alt="inline">',
      "![A plan](https://site.example/docs/a.png) inline",
    ],
    [
      "lists",
      "<ul><li>a<li>b<ul><li>c</ul></ul><ol start=3><li>d</li><li>e</li></ol>",
      "- a\n- b\n  - c\n\n3. d\n4. e",
    ],
    ["quotes", "<blockquote><p>a</p><p>b</p></blockquote>c", "> a\n\n> b\n\nc"],
    [
      "code blocks",
      '<pre class="x"><code class="language-ts">if (a &lt; b)\n  <span>c()</span></code></pre>',
      "```ts\nif (a < b)\n  c()\n```",
    ],
    ["code with fences", "<pre>```\nx\n```</pre>", "````\n```\nx\n```\n````"],
    [
      "tables",
      "<table><thead><tr><th>a<th>b</thead><tr><td>1|2<td><p>3</p><p>4</p></table>",
      "| a | b |\n| --- | --- |\n| 1\\|2 | 3 4 |",
    ],
    ["tables without a head", "<table><tr><td>1<td>2<tr><td>3</table>", "|  |  |\n| --- | --- |\n| 1 | 2 |\n| 3 |"],
    ["tables that are a layout", "<table><tr><td>Menu</td></tr><tr><td>Text</td></tr></table>", "Menu\n\nText"],
    ["rules", "a<hr>b", "a\n\n---\n\nb"],
  ])("writes %s", (_what, html, expected) => {
    expect(markdown(html)).toBe(expected);
  });

  it("leaves out what no reader of the page sees", () => {
    const hidden = [
      "<script>a()</script>",
      "<style>p{}</style>",
      "<!-- comment -->",
      "<noscript>enable</noscript>",
      "<template>t</template>",
      "<svg><title>icon</title><text>s</text></svg>",
      "<nav>menu</nav>",
      '<div role="navigation">menu</div>',
      "<footer>foot</footer>",
      "<header>head</header>",
      "<p hidden>secret</p>",
      '<p aria-hidden="true">secret</p>',
      '<p style="color:red; display : none">secret</p>',
      '<span style="visibility:hidden">secret</span>',
      '<span style="font-size:0">secret</span>',
      '<span style="opacity:0">secret</span>',
      "<select><option>o</select>",
      "<button>go</button>",
      "<textarea>t</textarea>",
      "<iframe>f</iframe>",
      "<![CDATA[cdata]]>",
    ];
    expect(markdown(`<p>before</p>${hidden.join("")}<p>after</p>`)).toBe("before\n\nafter");
    expect(markdown('<p style="opacity:0.5">half</p><p style="font-size:0.9em">small</p>')).toBe("half\n\nsmall");
  });

  it("shows the main content alone where a page marks it", () => {
    const text = "<p>A sentence of the article itself, long enough to be one.</p>".repeat(6);
    const page = `<div>Cookies!</div><main><header><h1>Title</h1></header>${text}<aside>More</aside></main><div>Ads</div>`;
    expect(markdown(page)).toMatch(/^# Title\n\nA sentence/);
    expect(markdown(page)).not.toMatch(/Cookies|Ads/);
    expect(markdown(page.replaceAll("main>", "article>"))).not.toMatch(/Cookies|Ads/);
    // Several articles are a list; a main of a few words is a frame.
    expect(markdown(`<div>Intro</div><article>${text}</article><article>${text}</article>`)).toMatch(/^Intro/);
    expect(markdown(`<div>Intro</div><main><p>Loading</p></main>`)).toMatch(/^Intro/);
  });

  it("reads the title, and not that of a picture", () => {
    const page = convert("<title>A &amp; B\n c</title><svg><title>icon</title></svg><p>x");
    expect([page.title, page.markdown]).toEqual(["A & B c", "x"]);
  });

  it("leaves out the addresses of links beyond a limit, never their text", () => {
    const empty = (n: number) => `<base href="/${"b".repeat(3_000)}">${"<a href=/x></a>".repeat(n)}<a href=/x>y</a>`;
    const read = (html: string) => htmlToMarkdown(html, "https://site.example/", 200).markdown;
    expect([read(empty(2)), read(empty(5))]).toEqual(["[y](https://site.example/x)", "y"]);
  });

  it("ends at the given length, and says so", () => {
    const page = htmlToMarkdown("<p>word</p>".repeat(100_000), "https://site.example/", 1_000);
    expect([page.markdown.length, page.isCut]).toEqual([1_000, true]);
    expect(convert("<p>a").isCut).toBe(false);
    expect(convert(`${"<p>".repeat(600_000)}far down`)).toMatchObject({ markdown: "", isCut: true });
  });
});

/** The time of a page of the usual kind and the same length bounds them: 5 MB take about a second on a slow machine. */
describe("hostile pages end within seconds", () => {
  const N = 100_000;
  it.each<[string, string]>([
    ["100,000 levels", `${"<div>".repeat(N)}x${"</div>".repeat(N)}`],
    ["closing tags of nothing", `${"<div>".repeat(N)}${"</p></span>".repeat(N)}`],
    ["100,000 lists in lists", "<ul><li>y".repeat(N)],
    ["100,000 quotes in quotes", "<blockquote>q".repeat(N)],
    ["50,000 tables in tables", "<table><tr><td>a".repeat(N / 2)],
    ["a wide row over a long table", `<table><tr>${"<td>a".repeat(N)}${"<tr><td>x".repeat(N)}</table>`],
    ["300,000 marks in one line", "<b>x</b> ".repeat(3 * N)],
    ["300,000 line breaks in one line", "a<br>".repeat(3 * N)],
    ["a million entities", "&amp;".repeat(10 * N)],
    ["a million half entities", "&a".repeat(10 * N)],
    ["a million brackets", "<".repeat(10 * N)],
    ["half a million comments that begin", "<!--".repeat(5 * N)],
    ["an attribute of 4 MB", `<a href='${"x".repeat(40 * N)}'>t</a>`],
    ["100,000 attributes", `<a ${Array.from({ length: N }, (_, i) => `a${i}=1`).join(" ")}>t</a>`],
    ["a name of 4 MB", `<${"a".repeat(40 * N)}>`],
    ["4 MB of spaces", `<p>${" ".repeat(40 * N)}x`],
    ["a style that repeats", `<p style="${"display : ".repeat(N)}">x`],
    ["fences of code", `<pre>${"```\n".repeat(5 * N)}</pre>`],
    ["300,000 links that begin", "<a href=/x>".repeat(3 * N)],
    ["400,000 links from a long address", `<base href="/${"b".repeat(3_900)}">${"<a href=x>y</a>".repeat(4 * N)}`],
    ["a title of two million entities", `<title>${"&lt;".repeat(20 * N)}`],
  ])("%s", { timeout: 30_000 }, (_what, html) => {
    expect(convert(html).markdown.length).toBeLessThanOrEqual(1_000_000);
  });
});
