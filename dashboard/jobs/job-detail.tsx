// One job: what it does, when, and what became of its runs.
import { useState } from "preact/hooks";
import { Badge } from "../components/badge.tsx";
import { quote } from "../components/hidden-text.ts";
import { Button } from "../components/button.tsx";
import { confirm } from "../components/dialog.tsx";
import { Facts } from "../components/facts.tsx";
import { Icon } from "../components/icon.tsx";
import { Markdown } from "../components/markdown.tsx";
import { formatDuration, formatNumber } from "../components/numbers.ts";
import { Page as Frame, Section } from "../components/page.tsx";
import { ScopeNote } from "../components/scope-note.tsx";
import { Failure, Loaded, Loading } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import { useAction } from "../components/use-action.ts";
import { change, useResource } from "../data/resource.ts";
import { may } from "../data/sign-in.ts";
import { hrefOf } from "../pages.ts";
import { JobForm } from "./job-form.tsx";
import { NextRun } from "./job-list.tsx";
import { type Job, type Run, TRIGGERS, describeRun, describeState, describeTarget } from "./job-words.ts";

/** Jobs have no live stream. */
const EVERY_MS = 5_000;

export function JobPage({ name }: { name: string }) {
  const detail = useResource("GET /v1/jobs/{job}", { params: { job: name } }, { every: EVERY_MS });
  const [isEditing, setEditing] = useState(false);
  const job = detail.value?.job;
  return (
    <Frame
      title={name}
      lead={<a href={hrefOf("jobs")}>All jobs</a>}
      actions={job && may("write") && <Actions job={job} onEdit={() => setEditing(true)} />}
    >
      <ScopeNote scope="write" to="change or run jobs" />
      {detail.error !== undefined && <Failure error={detail.error} retry={() => void detail.reload()} />}
      {job === undefined ? (
        detail.error === undefined && <Loading />
      ) : (
        <About job={job} newest={detail.value?.runs[0]} />
      )}
      {job !== undefined && <Runs name={name} />}
      {isEditing && job && <JobForm job={job} onClose={() => setEditing(false)} />}
    </Frame>
  );
}

function Actions({ job, onEdit }: { job: Job; onEdit(): void }) {
  const action = useAction();
  const asked = { params: { job: job.name } };
  const remove = () =>
    confirm({
      title: `Delete the job ${quote(job.name)}?`,
      text: "Its runs are lost, and an open run is stopped. The sessions of its runs stay. This cannot be undone.",
      action: "Delete job",
      isDanger: true,
      async run() {
        await change("DELETE /v1/jobs/{job}", asked, ["/v1/suggestions"]);
        location.hash = hrefOf("jobs");
      },
    });
  return (
    <>
      {job.finishedAt === null &&
        (job.paused === null ? (
          <Button
            icon="pause"
            isBusy={action.isBusy}
            onClick={() => action.run(() => change("POST /v1/jobs/{job}/pause", asked), "The job pauses.")}
          >
            Pause
          </Button>
        ) : (
          <Button
            icon="play"
            isBusy={action.isBusy}
            onClick={() => action.run(() => change("POST /v1/jobs/{job}/resume", asked), "The job goes on.")}
          >
            Resume
          </Button>
        ))}
      <Button
        kind="primary"
        icon="play"
        isBusy={action.isBusy}
        disabled={job.running !== null}
        onClick={() => action.run(() => change("POST /v1/jobs/{job}/run", asked), "A run has begun.")}
      >
        Run now
      </Button>
      <Button icon="edit" onClick={onEdit}>
        Edit
      </Button>
      <Button icon="trash" label="Delete the job" onClick={remove} />
    </>
  );
}

function About({ job, newest }: { job: Job; newest: Run | undefined }) {
  const state = describeState(job);
  const last = newest && describeRun(newest);
  return (
    <>
      {job.paused && job.paused.why !== "" && (
        <div class={`note ${job.paused.cause === "person" ? "" : "note-bad"}`}>
          <Icon name="pause" />
          <p dir="auto">
            Paused <Time at={job.paused.at} />: {job.paused.why}
          </p>
        </div>
      )}
      <Section title="About">
        <div class="panel">
          <Facts
            facts={{
              State: <Badge tone={state.tone}>{state.name}</Badge>,
              "Next run": job.due === null ? undefined : <NextRun job={job} />,
              Schedule: `${job.understood} (${job.timeZone})`,
              "Last run": last && <Badge tone={last.tone}>{last.name}</Badge>,
              "Failures in a row": job.failures === 0 ? undefined : formatNumber(job.failures),
              "Runs on its schedule":
                job.repeat == null ? formatNumber(job.ran) : `${formatNumber(job.ran)} of ${formatNumber(job.repeat)}`,
              "The answer goes": describeTarget(job.deliver),
              Skills: job.skills?.join(", ") || undefined,
              "Answers of": job.contextFrom?.join(", ") || undefined,
              "Only after a change of": job.gate
                ? [job.gate.url, job.gate.command].filter(Boolean).join(", ")
                : undefined,
              "Tokens a run": job.maxTokens === undefined ? undefined : formatNumber(job.maxTokens),
              Finished: job.finishedAt === null ? undefined : <Time at={job.finishedAt} />,
            }}
          />
        </div>
      </Section>
      <Section title="Prompt">
        <div class="panel">
          <Markdown text={job.prompt} />
        </div>
      </Section>
    </>
  );
}

function Runs({ name }: { name: string }) {
  const runs = useResource("GET /v1/jobs/{job}/runs", { params: { job: name } }, { every: EVERY_MS });
  return (
    <Section title="Runs">
      <Loaded of={runs}>
        {({ runs: list }) =>
          list.length === 0 ? (
            <p class="muted">It has not run yet.</p>
          ) : (
            <ol class="job-runs">
              {list.map((run) => (
                <li key={run.id} class="panel">
                  <RunLine run={run} />
                </li>
              ))}
            </ol>
          )
        }
      </Loaded>
    </Section>
  );
}

const DELIVERY = {
  none: undefined,
  waiting: "Delivery waits",
  sent: "Delivered",
  failed: "Not delivered",
} as const;

function RunLine({ run }: { run: Run }) {
  const { name, tone } = describeRun(run);
  const began = run.startedAt ?? run.claimedAt;
  const delivery = DELIVERY[run.delivery.state];
  return (
    <>
      <p class="run-head">
        <Badge tone={tone}>{name}</Badge>
        <Time at={began} isExact />
        <span class="muted small">
          {TRIGGERS[run.trigger]}
          {run.endedAt !== null && `, ${formatDuration(run.endedAt - began)}`}
          {run.tokens !== null && `, ${formatNumber(run.tokens)} tokens`}
        </span>
        {delivery && <Badge tone={run.delivery.state === "failed" ? "bad" : "plain"}>{delivery}</Badge>}
        {run.session !== null && <a href={hrefOf("chat", run.session)}>Session</a>}
      </p>
      {[run.error, run.delivery.error].map(
        (error) =>
          error !== null && (
            <p key={error} class="run-error" dir="auto">
              {error}
            </p>
          ),
      )}
      {run.output !== null && run.output !== "" && (
        <details>
          <summary>Answer</summary>
          <Markdown text={run.output} />
        </details>
      )}
    </>
  );
}
