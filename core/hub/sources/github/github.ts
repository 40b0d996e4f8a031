// Skills in repositories of GitHub, or of a server that speaks its API. A version is a commit, every file is compared with the hash that the
// commit's tree gives it, and a skill's content is the hash of its own folder. Links and submodules are never followed.
import { type Result, err, ok } from "../../../errors.ts";
import type { HubRef } from "../../../schemas/hub/lock.ts";
import { IMPORT } from "../../../skills/exchange/import-limits.ts";
import { SKILL_MD } from "../../../skills/format/format.ts";
import { quotePath } from "../../../zip/quote-path.ts";
import { listChoices } from "../reading/choices.ts";
import { eachOk } from "../reading/each.ts";
import { type RawFile, checkList, toFiles } from "../reading/files.ts";
import { readGithubIdentifier, toGithubRef } from "../../finding/identifier.ts";
import { readListing } from "../reading/listing.ts";
import { rankHits } from "../../finding/rank.ts";
import { readShown, toShownName } from "../reading/shown.ts";
import type { HubHit, HubSource, HubVersion, ListingCache } from "../../source.ts";
import { treeShaOf } from "./git-hash.ts";
import { type GithubApi, type GithubDeps, openGithubApi } from "./github-api.ts";
import {
  CONTAINERS,
  LINK_MODE,
  MARKETPLACE,
  SUBMODULE_MODE,
  type TreeEntry,
  entriesBelow,
  findInContainer,
  findSkillFolders,
  readMarketplace,
} from "./tree.ts";

export interface GithubSourceDeps extends GithubDeps {
  cache: ListingCache;
  cacheMs: number;
  /** Repositories that a search without a place looks in: `owner/repo`. */
  repositories: readonly string[];
}

/** [own] Of these a list reads the descriptions; the others are listed by name. */
const MAX_DESCRIBED = 60;
/** [own] Of one SKILL.md that is read for a list. */
const MAX_LISTED_BYTES = 256 << 10;

/** A skill's folder in a repository at one commit. */
interface Folder {
  path: string;
  /** Below the folder. */
  entries: TreeEntry[];
}

export function createGithubSource(deps: GithubSourceDeps): HubSource {
  async function find(ref: HubRef, signal: AbortSignal) {
    const place = readGithubIdentifier(ref.identifier);
    const api = openGithubApi(deps, signal);
    const resolved = await api.resolve(place.repository, ref.version ?? null);
    if (!resolved.ok) return resolved;
    if (resolved.value === "unchanged")
      return err("hub_bad_reply", "GitHub answered 304 to a question without an ETag.");
    const { commit, moves, offBranch, renamed } = resolved.value;
    const folder = await findFolder(api, { ...place, commit });
    if (!folder.ok) return folder;
    const found = toGithubRef(place.repository, folder.value.path, ref.version);
    if (!found) return err("bad_path", `${quotePath(folder.value.path)} is not a path that a skill can have.`);
    const version: HubVersion = {
      ...{ version: ref.version ?? commit, commit, content: treeShaOf(folder.value.entries) },
      ...(moves && { moves }),
      ...((offBranch || renamed) && { offBranch: true as const }),
    };
    const notes = [...(offBranch ? [OFF_BRANCH] : []), ...(renamed ? [RENAMED] : [])];
    return ok({ notes, api, repository: place.repository, commit, folder: folder.value, ref: found, version });
  }

  async function list(place: string, signal: AbortSignal): Promise<Result<HubHit[]>> {
    const { repository, path } = readGithubIdentifier(place);
    return readListing(deps, `github ${place}`, async (etag) => {
      const api = openGithubApi(deps, signal);
      const head = await api.resolve(repository, null, etag);
      if (!head.ok) return head;
      if (head.value === "unchanged") return ok("unchanged");
      const { commit, etag: newEtag } = head.value;
      const hits = await listRepository(api, { repository, commit, under: path });
      return hits.ok ? ok({ hits: hits.value, ...(newEtag && { etag: newEtag }) }) : hits;
    });
  }

  return {
    name: "github",
    list,

    /** A query `owner/repo` lists that repository; any other searches the repositories that the operator trusts. */
    async search(query, { limit, signal }) {
      const place = toGithubRef(query.trim(), null);
      if (place) {
        const listed = await list(place.identifier, signal);
        return listed.ok ? ok(listed.value.slice(0, limit)) : listed;
      }
      const lists = await Promise.all(deps.repositories.map((repository) => list(repository, signal)));
      const hits = lists.flatMap((listed) => (listed.ok ? listed.value : []));
      const failed = lists.find((listed) => !listed.ok);
      return hits.length === 0 && failed ? failed : ok(rankHits(hits, query).slice(0, limit));
    },

    async look(ref, signal) {
      const found = await find(ref, signal);
      return found.ok ? ok(found.value.version) : found;
    },

    descends(identifier, commit, from, signal) {
      return openGithubApi(deps, signal).descends(readGithubIdentifier(identifier).repository, commit, from);
    },

    async fetch(ref, signal) {
      const found = await find(ref, signal);
      if (!found.ok) return found;
      const { api, repository, commit, folder, version, notes } = found.value;
      const prefix = folder.path === "." ? "" : `${folder.path}/`;
      const files = await fetchFiles(folder.entries, (file) =>
        api.readFile(repository, commit, { ...file, path: `${prefix}${file.path}` }),
      );
      if (!files.ok) return files;
      const read = toFiles(files.value);
      if (!read.ok) return read;
      const name = folder.path === "." ? repository : folder.path;
      return ok({ ...version, ref: found.value.ref, folder: name.split("/").at(-1)!, files: read.value, notes });
    },
  };
}

const RENAMED =
  "GitHub leads this name to another repository: it was renamed, or given to somebody else. Name the new one to trust it.";
const OFF_BRANCH =
  "The commit is not in the history of the repository's default branch. It may belong to a fork: anybody can make such a commit.";

async function findFolder(
  api: GithubApi,
  place: { repository: string; path: string | null; skill?: string; commit: string },
): Promise<Result<Folder>> {
  const { repository, path, skill, commit } = place;
  const read = await readEntries(api, repository, commit, path);
  if (!read.ok) return read;
  const { entries } = read.value;
  const own = path === null ? [] : entriesBelow(entries, path);
  const below = path === null ? [] : findBelow(entries, path);
  // A folder without a SKILL.md of its own may hold skills, as `skills` does.
  if (path !== null && (below.length === 0 || below[0] === path)) return checkFolder({ path, entries: own }, entries);
  const folders = path === null ? await listFolders(api, { repository, commit, entries }) : below;
  const named = skill === undefined ? folders : folders.filter((folder) => folder.split("/").at(-1) === skill);
  if (named.length === 1) return checkFolder({ path: named[0]!, entries: entriesBelow(entries, named[0]!) }, entries);
  const candidates = named.length > 1 ? named : folders;
  const hits = await describe(api, { repository, commit, entries, folders: candidates });
  const matching = skill === undefined ? hits : hits.filter(({ name }) => name === skill);
  const only = matching.length === 1 ? readGithubIdentifier(matching[0]!.ref.identifier).path : null;
  if (only !== null) return checkFolder({ path: only, entries: entriesBelow(entries, only) }, entries);
  if (hits.length === 0)
    return err(
      "hub_not_found",
      "The repository has no folder with a SKILL.md where skills are looked for. Name the folder.",
    );
  return listChoices(matching.length > 1 ? matching : hits, skill);
}

function checkFolder(folder: Folder, all: readonly TreeEntry[]): Result<Folder> {
  const itself = all.find(({ path }) => path === folder.path);
  const links = [...(itself ? [itself] : []), ...folder.entries].filter(
    ({ mode }) => mode === LINK_MODE || mode === SUBMODULE_MODE,
  );
  if (links.length > 0) {
    const what = links[0]!.mode === LINK_MODE ? "a symbolic link" : "a submodule";
    return err(
      "hub_link_refused",
      `${quotePath(links[0]!.path)} is ${what}, which is not followed. Name the folder that it leads to.`,
    );
  }
  if (folder.entries.length > 0) return ok(folder);
  const hint = folder.path.includes("/") ? "" : " If that is the name of a skill, write owner/repo@skill-name.";
  return err("hub_not_found", `The repository has no folder ${quotePath(folder.path)} at this version.${hint}`);
}

/** A repository that is too large to be listed whole is read folder by folder. */
async function readEntries(
  api: GithubApi,
  repository: string,
  commit: string,
  path: string | null,
): Promise<Result<{ entries: TreeEntry[] }>> {
  const whole = await api.readTree(repository, commit, true);
  if (!whole.ok && whole.failure.code !== "hub_too_large") return whole;
  if (whole.ok && !whole.value.truncated) return whole;
  if (path === ".") return tooManyFiles();
  const top = await api.readTree(repository, commit, false);
  if (!top.ok) return top;
  const places =
    path === null ? CONTAINERS.filter((container) => container !== "" && !container.startsWith("skills/")) : [path];
  const below = await eachOk(places, (place) => readBelow(api, repository, top.value.entries, place));
  if (!below.ok) return below;
  return ok({ entries: [...top.value.entries, ...below.value.flat()] });
}

/** All entries below one folder, each with its whole path. Empty: there is no such folder. */
async function readBelow(
  api: GithubApi,
  repository: string,
  top: TreeEntry[],
  folder: string,
): Promise<Result<TreeEntry[]>> {
  const names = folder.split("/");
  let here = top;
  for (const [depth, name] of names.entries()) {
    const entry = here.find(({ path }) => path === name);
    const above = names.slice(0, depth + 1).join("/");
    if (entry && entry.type !== "tree") return ok([{ ...entry, path: above }]);
    if (!entry) return ok([]);
    const isLast = depth === names.length - 1;
    const read = await api.readTree(repository, entry.sha, isLast);
    if (!read.ok) return read;
    if (read.value.truncated) return tooManyFiles();
    here = read.value.entries;
  }
  return ok(here.map((entry) => ({ ...entry, path: `${folder}/${entry.path}` })));
}

function tooManyFiles() {
  return err("hub_too_large", "The repository has more files than a reply can list. Name the folder of the skill.");
}

/** The folders of skills, with those that a marketplace.json names. */
async function listFolders(
  api: GithubApi,
  at: { repository: string; commit: string; entries: TreeEntry[] },
): Promise<string[]> {
  const { repository, commit, entries } = at;
  const paths = entries.filter(({ type, mode }) => type === "blob" && mode !== LINK_MODE).map(({ path }) => path);
  const plan = entries.find(({ path, type }) => path === MARKETPLACE && type === "blob");
  if (!plan?.size || plan.size > MAX_LISTED_BYTES) return findSkillFolders(paths);
  const read = await api.readFile(repository, commit, { ...plan, size: plan.size });
  return findSkillFolders(paths, read.ok ? readMarketplace(new TextDecoder().decode(read.value)) : []);
}

async function listRepository(
  api: GithubApi,
  { repository, commit, under }: { repository: string; commit: string; under: string | null },
): Promise<Result<HubHit[]>> {
  const read = await readEntries(api, repository, commit, under);
  if (!read.ok) return read;
  const { entries } = read.value;
  const all = under === null ? await listFolders(api, { repository, commit, entries }) : findBelow(entries, under);
  return ok(await describe(api, { repository, commit, entries, folders: all }));
}

function findBelow(entries: TreeEntry[], under: string): string[] {
  const paths = entriesBelow(entries, under).map(({ path }) => path);
  return findInContainer(paths).map((folder) =>
    folder === "." ? under : `${under === "." ? "" : `${under}/`}${folder}`,
  );
}

/** A SKILL.md that cannot be read leaves the skill with the name of its folder. Folders that no ref can name are left out. */
async function describe(
  api: GithubApi,
  at: { repository: string; commit: string; entries: TreeEntry[]; folders: string[] },
): Promise<HubHit[]> {
  const { repository, commit, entries, folders } = at;
  const byPath = new Map(entries.map((entry) => [entry.path, entry]));
  const named = folders.flatMap((folder) => {
    const ref = toGithubRef(repository, folder);
    return ref ? [{ folder, ref }] : [];
  });
  const described = await eachOk(named.slice(0, MAX_DESCRIBED), async ({ folder }) => {
    const main = byPath.get(folder === "." ? SKILL_MD : `${folder}/${SKILL_MD}`);
    if (main?.size === undefined || main.size > MAX_LISTED_BYTES) return ok(null);
    const read = await api.readFile(repository, commit, { ...main, size: main.size });
    return ok(read.ok ? readShown(read.value) : null);
  });
  const shown = described.ok ? described.value : [];
  return named.map(({ folder, ref }, n) => {
    const own = toShownName(folder === "." ? repository.split("/")[1]! : folder.split("/").at(-1)!);
    return { ref, name: shown[n]?.name || own, description: shown[n]?.description ?? "" };
  });
}

async function fetchFiles(
  entries: readonly TreeEntry[],
  read: (file: { path: string; sha: string; size: number }) => Promise<Result<Uint8Array>>,
): Promise<Result<RawFile[]>> {
  const blobs = entries.filter(({ type }) => type === "blob");
  const refused = checkList(blobs);
  if (refused) return refused;
  return eachOk(blobs, async ({ path, sha, size = IMPORT.bytes }) => {
    const bytes = await read({ path, sha, size });
    return bytes.ok ? ok([path, bytes.value] as const) : bytes;
  });
}
