// Why something was learned: the cited parts of conversations, each quoted and linked to its turn. They are read when a person asks.
import { useState } from "preact/hooks";
import { ProblemError, type Answer } from "../data/api.ts";
import { useResource } from "../data/resource.ts";
import { hrefOf } from "../pages.ts";
import { ErrorNote, Loading } from "./states.tsx";

type Entry = Answer<"GET /v1/sessions/{session}/entries">["entries"][number];
type Source = Entry["parts"][number]["source"];

const SPOKEN: Record<Source, string> = {
  principal: "You wrote",
  outcome: "A tool's outcome",
  own: "The agent wrote",
  content: "A file, a page or a program's output",
};
/** More of a cited part is in its turn. */
const MAX_QUOTE_CHARS = 600;

export interface CitedPart {
  session: string;
  entry: number;
  source: Source;
}

/** `<session>/<entry>#<source>`; others are left out. Each place once. */
export function parseCitations(citations: string[]): CitedPart[] {
  const found = citations.flatMap((citation): CitedPart[] => {
    const [, session, entry, source] = /^([0-9A-Z]{26})\/(\d+)#(principal|outcome|own|content)$/.exec(citation) ?? [];
    return session === undefined ? [] : [{ session, entry: Number(entry), source: source as Source }];
  });
  return [...new Map(found.map((part) => [`${part.session}/${part.entry}#${part.source}`, part])).values()];
}

export function Citations({ citations }: { citations: string[] }) {
  const parts = parseCitations(citations);
  const [isOpen, setOpen] = useState(false);
  if (parts.length === 0) return null;
  return (
    <details class="why" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Why: {parts.length === 1 ? "the part it cites" : `the ${parts.length} parts it cites`}</summary>
      {isOpen && (
        <ul class="quotes">
          {parts.map((part) => (
            <li key={`${part.session}/${part.entry}#${part.source}`}>
              <ReadQuote part={part} />
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}

function ReadQuote({ part }: { part: CitedPart }) {
  const { session, entry, source } = part;
  const { value, error } = useResource("GET /v1/sessions/{session}/entries", {
    params: { session },
    query: { after: String(entry - 1), limit: "1" },
  });
  if (error instanceof ProblemError && error.problem.status === 404)
    return <p class="muted">{SPOKEN[source]}, in a conversation that was deleted.</p>;
  if (error !== undefined) return <ErrorNote error={error} />;
  if (value === undefined) return <Loading />;
  const found = value.entries.find(({ n }) => n === entry);
  if (!found) return <p class="muted">{SPOKEN[source]}, in an entry that is no longer there.</p>;
  const text = found.parts
    .filter((one) => one.source === source)
    .map((one) => one.text)
    .join("\n");
  return <Quote source={source} text={text} session={session} turn={found.turn} />;
}

/** One part in words: who wrote it, what it says, and a link to its turn. */
export function Quote({
  source,
  text,
  session,
  turn,
}: {
  source: Source;
  text: string;
  session: string;
  turn: number;
}) {
  const isCut = text.length > MAX_QUOTE_CHARS;
  return (
    <figure class="quote">
      <figcaption class="muted small">
        {SPOKEN[source]}. <a href={hrefOf("chat", session, turn)}>Open the turn</a>
      </figcaption>
      <blockquote dir="auto">
        {text.slice(0, MAX_QUOTE_CHARS).toWellFormed()}
        {isCut && "…"}
      </blockquote>
    </figure>
  );
}
