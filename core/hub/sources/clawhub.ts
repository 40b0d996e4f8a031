// ClawHub, the registry of OpenClaw. The form of its replies is the one that its own CLI reads (clawhub 0.23.3). A skill is an archive that ClawHub
// keeps, or a folder of a GitHub repository at a commit, which is then fetched from GitHub. What ClawHub calls malicious is refused; what it calls
// suspicious is said.
import * as z from "zod";
import { type Result, err, ok } from "../../errors.ts";
import { sha256Hex } from "../../schemas/learning/digest.ts";
import type { HubRef } from "../../schemas/hub/lock.ts";
import { IMPORT } from "../../skills/exchange/import-limits.ts";
import { type HubClient, type HubClientDeps, badReply, openHubClient, readJson } from "./reading/client.ts";
import { type RawFile, isArchive, readPackage, toFiles } from "./reading/files.ts";
import { parseIdentifier, toGithubRef } from "../finding/identifier.ts";
import { toShownDescription, toShownName } from "./reading/shown.ts";
import type { HubHit, HubSource, HubVersion } from "../source.ts";

const API_BASE = "https://clawhub.ai";

export interface ClawhubDeps extends HubClientDeps {
  /** Without a trailing slash. `null`: clawhub.ai. */
  apiBase: string | null;
  maxIndexBytes: number;
  github: Pick<HubSource, "look" | "fetch">;
}

const optional = z.string().nullish().catch(null);

const Moderation = z.object({
  isSuspicious: z.boolean().catch(false),
  isMalwareBlocked: z.boolean().catch(false),
  verdict: optional,
  summary: optional,
});
const SkillReply = z.object({
  skill: z.object({ slug: z.string() }).nullable(),
  latestVersion: z.object({ version: z.string().min(1).max(200) }).nullish(),
  moderation: Moderation.nullish(),
});
const VersionReply = z.object({ version: z.object({ version: z.string(), files: z.unknown().optional() }).nullable() });
const VersionFiles = z.array(z.object({ path: z.string(), sha256: z.string().regex(/^[0-9a-f]{64}$/i) }));
const InstallReply = z.union([
  z.object({
    ok: z.literal(true),
    installKind: z.literal("archive"),
    archive: z.object({ version: z.string().min(1).max(200) }),
  }),
  z.object({
    ok: z.literal(true),
    installKind: z.literal("github"),
    github: z.object({ repo: z.string(), path: z.string(), commit: z.string().regex(/^[0-9a-f]{40}$/) }),
  }),
  z.object({ ok: z.literal(false), message: z.string() }),
]);
const SearchReply = z.object({ results: z.array(z.unknown()) });
const Found = z.object({
  slug: z.string(),
  ownerHandle: optional,
  owner: z.object({ handle: optional }).nullish().catch(null),
  displayName: optional,
  summary: optional,
  downloads: z.number().min(0).nullish().catch(null),
  install: z.object({ kind: z.string(), reference: z.string() }).nullish().catch(null),
  trust: z.object({ clawHubVerdict: optional }).nullish().catch(null),
});

/** What a ref comes to: a version that ClawHub keeps, or a folder at GitHub. */
type Place = { version: string } | { github: HubRef };

export function createClawhubSource(deps: ClawhubDeps): HubSource {
  const base = `${deps.apiBase ?? API_BASE}/api/v1`;
  const configured = deps.apiBase !== null;

  async function ask<T>(client: HubClient, path: string, schema: z.ZodType<T>): Promise<Result<T>> {
    const request = { maxBytes: deps.maxIndexBytes, headers: { accept: "application/json" }, configured };
    const reply = await client.get(`${base}${path}`, request);
    const json = reply.ok ? readJson(reply.value.bytes) : reply;
    if (!json.ok) return json;
    const read = schema.safeParse(json.value);
    return read.success ? ok(read.data) : badReply("does not have the form of ClawHub's");
  }

  async function find(client: HubClient, ref: HubRef): Promise<Result<{ place: Place; notes: string[] }>> {
    const { slug, owner } = toPlace(ref);
    const skill = await ask(client, `/skills/${slug}${toQuery({ ownerHandle: owner })}`, SkillReply);
    if (!skill.ok) return skill;
    const { moderation, latestVersion } = skill.value;
    if (skill.value.skill === null) return err("hub_not_found", "ClawHub has no such skill.");
    if (moderation?.isMalwareBlocked || moderation?.verdict === "malicious") {
      return err("hub_malicious", "ClawHub has blocked this skill as malicious. It is not fetched.");
    }
    const isSuspicious = moderation?.isSuspicious || moderation?.verdict === "suspicious";
    const summary = moderation?.summary ? ` ${toShownDescription(moderation.summary)}` : "";
    const notes = isSuspicious ? [`ClawHub calls this skill suspicious.${summary}`] : [];
    const version = ref.version ?? latestVersion?.version;
    if (version !== undefined) return ok({ place: { version }, notes });
    const install = await ask(client, `/skills/${slug}/install${toQuery({ ownerHandle: owner })}`, InstallReply);
    if (!install.ok) return install;
    if (!install.value.ok)
      return err("hub_not_found", `ClawHub cannot install this skill: ${toShownDescription(install.value.message)}`);
    if (install.value.installKind === "archive")
      return ok({ place: { version: install.value.archive.version }, notes });
    const { repo, path, commit } = install.value.github;
    const github = toGithubRef(repo, path.replace(/^\.\/|\/$/g, "") || ".", commit);
    return github ? ok({ place: { github }, notes }) : badReply("names a folder of GitHub that cannot be");
  }

  /** SHA-256 by path of one version. `null`: ClawHub does not say. */
  async function readListed(
    client: HubClient,
    ref: HubRef,
    version: string,
  ): Promise<Result<Map<string, string> | null>> {
    const { slug, owner } = toPlace(ref);
    const path = `/skills/${slug}/versions/${encodeURIComponent(version)}${toQuery({ ownerHandle: owner })}`;
    const reply = await ask(client, path, VersionReply);
    if (!reply.ok) return reply;
    if (reply.value.version === null) return err("hub_not_found", "ClawHub has no such version of this skill.");
    const files = VersionFiles.safeParse(reply.value.version.files);
    return ok(
      files.success && files.data.length > 0
        ? new Map(files.data.map((file) => [file.path, file.sha256.toLowerCase()]))
        : null,
    );
  }

  return {
    name: "clawhub",

    async search(query, { limit, signal }) {
      const client = openHubClient(deps, signal);
      const found = await ask(client, `/search${toQuery({ q: query, limit: String(limit) })}`, SearchReply);
      return found.ok ? ok(found.value.results.flatMap(toHits).slice(0, limit)) : found;
    },

    async look(ref, signal) {
      const client = openHubClient(deps, signal);
      const found = await find(client, ref);
      if (!found.ok) return found;
      const { place } = found.value;
      if ("github" in place) return toNewest(await deps.github.look(place.github, signal));
      const listed = await readListed(client, ref, place.version);
      return listed.ok ? ok(toVersion(ref, place.version, listed.value)) : listed;
    },

    async fetch(ref, signal) {
      const client = openHubClient(deps, signal);
      const found = await find(client, ref);
      if (!found.ok) return found;
      const { place, notes } = found.value;
      const own = {
        source: "clawhub",
        identifier: ref.identifier,
        ...(ref.version !== undefined && { version: ref.version }),
      } as const;
      if ("github" in place) {
        const fetched = toNewest(await deps.github.fetch(place.github, signal));
        return fetched.ok ? ok({ ...fetched.value, ref: own, notes: [...notes, ...fetched.value.notes] }) : fetched;
      }
      const listed = await readListed(client, ref, place.version);
      if (!listed.ok) return listed;
      const { slug, owner } = toPlace(ref);
      const address = `${base}/download${toQuery({ slug, ownerHandle: owner, version: place.version })}`;
      const reply = await client.get(address, { maxBytes: IMPORT.archiveBytes, configured });
      if (!reply.ok) return reply;
      if (!isArchive(reply.value.bytes)) return badReply("is not an archive");
      const unpacked = readPackage(reply.value.bytes);
      if (!unpacked.ok) return unpacked;
      const compared = compare(unpacked.value.files, listed.value);
      if (!compared.ok) return compared;
      const { files, note } = compared.value;
      const read = toFiles(files);
      if (!read.ok) return read;
      if (note !== null) notes.push(note);
      const hashes = new Map(files.map(([path, bytes]) => [path, sha256Hex(bytes)]));
      return ok({ ...toVersion(ref, place.version, hashes), ref: own, folder: slug, files: read.value, notes });
    },
  };
}

/** ClawHub adds it to each archive: who published which version when. It is not one of the skill's files. */
const OWN_FILE = "_meta.json";

function toPlace({ identifier }: HubRef): { slug: string; owner?: string } {
  const [first = "", second] = identifier.split("/");
  return second === undefined ? { slug: first } : { slug: second, owner: first };
}

function toQuery(words: Record<string, string | undefined>): string {
  const given = Object.entries(words).filter((word): word is [string, string] => word[1] !== undefined);
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}

function toVersion(ref: HubRef, version: string, hashes: Map<string, string> | null): HubVersion {
  const moves = ref.version === undefined && { moves: true as const };
  return { version, ...(hashes && { content: fingerprintOf(hashes) }), ...moves };
}

/** As ClawHub's: SHA-256 over the sorted lines `path:sha256`. */
function fingerprintOf(hashes: ReadonlyMap<string, string>): string {
  const lines = [...hashes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, sha256]) => `${path}:${sha256}`);
  return sha256Hex(lines.join("\n"));
}

/** ClawHub says which commit is the newest. Whose commit it is, the repository's name cannot vouch for. */
function toNewest<T extends HubVersion>(found: Result<T>): Result<T> {
  return found.ok ? ok({ ...found.value, moves: true }) : found;
}

/** The files that ClawHub lists, each as it lists it. What it adds to an archive is left out; without a list, only its own file. */
function compare(
  files: readonly RawFile[],
  listed: ReadonlyMap<string, string> | null,
): Result<{ files: RawFile[]; note: string | null }> {
  const own = files.filter(([path]) => path !== OWN_FILE || listed?.has(path));
  if (!listed)
    return ok({ files: own, note: "ClawHub lists no hashes of this version: its archive could not be compared." });
  const kept = own.filter(([path]) => listed.has(path));
  if (kept.length !== listed.size || kept.some(([path, bytes]) => listed.get(path) !== sha256Hex(bytes))) {
    const message = "The archive does not hold the files that ClawHub lists for this version. Nothing was kept.";
    return err("hub_digest_mismatch", message);
  }
  const left = own.length - kept.length;
  return ok({
    files: kept,
    note: left > 0 ? `${left} files that ClawHub does not list for this version were left out.` : null,
  });
}

/** A hit of skills.sh, which ClawHub also lists, keeps its own source. */
function toHits(raw: unknown): HubHit[] {
  const read = Found.safeParse(raw);
  if (!read.success) return [];
  const { slug, ownerHandle, owner, displayName, summary, downloads, install, trust } = read.data;
  const handle = ownerHandle ?? owner?.handle;
  const reference =
    install?.kind === "skills-sh"
      ? install.reference
      : `clawhub:${handle ? `${handle.replace(/^@/, "")}/` : ""}${slug}`;
  const ref = parseIdentifier(reference);
  if (!ref.ok) return [];
  const hit = {
    ref: ref.value,
    name: toShownName(displayName || slug),
    description: toShownDescription(summary ?? ""),
  };
  const verdict = trust?.clawHubVerdict;
  return [
    {
      ...hit,
      ...(downloads != null && { installs: Math.floor(downloads) }),
      ...((verdict === "suspicious" || verdict === "malicious") && { warning: verdict }),
    },
  ];
}
