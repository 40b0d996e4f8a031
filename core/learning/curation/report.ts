// Renders REPORT.md for a person: what a curation found and did, and the outcome of the work it left to a model. carry-out.ts calls it
// for the report. The API adds the outcome of the work once it is there. Pure.
import { toOneLine } from "../../clip.ts";
import type { CurationRun, CurationWork, Policy } from "../../schemas/learning/curation.ts";
import type { Day, SkillName } from "../../schemas/ids.ts";
import { type SkillIndex, SkillState, type SkillStats, lineOf } from "../../schemas/skill.ts";
import { countTokens } from "../../schemas/usage.ts";
import { type Age, type SkillFacts, ageOf } from "./curate.ts";
import { verdictOn } from "./lookup.ts";

interface SkillForReport {
  name: SkillName;
  state: SkillState;
  /** Why the skill does not age, in a few words; "" for a skill that ages. */
  exempt: string;
  uses: number;
  successes: number;
  failures: number;
  age: Age;
  /** The verdict on the present text, in one sentence; "" without any. */
  why: string;
  /** The faults that its checks found. */
  broken: string[];
}

type ReportedMove = CurationRun["moves"][number];

const STATES: { state: SkillState; words: string }[] = [
  { state: "active", words: "in use" },
  { state: "trial", words: "on trial" },
  { state: "stale", words: "stale: offered last" },
  { state: "pending", words: "waiting for a person" },
  { state: "archived", words: "archived: hidden, kept" },
];

export function renderCurationReport(run: CurationRun, skills: SkillForReport[]): string {
  const sections = [
    `# Curation, ${timeOf(run.startedAt)}`,
    summaryOf(run),
    countsOf(run),
    describeUndone(run),
    verdictsOf(run),
    movesOf(run),
    healthOf(run),
    overlapsOf(run),
    describeWork(run),
    libraryOf(skills),
    `Run \`${run.run}\` of profile \`${run.profile}\`. Nothing was deleted: an archived skill comes back with ` +
      '`POST /v1/skills/<name>/restore`, and a pinned one (`POST /v1/skills/<name>/pin` with `{"pinned": true}`) is never moved.' +
      rollbackHint(run),
  ];
  return `${sections.filter((section) => section !== "").join("\n\n")}\n`;
}

/** Appended to the report once models have done their work. "" for none. */
export function renderCurationWork(works: CurationWork[]): string {
  if (works.length === 0) return "";
  const tokens = works.reduce((sum, work) => sum + countTokens(work.usage), 0);
  const calls = works.reduce((sum, work) => sum + work.modelCalls, 0);
  const head = `## Done by a model\n\n${count(calls, "model call")}, ${tokens} tokens.`;
  return `\n${[head, ...works.map(renderWork)].join("\n\n")}\n`;
}

const ENDS: Record<CurationWork["state"], string> = {
  done: "done",
  left: "nothing changed",
  cancelled: "ended before it was done",
  failed: "failed",
};

function renderWork(work: CurationWork): string {
  const merges = work.merges.flatMap((merge) => [
    `- **${merge.umbrella}** absorbed ${joinNames(merge.absorbed) || "nothing"}: ${count(merge.kept, "item")} kept.`,
    ...(merge.left.length > 0 ? [`  - Changed in the meantime, and left alone: ${joinNames(merge.left)}.`] : []),
    ...merge.superseded.map(({ item, reason }) => `  - \`${item}\` superseded: ${toOneLine(reason)}`),
    ...merge.archived.map(({ item, reason }) => `  - \`${item}\` archived: ${toOneLine(reason)}`),
  ]);
  const merged = new Set(work.merges.flatMap(({ umbrella, absorbed }) => [umbrella, ...absorbed]));
  const written = work.changes
    .filter(({ skill }) => !merged.has(skill))
    .map(({ skill, to }) => `- **${skill}** has a new text, revision ${to.rev}, on trial.`);
  const refused = work.refused.map(
    ({ tool, code, message }) => `- ${tool} was refused (${code}): ${toOneLine(message)}`,
  );
  const lines = [...merges, ...written, ...refused];
  const note = toOneLine(work.note);
  return [`### ${work.work}: ${ENDS[work.state]}`, note, lines.join("\n")].filter((part) => part !== "").join("\n\n");
}

/** A skill for the library section of the report. */
export function toSkillForReport(
  skill: SkillFacts & { stats: SkillStats },
  facts: { activeDays: Day[]; now: number; policy: Policy; index: SkillIndex },
): SkillForReport {
  const { policy, index } = facts;
  const age = ageOf(skill, facts);
  const { name, mirror, stats } = skill;
  const { uses, successes, failures } = stats;
  const why = verdictOn(stats, mirror.text)?.why ?? "";
  const broken = lineOf(index, name)?.health?.broken ?? [];
  const figures = { uses, successes, failures, age, why, broken };
  return { name, state: mirror.state, exempt: exemptionOf(skill, policy), ...figures };
}

function exemptionOf(skill: SkillFacts, policy: Policy): string {
  if (skill.mirror.pinned === "1") return "pinned";
  if (policy.keepSkills.includes(skill.name)) return "a job names it";
  if (skill.mirror.state === "pending") return "waiting for a person";
  const { origin } = skill.mirror;
  if (origin === "user") return "a person's";
  return origin === "hub" || origin === "bundled" ? "from outside" : "";
}

export function countStates(skills: SkillFacts[]): CurationRun["byState"] {
  const counts = Object.fromEntries(SkillState.options.map((state) => [state, 0])) as CurationRun["byState"];
  for (const { mirror } of skills) counts[mirror.state] += 1;
  return counts;
}

function summaryOf(run: CurationRun): string {
  const library = run.skills === 1 ? "One skill" : `${run.skills} skills`;
  const looked = run.skills === 0 ? "The profile has no skills of its own." : `${library} looked at.`;
  const planned = [...run.moves, ...(run.verdicts ?? [])];
  if (run.dryRun) {
    const would = planned.length === 0 ? "Nothing would move." : `${count(planned.length, "move")} would be made.`;
    return `${looked} ${would} This was a dry run, so nothing was changed.`;
  }
  const moved = [...planned, ...(run.undone ?? [])].filter((move) => move.result === "moved").length;
  const unpaid = run.unpaid
    ? ` ${count(run.unpaid, "piece")} of work did not reach a model: the profile's budget for the day is used up.`
    : "";
  const left = run.left
    ? ` ${count(run.left, "move")} exceeded the limit of this run and will be made by the next one.`
    : "";
  return `${looked} ${moved === 0 ? "Nothing moved." : `${count(moved, "move")} made.`}${left}${unpaid}`;
}

function countsOf(run: CurationRun): string {
  const rows = STATES.filter(({ state }) => (run.byState[state] ?? 0) > 0);
  return rows.map(({ state, words }) => `- ${run.byState[state]} ${words}`).join("\n");
}

function describeUndone({ undoes, undone = [] }: CurationRun): string {
  if (undoes === undefined) return "";
  const lines = undone.map(({ change: { skill, from }, result, why }) =>
    result === "left"
      ? `- **${skill}** was left alone: ${why}.`
      : `- **${skill}** is ${from === null ? "archived: it was made by that run" : `${from.state} again`}.`,
  );
  const body = lines.length === 0 ? "There was nothing to roll back." : lines.join("\n");
  return `## Taken back: the run \`${undoes}\`\n\n${body}`;
}

function verdictsOf({ verdicts = [] }: CurationRun): string {
  if (verdicts.length === 0) return "";
  const lines = verdicts.map(({ skill, from, verdict, why, result, to }) => {
    const would = { planned: "would be", moved: verdict === "active" ? "is now" : "was", left: "was to be" }[result];
    const what = to !== undefined && verdict === "withdrawn" ? `withdrawn (now ${to})` : verdict;
    const end = result === "left" ? " It was changed in the meantime, so it was left alone." : "";
    return `- **${skill}** (${from.state}) ${would} ${what}: ${why}${end}`;
  });
  return ["## Verdicts", lines.join("\n")].join("\n\n");
}

function movesOf(run: CurationRun): string {
  if (run.moves.length === 0) return "";
  return ["## Moves", run.moves.map(moveLine).join("\n")].join("\n\n");
}

function moveLine(move: ReportedMove): string {
  const went = { planned: "would go", moved: "went", left: "was to go" }[move.result];
  const end = move.result === "left" ? " It was changed in the meantime, so it was left alone." : "";
  return `- **${move.skill}** ${went} from ${move.from} to ${move.to}: ${move.reason}.${end}`;
}

function healthOf({ health = [] }: CurationRun): string {
  if (health.length === 0) return "";
  const lines = health.map(({ skill, broken }) =>
    broken.length === 0
      ? `- **${skill}** is no longer broken.`
      : `- **${skill}** is broken: ${broken.map(toOneLine).join("; ")}`,
  );
  return ["## Health", lines.join("\n")].join("\n\n");
}

function overlapsOf({ overlaps = [], work = [] }: CurationRun): string {
  if (overlaps.length === 0) return "";
  const lines = overlaps.map((overlap) => `- **${overlap.skill}** says much the same as ${joinNames(overlap.with)}.`);
  const isPlanned = work.some((item) => item.work === "consolidate");
  const how = isPlanned ? "" : "`POST /v1/curator/run?consolidate=1` asks a model whether they should be merged.";
  return ["## Overlaps", lines.join("\n"), how].filter((part) => part !== "").join("\n\n");
}

function describeWork({ work = [], dryRun }: CurationRun): string {
  if (work.length === 0) return "";
  const lines = work.map(({ work: id, because, grant }) => `- \`${id}\`, ${grant.tokens} tokens at most: ${because}`);
  return [dryRun ? "## Would be left to a model" : "## Left to a model", lines.join("\n")].join("\n\n");
}

function libraryOf(skills: SkillForReport[]): string {
  const shown = skills.filter((skill) => skill.state !== "archived");
  if (shown.length === 0) return "";
  const sorted = shown.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const rows = sorted.map(
    (skill) =>
      `| ${skill.name} | ${skill.state} | ${skill.uses} | ${skill.successes} | ${skill.failures} | ` +
      `${skill.exempt === "" ? `${skill.age.days}, ${skill.age.active} active` : `not aged: ${skill.exempt}`} |`,
  );
  const head = "| skill | state | uses | succeeded | failed | days unused |\n| --- | --- | --- | --- | --- | --- |";
  const known = sorted.flatMap(({ name, why, broken }) => [
    ...(why === "" ? [] : [`- **${name}**: ${why}`]),
    ...(broken.length === 0 ? [] : [`- **${name}** is broken: ${broken.map(toOneLine).join("; ")}`]),
  ]);
  return ["## Library", `${head}\n${rows.join("\n")}`, known.join("\n")].filter((part) => part !== "").join("\n\n");
}

function rollbackHint({ run, changes = [] }: CurationRun): string {
  return changes.length === 0 ? "" : ` \`POST /v1/curator/runs/${run}/rollback\` takes back what this run did.`;
}

function joinNames(names: SkillName[]): string {
  return names.join(", ");
}

function count(n: number, word: string): string {
  return n === 1 ? `One ${word}` : `${n} ${word}s`;
}

function timeOf(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
