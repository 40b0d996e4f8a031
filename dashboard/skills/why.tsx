// Why a revision was made: the cited parts of conversations as quotes, each with a link to its turn.
import { useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { Failure, Loading } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import { ProblemError } from "../data/api.ts";
import { useResource } from "../data/resource.ts";
import { hrefOf } from "../pages.ts";
import { describeSource, readCitation } from "./words.ts";

/** Quotes that are read at once; each is one request. */
const FIRST = 4;
const MAX_CHARS = 500;

export function Why({ citations }: { citations: readonly string[] }) {
  const [isWhole, setWhole] = useState(false);
  if (citations.length === 0) return null;
  const shown = isWhole ? citations : citations.slice(0, FIRST);
  return (
    <div class="why">
      <p class="why-title">Why</p>
      <ul>
        {shown.map((citation) => (
          <li key={citation}>
            <Quote citation={citation} />
          </li>
        ))}
      </ul>
      {shown.length < citations.length && (
        <Button kind="quiet" onClick={() => setWhole(true)}>
          Show {citations.length - shown.length} more
        </Button>
      )}
    </div>
  );
}

function Quote({ citation }: { citation: string }) {
  const { session, entry, source } = readCitation(citation);
  const asked = { params: { session }, query: { after: String(entry - 1), limit: "1" } };
  const { value, error, reload } = useResource("GET /v1/sessions/{session}/entries", asked);
  const [isWhole, setWhole] = useState(false);
  if (error !== undefined && isGone(error))
    return <p class="muted">The conversation was deleted, and this part of it too.</p>;
  if (error !== undefined && value === undefined) return <Failure error={error} retry={() => void reload()} />;
  if (value === undefined) return <Loading />;
  const found = value.entries.find(({ n }) => n === entry);
  if (!found) return <p class="muted">This part of the conversation is no longer kept.</p>;
  const text = found.parts
    .filter((part) => part.source === source)
    .map((part) => part.text)
    .join("\n");
  const tool = found.kind === "tool" ? found.call.name : null;
  const isLong = text.length > MAX_CHARS;
  return (
    <figure class="quote">
      <figcaption>
        <span>{describeSource(source, tool)}</span>
        <a href={hrefOf("chat", session, found.turn)}>Turn {found.turn}</a>
        <Time at={found.at} />
      </figcaption>
      <blockquote dir="auto">{isWhole || !isLong ? text : `${text.slice(0, MAX_CHARS).toWellFormed()}…`}</blockquote>
      {isLong && (
        <Button kind="quiet" onClick={() => setWhole(!isWhole)}>
          {isWhole ? "Show less" : "Show all of it"}
        </Button>
      )}
    </figure>
  );
}

function isGone(error: unknown): boolean {
  return error instanceof ProblemError && error.problem.code === "session_not_found";
}
