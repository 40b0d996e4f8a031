// Decides whether a program refused the request of a call, and whether its output names a word. Called by tried-words.ts. Pure.
import type { ToolEntry } from "../../schemas/entry.ts";
import { readOutcome, readStreams } from "../tool-facts.ts";

/** A transient failure, or one of the machine or the account. An option in a usage text, such as `--timeout`, does not match. */
const TRANSIENT = new RegExp(
  [
    "busy|overloaded|temporar\\p{L}*|(?:un|not )available|unreachable|time[ds]?[ -]?out|(?:try|retry)(?: it| the request)? (?:again|later)",
    "too many requests|rate[ -]?limit\\p{L}*|quota exceeded|connection (?:was )?(?:refused|reset|closed|lost|aborted)|no route to host",
    "could not (?:resolve|connect)|(?:name or service|host) not known|network is \\p{L}+|locked|internal server error|out of memory",
    "not enough memory|no space left|read-only file system|too many open files|address already in use|segmentation fault|killed|command not found|expired",
    "unauthori[sz]ed|not authori[sz]ed|authentication failed|login required|(?:permission|access) denied|operation not permitted",
    "certificate (?:is|has|problem|verif\\p{L}*)|unstaged changes|keine berechtigung|zugriff verweigert|verbindung (?:abgelehnt|unterbrochen)",
    "(?:permission|accès|connexion) (?:non accordée|refusée?)|(?:permiso|acceso) denegado|conexión rechazada",
    "e(?:busy|acces|perm|nospc|mfile|addrinuse|notfound|timedout|ai_again|conn\\p{L}+)",
  ]
    .map((words) => `(?<![\\p{L}/-])(?:${words})(?!\\p{L})`)
    .join("|") + "|(?<!\\d)(?:401|403|429|50[0234])(?!\\d)",
  "iu",
);
/** Exit codes: could not be run, was not found, was killed. [POSIX shells] */
const NOT_RUN = new Set([126, 127, 130, 134, 137, 139, 143]);
/** Codes of the harness for calls that did not run to their end. */
const STOPS = new Set(["refused", "aborted", "timed_out", "turn_ended"]);

/**
 * The program refused the request in words. Excludes refusals by a person, the harness or the machine, and exit codes that are
 * an answer (`diff`, `jq -e`).
 */
export function isRefusal(entry: ToolEntry): boolean {
  const { exit_code: exitCode, code } = readOutcome(entry);
  // A program was stopped, or a call never ran.
  const isStopped = typeof exitCode === "number" ? NOT_RUN.has(exitCode) || code !== undefined : STOPS.has(`${code}`);
  if (!entry.failed || isStopped) return false;
  const output = outputOf(entry);
  const streams = readStreams(entry);
  const { command } = entry.call.args;
  const isJoined = typeof command === "string" && command.includes("2>&1");
  const isAnswer = streams !== null && !isJoined && streams.stderr.trim() === "" && streams.stdout.trim() !== "";
  return !isAnswer && /\p{L}/u.test(output) && !TRANSIENT.test(output);
}

/** The output contains the word as a whole word. Only ASCII letters next to it count, because some scripts write no blanks. */
export function isNamedBy(entry: ToolEntry, word: string): boolean {
  const output = outputOf(entry);
  for (let at = output.indexOf(word); at >= 0; at = output.indexOf(word, at + 1)) {
    const [before, after] = [output.charAt(at - 1), output.charAt(at + word.length)];
    if (!/[\w-]/.test(before) && !/[\w-]/.test(after)) return true;
  }
  return false;
}

function outputOf(entry: ToolEntry): string {
  const streams = readStreams(entry);
  if (streams) return `${streams.stdout}\n${streams.stderr}`;
  const { error } = readOutcome(entry);
  const content = entry.parts.filter(({ source }) => source === "content").map(({ text }) => text);
  return [...content, ...(typeof error === "string" ? [error] : [])].join("\n");
}
