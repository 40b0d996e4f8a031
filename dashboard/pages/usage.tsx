// Usage: what model calls used and cost, by day, kind and model, and what the budgets have left.
import { useState } from "preact/hooks";
import { Budgets } from "../usage/budgets.tsx";
import {
  KIND_NAMES,
  type Measure,
  type PartSum,
  type UsageReport,
  dayOf,
  firstDay,
  listDays,
  shareOfCache,
  startOf,
  sumParts,
  toSeries,
} from "../usage/usage-series.ts";
import { formatMoney, formatNumber, formatShare, formatShort } from "../components/numbers.ts";
import { Page as Frame, Section, Tabs } from "../components/page.tsx";
import { Plot } from "../components/plot.tsx";
import { Empty, Loaded } from "../components/states.tsx";
import { useResource } from "../data/resource.ts";
import { type PageProps, hrefOf } from "../pages.ts";
import "../styles/admin.css";

const PERIODS = [7, 30, 90];
const MEASURES: { measure: Measure; name: string; format(value: number): string }[] = [
  { measure: "tokens", name: "Tokens", format: formatShort },
  { measure: "usd", name: "Cost", format: formatMoney },
];

export function Page({ rest: [given] }: PageProps) {
  const days = PERIODS.find((count) => String(count) === given) ?? 30;
  const [now] = useState(Date.now);
  const asked = { from: firstDay(now, days), to: dayOf(now), by: "day" as const, limit: "1000" };
  const kinds = useResource("GET /v1/usage", { query: { ...asked, split: "kind" as const } });
  const models = useResource("GET /v1/usage", { query: { ...asked, split: "model" as const } });
  const tabs = PERIODS.map((count) => ({
    name: `${count} days`,
    href: hrefOf("usage", count),
    isCurrent: count === days,
  }));
  return (
    <Frame
      title="Usage"
      lead="What all model calls used and cost: conversations, and the reviews that learn from them. Days are UTC days."
      tabs={<Tabs label="Period" tabs={tabs} />}
    >
      <Loaded of={kinds}>
        {(report) => (
          <>
            <Totals report={report} />
            <Budgets now={now} />
            {report.totals.tokens === 0 ? (
              <Empty icon="chart" title={`No model was called in the last ${days} days`}>
                <a class="button button-primary" href="#/chat">
                  Start a chat
                </a>
              </Empty>
            ) : (
              <Parts kinds={report} models={models.value} />
            )}
          </>
        )}
      </Loaded>
    </Frame>
  );
}

function Totals({ report: { totals, from } }: { report: UsageReport }) {
  const cached = shareOfCache(totals);
  const unpriced = totals.sources.none?.calls ?? 0;
  return (
    <>
      <dl class="figures">
        <Figure name="Cost" value={formatMoney(totals.usd)} />
        <Figure name="Tokens" value={formatShort(totals.tokens)} />
        <Figure name="From the cache" value={cached === null ? "–" : formatShare(cached)} />
        <Figure name="Model calls" value={formatNumber(totals.calls)} />
        <Turns from={from} />
      </dl>
      {unpriced > 0 && (
        <p class="muted small after-figures">
          {formatNumber(unpriced)} of the calls have no known price and count as $0. The operator can set prices in{" "}
          <code>models.prices</code>.
        </p>
      )}
    </>
  );
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div class="figure">
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

/** The server looks back over the newest thousand turns only. */
function Turns({ from }: { from: string }) {
  const { value } = useResource("GET /v1/learning", { query: { by: "day", limit: "1" } });
  if (!value) return <Figure name="Turns" value="–" />;
  const { more, since, periods } = value.turns;
  const count = periods.reduce((sum, { key, turns }) => (key >= from ? sum + turns : sum), 0);
  const isWhole = !more || (since !== null && dayOf(since) < from);
  return <Figure name="Turns" value={`${formatNumber(count)}${isWhole ? "" : "+"}`} />;
}

const nameKind = (key: string) => KIND_NAMES[key] ?? key;
const nameModel = (key: string) => key;

function Parts({ kinds, models }: { kinds: UsageReport; models: UsageReport | undefined }) {
  const [chosen, setChosen] = useState<Measure>(kinds.totals.usd > 0 ? "usd" : "tokens");
  const { measure, format } = MEASURES.find((one) => one.measure === chosen)!;
  const days = listDays(kinds.from, kinds.to);
  const times = days.map(startOf);
  const shown = [
    { title: "By kind", column: "Kind", report: kinds, nameOf: nameKind },
    { title: "By model", column: "Model", report: models, nameOf: nameModel },
  ];
  return (
    <>
      <div class="toolbar toolbar-end toolbar-of-section">
        <label class="check">
          Show
          <select
            class="input input-small"
            value={measure}
            onChange={(event) => setChosen(event.currentTarget.value as Measure)}
          >
            {MEASURES.map((one) => (
              <option key={one.measure} value={one.measure}>
                {one.name}
              </option>
            ))}
          </select>
        </label>
      </div>
      {shown.map(
        ({ title, column, report, nameOf }) =>
          report && (
            <Section key={title} title={title}>
              <div class="stack">
                <Plot
                  title={`${MEASURES.find((one) => one.measure === measure)!.name} a day`}
                  times={times}
                  series={toSeries(report.lines, days, measure, nameOf)}
                  format={format}
                  isStacked
                  hasUtcDays
                />
                <PartTable caption={title} column={column} parts={sumParts(report.lines)} nameOf={nameOf} />
              </div>
            </Section>
          ),
      )}
    </>
  );
}

interface PartTableProps {
  caption: string;
  column: string;
  parts: PartSum[];
  nameOf(key: string): string;
}

function PartTable({ caption, column, parts, nameOf }: PartTableProps) {
  return (
    <div class="table-frame" tabIndex={0} role="group" aria-label={`Table: ${caption}`}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{column}</th>
            <th scope="col" class="number">
              Calls
            </th>
            <th scope="col" class="number">
              Tokens
            </th>
            <th scope="col" class="number">
              From the cache
            </th>
            <th scope="col" class="number">
              Cost
            </th>
          </tr>
        </thead>
        <tbody>
          {parts.map(({ key, calls, tokens, cached, usd, unpriced }) => (
            <tr key={key}>
              <th scope="row" dir="auto">
                {nameOf(key)}
              </th>
              <td class="number">{formatNumber(calls)}</td>
              <td class="number">{formatNumber(tokens)}</td>
              <td class="number">{cached === null ? "–" : formatShare(cached)}</td>
              <td class="number">{unpriced === calls && calls > 0 ? "unknown" : formatMoney(usd)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
