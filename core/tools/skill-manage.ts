// skill_manage: writes skills. One call concerns one skill and is one swap of its head; its op makes a repeated call find
// what the first one did. What is allowed is decided in core/skills/operations.ts, on the fresh head.
import * as z from "zod";
import type { Tool, ToolContext, ToolResult } from "../agent/contract.ts";
import { fail, succeed } from "../agent/tool-result.ts";
import type { Failure } from "../errors.ts";
import type { SkillStore } from "../ports.ts";
import { SkillName } from "../schemas/ids.ts";
import type { Settings } from "../schemas/settings.ts";
import type { Library } from "../skills/library.ts";
import { type SkillOperation, type Writer, toDecide } from "../skills/operations.ts";
import { SKILL_MD } from "../skills/format.ts";
import { SUPPORT_FOLDERS, baseOf } from "../skills/validate.ts";
import { toRefusal } from "./refusal.ts";

const FOLDERS = SUPPORT_FOLDERS.map((folder) => `${folder}/`).join(", ");

const Args = z.strictObject({
  action: z
    .enum(["create", "edit", "patch", "delete", "write_file", "remove_file"])
    .describe(
      "create: a new SKILL.md. edit: replace SKILL.md whole. patch: replace one passage. delete: archive the skill. write_file, remove_file: a support file.",
    ),
  name: z.string().describe("Lower-case words joined by hyphens, naming a class of work: reading-logs."),
  content: z
    .string()
    .optional()
    .describe(
      "create, edit: the whole SKILL.md: frontmatter with name and description, then the sections When to use, Steps, Pitfalls, Verify.",
    ),
  old_string: z
    .string()
    .optional()
    .describe("patch: the passage to replace, copied from the file; unique in it, unless replace_all is set."),
  new_string: z.string().optional().describe("patch: what to put in its place; empty to remove it."),
  replace_all: z.boolean().optional().describe("patch: replace every exact occurrence."),
  file_path: z
    .string()
    .optional()
    .describe(`write_file, remove_file: a path under ${FOLDERS}. patch: the file to patch, SKILL.md when absent.`),
  file_content: z.string().optional().describe("write_file: the whole file."),
  absorbed_into: z
    .string()
    .optional()
    .describe("delete: the skill that now holds what this one said, if there is one."),
  category: z.string().optional().describe("create, edit: one lower-case word to file it under, such as writing."),
});

const CITED_ARGS = Args.extend({
  citations: z
    .array(z.string())
    .optional()
    .describe("Required: the parts of entries that show what you write, such as <session>/12#outcome."),
});

type Args = z.infer<typeof CITED_ARGS>;

const DONE: Record<Args["action"], string> = {
  create: "created",
  edit: "edited",
  patch: "patched",
  delete: "archived",
  write_file: "file written",
  remove_file: "file removed",
};

export interface SkillManageOptions {
  library: Library;
  store: SkillStore;
  /** In whose name skills are written. */
  origin: Writer;
  settings: Settings;
  /**
   * Whether this run has read a skill: a successful skill_view of it, or skill_manage creating it. Derived from the
   * run's record, so that calls whose results were replayed count. When given, what was not read may not be changed.
   */
  isViewed?(name: string): boolean;
  /** Judges the citations of a write; when given, every write must have some. */
  cite?(citations: string[]): Failure | null;
}

export function createSkillManage(options: SkillManageOptions): Tool<Args> {
  const { store } = options;
  return {
    name: "skill_manage",
    description:
      "Writes skills: reusable procedures for a class of work. Before a change, read the skill with skill_view; before a create, look with skills_list for one to extend.",
    parameters: options.cite ? CITED_ARGS : Args,
    effect: "keyed",
    /** `rev`: what the store held before the first attempt, so that a second one can tell its own revision. */
    async prepare({ name }) {
      const head = SkillName.safeParse(name).success ? await store.head(name) : null;
      return { rev: head?.rev ?? 0 };
    },
    run: (args, context) => manage(args, context, options),
  };
}

async function manage(args: Args, context: ToolContext, options: SkillManageOptions): Promise<ToolResult> {
  const { store, library, origin, settings, cite, isViewed } = options;
  const operation = toOperation(args);
  if ("missing" in operation) {
    return fail("bad_arguments", `${args.action} needs ${operation.missing}: call skill_manage again with it.`);
  }
  const citations = args.citations ?? [];
  if (cite && citations.length === 0) {
    return fail("citations_missing", "Nothing is kept without evidence: give citations, such as <session>/12#outcome.");
  }
  const unproved = cite?.(citations);
  if (unproved) return toRefusal(unproved);
  if (args.action !== "create" && isViewed && !isRead(args.name, isViewed)) {
    return fail("read_first", `Load '${args.name}' with skill_view before you change it.`);
  }
  const changed = await store.change({
    name: args.name,
    op: context.op,
    since: typeof context.prepared.rev === "number" ? context.prepared.rev : 0,
    decide: toDecide(operation, { origin, seeds: library.seeds, settings: settings.skills, citations }),
  });
  if (!changed.ok) return toRefusal(changed.failure);
  const { name, rev, text, state } = changed.value.head;
  return succeed({ done: DONE[args.action], name, rev, text, state });
}

/** A companion's text is shown at the end of its base's. */
function isRead(name: string, isViewed: (name: string) => boolean): boolean {
  const base = baseOf(name);
  return isViewed(name) || (base !== null && isViewed(base));
}

function toOperation(args: Args): SkillOperation | { missing: string } {
  const { action, name, content, category, file_path: path = "", file_content: fileContent } = args;
  switch (action) {
    case "create":
    case "edit":
      return content === undefined ? { missing: "content" } : { action, name, content, category };
    case "patch": {
      const { old_string: oldString, new_string: newString, replace_all: replaceAll = false } = args;
      if (oldString === undefined || newString === undefined) return { missing: "old_string and new_string" };
      return { action, name, path: path || SKILL_MD, oldString, newString, replaceAll };
    }
    case "delete":
      return { action, name, absorbedInto: args.absorbed_into || undefined };
    case "write_file":
      if (path === "" || fileContent === undefined) return { missing: "file_path and file_content" };
      return { action, name, path, content: fileContent };
    case "remove_file":
      return path === "" ? { missing: "file_path" } : { action, name, path };
  }
}
