// The pieces that the rows of a transcript are made of: text that cannot control the terminal, wrapped to the width. Used by the
// views. Pure. Every text that comes from elsewhere passes `clean` before it is styled.
import { type Component, truncateToWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { toPlain } from "../../output/plain-text.ts";

/** Without control characters and overrides of direction; tabs as spaces, because a tab has no width of its own. */
export function clean(text: string): string {
  return toPlain(text).replaceAll("\t", "    ");
}

/** Rows that are made again only when the width changes, or after `invalidate`. */
export abstract class Rows implements Component {
  #width = -1;
  #rows: string[] = [];

  protected abstract build(width: number): string[];

  render(width: number): string[] {
    if (width !== this.#width) {
      this.#rows = this.build(width).map((row) => truncateToWidth(row, width));
      this.#width = width;
    }
    return this.#rows;
  }

  invalidate(): void {
    this.#width = -1;
  }
}

/** Rows from a function of the width. */
export class FreeRows extends Rows {
  readonly #make: (width: number) => string[];

  constructor(make: (width: number) => string[]) {
    super();
    this.#make = make;
  }

  protected build(width: number): string[] {
    return this.#make(width);
  }
}

/** Wraps already styled text; each row begins with `gutter`, which has no style of its own. */
export function wrapRows(text: string, width: number, gutter = ""): string[] {
  const room = Math.max(10, width - gutter.length);
  return text.split("\n").flatMap((line) => wrapTextWithAnsi(line, room).map((row) => `${gutter}${row}`));
}
