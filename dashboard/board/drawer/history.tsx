// How the open card was worked on, and what happened to it last.
import { Badge } from "../../components/badge.tsx";
import { Markdown } from "../../components/markdown.tsx";
import { formatDuration } from "../../components/numbers.ts";
import { Time } from "../../components/time.tsx";
import { useResource } from "../../data/resource.ts";
import { hrefOf } from "../../pages.ts";
import { type CardDetail, nameAssignee, nameAuthor } from "../cards.ts";
import { describeEvent } from "./events.ts";

type Run = CardDetail["runs"][number];

const GOOD = ["completed", "review_requested"];
const PLAIN = ["reclaimed", "rate_limited", "cancelled", "changes_requested"];

export function Runs({ runs }: { runs: Run[] }) {
  return (
    <section class="drawer-part" aria-label="Runs">
      <h3>Runs</h3>
      {runs.length === 0 && <p class="muted">Nobody has worked on it yet.</p>}
      <ol class="runs">
        {runs.toReversed().map((run) => (
          <li key={run.id}>
            <p class="run-head">
              <Outcome run={run} />
              <span dir="auto">
                {run.lane === "review" ? "Review" : "Work"} by {run.session === null ? "a person" : nameRunner(run)}
              </span>
              <span class="muted small">
                <Time at={run.startedAt} />
                {run.endedAt !== null &&
                  run.endedAt > run.startedAt &&
                  `, ${formatDuration(run.endedAt - run.startedAt)}`}
              </span>
              {run.session !== null && <a href={hrefOf("chat", run.session)}>Session</a>}
            </p>
            {run.error !== null && (
              <p class="run-error" dir="auto">
                {run.error}
              </p>
            )}
            {run.summary !== null && <Markdown text={run.summary} />}
          </li>
        ))}
      </ol>
    </section>
  );
}

function nameRunner({ assignee }: Run): string {
  return assignee === null ? "the agent" : nameAssignee(assignee);
}

function Outcome({ run: { outcome } }: { run: Run }) {
  if (outcome === null) return <Badge tone="accent">running</Badge>;
  const tone = GOOD.includes(outcome) ? "good" : PLAIN.includes(outcome) ? "plain" : "bad";
  return <Badge tone={tone}>{outcome.replaceAll("_", " ")}</Badge>;
}

const PAGE = 500;
const SHOWN = 20;

/** The newest 20. The API lists from the oldest on, so a card with very many events is read page by page to its end. */
export function CardEvents({ board, card, after }: { board: string; card: string; after?: string }) {
  const query = { card, limit: String(PAGE), ...(after !== undefined && { after }) };
  const { value } = useResource("GET /v1/boards/{board}/events", { params: { board }, query });
  if (value === undefined) return null;
  if (value.events.length === PAGE) return <CardEvents board={board} card={card} after={value.next!} />;
  return (
    <section class="drawer-part" aria-label="Events">
      <h3>What happened</h3>
      <ol class="events">
        {value.events
          .slice(-SHOWN)
          .toReversed()
          .map((event) => (
            <li key={event.n}>
              <Time at={event.at} />{" "}
              <span dir="auto">
                {nameAuthor(event.author)} {describeEvent(event)}
              </span>
            </li>
          ))}
      </ol>
    </section>
  );
}
