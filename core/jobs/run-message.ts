// The message that a run's session gets: the job's own words, then what other jobs said last, each with its source. Called by the Agenda's runner.
// Pure.
import { escapeTags } from "../prompt-block.ts";
import type { Job, JobName, JobRun } from "../schemas/agenda/job.ts";
import { type SourcedPiece, toSourcedText } from "../session/turn/input-parts.ts";

/** What a job of `contextFrom` said last; `null`: nothing yet. */
export interface JobContext {
  name: JobName;
  last: { output: string; at: number } | null;
}

/**
 * The owner's words are `principal`; an agent's, and what other jobs said, are `content`. The first line keeps a prompt from being a command. The
 * session loads the job's skills itself.
 */
export function toRunMessage(
  { name, timeZone, author, skills, prompt }: Job,
  { slot, trigger }: JobRun,
  context: JobContext[],
): { text: string; sources: SourcedPiece[]; skills?: string[] } {
  const due = new Date(slot).toLocaleString("en-GB", { timeZone, dateStyle: "full", timeStyle: "short" });
  const when = trigger === "manual" ? "run by hand" : trigger === "late" ? "late: it was missed" : "on time";
  const source = author.by === "owner" ? "principal" : "content";
  const message = toSourcedText([
    { source, text: `Job ${name}, ${due} (${timeZone}, ${when}).\n\n${prompt}` },
    ...context.map((other) => ({ source: "content" as const, text: `\n\n${describeContext(other)}` })),
  ]);
  return { ...message, ...(skills.length > 0 && { skills }) };
}

function describeContext({ name, last }: JobContext): string {
  if (!last) return `The job ${name} has said nothing yet.`;
  return `The job ${name} said at ${new Date(last.at).toISOString()}:\n<content>\n${escapeTags(last.output)}\n</content>`;
}
