// REPORT.md: what a curation saw and did, for a person. Called by run-curation.ts. Pure.
import type { CurationRun } from "../schemas/curation.ts";
import type { SkillName } from "../schemas/ids.ts";
import type { SkillState } from "../schemas/skill.ts";

export interface SkillForReport {
  name: SkillName;
  state: SkillState;
  /** What keeps it from ageing, in a few words; "" for a skill that ages. */
  exempt: string;
  uses: number;
  successes: number;
  failures: number;
  /** In active days. */
  age: number;
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
    movesOf(run),
    libraryOf(skills),
    `Run \`${run.run}\` of profile \`${run.profile}\`. Nothing was deleted: an archived skill comes back with ` +
      "`POST /v1/skills/<name>/restore`, and a pinned one (`POST /v1/skills/<name>/pin`) is never moved.",
  ];
  return `${sections.filter((section) => section !== "").join("\n\n")}\n`;
}

function summaryOf(run: CurationRun): string {
  const library = run.skills === 1 ? "One skill" : `${run.skills} skills`;
  const looked = run.skills === 0 ? "The profile has no skills of its own." : `${library} looked at.`;
  if (run.dryRun) {
    const would = run.moves.length === 0 ? "Nothing would move." : `${count(run.moves.length, "move")} would be made.`;
    return `${looked} ${would} This was a dry run, so nothing was changed.`;
  }
  const moved = run.moves.filter((move) => move.result === "moved").length;
  return `${looked} ${moved === 0 ? "Nothing moved." : `${count(moved, "move")} made.`}`;
}

function countsOf(run: CurationRun): string {
  const rows = STATES.filter(({ state }) => (run.byState[state] ?? 0) > 0);
  return rows.map(({ state, words }) => `- ${run.byState[state]} ${words}`).join("\n");
}

function movesOf(run: CurationRun): string {
  if (run.moves.length === 0) return "";
  return ["## Moves", run.moves.map(moveLine).join("\n")].join("\n\n");
}

function moveLine(move: ReportedMove): string {
  const said = {
    planned: "would go",
    moved: "went",
    left: "was to go",
  }[move.result];
  const end = move.result === "left" ? " It was changed in the meantime, so it was left alone." : "";
  return `- **${move.skill}** ${said} from ${move.from} to ${move.to}: ${move.reason}.${end}`;
}

function libraryOf(skills: SkillForReport[]): string {
  const shown = skills.filter((skill) => skill.state !== "archived");
  if (shown.length === 0) return "";
  const rows = shown
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(
      (skill) =>
        `| ${skill.name} | ${skill.state} | ${skill.uses} | ${skill.successes} | ${skill.failures} | ` +
        `${skill.exempt === "" ? `${skill.age}` : `not aged: ${skill.exempt}`} |`,
    );
  const head =
    "| skill | state | uses | succeeded | failed | active days unused |\n| --- | --- | --- | --- | --- | --- |";
  return ["## Library", `${head}\n${rows.join("\n")}`].join("\n\n");
}

function count(n: number, word: string): string {
  return n === 1 ? `One ${word}` : `${n} ${word}s`;
}

function timeOf(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
