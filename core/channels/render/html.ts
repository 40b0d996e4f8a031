// Pieces as whole HTML: for Matrix and e-mail, whose clients show lists, headings and tables. Pure.
import { type Align, type Container, type Mark, type Piece, type Run } from "./pieces.ts";

/** Text between tags. */
export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** The value of an attribute in double quotes. */
export function escapeAttribute(text: string): string {
  return escapeHtml(text).replaceAll('"', "&quot;");
}

interface OpenTag {
  key: string;
  close: string;
}

export function writeHtml(pieces: readonly Piece[]): string {
  let html = "";
  let open: OpenTag[] = [];
  for (const piece of pieces) {
    const wanted = piece.in.flatMap(toTags);
    let kept = 0;
    while (kept < open.length && open[kept]!.key === wanted[kept]?.key) kept += 1;
    html += closeAll(open.slice(kept));
    html += wanted
      .slice(kept)
      .map((tag) => tag.open)
      .join("");
    open = wanted;
    html += writeBody(piece);
  }
  return html + closeAll(open);
}

function closeAll(tags: readonly OpenTag[]): string {
  return tags
    .toReversed()
    .map(({ close }) => close)
    .join("");
}

function toTags(container: Container): (OpenTag & { open: string })[] {
  if (container.kind === "quote") return [{ key: `q${container.id}`, open: "<blockquote>", close: "</blockquote>" }];
  const { list, id, number, checked } = container;
  const start = number === null || number === 1 ? "" : ` start="${number}"`;
  const tag = number === null ? "ul" : "ol";
  return [
    { key: `l${list}`, open: `<${tag}${start}>`, close: `</${tag}>` },
    { key: `i${id}`, open: `<li>${checked === null ? "" : checked ? "☑ " : "☐ "}`, close: "</li>" },
  ];
}

function writeBody({ body, in: containers }: Piece): string {
  switch (body.kind) {
    case "paragraph": {
      const words = writeRuns(body.runs);
      return containers.at(-1)?.kind === "item" ? words : `<p>${words}</p>`;
    }
    case "heading":
      return `<h${body.level}>${writeRuns(body.runs)}</h${body.level}>`;
    case "code": {
      const language = body.language ? ` class="language-${escapeAttribute(body.language)}"` : "";
      return `<pre><code${language}>${escapeHtml(body.text)}</code></pre>`;
    }
    case "rule":
      return "<hr>";
    case "table": {
      const row = (cells: readonly (readonly Run[])[], tag: "th" | "td") =>
        `<tr>${cells.map((runs, column) => `<${tag}${toAlign(body.align[column])}>${writeRuns(runs)}</${tag}>`).join("")}</tr>`;
      return `<table><thead>${row(body.header, "th")}</thead><tbody>${body.rows.map((cells) => row(cells, "td")).join("")}</tbody></table>`;
    }
  }
}

function toAlign(align: Align | undefined): string {
  return align ? ` align="${align}"` : "";
}

const TAGS = { bold: "strong", italic: "em", strike: "del", code: "code" } as const;

function writeRuns(runs: readonly Run[]): string {
  let html = "";
  let open: readonly Mark[] = [];
  const close = (marks: readonly Mark[]) =>
    marks
      .toReversed()
      .map((mark) => (mark.kind === "link" ? "</a>" : `</${TAGS[mark.kind]}>`))
      .join("");
  for (const { text, marks } of runs) {
    let kept = 0;
    while (kept < open.length && open[kept] === marks[kept]) kept += 1;
    html += close(open.slice(kept));
    for (const mark of marks.slice(kept))
      html += mark.kind === "link" ? `<a href="${escapeAttribute(mark.href)}">` : `<${TAGS[mark.kind]}>`;
    open = marks;
    html += escapeHtml(text).replaceAll("\n", "<br>");
  }
  return html + close(open);
}
