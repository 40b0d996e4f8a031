// Decides a call of skill_manage: who may write, what is valid, what is a duplicate, and what would do harm. A pure
// decision that a SkillStore repeats as a whole on every fresh head. Called by skill_manage, and when a write that
// waited is carried out. Never writes.
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

/**
 * On whose behalf a model writes; `user` when the person explicitly asked for it. A person's own edits go through the
 * API.
 */
export type Writer = Extract<Origin, "user" | "foreground" | "review" | "curator">;

export interface WriteContext {
  origin: Writer;
  seeds: Seeds;
  settings: Settings["skills"];
  citations?: string[];
  /** A person approved exactly this change. Doubtful scan findings are accepted, refusals are not. */
  approved?: boolean;
  /** Other skills that the writer found to overlap; stored with the skill for the curator. */
  overlaps?: string[];
  /** A new text is not offered before. */
  heldUntil?: number;
  /** `false`: near duplicates are allowed. */
  duplicates?: boolean;
  /** `false`: no companions for protected skills. */
  companions?: boolean;
  /** Fingerprints of the available tools; absent or null when they are unknown. */
  tools?: ToolFingerprints | null;
}

/**
 * A decision for `SkillStore.change` on the skill that the operations name. All operations are carried out, or none.
 * Failures: those of operation-list.ts, patch.ts, validate.ts, protection.ts and scan-change.ts, and `skill_exists`,
 * `skill_missing`, `skill_archived`, `near_duplicate`, `no_base`, `absorbed_into_missing`, `bad_absorbed_into`.
 */
export function createDecide(operations: readonly SkillOperation[], context: WriteContext): SkillChange["decide"] {
  return (current, index) => {
    const [first] = operations;
    const failure = checkOperations(operations) ?? checkSkillName(first!.name);
    if (failure) return { ok: false, failure };
    const { name } = first!;
    const situation = toSituation(name, current, index, context);
    const refusal = checkWrite(situation.line, context.origin, context.companions);
    if (refusal) return { ok: false, failure: refusal };
    if (first!.action === "create") return create(operations, situation);
    if (!current) return skillMissing(name, situation.lines);
    if (first!.action === "delete") return archive(first!, current, situation);
    if (current.head.state === "archived") return skillArchived(name);
    return change(operations, current, situation);
  };
}

/** Everything one decision looks at. */
interface WriteSituation {
  name: SkillName;
  current: SkillSnapshot | null;
  /** The skill as the profile sees it: its own head, or the bundled skill. */
  line: SkillLine | null;
  lines: SkillLine[];
  context: WriteContext;
}

/** The index may lag behind the head, so the head takes precedence. */
function toSituation(
  name: SkillName,
  current: SkillSnapshot | null,
  index: SkillIndex,
  context: WriteContext,
): WriteSituation {
  const lines = mergeLines(index, context.seeds).filter((line) => line.name !== name || line.origin === "bundled");
  const line = current?.head ?? lines.find((other) => other.name === name) ?? null;
  return { name, current, line, lines: lines.filter((other) => other.name !== name), context };
}

function create(operations: readonly SkillOperation[], situation: WriteSituation): Result<SkillNext> {
  const { name, current, line, context } = situation;
  const files = applyAndPin(operations, {}, context);
  if (line && line.state !== "archived") {
    // A repeated create finds this when its first attempt already revived the archived skill with the same text.
    const isSameText = files.ok && current !== null && areSameFiles(current.files, files.value);
    const isDone = isSameText && current.head.origin === context.origin;
    return isDone ? ok({}) : skillExists(name);
  }
  if (!files.ok) return files;
  const checked = checkFiles(files.value, {}, situation);
  if (!checked.ok) return checked;
  const { document, base } = checked.value;
  const failure =
    checkDuplicate({ name, description: document.description }, situation) ??
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
    ...toOverlaps(situation),
    ...toHold(context),
    // A revived skill must not keep the reason why it was archived.
    ...(line && { reason: `written again by ${context.origin}` }),
    // A revived skill is not public: no person has seen its new text.
    ...(current?.head.public && { public: false }),
    // The evidence of the old text does not count for a revived skill, and it cannot be rolled back to that text.
    ...(current && { startsOver: true as const }),
  });
}

/** Applies the operations and fills in tool fingerprints. Failures: those of operation-list.ts, and `bad_contract`. */
function applyAndPin(operations: readonly SkillOperation[], currentFiles: FileBodies, { tools = null }: WriteContext) {
  const applied = applyOperations(operations, currentFiles);
  return applied.ok ? pinTools(applied.value, currentFiles, tools) : applied;
}

function archive(
  { name, absorbedInto }: Extract<SkillOperation, { action: "delete" }>,
  current: SkillSnapshot,
  { lines, context }: WriteSituation,
): Result<SkillNext> {
  // A repeated delete also arrives here, with nothing left to do.
  if (current.head.state === "archived") return ok({});
  const isBackground = context.origin === "review" || context.origin === "curator";
  if (absorbedInto === undefined && isBackground) {
    const what = "the skill that now contains this one's content, or an empty text when nothing needs to be kept";
    return err("absorbed_into_missing", `No person can be asked here: delete needs absorbed_into, ${what}.`);
  }
  const target = lines.find((line) => line.name === absorbedInto);
  if (absorbedInto && (!target || !isOffered(target))) {
    const problem = absorbedInto === name ? "is the skill itself" : "is not an offered skill";
    const named = absorbedInto.slice(0, 80);
    return err("bad_absorbed_into", `absorbed_into: '${named}' ${problem}. Name the skill that contains it now.`);
  }
  const reason = absorbedInto ? `absorbed into ${absorbedInto}` : `deleted by ${context.origin}`;
  return ok({ state: "archived", reason });
}

/** Any change that keeps the skill alive. Its state stays unless its text changed. */
function change(
  operations: readonly SkillOperation[],
  current: SkillSnapshot,
  situation: WriteSituation,
): Result<SkillNext> {
  const { context } = situation;
  const files = applyAndPin(operations, current.files, context);
  if (!files.ok) return files;
  const checked = checkFiles(files.value, current.files, situation);
  if (!checked.ok) return checked;
  const failure = checkScan(current.files, files.value, context.approved === true);
  if (failure) return { ok: false, failure };
  const { document, base } = checked.value;
  const category = categoryFor(operations, document);
  return ok({
    files: files.value,
    description: document.description,
    ...(category && { category }),
    // A person's skill stays theirs when the agent changes it at their request.
    origin: current.head.origin === "user" ? "user" : context.origin,
    citations: context.citations ?? [],
    ...(base && { extends: base.name }),
    ...toOverlaps(situation),
    ...decideStateChange(current, files.value, context.origin),
    // Requests are not part of the skill's text.
    ...(!areSameFiles(withoutRequests(current.files), withoutRequests(files.value)) && toHold(context)),
  });
}

function toHold({ heldUntil }: WriteContext): Pick<SkillNext, "heldUntil"> {
  return heldUntil === undefined ? {} : { heldUntil };
}

const MAX_OVERLAPS = 10;

/** Adds to the overlaps noted before. Names that are not skills, the skill itself and its companion are ignored. */
function toOverlaps({ name, current, lines, context }: WriteSituation): Partial<SkillNext> {
  const pair = (of: string) => baseOf(of) ?? of;
  const named = lines.filter((line) => context.overlaps?.includes(line.name) && pair(line.name) !== pair(name));
  if (named.length === 0) return {};
  const all = new Set([...(current?.head.overlaps ?? []), ...named.map((line) => line.name)]);
  return { overlaps: [...all].slice(-MAX_OVERLAPS) };
}

/**
 * A model's new text is a hypothesis and goes on trial, whatever the old text had proved. A person's skill keeps its
 * state.
 */
function decideStateChange({ head, files }: SkillSnapshot, next: FileBodies, writer: Writer): Partial<SkillNext> {
  // Requests are not part of the skill's text.
  if (areSameFiles(withoutRequests(files), withoutRequests(next))) return {};
  const isTheirs = head.origin === "user" || head.state === "pending";
  const stateByModel = isTheirs ? head.state : "trial";
  const state = writer === "user" ? "active" : stateByModel;
  return state === head.state ? {} : { state, reason: `changed by ${writer}` };
}

interface CheckedSkill {
  document: SkillDocument;
  /** The skill that this one is a companion of. */
  base: SkillLine | null;
}

/** Validates the files. A person's own skill keeps a person's lenient form when an agent edits it. */
function checkFiles(files: FileBodies, currentFiles: FileBodies, situation: WriteSituation): Result<CheckedSkill> {
  const { name, current, context } = situation;
  const isPersons = Object.keys(currentFiles).length > 0 && current?.head.origin === "user";
  const writer = isPersons ? "person" : "model";
  const document = validateSkill({ name, files, maxFiles: context.settings.maxFiles, writer, currentFiles });
  if (!document.ok) return document;
  const base = companionBase(situation);
  return base.ok ? ok({ document: document.value, base: base.value }) : base;
}

/** The base of a skill named `<base>-local`; null for any other name. */
function companionBase({ name, lines, context }: WriteSituation): Result<SkillLine | null> {
  const base = baseOf(name);
  if (base === null) return ok(null);
  const line = lines.find((other) => other.name === base);
  const refusal = context.companions === false && line ? checkWrite(line, context.origin, false) : null;
  if (refusal) return { ok: false, failure: refusal };
  if (line) return ok(line);
  return err("no_base", `'${name}' would be a companion of '${base}', which does not exist: choose another name.`);
}

function checkDuplicate(
  candidate: { name: SkillName; description: string },
  situation: WriteSituation,
): Failure | null {
  if (situation.context.duplicates === false) return null;
  const live = situation.lines.filter((line) => line.state !== "archived");
  const [nearest] = nearestNeighbours(live, candidate, 1);
  if (!nearest || nearest.similarity < situation.context.settings.duplicateSimilarity) return null;
  const line = live.find((other) => other.name === nearest.name)!;
  const isHeld = situation.context.companions !== false && checkWrite(line, situation.context.origin) !== null;
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

/** The category from the operations, else from the text, else null. */
function categoryFor(operations: readonly SkillOperation[], document: SkillDocument): string | null {
  const asked = operations.flatMap((operation) => ("category" in operation ? (operation.category ?? []) : [])).at(-1);
  const category = toCategory(asked ?? "") || document.category;
  return category === DEFAULT_CATEGORY ? null : category;
}
