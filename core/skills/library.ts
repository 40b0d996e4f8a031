// The skills an agent can use: the profile's own ones, then the bundled ones, filtered by what can be used here. Read
// by the prompt, the skill tools, slash commands and the API. Writes go through SkillStore.change only.
import { type Failure, type Result, err, ok } from "../errors.ts";
import type { SkillSnapshot, SkillStore } from "../ports.ts";
import type { SkillLine } from "../schemas/api.ts";
import { hashFiles, textOfFiles } from "../schemas/learning/digest.ts";
import { type FileBodies, textOrEmpty } from "../schemas/file-body.ts";
import { type Sha256, SkillName } from "../schemas/ids.ts";
import { REQUESTS_FILE } from "../schemas/skill-requests.ts";
import type { FailedWord, Origin, SkillConditions, SkillIndex, SkillState } from "../schemas/skill.ts";
import { membersOf } from "./format/bundles.ts";
import {
  CONTRACT_FINDING,
  type ChangedTool,
  type Contract,
  findContractBreaks,
  readContract,
} from "./format/contract.ts";
import {
  type MissingSettings,
  type Scene,
  isHeld,
  isHidden,
  missingFor,
  readConditions,
  refusalFor,
} from "./format/conditions.ts";
import { SKILL_MD, parseSkill } from "./format/format.ts";
import { companionOf } from "./format/validate.ts";
import { overlapOf, wordsOf } from "./search/words.ts";

/** Bundled skills: skill name → path → content. */
export type Seeds = Record<SkillName, Record<string, string>>;

export interface SkillView {
  name: SkillName;
  path: string;
  content: string;
  /** Paths of its files, `SKILL.md` first, without its requests file. */
  files: string[];
  /** Hash of exactly what was read; evidence belongs to it. */
  text: Sha256;
  rev: number;
  state: SkillState;
  origin: Origin;
  extends?: SkillName;
  /** The companion whose text is at the end of `content`. It has its own text and evidence. */
  companion?: { name: SkillName; text: Sha256; state: SkillState; failedWords?: FailedWord[] };
  /** Names of the bundle's members, to be loaded before it. */
  bundle?: string[];
  /** Settings that it needs and that are not set. */
  missing?: MissingSettings;
  /** Tools whose parameters differ from those the skill was written for. */
  changed?: ChangedTool[];
  health?: SkillLine["health"];
  failedWords?: FailedWord[];
  /** What a reader must know first. Contains words of the harness only. */
  notice?: string;
  /** Broken assumptions and failed checks. May contain words of the skill's author. */
  broken?: string[];
}

export interface Library {
  readonly seeds: Seeds;
  /** All skills, in any state, sorted by name. */
  lines(): Promise<SkillLine[]>;
  /** The skills that are offered in this scene. */
  offered(): Promise<SkillLine[]>;
  /**
   * Failures: `skill_missing`, `file_missing`, `not_text`, `skill_pending`, `skill_disabled`, `skill_unsupported`,
   * `no_base`. `path` is SKILL.md unless given.
   */
  view(name: SkillName, path?: string): Promise<Result<SkillView>>;
}

interface LibraryOptions {
  /** `null` in a session without learning, which sees bundled skills only. */
  store: SkillStore | null;
  seeds: Seeds;
  /** Absent: skills are hidden by their state only. */
  scene?: Scene;
}

export function createLibrary({ store, seeds, scene = {} }: LibraryOptions): Library {
  async function lines(): Promise<SkillLine[]> {
    return mergeLines(store ? await store.index() : null, seeds);
  }

  async function offered(): Promise<SkillLine[]> {
    return offeredLines(await lines(), scene);
  }

  async function open(name: SkillName): Promise<OpenedSkill | null> {
    const snapshot = await store?.open(name);
    if (snapshot) return openSnapshot(snapshot, seeds);
    return Object.hasOwn(seeds, name) ? openSeed(seeds, name) : null;
  }

  function unusableFailure({ line, requirements }: Pick<OpenedSkill, "line" | "requirements">): Failure | null {
    return refusalFor({ name: line.name, conditions: requirements.conditions }, scene);
  }

  /** Why a skill cannot be shown, regardless of the file asked for. */
  async function findRefusal({ line, requirements }: OpenedSkill): Promise<Failure | null> {
    if (line.state === "pending") {
      return err("skill_pending", `'${line.name}' waits for a person's approval and cannot be loaded yet.`).failure;
    }
    const unusable = unusableFailure({ line, requirements });
    if (unusable || !line.extends) return unusable;
    const base = await open(line.extends);
    if (base && isOffered(base.line) && !unusableFailure(base)) return null;
    const text = `'${line.name}' only adds to '${line.extends}', which cannot be loaded here, so neither can be followed.`;
    return err("no_base", text).failure;
  }

  return {
    seeds,
    lines,
    offered,
    async view(name, path = SKILL_MD) {
      // Validated first, because a model's name becomes part of a storage key.
      const skill = SkillName.safeParse(name).success ? await open(name) : null;
      if (!skill) return skillMissing(name, await offered());
      const refusal = await findRefusal(skill);
      if (refusal) return { ok: false, failure: refusal };
      if (!Object.hasOwn(skill.files, path)) return fileMissing(name, path, skill.files);
      const content = skill.files[path]!;
      if (typeof content !== "string") {
        return err(
          "not_text",
          `'${path}' of '${name}' is not text and cannot be shown: it has ${content.length} bytes.`,
        );
      }
      const view = toView(skill, path, content, scene);
      const companion = path === SKILL_MD && isOffered(skill.line) ? await open(companionOf(name)) : null;
      // A bundled skill is read only with a companion that an agent made for it, not with any skill of that name; none with a stranger's.
      const isNamed = skill.line.origin !== "bundled" && companion?.line.origin !== "hub";
      const isOurs = isNamed || companion?.line.extends === name;
      const isShown = companion && isOffered(companion.line) && !isHeld(companion.line, scene);
      const isLoaded = isShown && isOurs && !unusableFailure(companion);
      return ok(isLoaded ? withCompanion(view, companion, scene) : view);
    },
  };
}

/**
 * The lines that a profile sees: its index, and the bundled skills without a head. A bundled skill that a person
 * touched but did not change (unpinned, or restored from the archive) still follows the deployment.
 */
export function mergeLines(index: SkillIndex | null, seeds: Seeds): SkillLine[] {
  const known = index && mergedLines.get(index);
  if (known?.seeds === seeds) return [...known.lines];
  const lines = merge(index, seeds);
  if (index) mergedLines.set(index, { seeds, lines });
  return [...lines];
}

/** An unchanged index is the same object and keeps its lines, so that values cached by line are found again. */
const mergedLines = new WeakMap<SkillIndex, { seeds: Seeds; lines: SkillLine[] }>();

function merge(index: SkillIndex | null, seeds: Seeds): SkillLine[] {
  const own = Object.entries(index?.skills ?? {}).flatMap(([name, line]) => {
    if (!followsBundle(line)) return [{ ...line, name }];
    return Object.hasOwn(seeds, name) ? [withBundledText({ ...line, name }, openSeed(seeds, name).line)] : [];
  });
  const bundled = Object.keys(seeds).filter((name) => !index || !Object.hasOwn(index.skills, name));
  return [...own, ...bundled.map((name) => openSeed(seeds, name).line)].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Whether a skill is offered in the prompt and in listings, by its state alone; `isHeld` in conditions.ts delays that. */
export function isOffered(line: Pick<SkillLine, "state">): boolean {
  return line.state !== "archived" && line.state !== "pending";
}

/** The lines that a model is offered in this scene. A companion is offered only with its base. */
export function offeredLines(lines: SkillLine[], scene: Scene): SkillLine[] {
  const shown = lines.filter((line) => isOffered(line) && !isHidden(line, scene));
  const names = new Set(shown.map((line) => line.name));
  return shown.filter((line) => !line.extends || names.has(line.extends));
}

/**
 * Whether the skill uses the deployment's text instead of its head's. Skills that are written by a person, pinned or
 * archived keep their own.
 */
export function followsBundle({ origin, pinned, state }: Pick<SkillLine, "origin" | "pinned" | "state">): boolean {
  return origin === "bundled" && !pinned && state !== "archived";
}

function withBundledText(line: SkillLine, { description, category, text, conditions }: SkillLine): SkillLine {
  return { ...line, description, category, text, conditions };
}

/** The failure for an unknown name, with the most similar names. */
export function skillMissing(name: string, lines: SkillLine[]): Result<never> {
  const wanted = wordsOf(name.replaceAll("-", " "));
  const near = lines
    .filter(isOffered)
    .map((line) => ({ name: line.name, score: overlapOf(wanted, wordsOf(line.name.replaceAll("-", " "))) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, 5)
    .map((line) => line.name);
  const hint = near.length > 0 ? `Did you mean ${near.join(", ")}?` : "skills_list shows what there is.";
  return err("skill_missing", `There is no skill called ${JSON.stringify(name.slice(0, 80))}. ${hint}`);
}

export function fileMissing(name: string, path: string, files: FileBodies): Result<never> {
  const existing = sortPaths(files).join(", ");
  return err("file_missing", `'${name}' has no file ${JSON.stringify(path.slice(0, 200))}. It has: ${existing}.`);
}

interface OpenedSkill {
  line: SkillLine;
  files: FileBodies;
  requirements: Requirements;
  failedWords?: FailedWord[];
}

/** Read from the text itself, because older heads do not store it. */
interface Requirements {
  conditions?: SkillConditions;
  members: string[];
  contract?: Contract;
}

function readRequirements(meta: Record<string, unknown>): Requirements {
  const contract = readContract(meta);
  return { conditions: readConditions(meta), members: membersOf(meta), ...(contract && { contract }) };
}

const openedSeeds = new WeakMap<Record<string, string>, OpenedSkill>();

/**
 * Parses and hashes a bundled skill once per isolate. Throws when its SKILL.md is invalid: a broken bundle must not
 * start.
 */
function openSeed(seeds: Seeds, name: SkillName): OpenedSkill {
  const files = seeds[name]!;
  const known = openedSeeds.get(files);
  if (known) return known;
  const parsed = parseSkill(files[SKILL_MD] ?? "");
  if (!parsed.ok) throw new Error(`the bundled skill ${name} is broken: ${parsed.failure.message}`);
  const { description, category, meta } = parsed.value;
  const text = textOfFiles(hashFiles(files));
  const requirements = readRequirements(meta);
  const line: SkillLine = {
    name,
    description,
    category,
    state: "active",
    pinned: false,
    origin: "bundled",
    seq: 0,
    rev: 0,
    text,
    ...(requirements.conditions && { conditions: requirements.conditions }),
  };
  const opened = { line, files, requirements };
  openedSeeds.set(files, opened);
  return opened;
}

/** Null when the deployment no longer has the bundled skill. */
function openSnapshot({ head, files }: SkillSnapshot, seeds: Seeds): OpenedSkill | null {
  if (followsBundle(head)) {
    if (!Object.hasOwn(seeds, head.name)) return null;
    const seed = openSeed(seeds, head.name);
    return { ...seed, line: withBundledText(head, seed.line) };
  }
  const parsed = parseSkill(textOrEmpty(files[SKILL_MD]), { fallbackName: head.name });
  const { failedWords = [] } = head;
  const requirements = parsed.ok ? readRequirements(parsed.value.meta) : { members: [] };
  return { line: head, files, requirements, ...(failedWords.length > 0 && { failedWords }) };
}

function toView(
  { line, files, requirements, failedWords }: OpenedSkill,
  path: string,
  content: string,
  scene: Scene,
): SkillView {
  const missing = missingFor(requirements.conditions, scene);
  const broken = contractBreaks(requirements, scene);
  const notice = [...(isHeld(line, scene) ? [HELD] : []), ...noticesOf(line, broken)].join(" ");
  const findings = findingsOf(line, broken);
  return {
    name: line.name,
    path,
    content,
    files: sortPaths(files),
    text: line.text,
    rev: line.rev,
    state: line.state,
    origin: line.origin,
    ...(line.extends && { extends: line.extends }),
    ...(requirements.members.length > 0 && { bundle: requirements.members }),
    ...(missing && { missing }),
    ...(broken && broken.changed.length > 0 && { changed: broken.changed }),
    ...(line.health && { health: line.health }),
    ...(failedWords && { failedWords }),
    ...(notice && { notice }),
    ...(findings.length > 0 && { broken: findings }),
  };
}

type ContractBreaks = ReturnType<typeof findContractBreaks>;

/** Null when the tools are unknown, or the skill has no contract. */
function contractBreaks({ contract }: Requirements, scene: Scene): ContractBreaks | null {
  return contract && scene.fingerprints ? findContractBreaks(contract, scene.fingerprints()) : null;
}

const MAX_FINDINGS = 5;
const HELD =
  "This text is new and is being tried on earlier turns, so it is not offered yet. Check what it says before you rely on it.";

function noticesOf({ state, health }: SkillLine, broken: ContractBreaks | null): string[] {
  const notices: string[] = [];
  if (state === "archived") {
    notices.push(
      "This skill is archived: it is no longer offered. Do not follow it unless you are asked to look at it.",
    );
  }
  if (broken && broken.changed.length > 0) {
    const tools = broken.changed.map(({ tool }) => tool).join(", ");
    notices.push(
      `It was written for another version of ${tools}: check each call against the tool before you follow it.`,
    );
  }
  if (findingsOf({ health }, broken).length > 0) {
    notices.push("Something it needs is missing, or failed when it was last looked at: `broken` says what.");
  }
  return notices;
}

/**
 * Missing tools and stored findings. Stored contract findings are left out, because the reader's own comparison finds
 * them.
 */
function findingsOf({ health }: Pick<SkillLine, "health">, broken: ContractBreaks | null): string[] {
  const missing = (broken?.missing ?? []).map((tool) => `there is no tool ${tool}`);
  const failed = (health?.broken ?? []).filter((finding) => !finding.startsWith(CONTRACT_FINDING));
  return [...missing, ...failed].slice(0, MAX_FINDINGS);
}

function withCompanion(
  view: SkillView,
  { line, files, requirements, failedWords }: OpenedSkill,
  scene: Scene,
): SkillView {
  const own = textOrEmpty(files[SKILL_MD]);
  const parsed = parseSkill(own);
  const body = parsed.ok ? parsed.value.body : own;
  const added = contractBreaks(requirements, scene);
  const notices = noticesOf(line, added).map((sentence) => `What is added here: ${sentence}`);
  const notice = [...(view.notice ? [view.notice] : []), ...notices].join(" ");
  const broken = [...(view.broken ?? []), ...findingsOf(line, added)];
  return {
    ...view,
    ...(notice && { notice }),
    ...(broken.length > 0 && { broken }),
    content: `${view.content.trimEnd()}\n\n# Learned here, in ${line.name}\n\n${body}`,
    companion: { name: line.name, text: line.text, state: line.state, ...(failedWords && { failedWords }) },
  };
}

function sortPaths(files: FileBodies): string[] {
  const others = Object.keys(files).filter((path) => path !== SKILL_MD && path !== REQUESTS_FILE);
  return [SKILL_MD, ...others.sort()];
}
