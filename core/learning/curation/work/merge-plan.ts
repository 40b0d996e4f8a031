// Checks a merge that a model proposes: every item of the absorbed skills is accounted for, and every kept item is found in the new
// text. Called by consolidate.ts before anything is written. Pure.
import { clip, toOneLine } from "../../../clip.ts";
import { type Failure, type Result, err, ok } from "../../../errors.ts";
import type { SkillSnapshot } from "../../../ports.ts";
import type { CurationMerge, MergeItem } from "../../../schemas/learning/curation.ts";
import type { FileBodies } from "../../../schemas/file-body.ts";
import type { SkillName } from "../../../schemas/ids.ts";
import { SKILL_MD } from "../../../skills/format/format.ts";
import { isLearned } from "../../../skills/edit/protection.ts";
import { baseOf } from "../../../skills/format/validate.ts";
import { type SkillItem, isFileItem, isKept, itemsOf } from "../../skill-items.ts";

export interface MergeProposal {
  umbrella: SkillName;
  content: string;
  absorbs: SkillName[];
  items: MergeItem[];
}

/** The skills as they are now. A name that is missing does not exist. */
export interface MergeSources {
  umbrella: SkillSnapshot | null;
  absorbs: Map<SkillName, SkillSnapshot>;
}

/** The part of a merge that is derived from the proposal and its sources. */
export interface CheckedMerge {
  files: CurationMerge["files"];
  items: CurationMerge["items"];
}

const MIN_REASON_CHARS = 8;
const MAX_NAMED = 12;

/**
 * Failures: `bad_merge` (these skills may not be merged), `item_unknown`, `item_unmarked`, `reason_missing`, `item_lost`,
 * `file_clash`, `file_not_mentioned`, `nothing_kept`.
 */
export function checkMerge(proposal: MergeProposal, sources: MergeSources): Result<CheckedMerge> {
  const failure = checkSources(proposal, sources);
  if (failure) return { ok: false, failure };
  const old = proposal.absorbs.flatMap((name) => itemsOf(name, sources.absorbs.get(name)!.files));
  const own =
    sources.umbrella && isNotArchived(sources.umbrella) ? itemsOf(proposal.umbrella, sources.umbrella.files) : [];
  const marks = new Map(proposal.items.map((item) => [item.id, item]));
  const marked = old.flatMap((item) => (marks.has(item.id) ? [{ item, mark: marks.get(item.id)! }] : []));
  const wrong =
    checkMarks(proposal, old, own) ??
    checkKept(proposal, marked, own, marks) ??
    checkAbsorbed(proposal.absorbs, marked);
  if (wrong) return { ok: false, failure: wrong };
  const files = filesOf(marked, sources);
  if (!files.ok) return files;
  const umbrellaFiles = own.length > 0 ? sources.umbrella!.files : {};
  const misplaced = checkFiles(proposal, files.value, umbrellaFiles);
  if (misplaced) return { ok: false, failure: misplaced };
  return ok({
    files: files.value,
    items: marked.map(({ item, mark }) => ({ ...mark, skill: item.skill, text: item.text })),
  });
}

type MarkedItem = { item: SkillItem; mark: MergeItem };

function isNotArchived({ head }: SkillSnapshot): boolean {
  return head.state !== "archived";
}

function checkSources({ umbrella, absorbs }: MergeProposal, sources: MergeSources): Failure | null {
  const refuse = (why: string) => err("bad_merge", why).failure;
  if (absorbs.length === 0) return refuse("absorbs is empty: name the skills that the umbrella takes in.");
  if (new Set(absorbs).size < absorbs.length) return refuse("absorbs names a skill twice.");
  if (absorbs.includes(umbrella)) return refuse(`'${umbrella}' cannot absorb itself: leave it out of absorbs.`);
  if (baseOf(umbrella) !== null) return refuse(`'${umbrella}' is a companion: choose a name that is not one.`);
  for (const name of absorbs) {
    const skill = sources.absorbs.get(name);
    const obstacle = skill ? findMergeObstacle(skill) : "is not a skill of this profile";
    if (obstacle) return refuse(`'${name.slice(0, 80)}' ${obstacle}: leave it as it is.`);
  }
  const obstacle = sources.umbrella && isNotArchived(sources.umbrella) ? findMergeObstacle(sources.umbrella) : null;
  return obstacle ? refuse(`The umbrella '${umbrella}' ${obstacle}: choose another name.`) : null;
}

/** Why a skill may not take part in a merge; `null`: it may. */
function findMergeObstacle({ head }: SkillSnapshot): string | null {
  if (head.pinned) return "is pinned by a person";
  if (!isLearned(head)) return "was not learned here";
  if (head.state === "archived" || head.state === "pending") return `is ${head.state}`;
  return head.extends ? `belongs to '${head.extends}'` : null;
}

function checkMarks({ items }: MergeProposal, old: SkillItem[], own: SkillItem[]): Failure | null {
  const known = new Set([...old, ...own].map(({ id }) => id));
  const unknownIds = items.filter(({ id }) => !known.has(id)).map(({ id }) => id);
  if (unknownIds.length > 0) {
    return err("item_unknown", `There is no item ${nameAll(unknownIds)}: copy the ids as they are shown.`).failure;
  }
  const marked = new Set(items.map(({ id }) => id));
  const missing = old.filter(({ id }) => !marked.has(id)).map(({ id }) => id);
  if (missing.length > 0) {
    const what = `Not accounted for: ${nameAll(missing)}. Mark each as kept, superseded or archived.`;
    return err("item_unmarked", what, { missing: missing.slice(0, MAX_NAMED) }).failure;
  }
  const withoutReason = items.filter(
    ({ fate, reason = "" }) => fate !== "kept" && reason.trim().length < MIN_REASON_CHARS,
  );
  if (withoutReason.length === 0) return null;
  return err(
    "reason_missing",
    `Give a reason for ${nameAll(withoutReason.map(({ id }) => id))}: every item that is not kept needs one.`,
  ).failure;
}

/** The umbrella must also keep its own items, unless the proposal says why not. */
function checkKept(
  { umbrella, content }: MergeProposal,
  marked: MarkedItem[],
  own: SkillItem[],
  marks: Map<string, MergeItem>,
): Failure | null {
  const blocks = itemsOf(umbrella, { [SKILL_MD]: content }).map(({ text }) => text);
  const moved = new Map(
    marked.flatMap(({ item, mark }) => (mark.where && isFileItem(item) ? [[item.text, mark.where] as const] : [])),
  );
  const kept = [
    ...marked.filter(({ mark }) => mark.fate === "kept").map(({ item }) => item),
    ...own.filter(({ id }) => (marks.get(id)?.fate ?? "kept") === "kept"),
  ];
  const lost = kept.filter((item) => !isFileItem(item) && !isKept(withPaths(item.text, moved), blocks));
  if (lost.length === 0) return null;
  const list = lost.slice(0, MAX_NAMED).map(({ id, text }) => `${id} (${clip(toOneLine(text), 80)})`);
  return err(
    "item_lost",
    `Marked as kept, and not found in the new text: ${list.join("; ")}. Put it in, with its commands and figures to the letter, or say why it is not kept.`,
    { lost: lost.slice(0, MAX_NAMED).map(({ id }) => id) },
  ).failure;
}

/** The text of an item, with the new paths of files that move. */
function withPaths(text: string, moved: Map<string, string>): string {
  return [...moved].reduce((said, [from, to]) => said.replaceAll(from, to), text);
}

function checkAbsorbed(absorbs: SkillName[], marked: MarkedItem[]): Failure | null {
  const notAbsorbed = absorbs.find(
    (name) => !marked.some(({ item, mark }) => item.skill === name && mark.fate !== "archived"),
  );
  if (notAbsorbed === undefined) return null;
  const why = "nothing of it is kept or superseded, so it would not be absorbed but thrown away";
  return err("nothing_kept", `'${notAbsorbed}' must stay as it is: ${why}. Leave it out of absorbs.`).failure;
}

function filesOf(marked: MarkedItem[], sources: MergeSources): Result<CheckedMerge["files"]> {
  const files: CheckedMerge["files"] = [];
  for (const { item, mark } of marked) {
    if (mark.fate !== "kept" || !isFileItem(item)) continue;
    const { head, files: bodies } = sources.absorbs.get(item.skill)!;
    const path = mark.where || item.text;
    const { sha256 } = head.files[item.text]!;
    if (typeof bodies[item.text] !== "string") {
      return err(
        "bad_merge",
        `'${item.text}' of '${item.skill}' is not text and cannot be moved: leave that skill out.`,
      );
    }
    const clash = files.find((file) => file.path === path);
    if (clash && clash.sha256 !== sha256) {
      return err("file_clash", `Two files would be at '${path}': give one another path in where.`);
    }
    if (!clash) files.push({ path, sha256 });
  }
  return ok(files);
}

function checkFiles(
  { content }: MergeProposal,
  files: CheckedMerge["files"],
  umbrellaFiles: FileBodies,
): Failure | null {
  for (const { path } of files) {
    if (Object.hasOwn(umbrellaFiles, path)) {
      return err("file_clash", `The umbrella has a file '${path}' already: give another path in where.`).failure;
    }
    if (!content.includes(path)) {
      return err(
        "file_not_mentioned",
        `SKILL.md does not point to '${path}': a file that is not mentioned is never read.`,
      ).failure;
    }
  }
  return null;
}

function nameAll(names: string[]): string {
  const shown = names.slice(0, MAX_NAMED).map((name) => name.slice(0, 120));
  return `${shown.join(", ")}${names.length > shown.length ? ` and ${names.length - shown.length} more` : ""}`;
}
