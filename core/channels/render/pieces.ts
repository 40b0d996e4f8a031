// What Markdown says, as a list of pieces that are small enough to be cut: the form between parse-markdown.ts and the writers.
export type Mark =
  | { kind: "bold" | "italic" | "strike" | "code" }
  /** `image`: it was written as an image. */
  | { kind: "link"; href: string; image: boolean };

/** Neighbours with the same `Mark` object are within one mark. A `code` mark is the innermost. */
export interface Run {
  text: string;
  /** As it stands in the source: with escapes and character references. */
  raw: string;
  /** Outermost first. */
  marks: readonly Mark[];
}

/** `starts`: the piece is the first of the item, and bears its marker. */
export type Container =
  | { kind: "quote"; id: number }
  | {
      kind: "item";
      id: number;
      list: number;
      /** `null`: not ordered. */
      number: number | null;
      checked: boolean | null;
      starts: boolean;
    };

export type Align = "left" | "center" | "right" | null;

export type Body =
  | { kind: "paragraph"; runs: readonly Run[] }
  | { kind: "heading"; level: number; runs: readonly Run[] }
  | { kind: "code"; language: string; text: string }
  | { kind: "rule" }
  | {
      kind: "table";
      header: readonly (readonly Run[])[];
      rows: readonly (readonly (readonly Run[])[])[];
      align: readonly Align[];
    };

export interface Piece {
  /** Outermost first. */
  in: readonly Container[];
  /** No blank line stands before it. */
  tight: boolean;
  body: Body;
}

export function plainText(runs: readonly Run[]): string {
  return runs.map(({ text }) => text).join("");
}
