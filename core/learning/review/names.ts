// Whether the name of a new skill says a class of work, or only what one session was about: a ticket, a day, an error, a
// version, a file. Asked before a review creates a skill. It refuses what is certain, and leaves taste to the words of the
// policy. Pure.
import { type Failure, err } from "../../errors.ts";
import { baseOf } from "../../skills/validate.ts";
import type { SessionWords } from "./session-words.ts";

const MONTHS =
  "jan|january|feb|february|mar|march|apr|april|may|jun|june|jul|july|aug|august|sep|sept|september|oct|october|nov|november|dec|december";

/** Over the name between hyphens, so that each part stands whole. */
const ARTEFACTS: [what: string, pattern: RegExp][] = [
  [
    "a ticket or a pull request",
    /-(?:pr|mr|gh|pull|pull-request|merge-request|issue|ticket|bug|incident|inc|jira)-(?:[a-z]{2,10}-)?\d+-/,
  ],
  ["a date", /-(?:19|20)\d\d-(?:0?[1-9]|1[0-2])-(?:(?:0?[1-9]|[12]\d|3[01])-)?/],
  ["a date", new RegExp(`-(?:${MONTHS})-(?:\\d{1,2}|20\\d\\d)-`)],
  ["one day", /-(?:today|todays|yesterday|yesterdays|tonight|tomorrow|this-(?:time|session|morning|week))-/],
  ["a version", /-v\d+-\d+-|-\d+-\d+-\d+-/],
  ["a hash", /-(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}-/],
  ["a number of one case", /-\d{5,}-/],
  ["an error's code", /-(?:0x[0-9a-f]{2,}|e\d{3,5}|(?:err|error|errno|exit-code|exit-status)-\d+)-/],
  [
    "an error's code",
    /-(?:enoent|enotfound|econnrefused|econnreset|etimedout|eacces|eperm|eaddrinuse|epipe|enospc|emfile|eexist|enomem)-/,
  ],
  ["an error's name", /-(?:[a-z]{3,}exception|(?!t?error-)[a-z]{3,}error)-/],
  [
    "an error's words",
    /-(?:no-such-file|(?:command|module|file|page)-not-found|permission-denied|cannot-(?:read|find|open|import|resolve|connect)|(?:is-)?not-a-function|(?:is-)?not-defined|segmentation-fault|connection-(?:refused|reset)|unexpected-token|access-denied)-/,
  ],
  // A maintainer would say what is being worked on, not that something was wrong with it.
  [
    "one repair",
    /^-(?:fix|fixed|hotfix|debug|debugged|solve|solved|resolve|resolved)-(?:[a-z0-9]+-)+(?:error|errors|failure|bug|crash|issue|problem|exception|warning|typo)-$/,
  ],
];

/** `null` for a name that may stand. Failure: `artefact_name`. A companion has its base's name, whatever that is. */
export function checkTitle(name: string, words: SessionWords): Failure | null {
  if (baseOf(name) !== null) return null;
  const parts = `-${name}-`;
  const found = ARTEFACTS.find(([, pattern]) => pattern.test(parts));
  if (found) return refuse(name, found[0]);
  const has = (piece: string) => parts.includes(`-${piece}-`);
  const ticket = [...words.tickets()].find((id) => has(id.toLowerCase()));
  if (ticket) return refuse(name, `the ticket ${ticket}`);
  const number = [...words.numbers()].find((digits) => digits.length > 2 && has(digits));
  if (number) return refuse(name, `the number #${number}`);
  const file = [...words.files()].find((path) => has(path.replace(/[^a-z0-9]+/g, "-")));
  return file ? refuse(name, `the file ${file}`) : null;
}

function refuse(name: string, what: string): Failure {
  return err(
    "artefact_name",
    `'${name}' is called after ${what}, which no later request will have: name the class of work, such as ` +
      "restoring-database-backups, or put the lesson into a skill of that class.",
  ).failure;
}
