// The skill_manage tool of Hermes Agent in a background review: its refusals, with their texts. Writes go to the product's skill
// store, which replaces Hermes's folder of files. It checks no citations, evidence or duplicates.
import * as z from "zod";
import { type Failure, type Result, err, ok } from "../../../core/errors.ts";
import type { SkillNext, SkillStore } from "../../../core/ports.ts";
import { byteLength } from "../../../core/schemas/learning/digest.ts";
import type { JsonObject } from "../../../core/schemas/entry.ts";
import type { FileBodies } from "../../../core/schemas/file-body.ts";
import { SKILL_MD, parseSkill } from "../../../core/skills/format/format.ts";
import { type SkillOperation, applyOperations, checkOperations } from "../../../core/skills/edit/operation-list.ts";
import { toOperations } from "../../../core/tools/skills/skill-manage.ts";
import { HERMES, type Telemetry, newTelemetry } from "./rules.ts";

export interface HermesShelf {
  skills: SkillStore;
  telemetry: Map<string, Telemetry>;
  now(): number;
  /** Names of the bundled skills. */
  bundled: ReadonlySet<string>;
}

export const SKILL_MANAGE_WORDS =
  "Creates, patches, edits or deletes skills, or their files. A description has at most 60 characters. Read a skill with " +
  "skill_view before you change it.";

/** The tool's arguments. The product's additional fields, such as a skill's requests, are absent. */
export const ManageArgs = z.object({
  ...{ action: z.string(), name: z.string(), content: z.string().optional(), category: z.string().optional() },
  ...{ old_string: z.string().optional(), new_string: z.string().optional(), replace_all: z.boolean().optional() },
  ...{ file_path: z.string().optional(), file_content: z.string().optional(), absorbed_into: z.string().optional() },
});

const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/** `read`: the skills this review has viewed. `op`: unique to the call. */
export async function manageSkill(
  args: JsonObject,
  { shelf, read, op }: { shelf: HermesShelf; read: ReadonlySet<string>; op: string },
): Promise<Result<JsonObject>> {
  const operations = toOperations(args as Parameters<typeof toOperations>[0]);
  if (!operations.ok) return operations;
  const failure = checkOperations(operations.value);
  if (failure) return { ok: false, failure };
  const [first] = operations.value;
  const { name, action } = first!;
  if (!NAME.test(name)) return err("bad_skill_name", `'${name}' is no name for a skill.`);
  const { skills, telemetry, bundled } = shelf;
  const head = await skills.head(name);
  const isThere = bundled.has(name) || (head !== null && head.state !== "archived");
  if (action === "create" && isThere) return err("skill_exists", `A skill '${name}' exists already.`);
  if (action !== "create") {
    if (!isThere) return err("skill_missing", `There is no skill '${name}'.`);
    const known = telemetry.get(name);
    // A review may not change this skill and has no companion to write to. A person may hand it over with 'curator adopt'.
    if (bundled.has(name) || known?.createdBy !== "agent") {
      return err("skill_protected", `This skill is not managed by the curator, so a review leaves it alone.`);
    }
    if (known.pinned) return err("skill_protected", "This skill is pinned: a review may not write to it.");
    if (!read.has(name))
      return err("read_first", `View '${name}' in this review before you change it, then try again.`);
  }
  if (first!.action === "delete") return archive(first!, op, shelf);
  const changed = await skills.change({
    name,
    op,
    since: head?.rev ?? 0,
    decide(current) {
      const files = applyOperations(operations.value, action === "create" ? {} : (current?.files ?? {}));
      if (!files.ok) return files;
      const wrong = checkFiles(files.value, operations.value, name);
      if (wrong) return { ok: false, failure: wrong };
      const document = parseSkill(files.value[SKILL_MD] as string);
      if (!document.ok) return err("bad_skill_md", document.failure.message);
      const { description, category } = document.value;
      const next: SkillNext = { files: files.value, description, category };
      return ok(action === "create" ? { ...next, state: "active", origin: "review", citations: [] } : next);
    },
  });
  if (!changed.ok) return changed;
  const now = shelf.now();
  if (action === "create") telemetry.set(name, newTelemetry("agent", now));
  else {
    const known = telemetry.get(name)!;
    known.patchCount += 1;
    known.lastPatchedAt = now;
  }
  return ok({ success: true, name, done: action });
}

/** A delete archives the skill. A background review must declare which skill absorbed it, if any. */
async function archive(
  operation: Extract<SkillOperation, { action: "delete" }>,
  op: string,
  { skills, telemetry, bundled }: HermesShelf,
): Promise<Result<JsonObject>> {
  const { name, absorbedInto } = operation;
  if (absorbedInto === undefined) return err("absorbed_into_missing", "Declare absorbed_into: a skill, or empty.");
  if (absorbedInto === name) return err("bad_absorbed_into", "A skill is not absorbed into itself.");
  if (absorbedInto !== "" && !bundled.has(absorbedInto) && !(await skills.head(absorbedInto))) {
    return err("bad_absorbed_into", `There is no skill '${absorbedInto}'.`);
  }
  const since = (await skills.head(name))?.rev ?? 0;
  const changed = await skills.change({ name, op, since, decide: () => ok({ state: "archived" }) });
  if (!changed.ok) return changed;
  telemetry.get(name)!.state = "archived";
  return ok({ success: true, name, done: "archived" });
}

const FOLDERS = ["references", "templates", "scripts", "assets"];

function checkFiles(files: FileBodies, operations: readonly SkillOperation[], name: string): Failure | null {
  const text = files[SKILL_MD];
  if (typeof text !== "string") return err("bad_skill_md", "A skill needs a SKILL.md.").failure;
  if (text.length > HERMES.skillMdChars)
    return err("too_large", `SKILL.md has more than ${HERMES.skillMdChars} characters.`).failure;
  const parsed = parseSkill(text);
  if (!parsed.ok) return err("bad_skill_md", parsed.failure.message).failure;
  if (!text.startsWith("---") || parsed.value.body.trim() === "" || parsed.value.description.trim() === "") {
    return err("bad_skill_md", "SKILL.md needs frontmatter with a name and a description, and a body.").failure;
  }
  if (operations[0]!.action === "create" && parsed.value.description.length > HERMES.descriptionChars) {
    return err("bad_skill_md", `The description of '${name}' has more than ${HERMES.descriptionChars} characters.`)
      .failure;
  }
  for (const [path, body] of Object.entries(files)) {
    if (path === SKILL_MD) continue;
    if (!FOLDERS.includes(path.split("/")[0]!))
      return err("bad_path", `${path} is in none of ${FOLDERS.join(", ")}.`).failure;
    if (typeof body === "string" && byteLength(body) > HERMES.fileBytes)
      return err("too_large", `${path} is too large.`).failure;
  }
  return null;
}
