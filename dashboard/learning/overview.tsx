// The curves of learning over time, its figures, what was refused and why, the kinds of work, what was tried, and what it cost and saved.
import { Plot } from "../components/plot.tsx";
import { countOf, formatMoney, formatNumber, formatPoints, formatShare, formatShort } from "../components/numbers.ts";
import { Section } from "../components/page.tsx";
import { Empty, Loaded } from "../components/states.tsx";
import { useResource } from "../data/resource.ts";
import { ExperimentRow } from "../experiments/experiment-row.tsx";
import { describeSum } from "../experiments/experiment-words.ts";
import { hrefOf } from "../pages.ts";
import { type Ledger, toCurves, toReasons, toReviewCurves, toSums } from "./curves.ts";

const TIMES = [7, 30, 90];
const DEFAULT_DAYS = 30;

export function Overview({ days: given }: { days: string | undefined }) {
  const ledger = useResource("GET /v1/learning", { query: { by: "day", limit: "1" } });
  const days = TIMES.find((one) => String(one) === given) ?? DEFAULT_DAYS;
  return (
    <Loaded of={ledger}>{(value) => (value.turns.seen === 0 ? <Nothing /> : <Figures {...{ value, days }} />)}</Loaded>
  );
}

function Nothing() {
  return (
    <Empty icon="chart" title="Nothing to learn from yet">
      <p>After each answer Talaria records how the turn went. The curves begin with the first one.</p>
      <a class="button button-primary" href={hrefOf("chat")}>
        Start a chat
      </a>
    </Empty>
  );
}

function Figures({ value: ledger, days }: { value: Ledger; days: number }) {
  const now = Date.now();
  const curves = toCurves(ledger, days, now);
  const ofReviews = toReviewCurves(ledger, days, now);
  return (
    <div class="stack-wide">
      <nav class="views" aria-label="Time shown">
        {TIMES.map((one) => (
          <a key={one} href={hrefOf("learning", "overview", one)} aria-current={one === days ? "true" : undefined}>
            {one} days
          </a>
        ))}
      </nav>
      <Sums ledger={ledger} days={days} now={now} />
      <div class="plots">
        <Plot
          title="Success: share of judged turns"
          times={curves.times}
          span={curves.span}
          hasUtcDays
          series={[{ name: "Success", values: curves.success, tone: "good" }]}
          format={formatShare}
          range={[0, 1]}
        />
        <Plot
          title="Lift of learned skills: points, over 7 days"
          times={curves.times}
          span={curves.span}
          hasUtcDays
          series={[{ name: "Lift", values: curves.lift, tone: "accent" }]}
          format={formatPoints}
          range={[-1, 1]}
        />
        <Plot
          title="Tool calls: mean of a turn"
          times={curves.times}
          span={curves.span}
          hasUtcDays
          series={[
            { name: "Calls", values: curves.calls, tone: "accent" },
            { name: "Failed", values: curves.failedCalls, tone: "bad" },
          ]}
          format={formatMean}
        />
        <Plot
          title="Tokens: mean of a turn"
          times={curves.times}
          span={curves.span}
          hasUtcDays
          series={[{ name: "Tokens", values: curves.tokens, tone: "warn" }]}
          format={formatShort}
        />
        <Plot
          title="Reviews: writes of a day"
          times={ofReviews.times}
          span={curves.span}
          hasUtcDays
          series={[
            { name: "Lessons", values: ofReviews.lessons, tone: "good" },
            { name: "Refused", values: ofReviews.refused, tone: "bad" },
          ]}
          format={formatNumber}
        />
        <Plot
          title="Skills: learned so far"
          times={curves.times}
          span={curves.span}
          hasUtcDays
          series={[{ name: "Skills", values: curves.skills, tone: "accent" }]}
          format={formatNumber}
        />
      </div>
      <Refusals ledger={ledger} days={days} now={now} />
      <Kinds kinds={ledger.kinds} />
      <Experiments sum={ledger.experiments} />
      <Costs ledger={ledger} />
    </div>
  );
}

interface InTime {
  ledger: Ledger;
  days: number;
  now: number;
}

function Sums({ ledger, days, now }: InTime) {
  const { present, before } = toSums(ledger, days, now);
  const figures: [string, string, string][] = [
    ["Turns", formatNumber(present.turns), comparedTo(present.turns, before.turns || null, formatNumber)],
    ["Success", orDash(present.success, formatShare), comparedTo(present.success, before.success, formatPoints, true)],
    ["Tool calls a turn", orDash(present.calls, formatMean), comparedTo(present.calls, before.calls, formatMean)],
    [
      "Failed calls a turn",
      orDash(present.failedCalls, formatMean),
      comparedTo(present.failedCalls, before.failedCalls, formatMean),
    ],
    ["Tokens a turn", orDash(present.tokens, formatShort), comparedTo(present.tokens, before.tokens, formatShort)],
    ["Lift", orDash(present.lift, formatPoints), "success with learned skills minus without"],
  ];
  return (
    <>
      <dl class="figures" aria-label={`The last ${days} days`}>
        {figures.map(([name, figure, beside]) => (
          <div key={name} class="figure">
            <dt>{name}</dt>
            <dd>{figure}</dd>
            {beside !== "" && <dd class="figure-beside">{beside}</dd>}
          </div>
        ))}
      </dl>
      {ledger.turns.more && <p class="muted small">The newest thousand turns are counted. Older ones are left out.</p>}
    </>
  );
}

function comparedTo(
  present: number | null,
  before: number | null,
  format: (value: number) => string,
  isSigned = false,
): string {
  if (present === null || before === null) return "";
  const change = present - before;
  const sign = change > 0 && !isSigned ? "+" : change < 0 && !isSigned ? "−" : "";
  return `${sign}${format(isSigned ? change : Math.abs(change))} against the time before`;
}

function Refusals({ ledger, days, now }: InTime) {
  const reasons = toReasons(ledger, days, now);
  const last = new Map(ledger.reviews.lastRefused.map((refused) => [refused.code, refused]));
  return (
    <Section title="What was refused, and why">
      {reasons.length === 0 ? (
        <p class="muted">Nothing was refused in this time.</p>
      ) : (
        <div class="table-frame" tabIndex={0} role="group" aria-label="Refused writes">
          <table class="table">
            <thead>
              <tr>
                <th scope="col">Reason</th>
                <th scope="col" class="number">
                  Writes
                </th>
                <th scope="col">The latest</th>
              </tr>
            </thead>
            <tbody>
              {reasons.map(({ code, count }) => {
                const latest = last.get(code);
                return (
                  <tr key={code}>
                    <th scope="row">
                      <code>{code}</code>
                    </th>
                    <td class="number">{formatNumber(count)}</td>
                    <td>
                      {latest && (
                        <>
                          <span dir="auto">{latest.message}</span>{" "}
                          <a href={hrefOf("learning", "reviews", latest.review)}>Open the review</a>
                        </>
                      )}
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
    </Section>
  );
}

function Kinds({ kinds }: { kinds: Ledger["kinds"] }) {
  if (kinds.length === 0) return null;
  return (
    <Section title="Kinds of work">
      <div class="table-frame" tabIndex={0} role="group" aria-label="Kinds of work">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Work</th>
              {["Turns", "Success", "Calls a turn", "Learned after"].map((name) => (
                <th key={name} scope="col" class="number">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {kinds.map(({ kind, request, turns, success, calls, curves }, i) => (
              <tr key={i}>
                <th scope="row" dir="auto">
                  {kind ?? request}
                </th>
                <td class="number">{formatNumber(turns)}</td>
                <td class="number">{orDash(success, formatShare)}</td>
                <td class="number">{orDash(calls, formatMean)}</td>
                <td class="number">{curves.to80 === null ? "–" : countOf(curves.to80, "turn")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="muted small">
        Work counts as learned at the first turn at which four of five of the last ten judged turns succeeded.
      </p>
    </Section>
  );
}

const NEWEST = "5";

/** What was tried on past work. Nothing where nothing was. */
function Experiments({ sum }: { sum: Ledger["experiments"] }) {
  const isTried = sum === null || sum.count > 0;
  const newest = useResource("GET /v1/experiments", isTried ? { query: { limit: NEWEST } } : null);
  if (!isTried || newest.value?.experiments.length === 0) return null;
  return (
    <Section title="Tried on past work">
      {sum && <p>{describeSum(sum)}</p>}
      <Loaded of={newest}>
        {({ experiments }) => (
          <ul class="items" aria-label="Newest experiments">
            {experiments.map((one) => (
              <li key={one.id}>
                <ExperimentRow experiment={one} hasSkill />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  );
}

function Costs({ ledger: { cost, bought, reuse } }: { ledger: Ledger }) {
  const of = ({ calls, tokens, usd }: { calls: number; tokens: number; usd: number }) =>
    `${countOf(calls, "model call")}, ${formatShort(tokens)} tokens, ${formatMoney(usd)}`;
  return (
    <Section title="What it cost, and what it saved">
      <ul class="items">
        <li>
          <strong>Reviews</strong>
          <span>{of(cost.review)} in the last 400 days.</span>
        </li>
        <li>
          <strong>Curation</strong>
          <span>
            {of(cost.curation)} for the newest {countOf(cost.curation.runs, "run")}.
          </span>
        </li>
        <li>
          <strong>Used again</strong>
          <span>
            {reuse.rate === null
              ? "No turn could load a learned skill yet."
              : `${formatNumber(reuse.loaded)} of ${countOf(reuse.had, "turn")} that could load a learned skill did so (${formatShare(reuse.rate)}).`}
          </span>
        </li>
        <li>
          <strong>Saved, by estimate</strong>
          <span>{describeSaved(bought)}</span>
        </li>
      </ul>
    </Section>
  );
}

function describeSaved(bought: Ledger["bought"]): string {
  if (bought === null) return "Not known: no successful use has similar turns without the skill.";
  const { uses, calls, tokens } = bought;
  const worth = tokens === null ? "" : `, which is about ${formatShort(Math.abs(tokens))} tokens`;
  const [amount, word] = [formatMean(Math.abs(calls)), calls < 0 ? "more" : "fewer"];
  return `${amount} ${word} tool calls in ${countOf(uses, "successful use")}${worth}.`;
}

function orDash(value: number | null, format: (value: number) => string): string {
  return value === null ? "–" : format(value);
}

function formatMean(value: number): string {
  return value.toLocaleString(undefined, { maximumFractionDigits: 1 });
}
