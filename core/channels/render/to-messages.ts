// The agent's Markdown as messages of a platform: in its form, each within its limit. Called by core/channels/delivery. Pure; it loads
// `marked`, so import it when there is something to say.
import type { PlatformLimits } from "../platform.ts";
import type { Flavour } from "./flavour.ts";
import { cutPiece, lengthOf } from "./cut-piece.ts";
import { writeHtml } from "./html.ts";
import { parseMarkdown } from "./parse-markdown.ts";
import type { Piece } from "./pieces.ts";
import { STYLES } from "./styles.ts";
import { writeLines } from "./write-lines.ts";

/** The whole in one text, however long. */
export function render(markdown: string, flavour: Flavour): string {
  return write(parseMarkdown(markdown), flavour);
}

/** What a message's form and limit depend on: a `Platform` is one. */
export interface MessageForm {
  flavour: Flavour;
  limits: Pick<PlatformLimits, "text" | "textUnit">;
}

/** Each rendered, within `limits.text`, and not blank. None for a text without words. */
export function toMessages(markdown: string, { flavour, limits }: MessageForm): string[] {
  const fits = (pieces: readonly Piece[]) => measure(write(pieces, flavour), limits.textUnit) <= limits.text;
  const messages: string[] = [];
  let rest = parseMarkdown(markdown);
  while (rest.length > 0) {
    const [pieces, left] = takeMessage(rest, fits);
    messages.push(write(pieces, flavour));
    rest = left;
  }
  return messages.filter((text) => text.trim() !== "");
}

/** The size of a text in the unit in which the platform counts. */
export function measure(text: string, unit: PlatformLimits["textUnit"]): number {
  if (unit === "utf16") return text.length;
  if (unit === "bytes") return new TextEncoder().encode(text).length;
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function write(pieces: readonly Piece[], flavour: Flavour): string {
  return flavour === "matrix" || flavour === "email" ? writeHtml(pieces) : writeLines(pieces, STYLES[flavour]);
}

type Fits = (pieces: readonly Piece[]) => boolean;

/** `[pieces of one message, the others]`. */
function takeMessage(pieces: readonly Piece[], fits: Fits): [Piece[], Piece[]] {
  const count = largest(pieces.length, (n) => fits(pieces.slice(0, n)));
  const taken = pieces.slice(0, count);
  const next = pieces[count];
  if (next === undefined) return [taken, []];
  if (count === 0 || !fits([next])) {
    const cut = cutToFit(next, (head) => fits([...taken, head]));
    if (cut)
      return [
        [...taken, cut[0]],
        [cut[1], ...pieces.slice(count + 1)],
      ];
  }
  if (count === 0) return takePlainer(pieces, fits);
  // A heading stays with what it is above.
  while (taken.length > 1 && taken.at(-1)!.body.kind === "heading") taken.pop();
  return [taken, pieces.slice(taken.length)];
}

function cutToFit(piece: Piece, fits: (head: Piece) => boolean): [Piece, Piece] | null {
  const at = largest(lengthOf(piece) - 1, (place) => {
    const cut = cutPiece(piece, place);
    return cut === null || fits(cut[0]);
  });
  const cut = at > 0 ? cutPiece(piece, at) : null;
  return cut && fits(cut[0]) ? cut : null;
}

function takePlainer([first, ...others]: readonly Piece[], fits: Fits): [Piece[], Piece[]] {
  const plainer = toPlainer(first!);
  return plainer ? takeMessage([plainer, ...others], fits) : [[first!], others];
}

/** A piece that cannot be cut as it is: a table of long rows, a link to a long address. */
function toPlainer(piece: Piece): Piece | null {
  const { body } = piece;
  if (body.kind === "table") {
    const rows = [body.header, ...body.rows].map((cells) =>
      cells.map((runs) => runs.map(({ text }) => text).join("")).join(" | "),
    );
    return { ...piece, body: toWords(rows.join("\n")) };
  }
  if (body.kind === "rule" || body.kind === "code") return null;
  const isPlain =
    body.kind === "paragraph" && body.runs.every(({ marks }) => marks.length === 0) && piece.in.length === 0;
  if (isPlain) return null;
  const text = body.runs
    .map((run) => {
      const link = run.marks.find(({ kind }) => kind === "link");
      return link?.kind === "link" && link.href !== run.text ? `${run.text} (${link.href})` : run.text;
    })
    .join("");
  return { in: [], tight: piece.tight, body: toWords(text) };
}

function toWords(text: string): Piece["body"] {
  return { kind: "paragraph", runs: [{ text, raw: text.replaceAll(/[\\`*_~[\]<>&]/g, "\\$&"), marks: [] }] };
}

/** The largest number from 1 for which it holds, if it holds for all smaller ones; 0 if for none. */
function largest(most: number, holds: (n: number) => boolean): number {
  let low = 0;
  let high = most;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
