// Renders the ledger of learning as plain text, at most 80 columns wide. Called by verbs/learning.ts and orders.ts. Pure. Names,
// reasons and summaries come from models, so each of them becomes one plain line.
import type { LearningLedger, LedgerSkill, TurnFigures } from "../core/schemas/learning/ledger.ts";
import { toOneLine } from "./output/plain-text.ts";
import { count } from "./show.ts";

const WIDTH = 80;
const BARS = "▁▂▃▄▅▆▇█";

export function renderLearning(ledger: LearningLedger): string {
  const sections = [
    renderTurns(ledger),
    renderCurves(ledger),
    renderKinds(ledger),
    renderSkills(ledger),
    renderReviews(ledger),
    renderWaits(ledger),
    renderCost(ledger),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

// ---- turns ----

function renderTurns({ turns, reuse }: LearningLedger): string[] {
  if (turns.since === null) return ["No turn has been observed yet."];
  const older = turns.more ? ", older ones left out" : "";
  const head = `${count(turns.seen, "turn")} since ${formatDate(turns.since)}${older}`;
  const title = row([turns.by, "turns", "judged", "success", "calls", "failed", "recovered"]);
  const rows = turns.periods.slice(-MAX_PERIODS).map((figures) => row([figures.key, ...toCells(figures)]));
  const all = row(["all", ...toCells(turns.all)]);
  const used = `Had a learned skill to load: ${count(reuse.had, "turn")}; loaded one: ${reuse.loaded} (${formatPercent(reuse.rate)}).`;
  return [head, "", title, ...rows, all, "", used];
}

const MAX_PERIODS = 14;

function toCells({ turns, judged, success, calls, failedCalls, recovery }: TurnFigures): string[] {
  return [
    String(turns),
    String(judged),
    formatPercent(success),
    figure(calls),
    figure(failedCalls),
    formatPercent(recovery),
  ];
}

function row([key = "", ...cells]: string[]): string {
  return `  ${key.padEnd(12)}${cells.map((cell) => cell.padStart(10)).join("")}`;
}

/** One bar per stretch of turns: the success rate and the number of calls over time. */
function renderCurves({ turns, curves }: LearningLedger): string[] {
  const { stretches } = turns;
  if (stretches.length < 2) return [];
  const [first] = stretches;
  const length = first!.to - first!.from + 1;
  const mostCalls = Math.max(1, ...stretches.map(({ calls }) => calls ?? 0));
  const success = stretches.map((figures) => drawBar(figures.success, 1)).join("");
  const calls = stretches.map((figures) => drawBar(figures.calls, mostCalls)).join("");
  const mostMs = Math.max(1, ...stretches.map(({ ms }) => ms ?? 0));
  const time = stretches.map((figures) => drawBar(figures.ms, mostMs)).join("");
  const mostSkills = Math.max(1, ...stretches.map((figures) => figures.skills));
  const skills = stretches.map((figures) => drawBar(figures.skills, mostSkills)).join("");
  const { success: share, calls: power, time: speed, to80 } = curves;
  const law = [
    ...(share
      ? [`success = ${figure(share.a)} + ${figure(share.b)} ln n, R² ${figure(share.r2)}, n 1…${share.turns}`]
      : []),
    ...(power ? [`calls = ${figure(power.a)} n^${figure(power.b)}, R² ${figure(power.r2)}, n 1…${power.turns}`] : []),
    ...(speed
      ? [`seconds = ${figure(speed.a / 1000)} n^${figure(speed.b)}, R² ${figure(speed.r2)}, n 1…${speed.turns}`]
      : []),
    ...(to80 === null ? [] : [`80 % success after ${to80} judged turns`]),
  ];
  return [
    `One sign for ${count(length, "turn")}, oldest first`,
    `  success ${success}  0 to 100 %`,
    `  calls   ${calls}  0 to ${figure(mostCalls)}`,
    `  time    ${time}  0 to ${formatSeconds(mostMs)}`,
    `  skills  ${skills}  0 to ${mostSkills}`,
    ...(law.length > 0 ? law : ["Too few turns for a curve."]).map((line) => `  ${line}`),
  ];
}

function renderKinds({ kinds }: LearningLedger): string[] {
  if (kinds.length === 0) return [];
  const title = row(["kind of work", "turns", "success", "calls", "time", "to 80 %"]);
  return [
    title,
    ...kinds.flatMap(({ kind, request, turns, success, calls, ms, curves: { to80 } }) => [
      truncateLine(`  ${kind ?? request}`),
      row([
        "",
        String(turns),
        formatPercent(success),
        figure(calls),
        formatSeconds(ms),
        to80 === null ? "-" : `${to80} turns`,
      ]),
    ]),
  ];
}

function formatSeconds(ms: number | null): string {
  return ms === null ? "-" : `${figure(ms / 1000)} s`;
}

function drawBar(value: number | null, most: number): string {
  return value === null ? "·" : BARS[Math.min(BARS.length - 1, Math.round((value / most) * (BARS.length - 1)))]!;
}

// ---- skills ----

function renderSkills({ skills, byState, next }: LearningLedger): string[] {
  const states = Object.entries(byState).filter(([, n]) => n > 0);
  if (states.length === 0) return ["No skill of its own yet."];
  const more = next === undefined ? [] : [`  More skills after ${next}.`];
  return [`Skills: ${states.map(([state, n]) => `${n} ${state}`).join(", ")}`, ...skills.flatMap(renderSkill), ...more];
}

function renderSkill(skill: LedgerSkill): string[] {
  const { name, state, origin, reason, uses, successes, failures, revisions, lift, health, lastUsedAt } = skill;
  const used = lastUsedAt === null ? "never used" : `last used ${formatDate(lastUsedAt)}`;
  const broken = health?.broken ?? [];
  return [
    "",
    truncateLine(`  ${name} (${state}, by ${origin}${skill.pinned ? ", pinned" : ""}), revision ${revisions}, ${used}`),
    ...(reason === null ? [] : wrap(reason)),
    ...(uses === 0 ? [] : [truncateLine(`    ${count(uses, "use")}: ${successes} succeeded, ${failures} failed`)]),
    ...skill.texts.flatMap(renderText),
    ...(lift === null || lift.before.turns + lift.after.turns === 0 ? [] : [truncateLine(`    ${renderLift(lift)}`)]),
    ...broken.flatMap((what) => wrap(`broken: ${what}`)),
    ...(skill.history ?? []).map(({ rev, text, origin: by, at, purged }) =>
      truncateLine(`    revision ${rev}, ${text.slice(0, 8)}, ${purged ? "purged" : `by ${by}`}, ${formatDate(at)}`),
    ),
  ];
}

function renderText(text: LedgerSkill["texts"][number]): string[] {
  const { pBetter, lift, calls, baselineCalls } = text;
  const name = text.present ? "present text" : `text ${text.text.slice(0, 8)}`;
  const known = calls === null || baselineCalls === null ? "" : `, calls ${figure(calls)} for ${figure(baselineCalls)}`;
  return [
    truncateLine(`    ${name}: ${text.verdict}, P(better) ${figure(pBetter)}, lift ${formatSigned(lift)}${known}`),
    ...wrap(text.why, 6),
    ...(text.failedWords.length === 0
      ? []
      : wrap(`failed lately: ${text.failedWords.map(describeFailedWord).join(", ")}`, 6)),
  ];
}

function describeFailedWord({ word, day }: LedgerSkill["texts"][number]["failedWords"][number]): string {
  return `${JSON.stringify(word)} (${day})`;
}

function renderLift({ before, after, lift }: NonNullable<LedgerSkill["lift"]>): string {
  const of = ({ successes, judged }: typeof before) => `${successes} of ${judged}`;
  return `all such turns: before it ${of(before)}, since ${of(after)}, lift ${formatSigned(lift)}`;
}

// ---- reviews, what waits, cost ----

function renderReviews({ reviews }: LearningLedger): string[] {
  if (reviews.seen === 0) return [];
  const { lessons, waiting, dead, refused, lastRefused } = reviews;
  const open = waiting > 0 ? `, ${waiting} still to come` : "";
  const list = (counts: Record<string, number>) =>
    Object.entries(counts)
      .map(([code, n]) => `${code} ${n}`)
      .join(", ");
  return [
    `Reviews: ${reviews.more ? "the newest " : ""}${reviews.seen}, ${count(lessons, "lesson")}${open}`,
    ...wrap(`begun by: ${list(reviews.byTrigger)}`, 2),
    ...(Object.keys(dead).length > 0 ? wrap(`given up: ${list(dead)}`, 2) : []),
    ...(Object.keys(refused).length > 0 ? wrap(`refused: ${list(refused)}`, 2) : []),
    ...lastRefused.flatMap(({ tool, code, message }) => wrap(`${tool}, ${code}: ${message}`, 4)),
  ];
}

function renderWaits({ waits }: LearningLedger): string[] {
  if (waits.length === 0) return [];
  return [
    `${count(waits.length, "change")} for you to decide on (/pending)`,
    ...waits.flatMap(({ summary, reason }) => wrap(`${reason}: ${summary}`, 2)),
  ];
}

function renderCost({ cost, bought, turns }: LearningLedger): string[] {
  const spent = ({ calls, tokens, usd }: { calls: number; tokens: number; usd: number }) =>
    `${count(calls, "model call")}, ${count(tokens, "token")}, $${usd.toFixed(4)}`;
  const first = turns.since === null ? "" : formatDate(turns.since);
  const since = first > cost.from ? first : cost.from;
  return [
    `Spent on reviews since ${since}: ${spent(cost.review)}`,
    ...(cost.curation.calls > 0 ? [`Spent on curation, last ${cost.curation.runs} runs: ${spent(cost.curation)}`] : []),
    bought === null
      ? "Saved: not known yet."
      : `Saved, by estimate: ${figure(bought.calls)} tool calls` +
        `${bought.tokens === null ? "" : `, ${count(bought.tokens, "token")}`} in ${count(bought.uses, "use")}`,
  ].map(truncateLine);
}

// ---- words and figures ----

function formatPercent(value: number | null): string {
  return value === null ? "-" : `${Math.round(value * 100)} %`;
}

function figure(value: number | null): string {
  return value === null ? "-" : String(Number(value.toFixed(2)));
}

function formatSigned(value: number | null): string {
  return value === null || value < 0 ? figure(value) : `+${figure(value)}`;
}

function formatDate(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

function truncateLine(line: string): string {
  const chars = [...toPlainLine(line)];
  return chars.length <= WIDTH ? chars.join("") : `${chars.slice(0, WIDTH - 1).join("")}…`;
}

/** Keeps the indent of the line. */
function toPlainLine(line: string): string {
  return `${/^ */.exec(line)![0]}${toOneLine(line)}`;
}

function wrap(text: string, indent = 4): string[] {
  const lines: string[] = [];
  for (const word of toOneLine(text).split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && [...last].length + 1 + [...word].length <= WIDTH)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`${" ".repeat(indent)}${word}`);
  }
  return lines.map(truncateLine);
}
