// What the page makes of texts of others in its own sentences.
import { expect, it } from "vitest";
import { quote, showHidden } from "../../dashboard/components/hidden-text.ts";

it("shows signs that hide or turn a text, by their codes", () => {
  expect(showHidden("safe\u202Egpj.exe\u2066\u2069 \u001B[2K a\u0000b")).toBe(
    "safe⟨U+202E⟩gpj.exe⟨U+2066⟩⟨U+2069⟩ ⟨U+001B⟩[2K a⟨U+0000⟩b",
  );
  expect(showHidden("\u{E0068}\u{E0069}zero\u200Bwidth\rnew")).toBe("⟨U+E0068⟩⟨U+E0069⟩zero⟨U+200B⟩width⟨U+000D⟩new");
});

it("leaves ordinary texts as they are: lines, tabs, families, and languages that join letters or read from the right", () => {
  const text = "a\tb\nc 👩‍👩‍👧 ❤️ می‌خواهم שלום é";
  expect(showHidden(text)).toBe(text);
  expect(showHidden("one\r\ntwo")).toBe("one\ntwo");
});

it("quotes a name so that it cannot leave its quotation marks, its line or its place", () => {
  expect(quote("The weekly report")).toBe("“The weekly report”");
  expect(quote('x”? Nothing is lost. “y" ')).toBe("“x'? Nothing is lost. 'y'”");
  expect(quote("a\n\n  b\u202E")).toBe("“a b⟨U+202E⟩”");
  expect(quote("שלום")).toBe("“\u2068שלום\u2069”");
  expect(quote("W".repeat(5_000))).toHaveLength(123);
});
