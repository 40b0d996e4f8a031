// What a person is shown of a skill from elsewhere before they install or update it. Every word of it may come from a stranger: each is made one
// plain line first. Pure.
import { toSeenLine } from "./plain-text.ts";
import type { HubDecision, HubGrown, HubInspection, HubReport, HubUpdate } from "../../core/schemas/hub/hub-api.ts";
import type { HubVerdict } from "../../core/schemas/hub/lock.ts";

/** Of one list, and of one text; the rest is counted. `--json` has everything. */
const MAX_ITEMS = 12;
/** What an update adds is not hidden behind other things that it adds. */
const MAX_GROWN = 300;
const MAX_CHARS = 160;

/** Several lines, the last one with a line feed. */
export function renderInspection({ ref, version, commit, trust, report, notes, decision }: HubInspection): string {
  const { name, description, files, findings, verdict, warnings } = report;
  const sizes = Object.entries(files);
  const bytes = sizes.reduce((sum, [, size]) => sum + size, 0);
  return lines([
    `${shown(name)}: ${shown(description)}`,
    row("from", [
      `${ref.source} ${shown(ref.identifier)}`,
      `version ${shown(version)}`,
      ...(commit && commit !== version ? [shown(commit)] : []),
      trust,
    ]),
    row(
      `files (${sizes.length}, ${bytes} bytes)`,
      sizes.map(([path]) => path),
    ),
    ...renderNeeds(report),
    `  the scanner says: ${nameVerdict(verdict)}${verdict === "caution" ? " (`caution`)" : ""}${findings.length > 0 ? `, with ${count(findings.length, "finding")}` : ""}`,
    ...renderFindings(findings),
    ...[...warnings, ...notes].map((note) => `  ! ${shown(note)}`),
    renderDecision(decision),
  ]);
}

/** The diff is apart: `files` of the update. */
export function renderUpdate({
  name,
  from,
  to,
  grown,
  changedHere,
  merge,
  conflicts,
  notes,
  decision,
  report,
}: HubUpdate): string {
  const news = renderNeeds(grown, MAX_GROWN);
  return lines([
    `${shown(name)}: from ${shown(from.version)} to ${shown(to.version)}`,
    row("changed here", changedHere),
    ...conflicts
      .slice(0, MAX_ITEMS)
      .map(({ path, line }) => `  ! changed here and there: ${shown(path)}, line ${line}`),
    ...(merge === "merged" ? ["  Both changes are kept."] : []),
    ...(merge === "no_base" ? ["  ! The installed text is gone, so that your changes cannot be merged."] : []),
    ...(news.length > 0 ? ["  It grows:", ...news.map((line) => `  ${line}`)] : []),
    ...(grown.verdict
      ? [`  ! the scanner says: ${nameVerdict(grown.verdict.to)}; before: ${nameVerdict(grown.verdict.from)}`]
      : []),
    ...renderFindings(grown.findings),
    ...[...report.warnings, ...notes].map((note) => `  ! ${shown(note)}`),
    renderDecision(decision),
  ]);
}

/** The word of docs/GUIDE.md. */
export function nameVerdict(verdict: HubVerdict): string {
  return verdict === "caution" ? "doubtful" : verdict;
}

/** Whether an update adds anything to what the skill runs and needs, or to what the scanner finds in it. */
export function hasGrown({ verdict, ...grown }: HubGrown): boolean {
  return verdict !== undefined || Object.values(grown).some((items) => items.length > 0);
}

function renderNeeds(report: HubReport | HubGrown, most = MAX_ITEMS): string[] {
  const { scripts, commands, tools, hosts, variables, credentialFiles, dependencies, allowedTools } = report;
  return [
    row("runs", scripts, most),
    row(
      "shows commands",
      commands.map(({ path, line, code }) => `${path} line ${line}: ${code}`),
      most,
    ),
    row("needs tools", tools, most),
    row("reaches", hosts, most),
    row("reads variables", variables, most),
    row("reads files", credentialFiles, most),
    row("needs", dependencies, most),
    row("would allow itself (it is not allowed)", allowedTools, most),
  ].filter((line) => line !== "");
}

function renderFindings(findings: HubReport["findings"]): string[] {
  const listed = findings
    .slice(0, MAX_ITEMS)
    .map(({ severity, path, line, reason }) => `  ! ${severity}: ${shown(path)}, line ${line}: ${shown(reason)}`);
  const more = findings.length - listed.length;
  return more > 0 ? [...listed, `  ! and ${count(more, "more finding")}`] : listed;
}

function renderDecision({ outcome, why }: HubDecision): string {
  const words = { allowed: "May be installed.", ask: "Your yes is needed.", refused: "It is refused." };
  return `  ${words[outcome]} ${shown(why)}`.trimEnd();
}

/** "" for an empty list. */
function row(title: string, items: readonly string[], most = MAX_ITEMS): string {
  if (items.length === 0) return "";
  const more = items.length - most;
  const listed = items.slice(0, most).map(shown).join(", ");
  return `  ${title}: ${listed}${more > 0 ? `, and ${more} more` : ""}`;
}

function lines(all: string[]): string {
  return `${all.filter((line) => line !== "").join("\n")}\n`;
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? "" : "s"}`;
}

/** A stranger's text as one plain line of a bounded length. */
export function shown(text: string): string {
  const plain = toSeenLine(text);
  return plain.length > MAX_CHARS ? `${plain.slice(0, MAX_CHARS)}…` : plain;
}
