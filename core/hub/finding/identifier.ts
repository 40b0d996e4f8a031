// Reads and writes the name of a skill at its source, as people write it for Hermes, the `skills` CLI, skills.sh and ClawHub. Called by the
// routes of the hub and by its sources. Pure. Never throws, and never sends anything.
import { type Result, err, ok } from "../../errors.ts";
import { ProfileId, SkillName } from "../../schemas/ids.ts";
import { HubRef, type HubSourceName } from "../../schemas/hub/lock.ts";
import { checkPath } from "../../skills/exchange/paths.ts";
import { HIDDEN } from "../../zip/quote-path.ts";
import { isFileAddress, readAddress } from "./address.ts";

/** For a person who wrote something else. */
const IDENTIFIER_FORMS = [
  "owner/repo",
  "owner/repo/path/of/skill@ref",
  "owner/repo@skill-name",
  "github:owner/repo#ref",
  "https://github.com/owner/repo/tree/main/skills/name",
  "skills-sh:owner/repo/skill",
  "clawhub:skill@version",
  "clawhub:@owner/skill",
  "well-known:https://example.com#skill",
  "https://example.com/path/SKILL.md",
  "https://example.com/skill.zip",
  "library:<profile>/<skill>",
] as const;

const MAX_CHARS = 2_000;

/** Failure: `bad_hub_ref`, with the fact `forms`. */
export function parseIdentifier(text: string): Result<HubRef> {
  const written = text.trim();
  const ref =
    written.length > MAX_CHARS || !written.isWellFormed() || written.search(HIDDEN) >= 0 ? null : read(written);
  const checked = HubRef.safeParse(ref);
  if (checked.success) return ok(checked.data);
  const message =
    "This names no skill at a source. Write owner/repo, owner/repo/path@ref, clawhub:NAME or an https address. " +
    "`talaria skills search WORDS` finds names, `talaria skills import FOLDER` takes a local folder.";
  return err("bad_hub_ref", message, { forms: [...IDENTIFIER_FORMS] });
}

/** A text that `parseIdentifier` reads as the same. */
export function formatRef({ source, identifier, version }: HubRef): string {
  switch (source) {
    case "github":
      return formatGithub(identifier, version);
    case "skills-sh":
    case "clawhub":
    case "library":
      return `${source}:${identifier}${version === undefined ? "" : `@${encode(version)}`}`;
    case "well-known": {
      const { address, name } = splitFragment(identifier);
      const tail = `${name === undefined ? "" : encode(name)}${version === undefined ? "" : `@${encode(version)}`}`;
      return `well-known:${address}${tail === "" ? "" : `#${tail}`}`;
    }
    case "url":
      return `url:${identifier}${version === undefined ? "" : `#@${encode(version)}`}`;
  }
}

/** `owner/repo` of a GitHub identifier, and the rest. `path` is `null` where no folder is named; `"."` is the root. */
export interface GithubPlace {
  repository: string;
  path: string | null;
  /** The name of a skill to look for. */
  skill?: string;
}

/** Of the identifier of a ref whose source is `github`. */
export function readGithubIdentifier(identifier: string): GithubPlace {
  const [owner = "", repo = "", ...rest] = identifier.split("/");
  const [name = "", ...skill] = repo.split("@");
  if (rest.length > 0) return { repository: `${owner}/${repo}`, path: rest.join("/") };
  const place = { repository: `${owner}/${name}`, path: null };
  return skill.length === 0 ? place : { ...place, skill: skill.join("@") };
}

/** The address of an index and the name in it, of the identifier of a ref whose source is `well-known`. */
export function splitFragment(identifier: string): { address: string; name?: string } {
  const at = identifier.indexOf("#");
  return at < 0 ? { address: identifier } : { address: identifier.slice(0, at), name: identifier.slice(at + 1) };
}

/** A ref of GitHub: its parts are checked here only. `null`: not valid. */
export function toGithubRef(repository: string, path: string | null, version?: string): HubRef | null {
  const [owner = "", repo = "", ...more] = repository.split("/");
  if (more.length > 0 || !OWNER.test(owner) || !isRepo(repo)) return null;
  if (path !== null && path !== "." && checkPath(path) !== null) return null;
  if (version !== undefined && !isGitRef(version)) return null;
  return toRef("github", path === null ? repository : `${repository}/${path}`, version);
}

function read(text: string): HubRef | null {
  const [, prefix = "", rest = ""] = /^([a-z-]+):(.*)$/i.exec(text) ?? [];
  switch (prefix.toLowerCase()) {
    case "":
      return readShorthand(text);
    case "github":
      return /^[a-z]+:/i.test(rest) ? null : readGithub(rest);
    case "skills-sh":
      return readSkillsSh(rest);
    case "clawhub":
      return readClawhub(rest);
    case "well-known":
      return readWellKnown(rest);
    case "url":
      return readUrl(rest);
    case "library":
      return readLibrary(rest);
    case "http":
    case "https":
      return readWeb(text);
    default:
      return null;
  }
}

/** Hermes writes `skills-sh/owner/repo/slug`. */
function readShorthand(text: string): HubRef | null {
  const hermes = /^skills-sh\/([^/]+\/[^/]+\/[^/]+)$/i.exec(text);
  return hermes ? readSkillsSh(hermes[1]!) : readGithub(text);
}

// ---- GitHub ----

/** GitHub's own rule; `_` occurs in the names of managed users. */
const OWNER = /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,98}[A-Za-z0-9])?$/;

function isRepo(name: string): boolean {
  return /^[\w.-]{1,100}$/.test(name) && !/^\.+$/.test(name) && !name.endsWith(".git");
}

/** `git check-ref-format`, and at most 200 characters. */
function isGitRef(ref: string): boolean {
  if (ref.length > 200 || /[\x00-\x20~^:?*[\\\x7f]|\.\.|@\{|\/\/|\.lock(?:\/|$)/.test(ref)) return false;
  return !/^[-/.]|[/.]$|\/\./.test(ref) && ref !== "@" && ref.search(HIDDEN) < 0;
}

/** The name of a skill after `@`: what its folder or its frontmatter calls it. */
function isSkillFilter(name: string): boolean {
  return name.length > 0 && name.length <= 200 && !/[/#\\]/.test(name) && name.trim() === name;
}

/**
 * `owner/repo`, `owner/repo/path`, then `#ref`, `@ref` (after a path), `@skill` (after a repository) or `#ref@skill`. In a path and in a ref
 * `%`, `@` and `#` may be written as in an address.
 */
function readGithub(text: string): HubRef | null {
  const hash = text.indexOf("#");
  const place = hash < 0 ? text : text.slice(0, hash);
  const fragment = hash < 0 ? null : text.slice(hash + 1);
  const [owner = "", rawRepo = "", ...rest] = place.replace(/\/+$/, "").split("/");
  if (rest.length === 0) {
    const at = rawRepo.indexOf("@");
    const repo = withoutGit(at < 0 ? rawRepo : rawRepo.slice(0, at));
    const [inFragment, ...filter] = fragment === null ? [undefined] : fragment.split("@");
    const written = filter.length > 0 ? filter.join("@") : at < 0 ? undefined : rawRepo.slice(at + 1);
    const ref = inFragment === undefined || inFragment === "" ? undefined : decode(inFragment);
    const skill = written === undefined ? undefined : decode(written);
    if (ref === null || skill === null || fragment === "" || (skill !== undefined && !isSkillFilter(skill)))
      return null;
    const bare = toGithubRef(`${owner}/${repo}`, null, ref);
    return bare && skill !== undefined ? toRef("github", `${bare.identifier}@${skill}`, ref) : bare;
  }
  const whole = rest.join("/");
  // An `@` that begins a name belongs to the path: `packages/@scope/skill`.
  const at = fragment === null ? whole.search(/(?<=[^/])@/) : -1;
  const path = decode(at < 0 ? whole : whole.slice(0, at));
  const written = fragment ?? (at < 0 ? undefined : whole.slice(at + 1));
  const ref = written === undefined ? undefined : decode(written);
  if (path === null || ref === null) return null;
  return toGithubRef(`${owner}/${withoutGit(rawRepo)}`, toFolder(path), ref);
}

function withoutGit(repo: string): string {
  return repo.replace(/\.git$/, "");
}

/** A path of a SKILL.md means its folder. */
function toFolder(path: string): string {
  const folder = path.replace(/(?:^|\/)SKILL\.md$/i, "");
  return folder === "" ? "." : folder;
}

function formatGithub(identifier: string, version: string | undefined): string {
  const { repository, path, skill } = readGithubIdentifier(identifier);
  const ref = version === undefined ? "" : encode(version);
  if (path !== null) {
    const folder = path.split("/").map(encode).join("/");
    return `${repository}/${folder}${version === undefined ? "" : `@${ref}`}`;
  }
  if (skill === undefined) return `${repository}${version === undefined ? "" : `#${ref}`}`;
  return version === undefined ? `${repository}@${encode(skill)}` : `${repository}#${ref}@${encode(skill)}`;
}

/** `/owner/repo`, `/owner/repo/tree/<ref>/<path>`, `/owner/repo/blob/<ref>/<path>/SKILL.md`. */
function readGithubPage(url: URL): HubRef | null {
  const names = url.pathname.split("/").filter((name) => name !== "");
  const [owner, repo, kind, ref, ...path] = names.map(decode);
  if (owner == null || repo == null || [kind, ref, ...path].includes(null)) return null;
  const repository = `${owner}/${withoutGit(repo)}`;
  const fragment = url.hash === "" ? undefined : decode(url.hash.slice(1));
  if (kind == null) return fragment === null ? null : toGithubRef(repository, null, fragment);
  if ((kind !== "tree" && kind !== "blob") || ref == null) return null;
  if (kind === "blob" && !/^SKILL\.md$/i.test(path.at(-1) ?? "")) return null;
  return toGithubRef(repository, path.length === 0 ? null : toFolder(path.join("/")), ref);
}

// ---- registries ----

/** Of owners, repositories and slugs at skills.sh and ClawHub. */
const SEGMENT = /^[A-Za-z0-9_-](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9_-])?$/;

function isSegment(text: string): boolean {
  return SEGMENT.test(text) && !text.includes("..");
}

function readSkillsSh(text: string): HubRef | null {
  const { name, version } = splitVersion(text);
  const parts = name.split("/");
  return parts.length === 3 && parts.every(isSegment) ? toRef("skills-sh", name, version) : null;
}

/** A slug, or `@owner/slug`, with or without the `@`. */
function readClawhub(text: string): HubRef | null {
  const { name, version } = splitVersion(text.replace(/^@/, ""));
  const parts = name.split("/");
  return parts.length <= 2 && parts.every(isSegment) ? toRef("clawhub", name, version) : null;
}

/** `/slug`, `/owner/slug` or `/owner/skills/slug`. */
function readClawhubPage(url: URL): HubRef | null {
  const names = url.pathname.split("/").filter((name) => name !== "");
  const parts = names.length === 3 && names[1] === "skills" ? [names[0]!, names[2]!] : names;
  return parts.length === 0 || parts.length > 2 ? null : readClawhub(parts.join("/"));
}

function readLibrary(text: string): HubRef | null {
  const { name, version } = splitVersion(text);
  const [profile, skill, ...more] = name.split("/");
  const isValid = more.length === 0 && ProfileId.safeParse(profile).success && SkillName.safeParse(skill).success;
  return isValid ? toRef("library", name, version) : null;
}

/** `null`: the version cannot be read, so the whole cannot. */
function splitVersion(text: string): { name: string; version?: string | null } {
  const at = text.indexOf("@");
  return at < 0 ? { name: text } : { name: text.slice(0, at), version: decode(text.slice(at + 1)) };
}

// ---- addresses ----

function readWeb(text: string): HubRef | null {
  const url = URL.parse(text);
  const host = url?.hostname.replace(/^www\./, "");
  if (url && host === "github.com")
    return isFileAddress(url) && !/\/(?:tree|blob)\//.test(url.pathname) ? readUrl(text) : readGithubPage(url);
  if (url && host === "skills.sh") return readSkillsSh(url.pathname.replace(/^\/|\/$/g, ""));
  if (url && host === "clawhub.ai") return readClawhubPage(url);
  return url && isFileAddress(url) ? readUrl(text) : readWellKnown(text);
}

/** An address, then `#@version`. */
function readUrl(text: string): HubRef | null {
  const { address, name = "" } = splitFragment(text);
  const url = readAddress(address);
  if (!url || (name !== "" && !name.startsWith("@"))) return null;
  return toRef("url", url, name === "" ? undefined : decode(name.slice(1)));
}

/** An address of an index or of a site, then `#name` and `@version`. The address of a skill below an older index means that index. */
function readWellKnown(text: string): HubRef | null {
  const { address: written, name: fragment = "" } = splitFragment(text);
  const url = readAddress(written);
  if (!url) return null;
  const below = /^(.*\/\.well-known\/(?:agent-skills|skills))\/([a-z0-9-]+)(?:\/SKILL\.md)?\/?$/i.exec(url);
  const address = below ? `${below[1]}/index.json` : url;
  const at = fragment.indexOf("@");
  const name = decode(at < 0 ? fragment : fragment.slice(0, at)) || below?.[2];
  if (name !== undefined && !SkillName.safeParse(name).success) return null;
  const version = at < 0 ? undefined : decode(fragment.slice(at + 1));
  return toRef("well-known", name === undefined ? address : `${address}#${name}`, version);
}

function toRef(source: HubSourceName, identifier: string, version?: string | null): HubRef | null {
  if (version === undefined) return { source, identifier };
  return version === null || version === "" || version.search(HIDDEN) >= 0 ? null : { source, identifier, version };
}

/** `null`: `%` without two hexadecimal digits, or bytes that are not UTF-8. */
function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** Only what would be read as something else. */
function encode(text: string): string {
  return text.replace(/[%@#]/g, (sign) => encodeURIComponent(sign));
}
