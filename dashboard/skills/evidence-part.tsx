// The evidence of a skill: how often it was used, how that ended with it and without it, the verdicts, and each use with its turn and judge.
import { Badge } from "../components/badge.tsx";
import { countOf, formatNumber, formatPoints, formatShare } from "../components/numbers.ts";
import { Section } from "../components/page.tsx";
import { Plot } from "../components/plot.tsx";
import { Empty, Loaded } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import { WindowedList } from "../components/windowed-list.tsx";
import { useResource } from "../data/resource.ts";
import { hrefOfTurn } from "../pages.ts";
import { type Evidence, type Used, toCurve } from "./figures.ts";

const ROW_PX = 56;
const VERDICTS = {
  trial: { name: "On trial", tone: "accent" },
  active: { name: "Active", tone: "good" },
  withdrawn: { name: "Withdrawn", tone: "bad" },
} as const;
const OUTCOMES = {
  success: { name: "Succeeded", tone: "good" },
  failure: { name: "Failed", tone: "bad" },
  unknown: { name: "Not judged", tone: "plain" },
} as const;
const JUDGES: Record<Used["judge"], string> = {
  exit: "the last tool call",
  goal: "the judge of the goal",
  message: "your next message",
  replay: "an experiment",
  reviewer: "a review",
  checker: "a check",
  rating: "your rating",
};

export function EvidencePart({ name }: { name: string }) {
  const evidence = useResource("GET /v1/skills/{name}/evidence", { params: { name } });
  return (
    <Loaded of={evidence}>
      {(value) =>
        value.uses.length === 0 ? (
          <Empty icon="chart" title="Not used yet">
            <p>Each turn that uses the skill adds evidence here, and a verdict follows from it.</p>
          </Empty>
        ) : (
          <Shown evidence={value} />
        )
      }
    </Loaded>
  );
}

function Shown({ evidence: { uses, texts, seen, text } }: { evidence: Evidence }) {
  const { times, rates, low, high, without, marks } = toCurve(uses);
  const present = texts.find((one) => one.present);
  const newest = uses.toReversed();
  return (
    <div class="stack-wide">
      {present && <Figures text={present} />}
      <Plot
        title="Success with the skill and without it"
        times={times}
        series={[
          { name: "With the skill", values: rates, tone: "accent", interval: { low, high } },
          { name: "Similar turns without it", values: without, tone: "muted" },
        ]}
        marks={marks}
        format={formatShare}
        range={[0, 1]}
        height={220}
      />
      <p class="muted small">
        The line is the success rate that the verdict uses: older uses weigh less, and it begins at one half. The band
        holds the true rate nine times of ten. Lines from top to bottom mark verdicts and new texts.
      </p>
      {marks.length > 0 && (
        <ul class="plain-list small" aria-label="What happened in this time">
          {marks.toReversed().map(({ at, text: what }) => (
            <li key={`${at} ${what}`}>
              <Time at={at} isExact /> {what}
            </li>
          ))}
        </ul>
      )}
      <Texts texts={texts} />
      <Section title="Uses">
        <p class="muted small">
          {uses.length === seen
            ? countOf(seen, "use")
            : `The newest ${formatNumber(uses.length)} of ${countOf(seen, "use")}`}
          , newest first
        </p>
        <WindowedList
          label="Uses"
          items={newest}
          rowHeight={ROW_PX}
          keyOf={(use) => `${use.turn} ${use.text}`}
          row={(use) => <UseRow use={use} isEarlier={use.text !== text} />}
        />
      </Section>
    </div>
  );
}

function Figures({ text }: { text: Evidence["texts"][number] }) {
  const { verdict, why, uses, successes, failures, lift, calls, baselineCalls } = text;
  const { name, tone } = VERDICTS[verdict];
  const judged = successes + failures;
  const figures: [what: string, value: string][] = [
    ["Uses of the present text", formatNumber(uses)],
    ["Succeeded", judged === 0 ? "–" : `${successes} of ${judged}`],
    ["Better than without", lift === null ? "–" : formatPoints(lift)],
    ["Calls of tools", calls === null ? "–" : formatNumber(calls)],
    ["Calls without it", baselineCalls === null ? "–" : formatNumber(baselineCalls)],
  ];
  return (
    <>
      <p>
        <Badge tone={tone}>{name}</Badge> {why}
      </p>
      <dl class="figures">
        {figures.map(([what, value]) => (
          <div key={what} class="figure">
            <dt>{what}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function Texts({ texts }: { texts: Evidence["texts"] }) {
  if (texts.length < 2) return null;
  return (
    <Section title="Verdict on each text">
      <div class="table-frame" tabIndex={0} role="group" aria-label="Verdict on each text">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Text</th>
              <th scope="col">Last used</th>
              <th scope="col" class="number">
                Uses
              </th>
              <th scope="col" class="number">
                Succeeded
              </th>
              <th scope="col">Verdict</th>
              <th scope="col">Why</th>
            </tr>
          </thead>
          <tbody>
            {texts.map(({ text, present, lastUsedAt, uses, successes, failures, verdict, why }) => (
              <tr key={text}>
                <th scope="row">{present ? "The present one" : <span class="mono">{text.slice(0, 8)}</span>}</th>
                <td>
                  <Time at={lastUsedAt} />
                </td>
                <td class="number">{formatNumber(uses)}</td>
                <td class="number">
                  {successes} of {successes + failures}
                </td>
                <td>
                  <Badge tone={VERDICTS[verdict].tone}>{VERDICTS[verdict].name}</Badge>
                </td>
                <td>{why}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}

function UseRow({ use, isEarlier }: { use: Used; isEarlier: boolean }) {
  const { turn, at, outcome, judge, contradicted, toolCalls, failedCalls, standing, failedWords } = use;
  const n = turn.slice(turn.lastIndexOf("-") + 1);
  const { name, tone } = OUTCOMES[outcome];
  const calls = `${countOf(toolCalls, "call")}${failedCalls > 0 ? `, ${formatNumber(failedCalls)} failed` : ""}`;
  const remarks = [
    outcome !== "unknown" && `judged by ${JUDGES[judge]}`,
    calls,
    contradicted && "the text was contradicted",
    failedWords.length > 0 && `failed with: ${failedWords.join(", ")}`,
    isEarlier && "an earlier text",
  ].filter(Boolean);
  return (
    <div class="row">
      <div class="row-main">
        <a href={hrefOfTurn(turn)}>
          Turn {n}, <Time at={at} />
        </a>
        <span class="muted small clip">{remarks.join(" · ")}</span>
      </div>
      <div class="row-side">
        {standing && standing.verdict !== "trial" && (
          <span class="wide-only nowrap">{VERDICTS[standing.verdict].name}</span>
        )}
        <Badge tone={tone}>{name}</Badge>
      </div>
    </div>
  );
}
