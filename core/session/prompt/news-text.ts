// The news of a session, and the text in which a note reports them to the model. Used by notes.ts, collect-news.ts and
// known-content.ts. Pure.
import { clip, toOneLine } from "../../clip.ts";
import { escapeTags, fence } from "../../prompt-block.ts";
import type { Part } from "../../schemas/entry.ts";
import type { Sha256 } from "../../schemas/ids.ts";
import type { MemoryStoreName } from "../../schemas/memory.ts";
import type { CheckpointInfo } from "../../workspace/checkpoints/checkpoints.ts";

/** Of one kind of news in one note. */
const MAX_LINES = 20;
const MAX_LINE_CHARS = 240;

/** Under the meta key `news`; `null` without unreported news. `known`: the model has read of it before. */
export interface UnreportedNews {
  v: 1;
  skills: Record<string, { known: boolean; description: string | null }>;
  memory: Record<Sha256, { known: boolean; lives: boolean; store: MemoryStoreName; text: string }>;
  reviews: string[];
  decisions: { path: string; approved: boolean }[];
  /** Restores of the files by the checkpoint that each began, so that a repeated one counts once. Absent: none. */
  restores?: Record<number, RestoreNews>;
  /** How many more there were, of all kinds; absent: none. */
  more?: number;
}

/** `kind`: of the checkpoint; absent: `turn`. */
export interface RestoreNews {
  turn: number;
  paths: number;
  kind?: CheckpointInfo["kind"];
}

/** Decisions are the harness's words. Every quotation of a model's words has the source `own` and is fenced. */
export function toParts({ skills, memory, reviews, decisions, restores = {}, more = 0 }: UnreportedNews): Part[] {
  const skillLines = Object.entries(skills).sort(([a], [b]) => (a < b ? -1 : 1));
  const ofSkills = (title: string, takes: (skill: UnreportedNews["skills"][string]) => boolean) =>
    section(
      title,
      skillLines
        .filter(([, skill]) => takes(skill))
        .map(([name, { description }]) => `${name}${description === null ? "" : `: ${description}`}`),
    );
  const ofMemory = (title: string, lives: boolean) =>
    section(
      title,
      Object.values(memory)
        .filter((entry) => entry.lives === lives)
        .map(({ store, text }) => `(${store}) ${text}`),
    );
  const quoted = [
    section("Reviews of earlier work ended:", reviews),
    ofSkills("New skills:", (skill) => !skill.known),
    ofSkills(
      "Changed skills, to be loaded again before they are followed:",
      (skill) => skill.known && skill.description !== null,
    ),
    ofSkills("Withdrawn skills, not to be followed any more:", (skill) => skill.description === null),
    ofMemory("New in memory:", true),
    ofMemory("No longer in memory:", false),
  ].filter((text) => text !== "");
  const facts = [...decisions.map(describeDecision), ...Object.values(restores).map(describeRestore)];
  const told = ["Since your prompt was written, this has changed.", ...facts].join("\n");
  if (more > 0) quoted.push(`And ${more} more changes, not listed here.`);
  if (quoted.length === 0) return [{ source: "outcome", text: told }];
  return [
    { source: "outcome", text: `${told}\n` },
    { source: "own", text: fence("news", quoted.join("\n")) },
  ];
}

function section(title: string, lines: string[]): string {
  if (lines.length === 0) return "";
  const shown = lines.slice(0, MAX_LINES).map((line) => `- ${toLine(line)}`);
  const more = lines.length > MAX_LINES ? [`- and ${lines.length - MAX_LINES} more`] : [];
  return [title, ...shown, ...more].join("\n");
}

function describeDecision({ path, approved }: UnreportedNews["decisions"][number]): string {
  return approved
    ? `- The person approved your change of ${toLine(path)}: the file holds it, and it counts from the next new prompt on.`
    : `- The person refused your change of ${toLine(path)}: the file stays as it is. Do not ask for the same again.`;
}

/** Names no file: their names may come from anywhere. */
function describeRestore({ turn, paths, kind = "turn" }: RestoreNews): string {
  const what = `${paths} ${paths === 1 ? "path" : "paths"} of the workspace`;
  const when = { turn: `when turn ${turn} began`, restore: "before an earlier restore", import: "before an import" }[
    kind
  ];
  return `- The person set the files back to what they were ${when}. That changed ${what}. Read a file again before you rely on it.`;
}

export function toLine(text: string): string {
  return clip(escapeTags(toOneLine(text)), MAX_LINE_CHARS);
}
