// Whether a new skill only says in other words what one of its neighbours says. A review cannot ask the Archive, so the lines of
// the index say which ten are the nearest, and those are opened. Asked before a review creates a skill, beside the check of
// names and descriptions in core/skills/edit/operations.ts. Reads the store, and nothing else.
import { type Failure, err } from "../../../errors.ts";
import type { SkillStore } from "../../../ports.ts";
import type { SkillLine } from "../../../schemas/api.ts";
import { compareBodies, readBodyTerms } from "../../../skills/search/body-similarity.ts";
import { SKILL_MD, parseSkill } from "../../../skills/format/format.ts";
import { type Seeds, mergeLines } from "../../../skills/library.ts";
import { checkWrite } from "../../../skills/edit/protection.ts";
import { rankSkills } from "../../../skills/search/ranking.ts";
import { baseOf, companionOf } from "../../../skills/format/validate.ts";
import type { SkillInspector, SkillWrite } from "../../../tools/skills/skill-manage.ts";
import { isKept, itemsOf } from "../../skill-items.ts";

/** Neighbours that are opened for one new skill, beside those that the work had loaded. */
const NEAREST = 10;
/** Lines that a refusal proposes to add. */
const MAX_ADDITIONS = 20;
/**
 * For a skill that was loaded for the very work: what the work adds belongs there. Two skills of one field have at most 0.3 in
 * common, paraphrases of one skill at least 0.6 (test/learning/review/duplicate-pairs.ts), one skill's lessons about two things lie between.
 * Not for what came with the product: that is about ways of working, and belongs to no field of work.
 */
const LOADED_SIMILARITY = 0.35;

interface DuplicateOptions {
  store: Pick<SkillStore, "index" | "head" | "blob">;
  seeds: Seeds;
  /** From how much in common on two texts are one; `skills.duplicateBody`. */
  similarity: number;
  /** Skills that were loaded in the work under review. */
  loaded: ReadonlySet<string>;
  /** Whether what is new for a protected neighbour goes to its companion. */
  companions: boolean;
}

/** Failure: `near_duplicate`, with the neighbour. A change of an existing skill is never asked about. */
export function createDuplicateInspector(options: DuplicateOptions): SkillInspector {
  return async (write) => {
    if (write.before && write.before.head.state !== "archived") return null;
    const body = bodyOf(write.after[SKILL_MD]);
    if (body === null) return null;
    const lines = mergeLines(await options.store.index(), options.seeds);
    if (mendsLoaded(write.name, lines, options)) return null;
    const others = lines.filter(isOther(write.name));
    const used = others.filter((line) => options.loaded.has(line.name));
    const near = [...new Set([...used, ...nearestLines(others, write, body)])];
    const texts = await Promise.all(near.map((line) => readText(line, options)));
    const known = near.flatMap((line, n) => (texts[n] ? [{ line, text: texts[n] }] : []));
    const similarities = compareBodies(
      readBodyTerms(body),
      known.map(({ text }) => readBodyTerms(bodyOf(text)!)),
    );
    const [nearest] = known
      .map((one, n) => ({ ...one, similarity: similarities[n]! }))
      .filter(({ line, similarity }) => similarity >= limitFor(line, options))
      .sort((a, b) => b.similarity - a.similarity);
    return nearest ? proposeUpdate(write, nearest, options) : null;
  };
}

/**
 * The companion of a skill that was loaded. If the loaded skill is wrong and may not be edited, only its companion is read with it:
 * that another skill says it too helps nobody who reads this one.
 */
function mendsLoaded(name: string, lines: SkillLine[], { loaded, companions }: DuplicateOptions): boolean {
  const base = lines.find((line) => line.name === baseOf(name));
  return companions && base !== undefined && loaded.has(base.name) && checkWrite(base, "review") !== null;
}

function limitFor({ name, origin }: SkillLine, { loaded, similarity }: DuplicateOptions): number {
  return loaded.has(name) && origin !== "bundled" ? Math.min(similarity, LOADED_SIMILARITY) : similarity;
}

/** A skill and its companion are one. */
function isOther(name: string): (line: SkillLine) => boolean {
  const pair = baseOf(name) ?? name;
  return (line) => line.state !== "archived" && (baseOf(line.name) ?? line.name) !== pair;
}

/** By what the new one is called and for, and by all it says, in turns: what is renamed is found by its words. */
function nearestLines(lines: SkillLine[], { name, description }: SkillWrite, body: string): SkillLine[] {
  const title = `${name.replaceAll("-", " ")} ${description}`;
  const [byTitle, byText] = [rankSkills(lines, title), rankSkills(lines, `${title}\n${body}`)];
  const inTurns = lines.flatMap((_, n) => [byTitle[n], byText[n]].filter((line) => line !== undefined));
  return [...new Set([...inTurns, ...lines])].slice(0, NEAREST);
}

async function readText({ name, origin }: SkillLine, { store, seeds }: DuplicateOptions): Promise<string | null> {
  const head = origin === "bundled" ? null : await store.head(name);
  const sha256 = head?.files[SKILL_MD]?.sha256;
  const text = sha256 ? await store.blob(sha256) : Object.hasOwn(seeds, name) ? seeds[name]![SKILL_MD] : null;
  return typeof text === "string" ? text : null;
}

function bodyOf(text: unknown): string | null {
  if (typeof text !== "string") return null;
  const parsed = parseSkill(text, { fallbackName: "unnamed" });
  return parsed.ok ? parsed.value.body : text;
}

/** The refusal of a create that is an update: which skill to change, and what of the new one that skill may lack. */
function proposeUpdate(
  { after }: SkillWrite,
  { line, text, similarity }: { line: SkillLine; text: string; similarity: number },
  { companions }: DuplicateOptions,
): Failure {
  const isHeld = checkWrite(line, "review") !== null && companions;
  const target = isHeld ? companionOf(baseOf(line.name) ?? line.name) : line.name;
  const blocks = itemsOf(line.name, { [SKILL_MD]: text }).map((item) => item.text);
  const additions = itemsOf("new", { [SKILL_MD]: after[SKILL_MD]! })
    .filter((item) => !isKept(item.text, blocks))
    .map((item) => `${item.section}: ${item.text.trim()}`);
  const message =
    additions.length === 0
      ? `'${line.name}' says all of this already: there is nothing to save.`
      : `'${line.name}' says nearly the same in other words, and may lack the lines in additions. Make this an update: view it, and put what is new into '${target}'.`;
  return err("near_duplicate", message, {
    neighbour: line.name,
    similarity: Math.round(similarity * 100) / 100,
    ...(additions.length > 0 && { target, additions: additions.slice(0, MAX_ADDITIONS) }),
  }).failure;
}
