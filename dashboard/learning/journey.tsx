// The time line of everything that was learned, corrected, withdrawn and merged: by day, by kind, each with who, why and from which work.
import { Badge } from "../components/badge.tsx";
import { Icon } from "../components/icon.tsx";
import { countOf } from "../components/numbers.ts";
import { Empty, Listed, MoreButton } from "../components/states.tsx";
import { useList } from "../data/list.ts";
import { hrefOf } from "../pages.ts";
import { Cited } from "./cited.tsx";
import { groupByDay, linksOf } from "./journey-days.ts";
import { BY, type JourneyEvent, KINDS } from "./words.ts";

const FILTERS = [
  { about: undefined, name: "All" },
  { about: "skill", name: "Skills" },
  { about: "fact", name: "Facts" },
  { about: "review", name: "Reviews and refusals" },
  { about: "curation", name: "Curation" },
  { about: "decision", name: "Decisions" },
] as const;

const day = new Intl.DateTimeFormat(undefined, { dateStyle: "full" });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });

export function JourneyParts({ current }: { current: "line" | "graph" }) {
  return (
    <nav class="views" aria-label="Views of the journey">
      <a href={hrefOf("learning", "journey")} aria-current={current === "line" ? "true" : undefined}>
        Time line
      </a>
      <a href={hrefOf("learning", "journey", "graph")} aria-current={current === "graph" ? "true" : undefined}>
        Graph
      </a>
    </nav>
  );
}

export function Journey({ about: given }: { about: string | undefined }) {
  const { about } = FILTERS.find((one) => one.about === given) ?? FILTERS[0];
  const list = useList("GET /v1/learning/journey", { query: { about, limit: "30" } }, ({ events }) => events);
  return (
    <div class="stack-wide">
      <div class="toolbar">
        <JourneyParts current="line" />
        <nav class="filters" aria-label="Kinds of events">
          {FILTERS.map((one) => (
            <a
              key={one.name}
              href={one.about === undefined ? hrefOf("learning", "journey") : hrefOf("learning", "journey", one.about)}
              aria-current={one.about === about ? "true" : undefined}
            >
              {one.name}
            </a>
          ))}
        </nav>
      </div>
      <Listed
        of={list}
        empty={
          !list.hasMore && (
            <Empty icon="spark" title="Nothing yet">
              <p>Give the agent work. What it learns from it appears here, with the reason.</p>
              <a class="button button-primary" href={hrefOf("chat")}>
                Start a chat
              </a>
            </Empty>
          )
        }
      >
        {(items) =>
          groupByDay(items, (at) => day.format(at)).map(({ at, events }) => (
            <section key={day.format(at)} class="journey-day" aria-label={day.format(at)}>
              <h2>
                <time dateTime={new Date(at).toISOString().slice(0, 10)}>{day.format(at)}</time>
              </h2>
              <ol class="journey-line">
                {events.map((event, i) => (
                  <li
                    key={`${event.at} ${event.skill ?? event.fact ?? event.review ?? event.run ?? event.pending} ${event.kind} ${i}`}
                  >
                    <Event event={event} />
                  </li>
                ))}
              </ol>
            </section>
          ))
        }
      </Listed>
      <MoreButton of={list}>Show older</MoreButton>
    </div>
  );
}

function Event({ event }: { event: JourneyEvent }) {
  const {
    at,
    kind,
    by,
    skill,
    rev,
    into,
    text,
    why,
    citations,
    lessons,
    refused = [],
    changes = [],
    changed = 0,
  } = event;
  const { verb, icon, tone } = KINDS[kind];
  return (
    <div class={`journey-event journey-${tone}`}>
      <span class="journey-mark">
        <Icon name={icon} />
      </span>
      <div class="journey-body">
        <p class="journey-head">
          <Badge tone={tone}>{verb}</Badge>
          {skill !== undefined && (
            <a class="journey-name" href={hrefOf("skills", skill)}>
              {skill}
            </a>
          )}
          {rev !== undefined && <span class="muted small">revision {rev}</span>}
          {into !== undefined && (
            <span>
              into <a href={hrefOf("skills", into)}>{into}</a>
            </span>
          )}
          {lessons !== undefined && lessons > 0 && <span>{countOf(lessons, "lesson")}</span>}
          {changed > 0 && <span>{countOf(changed, "change")}</span>}
          <span class="muted small">
            {by !== null && `${BY[by]}, `}
            <time dateTime={new Date(at).toISOString()}>{clock.format(at)}</time>
          </span>
        </p>
        {text !== undefined && <p dir="auto">{text}</p>}
        {why !== "" && (
          <p class="muted sentence" dir="auto">
            {why}
          </p>
        )}
        {changes.length > 0 && (
          <ul class="short-list">
            {changes.map((one, i) => (
              <li key={i} dir="auto">
                <a href={hrefOf("skills", one.skill)}>{one.skill}</a>: {one.from ?? "new"} → {one.to}, {one.reason}
              </li>
            ))}
          </ul>
        )}
        {refused.length > 0 && (
          <details class="cited">
            <summary>{countOf(refused.length, "write")} refused</summary>
            <ul class="refusals">
              {refused.map(({ code, message }, i) => (
                <li key={i} dir="auto">
                  <Badge tone="bad">{code}</Badge> {message}
                </li>
              ))}
            </ul>
          </details>
        )}
        <Cited citations={citations} />
        <p class="item-facts">
          {linksOf(event).map(({ name, href }) => (
            <a key={href} href={href}>
              {name}
            </a>
          ))}
        </p>
      </div>
    </div>
  );
}
