// Conditions of a skill: on which platforms, with which tools and on which channels it can be used, and which settings
// it needs. The stores keep them with each skill, so that a listing need not open it. The library, the prompt and the
// skill tools read them. Pure. Knows whether a setting exists, never its value.
import { toItems, toObject } from "../../unknown-object.ts";
import { type Failure, err } from "../../errors.ts";
import type { ListedSkill, SkillLine } from "../../schemas/api.ts";
import type { SkillConditions } from "../../schemas/skill.ts";
import type { ToolFingerprints } from "./contract.ts";
import { parseSkill } from "./format.ts";

/** The situation in which a skill would be used. An absent field hides nothing. */
export interface Scene {
  /** Names of the tools that are offered. */
  tools?(): readonly string[];
  /** Fingerprints of the tools' parameters, compared with those a skill was written for. */
  fingerprints?(): ToolFingerprints;
  channels?: readonly string[];
  environments?: readonly string[];
  /** `skills.disabled`. */
  disabled?: readonly string[];
  /** Whether a variable or credentials file is available to tools. Absent: none is. */
  isSet?(name: string): boolean;
  /** The time, in ms. Absent: skills that are held back are offered, because a review and a curation must know of them. */
  now?(): number;
}

/** Settings that a skill needs and that are not set. */
export interface MissingSettings {
  variables: string[];
  files: string[];
}

/** The shell is a POSIX one; there is no desktop. */
const PLATFORM = "linux";
/** Spellings found in published frontmatter. */
const PLATFORMS: Record<string, string> = {
  linux: "linux",
  posix: "linux",
  unix: "linux",
  macos: "macos",
  mac: "macos",
  osx: "macos",
  darwin: "macos",
  windows: "windows",
  win32: "windows",
  win: "windows",
};
/** Hermes Agent's `environments`. Other values cannot be judged here. */
const ENVIRONMENTS = new Set(["kanban", "docker", "s6"]);
/** Toolsets whose names are not a prefix of their tools. */
const TOOLSETS: Record<string, string[]> = {
  file: ["read_file", "write_file", "patch", "search_files"],
  files: ["read_file", "write_file", "patch", "search_files"],
  shell: ["terminal"],
  delegation: ["delegate_task"],
  code_execution: ["execute_code"],
};

/** Limit per list, because an index holds a line for each of many thousand skills. */
const MAX_ITEMS = 20;
const WORD = /^[\w.:@/-]{1,64}$/;
const VARIABLE = /^[A-Za-z_]\w{0,127}$/;
/** No blanks, so that it can only be a path. */
const FILE = /^[\w.~$/{}@+-]{1,200}$/;

/** The conditions in a SKILL.md; `undefined` when there are none or the text is not a SKILL.md. */
export function conditionsOf(skillMd: string): SkillConditions | undefined {
  const parsed = parseSkill(skillMd, { fallbackName: "unnamed" });
  return parsed.ok ? readConditions(parsed.value.meta) : undefined;
}

/** `meta`: the frontmatter's other fields. A field may be at the top, under `metadata.hermes` or under `metadata`. */
export function readConditions(meta: Record<string, unknown>): SkillConditions | undefined {
  const words = (name: string) => wordsIn(fieldOf(meta, name));
  const conditions: SkillConditions = {
    platforms: unique(words("platforms").map((name) => PLATFORMS[name] ?? name)),
    environments: words("environments"),
    requiresTools: words("requires_tools"),
    requiresToolsets: words("requires_toolsets"),
    fallbackForTools: words("fallback_for_tools"),
    fallbackForToolsets: words("fallback_for_toolsets"),
    channels: words("session_platforms"),
    variables: unique([
      ...namesIn(fieldOf(meta, "required_environment_variables"), VARIABLE),
      ...namesIn(toObject(fieldOf(meta, "prerequisites")).env_vars, VARIABLE),
      ...namesIn(toObject(fieldOf(meta, "setup")).collect_secrets, VARIABLE),
    ]),
    files: namesIn(fieldOf(meta, "required_credential_files"), FILE),
  };
  const entries = Object.entries(conditions).filter(([, items]) => items.length > 0);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/**
 * Whether the skill is left out of the prompt and of a model's listings. It can still be loaded by name unless
 * `refusalFor` objects.
 */
export function isHidden(line: Pick<SkillLine, "name" | "conditions" | "heldUntil">, scene: Scene): boolean {
  if (isHeld(line, scene) || refusalFor(line, scene)) return true;
  const { conditions = {} } = line;
  return lacksEnvironment(conditions, scene) || lacksChannel(conditions, scene) || isUnsuited(conditions, scene);
}

/** Whether the skill's text is being tried by experiment, so that it is not offered yet. */
export function isHeld({ heldUntil }: Pick<SkillLine, "heldUntil">, scene: Pick<Scene, "now">): boolean {
  return heldUntil !== undefined && scene.now !== undefined && heldUntil > scene.now();
}

/** Why a skill cannot be loaded even by name. Failures: `skill_disabled`, `skill_unsupported`. */
export function refusalFor(line: Pick<SkillLine, "name" | "conditions">, scene: Scene): Failure | null {
  if (scene.disabled?.some((name) => toSlug(name) === line.name)) {
    const text = `'${line.name}' is switched off in this deployment's settings and cannot be loaded. Work without it.`;
    return err("skill_disabled", text).failure;
  }
  const known = (line.conditions?.platforms ?? []).filter((name) => Object.hasOwn(PLATFORMS, name));
  if (known.length === 0 || known.includes(PLATFORM)) return null;
  return err("skill_unsupported", `'${line.name}' is for ${known.join(" and ")} only and cannot be used here.`, {
    readiness: "unsupported",
    platforms: known,
  }).failure;
}

/** `null` when everything is set. */
export function missingFor(conditions: SkillConditions | undefined, scene: Scene): MissingSettings | null {
  const isMissing = (name: string) => !scene.isSet?.(name);
  const variables = (conditions?.variables ?? []).filter(isMissing);
  const files = (conditions?.files ?? []).filter(isMissing);
  return variables.length + files.length > 0 ? { variables, files } : null;
}

/** The readiness shown in listings for people, which contain all skills. */
export function readinessOf(line: SkillLine, scene: Scene): Pick<ListedSkill, "readiness" | "missing"> {
  const refusal = refusalFor(line, scene);
  if (refusal) return { readiness: refusal.code === "skill_disabled" ? "disabled" : "unsupported" };
  const missing = missingFor(line.conditions, scene);
  return missing ? { readiness: "setup_needed", missing } : { readiness: "available" };
}

/** A note for the model. The conversation must not become a place where people type secrets. */
export function setupNote({ variables, files }: MissingSettings): string {
  const names = [...variables, ...files].join(", ");
  return (
    `It needs settings that are not set: ${names}. Never ask for their values in the conversation, and never write ` +
    "them anywhere. Say which are missing, and do what is possible without them."
  );
}

/** Normalises a typed name: `Reading_Tables` becomes `reading-tables`. Empty when nothing is left. */
export function toSlug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[\s_]+/gu, "-")
    .replace(/[^a-z0-9-]+/g, "")
    .replace(/-+/g, "-")
    .replace(/^-|-$/g, "");
}

/** Lower-case words of a list, or of a text separated by commas or blanks. */
function wordsIn(value: unknown): string[] {
  const items = toItems(value, /[,\s]+/u);
  const words = items.filter((item) => typeof item === "string").map((item) => item.trim().toLowerCase());
  return unique(words.filter((word) => WORD.test(word)));
}

export function fieldOf(meta: Record<string, unknown>, name: string): unknown {
  const metadata = toObject(meta.metadata);
  const places = [meta[name], toObject(metadata.hermes)[name], metadata[name], metadata[`hermes.${name}`]];
  return places.find((value) => value !== undefined && value !== null);
}

/** Whether all named environments are known and none of them is here. If one is unknown, the skill is not hidden. */
function lacksEnvironment({ environments = [] }: SkillConditions, scene: Scene): boolean {
  if (environments.length === 0 || !environments.every((name) => ENVIRONMENTS.has(name))) return false;
  return scene.environments !== undefined && !environments.some((name) => scene.environments!.includes(name));
}

function lacksChannel({ channels = [] }: SkillConditions, scene: Scene): boolean {
  return (
    channels.length > 0 && scene.channels !== undefined && !channels.some((name) => scene.channels!.includes(name))
  );
}

function isUnsuited(conditions: SkillConditions, scene: Scene): boolean {
  if (!scene.tools) return false;
  const { requiresTools = [], requiresToolsets = [], fallbackForTools = [], fallbackForToolsets = [] } = conditions;
  if (requiresTools.length + requiresToolsets.length + fallbackForTools.length + fallbackForToolsets.length === 0) {
    return false;
  }
  const tools = scene.tools();
  const hasTool = (name: string) => tools.includes(name);
  const hasSet = (name: string) =>
    hasTool(name) || TOOLSETS[name]?.some(hasTool) || tools.some((tool) => tool.startsWith(`${name}_`));
  const lacks = !requiresTools.every(hasTool) || !requiresToolsets.every(hasSet);
  return lacks || fallbackForTools.some(hasTool) || fallbackForToolsets.some(hasSet);
}

/** Names from a list of names, from objects with a name, or from the keys of a mapping. Optional ones are left out. */
function namesIn(value: unknown, form: RegExp): string[] {
  const items = toItems(value, /[,\n]/);
  const keyed =
    items.length === 0 && typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.entries(value).map(([name, rest]) => ({ ...toObject(rest), name }))
      : [];
  const names = [...items, ...keyed].flatMap((item) => {
    if (typeof item === "string") return [item];
    const fields = toObject(item);
    if (fields.optional === true || fields.required === false) return [];
    return [fields.name, fields.env_var, fields.path, fields.file]
      .filter((name) => typeof name === "string")
      .slice(0, 1);
  });
  return unique(names.map((name) => name.trim()).filter((name) => form.test(name)));
}

function unique(names: string[]): string[] {
  return [...new Set(names)].slice(0, MAX_ITEMS);
}
