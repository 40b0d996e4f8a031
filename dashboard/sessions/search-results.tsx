// Messages that have the words, best first, with the words marked. A click leads to the turn.
import { Empty, Loaded } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import type { Answer } from "../data/api.ts";
import { useResource } from "../data/resource.ts";
import { hrefOfTurn } from "../pages.ts";

type Result = Answer<"GET /v1/search">["results"][number];

const ROLES = { user: "You", assistant: "Talaria", tool: "A tool" };

export function SearchResults({ words }: { words: string }) {
  const found = useResource("GET /v1/search", { query: { q: words, limit: "50" } });
  return (
    <Loaded of={found}>
      {({ results, missing }) => (
        <>
          {missing.length > 0 && (
            <p class="note note-warn">
              Messages of {missing.join(", ")} cannot be searched now. Try again in a minute.
            </p>
          )}
          {results.length === 0 ? (
            <Empty icon="search" title="No message has these words">
              <p>Only finished turns are searched. Put a text in quotes to find it exactly.</p>
            </Empty>
          ) : (
            <ul class="results" aria-label="Messages found">
              {results.map((result) => (
                <li key={`${result.session} ${result.entry}`}>
                  <ResultRow result={result} />
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </Loaded>
  );
}

function ResultRow({ result: { turn, title, role, at, snippet } }: { result: Result }) {
  return (
    <a class="result" href={hrefOfTurn(turn)}>
      <span class="result-head">
        <strong class="clip" dir="auto">
          {title || "Untitled"}
        </strong>
        <span class="muted small">
          {ROLES[role]}, <Time at={at} />
        </span>
      </span>
      <span class="result-text" dir="auto">
        {splitSnippet(snippet).map(({ text, isHit }, i) => (isHit ? <mark key={i}>{text}</mark> : text))}
      </span>
    </a>
  );
}

/** A snippet in pieces, by its marked places (offsets in UTF-16 units, in order). */
export function splitSnippet({ text, highlights }: Result["snippet"]): { text: string; isHit: boolean }[] {
  const pieces: { text: string; isHit: boolean }[] = [];
  let at = 0;
  for (const { from, to } of highlights) {
    if (from > at) pieces.push({ text: text.slice(at, from), isHit: false });
    pieces.push({ text: text.slice(from, to), isHit: true });
    at = to;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), isHit: false });
  return pieces;
}
