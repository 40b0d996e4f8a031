// The curator: whether it runs, runs on request, and the newest runs with what each changed.
import { useState } from "preact/hooks";
import { Badge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { countOf } from "../components/numbers.ts";
import { Section } from "../components/page.tsx";
import { ScopeNote } from "../components/scope-note.tsx";
import { Empty, Listed, Loaded } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import { useAction } from "../components/use-action.ts";
import { type Answer, ProblemError } from "../data/api.ts";
import { useList } from "../data/list.ts";
import { change, useResource } from "../data/resource.ts";
import { may } from "../data/sign-in.ts";
import { hrefOf } from "../pages.ts";
import { type Report, beginsAt, changesOf, isRevertible } from "./curation-facts.ts";
import { RollBack } from "./roll-back.tsx";

type Status = Answer<"GET /v1/curator">;

export function Curator() {
  const status = useResource("GET /v1/curator", {});
  return (
    <>
      <ScopeNote scope="write" to="start, pause or roll back curation" />
      <Loaded of={status}>{(value) => <State status={value} />}</Loaded>
      <Runs />
    </>
  );
}

function State({ status: { paused, last, open, owed, limits } }: { status: Status }) {
  const action = useAction();
  const turn = (isPaused: boolean) =>
    action.run(
      () => change(isPaused ? "POST /v1/curator/pause" : "POST /v1/curator/resume", {}),
      isPaused ? "The curator is paused." : "The curator runs again.",
    );
  const start = (dryRun: boolean) =>
    action.run(async () => {
      const { run } = await change("POST /v1/curator/run", { query: dryRun ? { dryRun: "1" } : {} });
      location.hash = hrefOf("learning", "curator", run);
    });
  return (
    <div class="panel stack">
      <div class="item-head">
        <p class="item-text">
          <Badge tone={paused ? "warn" : "good"}>{paused ? "Paused" : "Active"}</Badge>{" "}
          {paused
            ? "No run begins by itself. A run that you start still takes place."
            : "A run begins after each day on which you used Talaria."}
        </p>
        {may("write") && (
          <div class="item-actions">
            <Button icon={paused ? "play" : "pause"} isBusy={action.isBusy} onClick={() => turn(!paused)}>
              {paused ? "Resume" : "Pause"}
            </Button>
            <Button isBusy={action.isBusy} onClick={() => start(true)}>
              Dry run
            </Button>
            <Button kind="primary" isBusy={action.isBusy} onClick={() => start(false)}>
              Run now
            </Button>
          </div>
        )}
      </div>
      <p class="item-facts">
        {last === null ? (
          <span>No run yet</span>
        ) : (
          <a href={hrefOf("learning", "curator", last)}>
            The last run began <Time at={beginsAt(last)} />
          </a>
        )}
        {open !== null && <a href={hrefOf("learning", "curator", open)}>A run is under way</a>}
        {owed.length > 0 && <span>{countOf(owed.length, "piece")} of work for a model left</span>}
      </p>
      <p class="muted small">
        A skill unused for {limits.staleDays} days is offered last, and archived after {limits.archiveDays}. A run
        changes at most {limits.maxChanges} skills by age.
      </p>
    </div>
  );
}

const FIRST = 10;

function Runs() {
  const list = useList("GET /v1/curator/runs", { query: { limit: "200" } }, ({ runs }) => runs);
  const [shown, setShown] = useState(FIRST);
  const runs = list.items.slice(0, shown);
  const hasMore = list.hasMore || list.items.length > shown;
  const more = () => {
    if (list.items.length <= shown + FIRST) list.more();
    setShown(shown + FIRST);
  };
  return (
    <Section title="Runs">
      <Listed
        of={list}
        empty={
          <Empty icon="tool" title="No run yet">
            <p>The first run follows a day on which you used Talaria. Run now starts one at once.</p>
          </Empty>
        }
      >
        {() => (
          <>
            <ul class="items" aria-label="Runs">
              {runs.map((run) => (
                <li key={run}>
                  <Run run={run} />
                </li>
              ))}
            </ul>
            {hasMore && (
              <Button class="more-below" isBusy={list.isLoading} onClick={more}>
                Show older
              </Button>
            )}
          </>
        )}
      </Listed>
    </Section>
  );
}

function Run({ run }: { run: string }) {
  const report = useResource("GET /v1/curator/runs/{run}", { params: { run } });
  return (
    <div class="item-head">
      <p class="item-text">
        <a class="item-link" href={hrefOf("learning", "curator", run)}>
          <Time at={beginsAt(run)} isExact />
        </a>
        <span class="item-facts">{describe(report.value, report.error)}</span>
      </p>
      {report.value && isRevertible(report.value) && <RollBack report={report.value} />}
    </div>
  );
}

function describe(report: Report | undefined, error: unknown): string {
  if (!report) {
    if (error instanceof ProblemError && error.problem.code === "run_pending") return "Not finished yet";
    return error === undefined ? "…" : (error as Error).message;
  }
  const changes = changesOf(report);
  const { dryRun, undoes, moves, verdicts = [] } = report.run;
  if (dryRun) return `Dry run: it would change ${countOf(moves.length + verdicts.length, "skill")}`;
  const names = [...new Set(changes.map(({ skill }) => skill))];
  const listed = names.slice(0, 3).join(", ") + (names.length > 3 ? ` and ${names.length - 3} more` : "");
  const what = changes.length === 0 ? "It changed nothing" : `${countOf(changes.length, "change")}: ${listed}`;
  return undoes ? `It took back an earlier run. ${what}` : what;
}
