// The message that a run's session gets: what other jobs said last, then the job's own words, each with its source. Called by the Agenda's
// runner. Pure.
import type { Job, JobName, JobRun } from "../schemas/agenda/job.ts";
import { type SourcedPiece, toSourcedText } from "../session/turn/input-parts.ts";

/** What a job of `contextFrom` said last; `null`: nothing yet. */
export interface JobContext {
  name: JobName;
  last: { output: string; at: number } | null;
}

/** The owner's words are `principal`; an agent's, and what other jobs said, are `content`. The first line keeps a prompt from being a command. */
export function toRunMessage(
  { name, timeZone, author, skills, prompt }: Job,
  { slot, trigger }: JobRun,
  context: JobContext[],
): { text: string; sources: SourcedPiece[] } {
  const due = new Date(slot).toLocaleString("en-GB", { timeZone, dateStyle: "full", timeStyle: "short" });
  const when = trigger === "manual" ? "run by hand" : trigger === "late" ? "late: it was missed" : "on time";
  const load = skills.length > 0 ? `Load these skills first: ${skills.join(", ")}.\n` : "";
  const source = author.by === "owner" ? "principal" : "content";
  return toSourcedText([
    ...context.map((other) => ({ source: "content" as const, text: describeContext(other) })),
    { source, text: `Job ${name}, ${due} (${timeZone}, ${when}).\n${load}\n${prompt}` },
  ]);
}

function describeContext({ name, last }: JobContext): string {
  if (!last) return `The job ${name} has said nothing yet.\n\n`;
  return `The job ${name} said at ${new Date(last.at).toISOString()}:\n${last.output}\n\n`;
}
