// The skills an agent meets: its profile's own over the bundled ones. A profile's head of a bundled name shadows it, an
// archived head hides it. Read by the prompt, the skill tools and the API. Writes go through SkillStore.change only.
import { type Result, err, ok } from "../errors.ts";
import type { SkillSnapshot, SkillStore } from "../ports.ts";
import type { SkillLine } from "../schemas/api.ts";
import { hashFiles, textOfFiles } from "../schemas/digest.ts";
import { type FileBodies, textOrEmpty } from "../schemas/file-body.ts";
import { type Sha256, SkillName } from "../schemas/ids.ts";
import type { Origin, SkillIndex, SkillState } from "../schemas/skill.ts";
import { SKILL_MD, parseSkill } from "./format.ts";
import { companionOf } from "./validate.ts";
import { overlapOf, wordsOf } from "./words.ts";

/** Bundled skills: contents by path, by skill. */
export type Seeds = Record<SkillName, Record<string, string>>;

export interface SkillView {
  name: SkillName;
  path: string;
  content: string;
  /** Paths of all files, `SKILL.md` first. */
  files: string[];
  /** Names exactly what was read: evidence belongs to it. */
  text: Sha256;
  rev: number;
  state: SkillState;
  origin: Origin;
  extends?: SkillName;
  /** The companion whose text stands at the end of `content`: its own text, and its own evidence. */
  companion?: { name: SkillName; text: Sha256; state: SkillState };
  /** What a reader must know first. */
  notice?: string;
}

export interface Library {
  readonly seeds: Seeds;
  /** All skills, in any state, sorted by name. */
  lines(): Promise<SkillLine[]>;
  /** Failures: `skill_missing`, `file_missing`, `skill_pending`. `path` is SKILL.md unless given. */
  view(name: SkillName, path?: string): Promise<Result<SkillView>>;
}

/** `store: null` is a session without learning: only what is bundled. */
export function createLibrary({ store, seeds }: { store: SkillStore | null; seeds: Seeds }): Library {
  async function lines(): Promise<SkillLine[]> {
    return mergeLines(store ? await store.index() : null, seeds);
  }

  async function open(name: SkillName): Promise<Opened | null> {
    const snapshot = await store?.open(name);
    if (snapshot) return toOpened(snapshot);
    return Object.hasOwn(seeds, name) ? openSeed(seeds, name) : null;
  }

  return {
    seeds,
    lines,
    async view(name, path = SKILL_MD) {
      // A name from a model becomes part of a key only when it is one.
      const skill = SkillName.safeParse(name).success ? await open(name) : null;
      if (!skill) return skillMissing(name, await lines());
      if (skill.line.state === "pending") {
        return err("skill_pending", `'${name}' waits for a person's approval and cannot be loaded yet.`);
      }
      if (!Object.hasOwn(skill.files, path)) return fileMissing(name, path, skill.files);
      const content = skill.files[path]!;
      if (typeof content !== "string") {
        return err(
          "not_text",
          `'${path}' of '${name}' is no text and cannot be shown: it has ${content.length} bytes.`,
        );
      }
      const view = toView(skill, path, content);
      const companion = path === SKILL_MD && isOffered(skill.line) ? await open(companionOf(name)) : null;
      return ok(companion && isOffered(companion.line) ? withCompanion(view, companion) : view);
    },
  };
}

/** What a profile sees: its index, and the bundled skills that it has no head for. */
export function mergeLines(index: SkillIndex | null, seeds: Seeds): SkillLine[] {
  const own = Object.entries(index?.skills ?? {}).map(([name, line]) => ({ ...line, name }));
  const bundled = Object.keys(seeds).filter((name) => !index || !Object.hasOwn(index.skills, name));
  return [...own, ...bundled.map((name) => openSeed(seeds, name).line)].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Offered in the prompt and in listings. */
export function isOffered(line: Pick<SkillLine, "state">): boolean {
  return line.state !== "archived" && line.state !== "pending";
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
}

const openedSeeds = new WeakMap<Record<string, string>, Opened>();

/** Hashes a bundled skill once an isolate. Throws when it is no SKILL.md: a bundle that is broken must not start. */
function openSeed(seeds: Seeds, name: SkillName): Opened {
  const files = seeds[name]!;
  const known = openedSeeds.get(files);
  if (known) return known;
  const parsed = parseSkill(files[SKILL_MD] ?? "");
  if (!parsed.ok) throw new Error(`the bundled skill ${name} is broken: ${parsed.failure.message}`);
  const { description, category } = parsed.value;
  const text = textOfFiles(hashFiles(files));
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
  };
  const opened = { line, files };
  openedSeeds.set(files, opened);
  return opened;
}

function toOpened({ head, files }: SkillSnapshot): Opened {
  return { line: head, files };
}

function toView({ line, files }: Opened, path: string, content: string): SkillView {
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
    ...(line.state === "archived" && {
      notice: "This skill is archived: it is no longer offered. Do not follow it unless you are asked to look at it.",
    }),
  };
}

function withCompanion(view: SkillView, { line, files }: Opened): SkillView {
  const own = textOrEmpty(files[SKILL_MD]);
  const parsed = parseSkill(own);
  const body = parsed.ok ? parsed.value.body : own;
  return {
    ...view,
    content: `${view.content.trimEnd()}\n\n# Learned here, in ${line.name}\n\n${body}`,
    companion: { name: line.name, text: line.text, state: line.state },
  };
}

function sortPaths(files: FileBodies): string[] {
  const others = Object.keys(files).filter((path) => path !== SKILL_MD);
  return [SKILL_MD, ...others.sort()];
}
