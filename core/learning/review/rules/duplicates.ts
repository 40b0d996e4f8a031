// Refuses a new skill that repeats an existing one in other words. A review cannot query the Archive, so it ranks the lines of the
// index and opens the ten nearest skills. Called before a review creates a skill, next to the check of names and descriptions in
// core/skills/edit/operations.ts. Only reads the store.
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

/** Neighbours that are opened for one new skill, in addition to those that the work had loaded. */
const NEAREST = 10;
/** Lines that a refusal proposes to add. */
const MAX_ADDITIONS = 20;
/**
 * The threshold for a skill that the work itself had loaded: what the work adds belongs there. In
 * test/learning/review/duplicate-pairs.ts, two skills of one field have a similarity of at most 0.3, and paraphrases of one skill
 * at least 0.6. Lessons about two things in one skill lie between. Bundled skills keep the general threshold: they are about ways
 * of working, not about a field of work.
 */
const LOADED_SIMILARITY = 0.35;

interface DuplicateOptions {
  store: Pick<SkillStore, "index" | "head" | "blob">;
  seeds: Seeds;
  /** The similarity from which two texts count as one; `skills.duplicateBody`. */
  similarity: number;
  /** Skills that were loaded in the work under review. */
  loaded: ReadonlySet<string>;
  /** Whether additions to a protected neighbour go to its companion. */
  companions: boolean;
}

/** Failure: `near_duplicate`, with the neighbour. Changes of existing skills always pass. */
export function createDuplicateInspector(options: DuplicateOptions): SkillInspector {
  return async (write) => {
    if (write.before && write.before.head.state !== "archived") return null;
    const body = bodyOf(write.after[SKILL_MD]);
    if (body === null) return null;
    const lines = mergeLines(await options.store.index(), options.seeds);
    if (completesLoadedSkill(write.name, lines, options)) return null;
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
      .map((neighbour, n) => ({ ...neighbour, similarity: similarities[n]! }))
      .filter(({ line, similarity }) => similarity >= limitFor(line, options))
      .sort((a, b) => b.similarity - a.similarity);
    return nearest ? proposeUpdate(write, nearest, options) : null;
  };
}

/**
 * The new skill is the companion of a loaded, protected skill. Only a companion is read together with its skill, so it may repeat
 * what another skill says.
 */
function completesLoadedSkill(name: string, lines: SkillLine[], { loaded, companions }: DuplicateOptions): boolean {
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

/** Alternates between a ranking by name and description and one by the whole text, which also finds renamed skills. */
function nearestLines(lines: SkillLine[], { name, description }: SkillWrite, body: string): SkillLine[] {
  const title = `${name.replaceAll("-", " ")} ${description}`;
  const [byTitle, byText] = [rankSkills(lines, title), rankSkills(lines, `${title}\n${body}`)];
  const inTurns = lines.flatMap((_, n) => [byTitle[n], byText[n]].filter((line) => line !== undefined));
  return [...new Set([...inTurns, ...lines])].slice(0, NEAREST);
}

async function readText({ name, origin }: SkillLine, { store, seeds }: DuplicateOptions): Promise<string | null> {
  const head = origin === "bundled" ? null : await store.head(name);
  const sha256 = head?.files[SKILL_MD]?.sha256;
  const seed = Object.hasOwn(seeds, name) ? seeds[name]![SKILL_MD] : null;
  const text = sha256 ? await store.blob(sha256) : seed;
  return typeof text === "string" ? text : null;
}

function bodyOf(text: unknown): string | null {
  if (typeof text !== "string") return null;
  const parsed = parseSkill(text, { fallbackName: "unnamed" });
  return parsed.ok ? parsed.value.body : text;
}

/** Refuses the creation and proposes an update: which skill to change, and which lines it may lack. */
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
