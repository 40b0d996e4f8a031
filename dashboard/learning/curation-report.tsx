// The report of one curation: what it changed and why, the work of models with its cost, and its rollback. Waits while the run is under way.
import { useEffect } from "preact/hooks";
import { Badge } from "../components/badge.tsx";
import { Markdown } from "../components/markdown.tsx";
import { countOf, formatMoney, formatNumber } from "../components/numbers.ts";
import { Section } from "../components/page.tsx";
import { Failure, Loading } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import { ProblemError } from "../data/api.ts";
import { invalidate, useResource } from "../data/resource.ts";
import { hrefOf } from "../pages.ts";
import { type CurationChange, type Report, beginsAt, changesOf, describeMove, isRevertible } from "./curation-facts.ts";
import { RollBack } from "./roll-back.tsx";

/** Most runs take some seconds. */
const EVERY_MS = 2_000;

export function CurationReport({ run }: { run: string }) {
  const report = useResource("GET /v1/curator/runs/{run}", { params: { run } });
  const isPending = report.error instanceof ProblemError && report.error.problem.code === "run_pending";
  const isWhole =
    report.value !== undefined && (report.value.run.work ?? []).length <= (report.value.work ?? []).length;
  useEffect(() => {
    if (!isPending) return undefined;
    const timer = setInterval(() => void report.reload(), EVERY_MS);
    return () => clearInterval(timer);
  }, [isPending]);
  // What the run has changed is shown elsewhere.
  useEffect(() => {
    if (isWhole) void invalidate("/v1/curator?", "/v1/skills", "/v1/learning");
  }, [isWhole]);
  return (
    <div class="stack-wide">
      <p>
        <a href={hrefOf("learning", "curator")}>All runs</a>
      </p>
      {isPending && (
        <p class="note" role="status">
          The run has not finished yet. Its report appears here by itself.
        </p>
      )}
      {report.error !== undefined && !isPending && <Failure error={report.error} retry={() => void report.reload()} />}
      {report.value === undefined && report.error === undefined && <Loading />}
      {report.value && <Shown report={report.value} />}
    </div>
  );
}

function Shown({ report }: { report: Report }) {
  const { run, markdown, work = [] } = report;
  const { startedAt, finishedAt, dryRun, skills, undoes, undone = [], moves, verdicts = [] } = run;
  const left = undone.filter(({ result }) => result === "left");
  return (
    <>
      <div class="panel stack">
        <div class="item-head">
          <h2 class="item-text">
            Run of <Time at={beginsAt(run.run)} isExact />
          </h2>
          {dryRun && <Badge tone="accent">Dry run</Badge>}
          {isRevertible(report) && <RollBack report={report} />}
        </div>
        <p class="item-facts">
          <span>{countOf(skills, "skill")} looked at</span>
          <span>took {Math.max(1, Math.round((finishedAt - startedAt) / 1_000))} s</span>
          {undoes !== undefined && <a href={hrefOf("learning", "curator", undoes)}>Takes back an earlier run</a>}
        </p>
      </div>
      <Section title={dryRun ? "What it would change" : "What it changed"}>
        {dryRun ? <Planned moves={moves} verdicts={verdicts} /> : <Changes changes={changesOf(report)} />}
        {left.length > 0 && (
          <ul class="items more-below" aria-label="Left alone">
            {left.map(({ change, why }, i) => (
              <li key={i}>
                <p dir="auto">
                  <a href={hrefOf("skills", change.skill)}>{change.skill}</a> was left alone: {why}.
                </p>
              </li>
            ))}
          </ul>
        )}
      </Section>
      {work.length > 0 && <Work work={work} />}
      <details>
        <summary>The whole report</summary>
        <div class="panel more-below">
          <Markdown text={markdown} />
        </div>
      </details>
    </>
  );
}

function Changes({ changes }: { changes: CurationChange[] }) {
  if (changes.length === 0) return <p class="muted">Nothing.</p>;
  return (
    <ul class="items" aria-label="Changes">
      {changes.map((change, i) => (
        <li key={i}>
          <p>
            <a href={hrefOf("skills", change.skill)}>{change.skill}</a> <Badge>{describeMove(change)}</Badge>
          </p>
          <p class="muted" dir="auto">
            {change.reason}
          </p>
        </li>
      ))}
    </ul>
  );
}

function Planned({
  moves,
  verdicts,
}: {
  moves: Report["run"]["moves"];
  verdicts: NonNullable<Report["run"]["verdicts"]>;
}) {
  const rows = [
    ...verdicts.map(({ skill, from, verdict, why }) => ({ skill, move: `${from.state} → ${verdict}`, why })),
    ...moves.map(({ skill, from, to, reason }) => ({ skill, move: `${from} → ${to}`, why: reason })),
  ];
  if (rows.length === 0) return <p class="muted">Nothing.</p>;
  return (
    <ul class="items" aria-label="Planned changes">
      {rows.map(({ skill, move, why }, i) => (
        <li key={i}>
          <p>
            <a href={hrefOf("skills", skill)}>{skill}</a> <Badge>{move}</Badge>
          </p>
          <p class="muted" dir="auto">
            {why}
          </p>
        </li>
      ))}
    </ul>
  );
}

const WORK_STATES = {
  done: { name: "Done", tone: "good" },
  left: { name: "Nothing to change", tone: "plain" },
  cancelled: { name: "Cancelled", tone: "warn" },
  failed: { name: "Failed", tone: "bad" },
} as const;

function Work({ work }: { work: NonNullable<Report["work"]> }) {
  return (
    <Section title="Work of models">
      <ul class="items" aria-label="Work of models">
        {work.map(({ work: name, state, note, merges, refused, modelCalls, spent }) => (
          <li key={name}>
            <div class="item-head">
              <p class="item-text mono">{name}</p>
              <Badge tone={WORK_STATES[state].tone}>{WORK_STATES[state].name}</Badge>
            </div>
            {note && <p dir="auto">{note}</p>}
            {merges.map(({ umbrella, absorbed }, i) => (
              <p key={i}>
                <a href={hrefOf("skills", umbrella)}>{umbrella}</a> took in {absorbed.join(", ") || "nothing"}.
              </p>
            ))}
            {refused.map(({ code, message }, i) => (
              <p key={i} dir="auto">
                <Badge tone="bad">{code}</Badge> {message}
              </p>
            ))}
            <p class="item-facts">
              <span>{countOf(modelCalls, "model call")}</span>
              <span>{formatNumber(spent.reduce((sum, { usage }) => sum + usage.input + usage.output, 0))} tokens</span>
              <span>{formatMoney(spent.reduce((sum, { cost }) => sum + cost.usdMicros, 0) / 1_000_000)}</span>
            </p>
          </li>
        ))}
      </ul>
    </Section>
  );
}
