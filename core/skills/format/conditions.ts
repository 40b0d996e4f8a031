// When a skill can be used: on which platforms, with which tools, on which channels, and what must be set up for it. The
// stores keep what is read here with each skill, so that a listing need not open it; the library, the prompt and the
// skill tools ask. Pure. It never learns a setting's value, only whether there is one.
import { toObject } from "../../unknown-object.ts";
import { type Failure, err } from "../../errors.ts";
import type { ListedSkill, SkillLine } from "../../schemas/api.ts";
import type { SkillConditions } from "../../schemas/skill.ts";
import type { ToolFingerprints } from "./contract.ts";
import { parseSkill } from "./format.ts";

/** Where a skill is met. What is absent hides nothing. */
export interface Scene {
  /** Names of the tools that are offered. */
  tools?(): readonly string[];
  /** Of their parameters: what a skill was written for is compared with them. */
  fingerprints?(): ToolFingerprints;
  channels?: readonly string[];
  environments?: readonly string[];
  /** `skills.disabled`. */
  disabled?: readonly string[];
  /** Whether a variable, or a file of credentials, is there for tools to use. Absent: nothing is. */
  isSet?(name: string): boolean;
}

/** What a skill asks for and does not find. */
export interface MissingSettings {
  variables: string[];
  files: string[];
}

/** Our shell is a POSIX one; there is no desktop. */
const PLATFORM = "linux";
/** As frontmatter in the wild spells them. */
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
/** Hermes Agent's `environments`; one that is not among them is none we could judge. */
const ENVIRONMENTS = new Set(["kanban", "docker", "s6"]);
/** Toolsets that are not called after their tools. */
const TOOLSETS: Record<string, string[]> = {
  file: ["read_file", "write_file", "search_files"],
  files: ["read_file", "write_file", "search_files"],
  shell: ["terminal"],
  delegation: ["delegate_task"],
  code_execution: ["execute_code"],
};

/** Of one list: an index holds a line for each of many thousand skills. */
const MAX_ITEMS = 20;
const WORD = /^[\w.:@/-]{1,64}$/;
const VARIABLE = /^[A-Za-z_]\w{0,127}$/;
/** Without blanks, so that it says nothing but where a file is. */
const FILE = /^[\w.~$/{}@+-]{1,200}$/;

/** What the frontmatter of a SKILL.md asks for; `undefined` for nothing, or for a text that is no SKILL.md. */
export function conditionsOf(skillMd: string): SkillConditions | undefined {
  const parsed = parseSkill(skillMd, { fallbackName: "unnamed" });
  return parsed.ok ? readConditions(parsed.value.meta) : undefined;
}

/** `meta`: the frontmatter's other fields. Fields may stand at its top, under `metadata.hermes` or under `metadata`. */
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

/** Not offered here: in no prompt and no listing for a model. It can still be asked for by name, unless `refusalFor` objects. */
export function isHidden(line: Pick<SkillLine, "name" | "conditions">, scene: Scene): boolean {
  if (refusalFor(line, scene)) return true;
  const { conditions = {} } = line;
  return lacksEnvironment(conditions, scene) || lacksChannel(conditions, scene) || isUnsuited(conditions, scene);
}

/** Why a skill is not even shown to who asks for it by name. Failures: `skill_disabled`, `skill_unsupported`. */
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

/** `null`: all there is. */
export function missingFor(conditions: SkillConditions | undefined, scene: Scene): MissingSettings | null {
  const isMissing = (name: string) => !scene.isSet?.(name);
  const variables = (conditions?.variables ?? []).filter(isMissing);
  const files = (conditions?.files ?? []).filter(isMissing);
  return variables.length + files.length > 0 ? { variables, files } : null;
}

/** What a listing for people says of a skill, which shows them all. */
export function readinessOf(line: SkillLine, scene: Scene): Pick<ListedSkill, "readiness" | "missing"> {
  const refusal = refusalFor(line, scene);
  if (refusal) return { readiness: refusal.code === "skill_disabled" ? "disabled" : "unsupported" };
  const missing = missingFor(line.conditions, scene);
  return missing ? { readiness: "setup_needed", missing } : { readiness: "available" };
}

/** For a model, which must not become the place where secrets are typed. */
export function setupNote({ variables, files }: MissingSettings): string {
  const names = [...variables, ...files].join(", ");
  return (
    `It asks for settings that are not there: ${names}. Never ask for their values in the conversation, and never write ` +
    "them anywhere: say which are missing, and do what can be done without them."
  );
}

/** A name as it may be typed: `Reading_Tables` is `reading-tables`. Empty when nothing of it can be one. */
export function toSlug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[\s_]+/gu, "-")
    .replace(/[^a-z0-9-]+/g, "")
    .replace(/-+/g, "-")
    .replace(/^-|-$/g, "");
}

/** Words of a list, or of a text with commas or blanks between them; in lower case. */
function wordsIn(value: unknown): string[] {
  const items = typeof value === "string" ? value.split(/[,\s]+/u) : Array.isArray(value) ? (value as unknown[]) : [];
  const words = items.filter((item) => typeof item === "string").map((item) => item.trim().toLowerCase());
  return unique(words.filter((word) => WORD.test(word)));
}

export function fieldOf(meta: Record<string, unknown>, name: string): unknown {
  const metadata = toObject(meta.metadata);
  const places = [meta[name], toObject(metadata.hermes)[name], metadata[name], metadata[`hermes.${name}`]];
  return places.find((value) => value !== undefined && value !== null);
}

/** One value that is none we know leaves the others to count; only such values leave the skill where it is. */
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

/** Names of a list of names or of objects that have one, or the keys of a mapping. What is optional is left out. */
function namesIn(value: unknown, form: RegExp): string[] {
  const items = typeof value === "string" ? value.split(/[,\n]/) : Array.isArray(value) ? (value as unknown[]) : [];
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
