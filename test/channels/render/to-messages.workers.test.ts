// `marked` inside workerd, with the small stack that it has there.
import { expect, test } from "vitest";
import { toMessages } from "../../../core/channels/render/to-messages.ts";

const TELEGRAM = { flavour: "html" as const, limits: { text: 4_096, textUnit: "utf16" as const } };

test("Markdown becomes messages in workerd", () => {
  expect(toMessages("# Rain\n\n- **12** mm\n- [x](https://x.test)\n\n```js\na < b\n```", TELEGRAM)).toEqual([
    '<b>Rain</b>\n\n• <b>12</b> mm\n• <a href="https://x.test">x</a>\n\n<pre><code class="language-js">a &lt; b</code></pre>',
  ]);
});

test("a text that nests without end is plain text", () => {
  for (const text of [
    ">".repeat(20_000),
    "- ".repeat(20_000),
    `${"_".repeat(3_999)}a`,
    "[".repeat(50_000),
    "**a ".repeat(20_000),
  ])
    expect(toMessages(text, TELEGRAM).join("").length).toBeGreaterThan(1_000);
});
