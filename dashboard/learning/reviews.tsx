// All reviews, newest first: what each learned, how many of its writes were refused, and what it cost.
import { Badge } from "../components/badge.tsx";
import { countOf, formatMoney, formatShort } from "../components/numbers.ts";
import { Empty, Listed, MoreButton } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import { useList } from "../data/list.ts";
import { hrefOf } from "../pages.ts";
import { REVIEW_STATES, type ReviewLine, TRIGGERS } from "./words.ts";

export function Reviews() {
  const list = useList("GET /v1/reviews", { query: { limit: "20" } }, ({ reviews }) => reviews);
  return (
    <>
      <Listed
        of={list}
        empty={
          <Empty icon="search" title="No review yet">
            <p>A review begins after work worth learning from, or when you write /refine in a chat.</p>
            <a class="button" href={hrefOf("chat")}>
              Open Chat
            </a>
          </Empty>
        }
      >
        {(items) => (
          <ul class="items" aria-label="Reviews">
            {items.map((line) => (
              <li key={line.review}>
                <Line line={line} />
              </li>
            ))}
          </ul>
        )}
      </Listed>
      <MoreButton of={list}>Show older</MoreButton>
    </>
  );
}

function Line({ line: { review, state, at, summary, trigger, lessons, refused, spent } }: { line: ReviewLine }) {
  const { name, tone } = REVIEW_STATES[state];
  return (
    <>
      <div class="item-head">
        <p class="item-text" dir="auto">
          <a class="item-link" href={hrefOf("learning", "reviews", review)}>
            {summary || (trigger ? TRIGGERS[trigger] : "Review")}
          </a>
        </p>
        <Badge tone={tone}>{name}</Badge>
      </div>
      <p class="item-facts">
        <Time at={at} />
        {trigger && summary && <span>{TRIGGERS[trigger]}</span>}
        {lessons && <span>{countOf(lessons.length, "lesson")}</span>}
        {refused !== undefined && refused > 0 && <Badge tone="bad">{`${countOf(refused, "write")} refused`}</Badge>}
        {spent && (
          <span>
            {formatShort(spent.tokens)} tokens, {formatMoney(spent.usd)}
          </span>
        )}
      </p>
    </>
  );
}
