// What a call of skill_manage makes of a skill, as the pure decision a SkillStore runs again, whole, on every fresh head: who
// may write, what is valid, what is a duplicate, what would do harm. Called by skill_manage, and by whoever carries out later
// what it has put aside. Never writes by itself.
import { type Failure, type Result, err, ok } from "../../errors.ts";
import type { SkillChange, SkillNext, SkillSnapshot } from "../../ports.ts";
import type { SkillLine } from "../../schemas/api.ts";
import { type FileBodies, areSameFiles } from "../../schemas/file-body.ts";
import type { SkillName } from "../../schemas/ids.ts";
import { withoutRequests } from "../../schemas/skill-requests.ts";
import type { Origin, SkillIndex } from "../../schemas/skill.ts";
import type { Settings } from "../../schemas/settings.ts";
import { type ToolFingerprints, pinTools } from "../format/contract.ts";
import { DEFAULT_CATEGORY, type SkillDocument, toCategory } from "../format/format.ts";
import { type Seeds, isOffered, mergeLines, skillMissing } from "../library.ts";
import { type SkillOperation, applyOperations, checkOperations } from "./operation-list.ts";
import { checkWrite } from "./protection.ts";
import { checkScan } from "./scan-change.ts";
import { nearestNeighbours } from "../search/similarity.ts";
import { baseOf, checkSkillName, companionOf, validateSkill } from "../format/validate.ts";

export type { SkillOperation } from "./operation-list.ts";

/** In whose name a model writes: `user` when the person said so in as many words. A person's own edits are the API's. */
export type Writer = Extract<Origin, "user" | "foreground" | "review" | "curator">;

export interface WriteContext {
  origin: Writer;
  seeds: Seeds;
  settings: Settings["skills"];
  citations?: string[];
  /** A person has seen this very change and wants it: what the scanner doubts is kept, what it refuses is not. */
  approved?: boolean;
  /** Other skills that say much the same, as the writer found: noted with the skill for the curator. */
  overlaps?: string[];
  /** `false`: what nearly exists may be made again. */
  duplicates?: boolean;
  /** `false`: a protected skill gets no companion. */
  companions?: boolean;
  /** Of the tools that the skill is written for; absent or null where nobody knows them. */
  tools?: ToolFingerprints | null;
}

/**
 * Ready for `SkillStore.change` of the skill that the operations name. All of them are done, or none. Failures: those of
 * operation-list.ts, patch.ts, validate.ts, protection.ts and scan-change.ts, and `skill_exists`, `skill_missing`,
 * `skill_archived`, `near_duplicate`, `no_base`, `absorbed_into_missing`, `bad_absorbed_into`.
 */
export function toDecide(operations: readonly SkillOperation[], context: WriteContext): SkillChange["decide"] {
  return (current, index) => {
    const [first] = operations;
    const failure = checkOperations(operations) ?? checkSkillName(first!.name);
    if (failure) return { ok: false, failure };
    const { name } = first!;
    const scene = toScene(name, current, index, context);
    const refusal = checkWrite(scene.line, context.origin, context.companions);
    if (refusal) return { ok: false, failure: refusal };
    if (first!.action === "create") return create(operations, scene);
    if (!current) return skillMissing(name, scene.lines);
    if (first!.action === "delete") return archive(first!, current, scene);
    if (current.head.state === "archived") return skillArchived(name);
    return change(operations, current, scene);
  };
}

interface Scene {
  name: SkillName;
  current: SkillSnapshot | null;
  /** The skill as the profile sees it: its own head, else what is bundled. */
  line: SkillLine | null;
  lines: SkillLine[];
  context: WriteContext;
}

/** The index may be behind the head, which then stands for itself. */
function toScene(name: SkillName, current: SkillSnapshot | null, index: SkillIndex, context: WriteContext): Scene {
  const lines = mergeLines(index, context.seeds).filter((line) => line.name !== name || line.origin === "bundled");
  const line = current?.head ?? lines.find((other) => other.name === name) ?? null;
  return { name, current, line, lines: lines.filter((other) => other.name !== name), context };
}

function create(operations: readonly SkillOperation[], scene: Scene): Result<SkillNext> {
  const { name, current, line, context } = scene;
  const files = applyAndPin(operations, {}, context);
  if (line && line.state !== "archived") {
    // What a repeated create finds when it brought an archived skill back with the text it had.
    const isDone =
      files.ok &&
      current !== null &&
      areSameFiles(current.files, files.value) &&
      current?.head.origin === context.origin;
    return isDone ? ok({}) : skillExists(name);
  }
  if (!files.ok) return files;
  const checked = check(files.value, {}, scene);
  if (!checked.ok) return checked;
  const { document, base } = checked.value;
  const failure =
    checkDuplicate({ name, description: document.description }, scene) ??
    checkScan({}, files.value, context.approved === true);
  if (failure) return { ok: false, failure };
  return ok({
    files: files.value,
    description: document.description,
    category: categoryFor(operations, document) ?? base?.category ?? DEFAULT_CATEGORY,
    state: context.origin === "user" ? "active" : "trial",
    origin: context.origin,
    citations: context.citations ?? [],
    ...(base && { extends: base.name }),
    ...toOverlaps(scene),
    // A revival must not keep the reason why its former self was archived.
    ...(line && { reason: `written again by ${context.origin}` }),
    // Nor must it be public because that one was: nobody has seen what it says now.
    ...(current?.head.public && { public: false }),
    // Nor be held to what became of that one, or go back to it.
    ...(current && { anew: true as const }),
  });
}

/** Failures: those of operation-list.ts, and `bad_contract`. */
function applyAndPin(operations: readonly SkillOperation[], standing: FileBodies, { tools = null }: WriteContext) {
  const applied = applyOperations(operations, standing);
  return applied.ok ? pinTools(applied.value, standing, tools) : applied;
}

function archive(
  { name, absorbedInto }: Extract<SkillOperation, { action: "delete" }>,
  current: SkillSnapshot,
  { lines, context }: Scene,
): Result<SkillNext> {
  // Also what a repeated delete finds: nothing is left to do.
  if (current.head.state === "archived") return ok({});
  const isBackground = context.origin === "review" || context.origin === "curator";
  if (absorbedInto === undefined && isBackground) {
    const what = "the skill that now holds what this one said, or an empty text when nothing needs to be kept";
    return err("absorbed_into_missing", `Nobody is there to ask: delete needs absorbed_into, ${what}.`);
  }
  const target = lines.find((line) => line.name === absorbedInto);
  if (absorbedInto && (!target || !isOffered(target))) {
    const problem = absorbedInto === name ? "is the skill itself" : "is no skill that is offered";
    const named = absorbedInto.slice(0, 80);
    return err("bad_absorbed_into", `absorbed_into: '${named}' ${problem}. Name the skill that holds it now.`);
  }
  const reason = absorbedInto ? `absorbed into ${absorbedInto}` : `deleted by ${context.origin}`;
  return ok({ state: "archived", reason });
}

/** Everything that leaves a living skill alive with other files. State is kept: what they are worth is judged later. */
function change(operations: readonly SkillOperation[], current: SkillSnapshot, scene: Scene): Result<SkillNext> {
  const { context } = scene;
  const files = applyAndPin(operations, current.files, context);
  if (!files.ok) return files;
  const checked = check(files.value, current.files, scene);
  if (!checked.ok) return checked;
  const failure = checkScan(current.files, files.value, context.approved === true);
  if (failure) return { ok: false, failure };
  const { document, base } = checked.value;
  const category = categoryFor(operations, document);
  return ok({
    files: files.value,
    description: document.description,
    ...(category && { category }),
    // What a person owns stays theirs when the agent changes it at their request.
    origin: current.head.origin === "user" ? "user" : context.origin,
    citations: context.citations ?? [],
    ...(base && { extends: base.name }),
    ...toOverlaps(scene),
    ...toStateAfter(current, files.value, context.origin),
  });
}

const MAX_OVERLAPS = 10;

/** Added to those that were noted before. Names of no skill, or of the skill itself and its companion, are passed over. */
function toOverlaps({ name, current, lines, context }: Scene): Partial<SkillNext> {
  const pair = (of: string) => baseOf(of) ?? of;
  const named = lines.filter((line) => context.overlaps?.includes(line.name) && pair(line.name) !== pair(name));
  if (named.length === 0) return {};
  const all = new Set([...(current?.head.overlaps ?? []), ...named.map((line) => line.name)]);
  return { overlaps: [...all].slice(-MAX_OVERLAPS) };
}

/** A new text of a model's is a hypothesis, whatever the one before it had proved. What is a person's stays as they have it. */
function toStateAfter({ head, files }: SkillSnapshot, next: FileBodies, writer: Writer): Partial<SkillNext> {
  // What it should answer is no part of what it says.
  if (areSameFiles(withoutRequests(files), withoutRequests(next))) return {};
  const isTheirs = head.origin === "user" || head.state === "pending";
  const state = writer === "user" ? "active" : isTheirs ? head.state : "trial";
  return state === head.state ? {} : { state, reason: `changed by ${writer}` };
}

interface Checked {
  document: SkillDocument;
  /** The skill that this one is the companion of. */
  base: SkillLine | null;
}

/** A person's own text keeps its form when an agent works on it. */
function check(files: FileBodies, standing: FileBodies, scene: Scene): Result<Checked> {
  const { name, current, context } = scene;
  const isPersons = Object.keys(standing).length > 0 && current?.head.origin === "user";
  const writer = isPersons ? "person" : "model";
  const document = validateSkill({ name, files, maxFiles: context.settings.maxFiles, writer, standing });
  if (!document.ok) return document;
  const base = companionBase(scene);
  return base.ok ? ok({ document: document.value, base: base.value }) : base;
}

/** The skill that `<base>-local` belongs to, null for any other name. */
function companionBase({ name, lines, context }: Scene): Result<SkillLine | null> {
  const base = baseOf(name);
  if (base === null) return ok(null);
  const line = lines.find((other) => other.name === base);
  const refusal = context.companions === false && line ? checkWrite(line, context.origin, false) : null;
  if (refusal) return { ok: false, failure: refusal };
  if (line) return ok(line);
  return err("no_base", `'${name}' would be the companion of '${base}', which does not exist: choose another name.`);
}

function checkDuplicate(candidate: { name: SkillName; description: string }, scene: Scene): Failure | null {
  if (scene.context.duplicates === false) return null;
  const live = scene.lines.filter((line) => line.state !== "archived");
  const [nearest] = nearestNeighbours(live, candidate, 1);
  if (!nearest || nearest.similarity < scene.context.settings.duplicateSimilarity) return null;
  const line = live.find((other) => other.name === nearest.name)!;
  const isHeld = scene.context.companions !== false && checkWrite(line, scene.context.origin) !== null;
  const target = isHeld ? companionOf(baseOf(line.name) ?? line.name) : line.name;
  return err(
    "near_duplicate",
    `'${nearest.name}' is nearly the same skill: view it, and put what is new into '${target}'.`,
    { neighbour: nearest.name, similarity: Math.round(nearest.similarity * 100) / 100 },
  ).failure;
}

function skillArchived(name: SkillName): Result<never> {
  return err("skill_archived", `'${name}' is archived and cannot be changed. Create it again to bring it back.`);
}

function skillExists(name: SkillName): Result<never> {
  return err("skill_exists", `There is a skill '${name}' already: view it, then patch or edit it.`);
}

/** What was asked for, else what the text says, else nothing. */
function categoryFor(operations: readonly SkillOperation[], document: SkillDocument): string | null {
  const asked = operations.flatMap((operation) => ("category" in operation ? (operation.category ?? []) : [])).at(-1);
  const category = toCategory(asked ?? "") || document.category;
  return category === DEFAULT_CATEGORY ? null : category;
}
