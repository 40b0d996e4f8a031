// One review: why it began, what it read, each write that it made or that was refused, what it says of the answers, and its cost.
import { Badge } from "../components/badge.tsx";
import { Markdown } from "../components/markdown.tsx";
import { countOf, formatMoney, formatNumber } from "../components/numbers.ts";
import { Section } from "../components/page.tsx";
import { Loaded } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import type { Answer } from "../data/api.ts";
import { useResource } from "../data/resource.ts";
import { hrefOf } from "../pages.ts";
import { Cited } from "./cited.tsx";
import { type EntryLine, toEntryLines, turnOf } from "./review-facts.ts";
import { REVIEW_STATES, TRIGGERS } from "./words.ts";

type Detail = Answer<"GET /v1/reviews/{review}">;
type Result = NonNullable<Detail["result"]>;
type Lesson = Result["lessons"][number];

export function Review({ review }: { review: string }) {
  const detail = useResource("GET /v1/reviews/{review}", { params: { review } });
  return (
    <div class="stack-wide">
      <p>
        <a href={hrefOf("learning", "reviews")}>All reviews</a>
      </p>
      <Loaded of={detail}>{(value) => <Shown detail={value} />}</Loaded>
    </div>
  );
}

function Shown({ detail }: { detail: Detail }) {
  const { job, result, dead, state } = detail;
  const session = result?.session ?? job?.session ?? dead?.session;
  const trigger = result?.trigger ?? job?.trigger;
  const because = result?.because ?? job?.because;
  const { name, tone } = REVIEW_STATES[state];
  return (
    <>
      <div class="panel stack">
        <div class="item-head">
          <h2 class="item-text" dir="auto">
            {result?.summary || dead?.message || "This review is under way."}
          </h2>
          <Badge tone={tone}>{name}</Badge>
        </div>
        <p class="item-facts">
          {job && <Time at={job.createdAt} isExact />}
          {trigger && (
            <span dir="auto">
              {TRIGGERS[trigger]}
              {because && trigger !== "refine" ? `: ${because}` : ""}
            </span>
          )}
          {job?.focus !== undefined && <span dir="auto">Asked to look at: {job.focus}</span>}
          {session !== undefined && <a href={hrefOf("chat", session)}>Open the conversation</a>}
        </p>
        {result?.note && <Markdown text={result.note} />}
      </div>
      {result && <Writes result={result} />}
      {result && result.verdicts && <Verdicts result={result} job={job} />}
      {result && <Costs result={result} />}
      {job && <Read job={job} />}
    </>
  );
}

interface OfReview {
  result: Result;
  job: Detail["job"];
}

function Writes({ result: { lessons, refused, waiting = 0 } }: { result: Result }) {
  return (
    <>
      <Section title="What it kept">
        {lessons.length === 0 ? (
          <p class="muted">Nothing was worth keeping.</p>
        ) : (
          <ul class="items" aria-label="Lessons">
            {lessons.map((lesson, i) => (
              <li key={i}>
                <LessonRow lesson={lesson} />
              </li>
            ))}
          </ul>
        )}
        {waiting > 0 && (
          <p class="note note-warn more-below">
            {countOf(waiting, "write")} of it {waiting === 1 ? "waits" : "wait"} for your decision.{" "}
            <a href={hrefOf("learning", "pending")}>Decide</a>
          </p>
        )}
      </Section>
      <Section title="What was refused">
        {refused.length === 0 ? (
          <p class="muted">Nothing.</p>
        ) : (
          <ul class="items" aria-label="Refused writes">
            {refused.map(({ tool, code, message }, i) => (
              <li key={i}>
                <p dir="auto">{message}</p>
                <p class="item-facts">
                  <Badge tone="bad">{code}</Badge>
                  <span>
                    A call of <code>{tool}</code>
                  </span>
                </p>
              </li>
            ))}
          </ul>
        )}
      </Section>
    </>
  );
}

function LessonRow({ lesson }: { lesson: Lesson }) {
  return (
    <>
      {lesson.kind === "skill" ? (
        <p>
          <Badge tone="good">{`Skill: ${lesson.action}`}</Badge>{" "}
          <a href={hrefOf("skills", lesson.skill)}>{lesson.skill}</a>, revision {formatNumber(lesson.rev)}
        </p>
      ) : (
        <p dir="auto">
          <Badge tone="good">{`Memory: ${lesson.action}`}</Badge> {lesson.text}
        </p>
      )}
      {lesson.preview && (
        <pre class="lesson-preview" dir="auto" tabIndex={0} aria-label="The change in short">
          {lesson.preview}
        </pre>
      )}
      <Cited citations={lesson.citations} isOpen />
    </>
  );
}

const VERDICTS = {
  success: { name: "It was right", tone: "good" },
  failure: { name: "It was wrong", tone: "bad" },
  none: { name: "Nothing said", tone: "plain" },
} as const;

function Verdicts({ result: { session, verdicts = [] }, job }: OfReview) {
  return (
    <Section title="What your messages say of the answers">
      <ul class="items" aria-label="Verdicts">
        {verdicts.map(({ entry, verdict, correction, words }) => {
          const turn = turnOf(job, entry);
          return (
            <li key={entry}>
              <p>
                <Badge tone={VERDICTS[verdict].tone}>{VERDICTS[verdict].name}</Badge>{" "}
                {correction && <Badge tone="warn">With a correction</Badge>} {words && <q dir="auto">{words}</q>}
              </p>
              {turn !== null && (
                <p class="item-facts">
                  <a href={hrefOf("chat", session, turn)}>Open the message</a>
                </p>
              )}
            </li>
          );
        })}
      </ul>
    </Section>
  );
}

function Costs({ result: { modelCalls, spent = [] } }: { result: Result }) {
  return (
    <Section title="What it cost">
      {spent.length === 0 ? (
        <p class="muted">{countOf(modelCalls, "model call")}. Its price was not recorded.</p>
      ) : (
        <div class="table-frame" tabIndex={0} role="group" aria-label="Cost of the review">
          <table class="table">
            <thead>
              <tr>
                <th scope="col">Model</th>
                {["Calls", "Tokens in", "From the cache", "Tokens out", "Cost"].map((name) => (
                  <th key={name} scope="col" class="number">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {spent.map(({ model, calls, usage, cost }, i) => (
                <tr key={i}>
                  <th scope="row" dir="auto">
                    {model}
                  </th>
                  <td class="number">{formatNumber(calls)}</td>
                  <td class="number">{formatNumber(usage.input + usage.cacheWrite)}</td>
                  <td class="number">{formatNumber(usage.cacheRead)}</td>
                  <td class="number">{formatNumber(usage.output)}</td>
                  <td class="number">{formatMoney(cost.usdMicros / 1_000_000)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Section>
  );
}

/** What the review could read, one line for each entry. */
function Read({ job }: { job: NonNullable<Detail["job"]> }) {
  const lines = toEntryLines(job.entries);
  return (
    <Section title="What it read">
      <details>
        <summary>{countOf(lines.length, "entry", "entries")} of the conversation</summary>
        <ol class="items more-below" aria-label="Entries">
          {lines.map((line) => (
            <li key={line.n}>
              <EntryRow line={line} session={job.session} />
            </li>
          ))}
        </ol>
      </details>
    </Section>
  );
}

function EntryRow({ line: { n, turn, who, text }, session }: { line: EntryLine; session: string }) {
  return (
    <>
      <p class="item-facts">
        <strong>{who}</strong>
        <span>entry {n}</span>
        <a href={hrefOf("chat", session, turn)}>Open turn {turn}</a>
      </p>
      <p class="entry-text" dir="auto">
        {text}
      </p>
    </>
  );
}
