// Makes or edits a job.
import { useState } from "preact/hooks";
import { Field } from "../components/field.tsx";
import { quote } from "../components/hidden-text.ts";
import { FormDialog } from "../components/form-dialog.tsx";
import { change } from "../data/resource.ts";
import { hrefOf } from "../pages.ts";
import { DeliverField } from "./deliver-field.tsx";
import { type JobFields, toFields, toNewJob, toPatch } from "./job-fields.ts";
import { type Job, readOwnZone } from "./job-words.ts";
import { SchedulePreview } from "./schedule-preview.tsx";
import { ZoneField } from "./zone-field.tsx";

/** `job`: absent for a new one. */
export function JobForm({ job, onClose }: { job?: Job; onClose(): void }) {
  const [before] = useState(() => toFields(job, readOwnZone()));
  const [fields, setFields] = useState(before);
  const put = (name: keyof JobFields) => (value: string) => setFields({ ...fields, [name]: value });
  const set =
    (name: keyof JobFields) =>
    ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
      put(name)(currentTarget.value);

  async function save(): Promise<void> {
    if (job) {
      await change("PATCH /v1/jobs/{job}", { params: { job: job.name }, body: toPatch(job, before, fields) });
      return;
    }
    const made = await change("POST /v1/jobs", { body: toNewJob(fields) });
    location.hash = hrefOf("jobs", made.name);
  }

  return (
    <FormDialog
      title={job ? `Edit ${quote(job.name)}` : "New job"}
      action={job ? "Save job" : "Make job"}
      run={save}
      onClose={onClose}
    >
      {!job && (
        <Field label="Name" hint="Small letters, digits and -. Such as “morning-brief”.">
          {(props) => (
            <input
              {...props}
              required
              autofocus
              pattern="[a-z0-9](?:[a-z0-9\-]{0,62}[a-z0-9])?"
              spellcheck={false}
              value={fields.name}
              onInput={set("name")}
            />
          )}
        </Field>
      )}
      <Field label="Schedule" hint="Such as “every weekday at 8”, “in 30m”, “tomorrow at noon”, or “0 8 * * mon-fri”.">
        {(props) => <input {...props} required maxLength={200} value={fields.schedule} onInput={set("schedule")} />}
      </Field>
      <ZoneField hint="Where the schedule names none." value={fields.timeZone} onChange={put("timeZone")} />
      <SchedulePreview schedule={fields.schedule} timeZone={fields.timeZone} />
      <Field label="Prompt" hint="What the agent is told at each run. It knows nothing of your other sessions.">
        {(props) => (
          <textarea
            {...props}
            rows={5}
            required
            maxLength={20_000}
            dir="auto"
            value={fields.prompt}
            onInput={set("prompt")}
          />
        )}
      </Field>
      <DeliverField value={fields.deliver} onChange={put("deliver")} />
      <details class="more-fields">
        <summary>More</summary>
        <div class="form">
          <Field label="Skills" hint="Loaded at the start of each run, with commas between them.">
            {(props) => <input {...props} spellcheck={false} value={fields.skills} onInput={set("skills")} />}
          </Field>
          <Field label="Answers of other jobs" hint="Names of jobs whose newest answer the agent gets too.">
            {(props) => <input {...props} spellcheck={false} value={fields.contextFrom} onInput={set("contextFrom")} />}
          </Field>
          <Field label="Only when this page has changed" hint="Its text is looked at before each run.">
            {(props) => (
              <input {...props} type="url" placeholder="https://…" value={fields.gateUrl} onInput={set("gateUrl")} />
            )}
          </Field>
          <Field
            label="Only when this command prints something else"
            hint="A shell command without a network. With a page, it finds the page's text in the file “page”."
          >
            {(props) => (
              <input
                {...props}
                class="input mono"
                spellcheck={false}
                value={fields.gateCommand}
                onInput={set("gateCommand")}
              />
            )}
          </Field>
          <Field label="Runs until it is finished" hint="Empty: no limit.">
            {(props) => (
              <input {...props} type="number" min={1} max={100_000} value={fields.repeat} onInput={set("repeat")} />
            )}
          </Field>
          <Field label="Failures in a row until it pauses" hint="Empty: the operator's limit.">
            {(props) => (
              <input {...props} type="number" min={1} max={20} value={fields.pauseAfter} onInput={set("pauseAfter")} />
            )}
          </Field>
          <Field label="Tokens a run" hint="Empty: the operator's limit.">
            {(props) => (
              <input {...props} type="number" min={1_000} value={fields.maxTokens} onInput={set("maxTokens")} />
            )}
          </Field>
        </div>
      </details>
    </FormDialog>
  );
}
