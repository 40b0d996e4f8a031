// The skills an agent meets: its profile's own over the bundled ones, and of those what can be used where it is. Read by
// the prompt, the skill tools, slash commands and the API. Writes go through SkillStore.change only.
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
  isHidden,
  missingFor,
  readConditions,
  refusalFor,
} from "./format/conditions.ts";
import { SKILL_MD, parseSkill } from "./format/format.ts";
import { companionOf } from "./format/validate.ts";
import { overlapOf, wordsOf } from "./search/words.ts";

/** Bundled skills: contents by path, by skill. */
export type Seeds = Record<SkillName, Record<string, string>>;

export interface SkillView {
  name: SkillName;
  path: string;
  content: string;
  /** Paths of its files, `SKILL.md` first; not that of its requests. */
  files: string[];
  /** Names exactly what was read: evidence belongs to it. */
  text: Sha256;
  rev: number;
  state: SkillState;
  origin: Origin;
  extends?: SkillName;
  /** The companion whose text stands at the end of `content`: its own text, and its own evidence. */
  companion?: { name: SkillName; text: Sha256; state: SkillState; failedWords?: FailedWord[] };
  /** Names of a bundle's members, to be loaded before it. */
  bundle?: string[];
  /** Settings it needs and does not find. */
  missing?: MissingSettings;
  /** Tools that have other parameters than those it was written for. */
  changed?: ChangedTool[];
  health?: SkillLine["health"];
  failedWords?: FailedWord[];
  /** What a reader must know first, in words of the harness alone. */
  notice?: string;
  /** What does not hold of what it assumes and of its checks: in words of who wrote it, too. */
  broken?: string[];
}

export interface Library {
  readonly seeds: Seeds;
  /** All skills, in any state, sorted by name. */
  lines(): Promise<SkillLine[]>;
  /** Those that are offered where the library is read. */
  offered(): Promise<SkillLine[]>;
  /**
   * Failures: `skill_missing`, `file_missing`, `not_text`, `skill_pending`, `skill_disabled`, `skill_unsupported`,
   * `no_base`. `path` is SKILL.md unless given.
   */
  view(name: SkillName, path?: string): Promise<Result<SkillView>>;
}

export interface LibraryOptions {
  /** `null` is a session without learning: only what is bundled. */
  store: SkillStore | null;
  seeds: Seeds;
  /** Absent: nothing is hidden but by its state. */
  scene?: Scene;
}

export function createLibrary({ store, seeds, scene = {} }: LibraryOptions): Library {
  async function lines(): Promise<SkillLine[]> {
    return mergeLines(store ? await store.index() : null, seeds);
  }

  async function offered(): Promise<SkillLine[]> {
    return offeredLines(await lines(), scene);
  }

  async function open(name: SkillName): Promise<Opened | null> {
    const snapshot = await store?.open(name);
    return snapshot ? toOpened(snapshot, seeds) : Object.hasOwn(seeds, name) ? openSeed(seeds, name) : null;
  }

  function barFor({ line, asks }: Pick<Opened, "line" | "asks">): Failure | null {
    return refusalFor({ name: line.name, conditions: asks.conditions }, scene);
  }

  /** Why a skill is not shown, whichever of its files is asked for. */
  async function refuse({ line, asks }: Opened): Promise<Failure | null> {
    if (line.state === "pending") {
      return err("skill_pending", `'${line.name}' waits for a person's approval and cannot be loaded yet.`).failure;
    }
    const barred = barFor({ line, asks });
    if (barred || !line.extends) return barred;
    const base = await open(line.extends);
    if (base && isOffered(base.line) && !barFor(base)) return null;
    const text = `'${line.name}' only adds to '${line.extends}', which cannot be loaded here: neither can be followed.`;
    return err("no_base", text).failure;
  }

  return {
    seeds,
    lines,
    offered,
    async view(name, path = SKILL_MD) {
      // A name from a model becomes part of a key only when it is one.
      const skill = SkillName.safeParse(name).success ? await open(name) : null;
      if (!skill) return skillMissing(name, await offered());
      const refusal = await refuse(skill);
      if (refusal) return { ok: false, failure: refusal };
      if (!Object.hasOwn(skill.files, path)) return fileMissing(name, path, skill.files);
      const content = skill.files[path]!;
      if (typeof content !== "string") {
        return err(
          "not_text",
          `'${path}' of '${name}' is no text and cannot be shown: it has ${content.length} bytes.`,
        );
      }
      const view = toView(skill, path, content, scene);
      const companion = path === SKILL_MD && isOffered(skill.line) ? await open(companionOf(name)) : null;
      // With a bundled skill only what an agent made its companion is read, and nothing that merely has the name.
      const isOurs = skill.line.origin !== "bundled" || companion?.line.extends === name;
      const isLoaded = companion && isOurs && isOffered(companion.line) && !barFor(companion);
      return ok(isLoaded ? withCompanion(view, companion, scene) : view);
    },
  };
}

/**
 * What a profile sees: its index, and the bundled skills that it has no head for. A bundled skill that a person touched
 * and did not change (unpinned again, out of the archive) is still the deployment's: it comes, changes and goes with it.
 */
export function mergeLines(index: SkillIndex | null, seeds: Seeds): SkillLine[] {
  const known = index && mergedLines.get(index);
  if (known?.seeds === seeds) return [...known.lines];
  const lines = merge(index, seeds);
  if (index) mergedLines.set(index, { seeds, lines });
  return [...lines];
}

/** An index that has not changed is the same object, and its lines are too: what was worked out about one is found again. */
const mergedLines = new WeakMap<SkillIndex, { seeds: Seeds; lines: SkillLine[] }>();

function merge(index: SkillIndex | null, seeds: Seeds): SkillLine[] {
  const own = Object.entries(index?.skills ?? {}).flatMap(([name, line]) => {
    if (!followsBundle(line)) return [{ ...line, name }];
    return Object.hasOwn(seeds, name) ? [toFollowing({ ...line, name }, openSeed(seeds, name).line)] : [];
  });
  const bundled = Object.keys(seeds).filter((name) => !index || !Object.hasOwn(index.skills, name));
  return [...own, ...bundled.map((name) => openSeed(seeds, name).line)].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Offered in the prompt and in listings. */
export function isOffered(line: Pick<SkillLine, "state">): boolean {
  return line.state !== "archived" && line.state !== "pending";
}

/** Those that a model is offered in this scene. A companion is shown where its base is. */
export function offeredLines(lines: SkillLine[], scene: Scene): SkillLine[] {
  const shown = lines.filter((line) => isOffered(line) && !isHidden(line, scene));
  const names = new Set(shown.map((line) => line.name));
  return shown.filter((line) => !line.extends || names.has(line.extends));
}

/**
 * Whether the bundle's text stands for a head's. What a person wrote is theirs; what is pinned stays as it is; what is
 * archived stays away.
 */
export function followsBundle({ origin, pinned, state }: Pick<SkillLine, "origin" | "pinned" | "state">): boolean {
  return origin === "bundled" && !pinned && state !== "archived";
}

function toFollowing(line: SkillLine, { description, category, text, conditions }: SkillLine): SkillLine {
  return { ...line, description, category, text, conditions };
}

/** The failure for an unknown name, with the names that come nearest. */
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
  const there = sortPaths(files).join(", ");
  return err("file_missing", `'${name}' has no file ${JSON.stringify(path.slice(0, 200))}. It has: ${there}.`);
}

interface Opened {
  line: SkillLine;
  files: FileBodies;
  asks: Asks;
  failedWords?: FailedWord[];
}

/** Read from the text itself: a head from before they were kept has none. */
interface Asks {
  conditions?: SkillConditions;
  members: string[];
  contract?: Contract;
}

function asksOf(meta: Record<string, unknown>): Asks {
  const contract = readContract(meta);
  return { conditions: readConditions(meta), members: membersOf(meta), ...(contract && { contract }) };
}

const openedSeeds = new WeakMap<Record<string, string>, Opened>();

/** Hashes a bundled skill once an isolate. Throws when it is no SKILL.md: a bundle that is broken must not start. */
function openSeed(seeds: Seeds, name: SkillName): Opened {
  const files = seeds[name]!;
  const known = openedSeeds.get(files);
  if (known) return known;
  const parsed = parseSkill(files[SKILL_MD] ?? "");
  if (!parsed.ok) throw new Error(`the bundled skill ${name} is broken: ${parsed.failure.message}`);
  const { description, category, meta } = parsed.value;
  const text = textOfFiles(hashFiles(files));
  const asks = asksOf(meta);
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
    ...(asks.conditions && { conditions: asks.conditions }),
  };
  const opened = { line, files, asks };
  openedSeeds.set(files, opened);
  return opened;
}

/** Null: the deployment has taken it back. */
function toOpened({ head, files }: SkillSnapshot, seeds: Seeds): Opened | null {
  if (followsBundle(head)) {
    if (!Object.hasOwn(seeds, head.name)) return null;
    const seed = openSeed(seeds, head.name);
    return { ...seed, line: toFollowing(head, seed.line) };
  }
  const parsed = parseSkill(textOrEmpty(files[SKILL_MD]), { fallbackName: head.name });
  const { failedWords = [] } = head;
  const asks = parsed.ok ? asksOf(parsed.value.meta) : { members: [] };
  return { line: head, files, asks, ...(failedWords.length > 0 && { failedWords }) };
}

function toView({ line, files, asks, failedWords }: Opened, path: string, content: string, scene: Scene): SkillView {
  const missing = missingFor(asks.conditions, scene);
  const broken = brokenIn(asks, scene);
  const notice = noticesOf(line, broken).join(" ");
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
    ...(asks.members.length > 0 && { bundle: asks.members }),
    ...(missing && { missing }),
    ...(broken && broken.changed.length > 0 && { changed: broken.changed }),
    ...(line.health && { health: line.health }),
    ...(failedWords && { failedWords }),
    ...(notice && { notice }),
    ...(findings.length > 0 && { broken: findings }),
  };
}

type Broken = ReturnType<typeof findContractBreaks>;

/** Null where nobody knows the tools, and for a skill that assumes none. */
function brokenIn({ contract }: Asks, scene: Scene): Broken | null {
  return contract && scene.fingerprints ? findContractBreaks(contract, scene.fingerprints()) : null;
}

const MAX_FINDINGS = 5;

function noticesOf({ state, health }: SkillLine, broken: Broken | null): string[] {
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

/** Findings about its contract are left out: who loads it finds them by themselves. */
function findingsOf({ health }: Pick<SkillLine, "health">, broken: Broken | null): string[] {
  const missing = (broken?.missing ?? []).map((tool) => `there is no tool ${tool}`);
  const failed = (health?.broken ?? []).filter((finding) => !finding.startsWith(CONTRACT_FINDING));
  return [...missing, ...failed].slice(0, MAX_FINDINGS);
}

function withCompanion(view: SkillView, { line, files, asks, failedWords }: Opened, scene: Scene): SkillView {
  const own = textOrEmpty(files[SKILL_MD]);
  const parsed = parseSkill(own);
  const body = parsed.ok ? parsed.value.body : own;
  const added = brokenIn(asks, scene);
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
