// The list of files of a repository, as GitHub's API answers it, and where skills lie in it. Pure.
import * as z from "zod";

/** [own] As Linux: PATH_MAX. Folders are hashed by recursion, so that a path of any length would end the stack. */
const MAX_PATH_CHARS = 4_096;

/** `mode` without a leading zero: 100644, 100755 (executable), 120000 (a symbolic link), 160000 (a submodule), 40000 (a folder). */
export const TreeEntry = z.object({
  path: z.string().min(1).max(MAX_PATH_CHARS),
  mode: z
    .string()
    .regex(/^0?\d{5,6}$/)
    .transform((mode) => mode.replace(/^0/, "")),
  type: z.enum(["blob", "tree", "commit"]),
  sha: z.string().regex(/^[0-9a-f]{40}$/),
  /** Of blobs. */
  size: z.int().min(0).optional(),
});
export type TreeEntry = z.infer<typeof TreeEntry>;

/** `GET /repos/{owner}/{repo}/git/trees/{sha}`. `truncated`: more than 100,000 entries or 7 MB (docs.github.com, "Git trees"). */
export const TreeReply = z.object({ tree: z.array(TreeEntry), truncated: z.boolean().default(false) });

export const LINK_MODE = "120000";
export const SUBMODULE_MODE = "160000";

/** Everything below a folder, by its path below that folder. `.`: the whole repository. */
export function entriesBelow(entries: readonly TreeEntry[], folder: string): TreeEntry[] {
  if (folder === ".") return [...entries];
  const prefix = `${folder}/`;
  return entries
    .filter(({ path }) => path.startsWith(prefix))
    .map((entry) => ({ ...entry, path: entry.path.slice(prefix.length) }));
}

/**
 * Where repositories keep skills, in the order in which they are looked for: as the `skills` CLI does (1.7.4), for the agents whose folders
 * are common. "" is the root.
 */
export const CONTAINERS = [
  ...["", "skills", "skills/.curated", "skills/.experimental", "skills/.system"],
  ...[".claude/skills", ".agents/skills", ".hermes/skills", ".codex/skills", ".github/skills"],
] as const;

/** Folders between a container and its skill: `skills/<category>/<category>/<skill>`. */
const MAX_DEPTH = 3;
const SKIPPED = new Set(["node_modules", ".git", "dist", "build", "__pycache__"]);

/**
 * Folders with a SKILL.md, those of the first containers first. `more`: folders that a marketplace.json names. A skill at the root is `.`, and
 * then the only one. A folder inside a skill is not another skill. Where no container has one, any folder counts that is at most three deep.
 */
export function findSkillFolders(paths: readonly string[], more: readonly string[] = []): string[] {
  const all = new Set(listMains(paths));
  if (all.has(".")) return ["."];
  const named = more.filter((folder) => all.has(folder));
  const found = CONTAINERS.flatMap((container) =>
    [...all].filter((folder) => isIn(folder, container, container === "" ? 1 : MAX_DEPTH)),
  );
  if (named.length + found.length === 0) return findInContainer(paths);
  return [...new Set([...named, ...found])].filter((folder) => !isInsideAnother(folder, all));
}

/** Those of a folder that holds skills, at most three deep; its own paths are relative. `.`: it is a skill itself. */
export function findInContainer(paths: readonly string[]): string[] {
  const all = new Set(listMains(paths));
  if (all.has(".")) return ["."];
  return [...all].filter((folder) => isIn(folder, "", MAX_DEPTH) && !isInsideAnother(folder, all));
}

function listMains(paths: readonly string[]): string[] {
  const mains = paths.filter((path) => /(?:^|\/)SKILL\.md$/.test(path));
  return mains.map((path) => path.slice(0, -"/SKILL.md".length) || ".");
}

function isIn(folder: string, container: string, depth: number): boolean {
  if (container !== "" && !folder.startsWith(`${container}/`)) return false;
  const names = folder.slice(container === "" ? 0 : container.length + 1).split("/");
  return names.length <= depth && !names.some((name) => SKIPPED.has(name));
}

function isInsideAnother(folder: string, all: ReadonlySet<string>): boolean {
  for (let at = folder.indexOf("/"); at >= 0; at = folder.indexOf("/", at + 1)) {
    if (all.has(folder.slice(0, at))) return true;
  }
  return false;
}

export const MARKETPLACE = ".claude-plugin/marketplace.json";

/** `{"plugins": [{"source": "./", "skills": ["./skills/xlsx"]}]}`, as anthropics/skills has it. */
const Marketplace = z.object({
  metadata: z.object({ pluginRoot: z.string().optional() }).optional(),
  plugins: z.array(z.object({ source: z.unknown().optional(), skills: z.array(z.string()).optional() })),
});

/** The folders that it names as skills; empty for any other form. */
export function readMarketplace(text: string): string[] {
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch {
    return []; // not JSON: it names nothing
  }
  const read = Marketplace.safeParse(raw);
  if (!read.success) return [];
  const root = read.data.metadata?.pluginRoot ?? ".";
  return read.data.plugins.flatMap(({ source, skills = [] }) => {
    // A source that is an object is another repository.
    if (typeof source !== "string") return [];
    return skills.map((skill) => joinPath(root, source, skill)).filter((path) => path !== "");
  });
}

function joinPath(...parts: string[]): string {
  return parts
    .join("/")
    .split("/")
    .filter((name) => name !== "" && name !== ".")
    .join("/");
}
