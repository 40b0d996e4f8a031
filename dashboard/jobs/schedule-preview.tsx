// How a schedule is understood while it is written, and its next times. The server reads it, as it will read the job's.
import { useEffect, useState } from "preact/hooks";
import { describeError } from "../data/api.ts";
import { useResource } from "../data/resource.ts";
import { formatInZone, readOwnZone } from "./job-words.ts";

/** The server is asked after a pause in typing. */
const PAUSE_MS = 400;

export function SchedulePreview({ schedule, timeZone }: { schedule: string; timeZone: string }) {
  const [asked, setAsked] = useState({ schedule, timeZone });
  useEffect(() => {
    const timer = setTimeout(() => setAsked({ schedule, timeZone }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [schedule, timeZone]);
  const text = asked.schedule.trim();
  const query = { schedule: text, ...(asked.timeZone !== "" && { timeZone: asked.timeZone }) };
  const { value, error } = useResource("GET /v1/schedule", text === "" ? null : { query });
  const own = readOwnZone();
  return (
    <div class="schedule-preview" role="status" aria-label="Next runs">
      {text === "" && <p class="muted small">Write a schedule to see its next runs.</p>}
      {text !== "" && error !== undefined && (
        <p class="field-error" dir="auto">
          {describeError(error)}
        </p>
      )}
      {text !== "" && error === undefined && value && (
        <>
          <p>
            Understood as <strong>{value.understood}</strong>
          </p>
          <ol class="slots">
            {value.next.map((at) => (
              <li key={at}>
                <time dateTime={new Date(at).toISOString()}>{formatInZone(at, own)}</time>
                {value.timeZone !== own && <span class="muted small"> ({formatInZone(at, value.timeZone)})</span>}
              </li>
            ))}
          </ol>
        </>
      )}
    </div>
  );
}
