// The parts of a message that is about to become an entry: which author wrote which piece of its text. Called where a turn begins and
// where a message joins one. Pure.
import type { Part } from "../../schemas/entry.ts";
import type { Source } from "../../schemas/ids.ts";
import type { TurnRow } from "../log-turns.ts";

/** How many characters of a message one author wrote. The pieces follow each other and cover the whole text. */
export interface SourcedPiece {
  source: "principal" | "content";
  chars: number;
}

/** A message of several authors, as `PostedMessage` takes it. */
export function toSourcedText(parts: { source: SourcedPiece["source"]; text: string }[]): {
  text: string;
  sources: SourcedPiece[];
} {
  return {
    text: parts.map(({ text }) => text).join(""),
    sources: parts.map(({ source, text }) => ({ source, chars: text.length })),
  };
}

/** `otherwise`: whose words they are if nothing says so. */
export function toInputParts({ waiting, more }: Pick<TurnRow, "waiting" | "more">, otherwise: Source): Part[] {
  const text = waiting ?? "";
  if (!more.sources) return [{ source: more.source ?? otherwise, text }];
  let from = 0;
  return more.sources.map(({ source, chars }) => {
    const part = { source, text: text.slice(from, from + chars) };
    from += chars;
    return part;
  });
}
