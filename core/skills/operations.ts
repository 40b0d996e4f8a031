// What each operation on a skill makes of it, as the pure decision a SkillStore runs again on every fresh head: who may
// write, what is valid, what is a duplicate. Called by skill_manage. Never writes by itself.
import { type Failure, type Result, err, ok } from "../errors.ts";
import type { SkillChange, SkillNext, SkillSnapshot } from "../ports.ts";
import type { SkillLine } from "../schemas/api.ts";
import type { FileBodies } from "../schemas/file-body.ts";
import type { SkillName } from "../schemas/ids.ts";
import type { Origin, SkillIndex } from "../schemas/skill.ts";
import type { Settings } from "../schemas/settings.ts";
import { DEFAULT_CATEGORY, SKILL_MD, type SkillDocument, toCategory } from "./format.ts";
import { type Seeds, fileMissing, isOffered, mergeLines, skillMissing } from "./library.ts";
import { patchText } from "./patch.ts";
import { checkWrite } from "./protection.ts";
import { nearestNeighbours } from "./similarity.ts";
import { baseOf, checkSkillName, checkSupportPath, companionOf, validateSkill } from "./validate.ts";

export type SkillOperation =
  | { action: "create"; name: SkillName; content: string; category?: string }
  | { action: "edit"; name: SkillName; content: string; category?: string }
  | { action: "patch"; name: SkillName; path?: string; oldString: string; newString: string; replaceAll: boolean }
  | { action: "delete"; name: SkillName; absorbedInto?: SkillName }
  | { action: "write_file"; name: SkillName; path: string; content: string }
  | { action: "remove_file"; name: SkillName; path: string };

/** In whose name a model writes: `user` when the person said so in as many words. A person's own edits are the API's. */
export type Writer = Extract<Origin, "user" | "foreground" | "review" | "curator">;

export interface WriteContext {
  origin: Writer;
  seeds: Seeds;
  settings: Settings["skills"];
  citations?: string[];
}

/** Ready for `SkillStore.change`. Failures: those of validate.ts, patch.ts and protection.ts, and `skill_exists`,
 * `skill_missing`, `skill_archived`, `near_duplicate`, `file_missing`, `no_base`, `bad_absorbed_into`. */
export function toDecide(operation: SkillOperation, context: WriteContext): SkillChange["decide"] {
  return (current, index) => {
    const name = checkSkillName(operation.name);
    if (name) return { ok: false, failure: name };
    const scene = toScene(operation.name, current, index, context);
    const refusal = checkWrite(scene.line, context.origin);
    if (refusal) return { ok: false, failure: refusal };
    if (operation.action === "create") return create(operation, scene);
    if (!current) return skillMissing(operation.name, scene.lines);
    if (operation.action === "delete") return archive(operation, current, scene);
    if (current.head.state === "archived") return skillArchived(operation.name);
    return change(operation, current, scene);
  };
}

interface Scene {
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
  return { current, line, lines: lines.filter((other) => other.name !== name), context };
}

function create(operation: Extract<SkillOperation, { action: "create" }>, scene: Scene): Result<SkillNext> {
  const { name, content } = operation;
  const { current, line, context } = scene;
  if (line && line.state !== "archived") {
    // What a repeated create finds when it brought an archived skill back with the text it had.
    if (isJust(current?.files, content) && current?.head.origin === context.origin) return ok({});
    return err("skill_exists", `There is a skill '${name}' already: view it, then patch or edit it.`);
  }
  const files = { [SKILL_MD]: content };
  const document = check(name, files, scene);
  if (!document.ok) return document;
  const base = companionBase(name, scene);
  if (!base.ok) return base;
  const duplicate = checkDuplicate({ name, description: document.value.description }, scene);
  if (duplicate) return { ok: false, failure: duplicate };
  return ok({
    files,
    description: document.value.description,
    category: categoryFor(operation.category, document.value) ?? base.value?.category ?? DEFAULT_CATEGORY,
    state: context.origin === "user" ? "active" : "trial",
    origin: context.origin,
    citations: context.citations ?? [],
    ...(base.value && { extends: base.value.name }),
    // A revival must not keep the reason why its former self was archived.
    ...(line && { reason: `written again by ${context.origin}` }),
  });
}

function isJust(files: FileBodies | undefined, content: string): boolean {
  return files !== undefined && Object.keys(files).length === 1 && files[SKILL_MD] === content;
}

function archive(
  { name, absorbedInto }: Extract<SkillOperation, { action: "delete" }>,
  current: SkillSnapshot,
  { lines, context }: Scene,
): Result<SkillNext> {
  // Also what a repeated delete finds: nothing is left to do.
  if (current.head.state === "archived") return ok({});
  const target = lines.find((line) => line.name === absorbedInto);
  if (absorbedInto !== undefined && (!target || !isOffered(target))) {
    const problem = absorbedInto === name ? "is the skill itself" : "is no skill that is offered";
    return err("bad_absorbed_into", `absorbed_into: '${absorbedInto}' ${problem}. Name the skill that holds it now.`);
  }
  const reason = absorbedInto ? `absorbed into ${absorbedInto}` : `deleted by ${context.origin}`;
  return ok({ state: "archived", reason });
}

type Change = Extract<SkillOperation, { action: "edit" | "patch" | "write_file" | "remove_file" }>;

/** Everything that leaves a living skill alive with other files. State is kept: what they are worth is judged later. */
function change(operation: Change, current: SkillSnapshot, scene: Scene): Result<SkillNext> {
  const { name } = operation;
  const { context } = scene;
  const files = changeFiles(operation, current.files);
  if (!files.ok) return files;
  const document = check(name, files.value, scene);
  if (!document.ok) return document;
  const base = companionBase(name, scene);
  if (!base.ok) return base;
  const category = categoryFor(operation.action === "edit" ? operation.category : undefined, document.value);
  return ok({
    files: files.value,
    description: document.value.description,
    ...(category && { category }),
    // What a person owns stays theirs when the agent changes it at their request.
    origin: current.head.origin === "user" ? "user" : context.origin,
    citations: context.citations ?? [],
    ...(base.value && { extends: base.value.name }),
  });
}

function changeFiles(operation: Change, files: FileBodies): Result<FileBodies> {
  switch (operation.action) {
    case "edit":
      return ok({ ...files, [SKILL_MD]: operation.content });
    case "patch": {
      const path = operation.path ?? SKILL_MD;
      if (!Object.hasOwn(files, path)) return fileMissing(operation.name, path, files);
      const body = files[path]!;
      if (typeof body !== "string") return err("not_text", `'${path}' is no text: write it anew, or leave it.`);
      const patched = patchText(body, operation);
      return patched.ok ? ok({ ...files, [path]: patched.value.text }) : patched;
    }
    case "write_file": {
      if (operation.path === SKILL_MD) return err("bad_path", "SKILL.md is written with edit or patch.");
      const failure = checkSupportPath(operation.path);
      return failure ? { ok: false, failure } : ok({ ...files, [operation.path]: operation.content });
    }
    case "remove_file": {
      if (operation.path === SKILL_MD) return err("bad_path", "A skill keeps its SKILL.md; delete archives the skill.");
      if (!Object.hasOwn(files, operation.path)) return fileMissing(operation.name, operation.path, files);
      const { [operation.path]: _removed, ...rest } = files;
      return ok(rest);
    }
  }
}

/** A person's own text keeps its form when an agent works on it. */
function check(name: SkillName, files: FileBodies, { current, context }: Scene): Result<SkillDocument> {
  const writer = current?.head.origin === "user" ? "person" : "model";
  return validateSkill({ name, files, maxFiles: context.settings.maxFiles, writer });
}

/** The skill that `<base>-local` belongs to, null for any other name. */
function companionBase(name: SkillName, { lines }: Scene): Result<SkillLine | null> {
  const base = baseOf(name);
  if (base === null) return ok(null);
  const line = lines.find((other) => other.name === base);
  if (line) return ok(line);
  return err("no_base", `'${name}' would be the companion of '${base}', which does not exist: choose another name.`);
}

function checkDuplicate(candidate: { name: SkillName; description: string }, scene: Scene): Failure | null {
  const live = scene.lines.filter((line) => line.state !== "archived");
  const [nearest] = nearestNeighbours(live, candidate, 1);
  if (!nearest || nearest.similarity < scene.context.settings.duplicateSimilarity) return null;
  const line = live.find((other) => other.name === nearest.name)!;
  const target = checkWrite(line, scene.context.origin) ? companionOf(baseOf(line.name) ?? line.name) : line.name;
  return err(
    "near_duplicate",
    `'${nearest.name}' is nearly the same skill: view it, and put what is new into '${target}'.`,
    { neighbour: nearest.name, similarity: Math.round(nearest.similarity * 100) / 100 },
  ).failure;
}

function skillArchived(name: SkillName): Result<never> {
  return err("skill_archived", `'${name}' is archived and cannot be changed. Create it again to bring it back.`);
}

/** What was asked for, else what the text says, else nothing. */
function categoryFor(asked: string | undefined, document: SkillDocument): string | null {
  const category = toCategory(asked ?? "") || document.category;
  return category === DEFAULT_CATEGORY ? null : category;
}
