// Writes Markdown block by block: lines with the prefixes of lists and quotes, marks around inline text, tables, code. Called by
// html-to-markdown.ts in the order of the page. Time and memory are linear in what is written. Pure.
import { toOneLine } from "../../../../clip.ts";
import { type TableDraft, toTable } from "./table.ts";

/** Deeper lists and quotes are written at this depth: indentation would grow with the square of the depth. */
const MAX_DEPTH = 8;

/** A longer line gets no marks: each mark copies the line. */
const MAX_MARKED_CHARS = 10_000;

/** A mark that began in the present line: bold text, code, a link. */
interface OpenMark {
  at: number;
  block: number;
}

export class MarkdownWriter {
  readonly #blocks: string[] = [];
  #chars = 0;
  /** Never read from while it grows: each read would copy it. */
  #line = "";
  #isAtSpace = true;
  #block = 0;
  /** `next`: the next number of a list, 0 for bullets. */
  readonly #containers: ({ kind: "quote" } | { kind: "list"; next: number; isBegun: boolean })[] = [];
  #link: { url: string; mark: OpenMark } | null = null;
  #bullet = "";
  #isFirstItem = false;
  #heading = 0;
  #pre: { text: string; language: string } | null = null;
  readonly #tables: TableDraft[] = [];
  #cell: string[] | null = null;

  /** Characters so far. */
  get chars(): number {
    return this.#chars + this.#line.length + (this.#pre?.text.length ?? 0);
  }

  /** Ends the present block. Returns how many blocks there are: a place that `toText` can begin or end at. */
  endBlock(): number {
    this.#writeLink();
    this.#block++;
    const text = this.#line
      .replaceAll(" \n", "\n")
      .replace(/\n{3,}/g, "\n\n")
      .trim();
    this.#line = "";
    this.#isAtSpace = true;
    if (text === "") return this.#blocks.length;
    if (this.#cell) this.#cell.push(toOneLine(text));
    else this.#push(this.#heading > 0 ? `${"#".repeat(this.#heading)} ${toOneLine(text)}` : text);
    return this.#blocks.length;
  }

  /** Runs of white space become one space. */
  text(text: string): void {
    if (this.#pre) {
      this.#pre.text += text;
      return;
    }
    const flat = text.replace(/[ \t\n\f\r\u00a0]+/g, " ");
    const added = this.#isAtSpace && flat.startsWith(" ") ? flat.slice(1) : flat;
    if (added === "") return;
    this.#line += added;
    this.#isAtSpace = added.endsWith(" ");
  }

  lineBreak(): void {
    if (this.#pre) {
      this.#pre.text += "\n";
      return;
    }
    this.#line += "\n";
    this.#isAtSpace = true;
  }

  beginMark(): OpenMark {
    return { at: this.#line.length, block: this.#block };
  }

  /** Writes the inline text since the mark began in another form. Text of an earlier block keeps its form. */
  endMark({ at, block }: OpenMark, wrap: (text: string) => string): void {
    if (this.#pre || block !== this.#block || this.#line.length > MAX_MARKED_CHARS) return;
    const text = this.#line.slice(at);
    const inner = text.trim();
    if (inner === "") return;
    const [before, after] = [/^\s/.test(text) ? " " : "", /\s$/.test(text) ? " " : ""];
    this.#line = `${this.#line.slice(0, at)}${before}${wrap(inner)}${after}`;
  }

  /** A link around several blocks is written with the first of them. */
  beginLink(url: string): void {
    this.#writeLink();
    this.#link = { url, mark: this.beginMark() };
  }
  endLink(): void {
    this.#writeLink();
    this.#link = null;
  }
  #writeLink(): void {
    if (!this.#link) return;
    const { url, mark } = this.#link;
    if (mark.block !== this.#block) this.#link.mark = { at: 0, block: this.#block };
    this.endMark(this.#link.mark, (text) => {
      this.#link = null;
      return `[${text}](${url})`;
    });
  }

  beginHeading(level: number): void {
    this.endBlock();
    this.#heading = level;
  }
  endHeading(): void {
    this.endBlock();
    this.#heading = 0;
  }

  rule(): void {
    this.endBlock();
    if (!this.#cell) this.#push("---");
  }

  beginQuote(): void {
    this.endBlock();
    this.#containers.push({ kind: "quote" });
  }
  /** `first`: the number of its first item; 0 for bullets. */
  beginList(first: number): void {
    this.endBlock();
    this.#containers.push({ kind: "list", next: first, isBegun: false });
  }
  endContainer(): void {
    this.endBlock();
    this.#containers.pop();
    this.#bullet = "";
  }
  beginItem(): void {
    this.endBlock();
    const list = this.#containers.at(-1);
    if (list?.kind !== "list") return;
    this.#isFirstItem = !list.isBegun;
    list.isBegun = true;
    this.#bullet = list.next > 0 ? `${list.next++}. ` : "- ";
  }

  beginPre(language: string): void {
    this.endBlock();
    this.#pre ??= { text: "", language };
  }
  /** The language is often named by a `code` within. */
  nameLanguage(language: string): void {
    if (this.#pre && language !== "") this.#pre.language ||= language;
  }
  endPre(): void {
    if (!this.#pre) return;
    const { text, language } = this.#pre;
    this.#pre = null;
    const code = text.replace(/^\n/, "").trimEnd();
    if (code.trim() === "") return;
    if (this.#cell) {
      this.#cell.push(`\`${toOneLine(code)}\``);
      return;
    }
    let longest = 2;
    for (const [run] of code.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
    const fence = "`".repeat(longest + 1);
    this.#push(`${fence}${language}\n${code}\n${fence}`);
  }

  /** A table in a cell is written as text of that cell. */
  beginTable(): void {
    if (this.#tables.length === 0) this.endBlock();
    this.#tables.push({ rows: [], hasHead: false });
  }
  beginRow(): void {
    this.#endCell();
    if (this.#tables.length === 1) this.#tables[0]!.rows.push([]);
  }
  beginCell(isHead: boolean): void {
    if (this.#tables.length !== 1) return this.lineBreak();
    this.#endCell();
    const table = this.#tables[0]!;
    if (table.rows.length === 0) table.rows.push([]);
    if (isHead && table.rows.length === 1 && table.rows[0]!.length === 0) table.hasHead = true;
    this.#cell = [];
  }
  endTable(): void {
    if (this.#tables.length === 1) {
      this.#endCell();
      const text = toTable(this.#tables[0]!);
      if (text !== "") this.#push(text);
    }
    this.#tables.pop();
  }

  /** Blocks `from` to `to`, ended ones only. */
  toText(from = 0, to = this.#blocks.length): string {
    return this.#blocks.slice(from, to).join("").replace(/^\n+/, "").trimEnd();
  }

  #endCell(): void {
    if (this.#tables.length !== 1) return;
    this.endBlock();
    if (this.#cell) this.#tables[0]!.rows.at(-1)?.push(this.#cell.join(" "));
    this.#cell = null;
  }

  /** A block after an empty line; an item of a list directly after the one before. */
  #push(text: string): void {
    const depth = this.#containers.slice(-MAX_DEPTH);
    const steps = depth.map((container) => (container.kind === "quote" ? "> " : container.next > 0 ? "   " : "  "));
    const indent = steps.join("");
    const first = this.#bullet === "" ? indent : `${steps.slice(0, -1).join("")}${this.#bullet}`;
    const gap = this.#bullet === "" || (this.#isFirstItem && depth.length === 1) ? "\n\n" : "\n";
    this.#bullet = "";
    const block = `${gap}${first}${text.includes("\n") ? text.replaceAll("\n", `\n${indent}`) : text}`;
    this.#blocks.push(block);
    this.#chars += block.length;
  }
}
