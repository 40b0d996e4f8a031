// What of a skill is published: a strict copy of its files without the owner's requests, if no secret is in it. Pure.
import { type Result, err, ok } from "../../errors.ts";
import { findSecrets } from "../../redact.ts";
import { type FileBodies, type FileBody, textOrEmpty, toBytes } from "../../schemas/file-body.ts";
import type { SkillName } from "../../schemas/ids.ts";
import { sha256Hex } from "../../schemas/learning/digest.ts";
import { withoutRequests } from "../../schemas/skill-requests.ts";
import { SKILL_MD, parseSkill } from "../../skills/format/format.ts";
import { makeStrictCopy } from "../../skills/exchange/strict.ts";
import type { TapRepository } from "../taps.ts";
import type { Publication } from "./publish-pull.ts";

export interface PreparedCopy {
  publication: Publication;
  /** SHA-256 over the sorted lines `<sha256>  <path>\n`. */
  hash: string;
  /** Differences from the skill other than form. */
  warnings: string[];
}

interface PublishedSkill {
  name: SkillName;
  /** All of the skill; its companion is a skill of its own. */
  files: FileBodies;
  /** `owner/repo/path` of the folder that it was installed from, if that was on GitHub. */
  cameFrom?: string | undefined;
}

/** Failures: `publish_secret` (fact `places`: paths, lines from 1 and kinds), `bad_skill_md`. */
export function prepareCopy(
  { name, files, cameFrom }: PublishedSkill,
  place: TapRepository,
  message?: string,
): Result<PreparedCopy> {
  const copy = makeStrictCopy(name, withoutRequests(files));
  if (!copy.ok) return err("bad_skill_md", copy.failure.message, { reason: copy.failure.code });
  const { warnings } = copy.value;
  const parsed = parseSkill(textOrEmpty(copy.value.files[SKILL_MD]));
  if (!parsed.ok) return err("bad_skill_md", parsed.failure.message, { reason: parsed.failure.code });
  const places = findPlaces([...Object.entries(copy.value.files), ["the message", message ?? ""]]);
  if (places.length > 0) return refuseSecrets(name, places);
  const hash = hashCopy(copy.value.files);
  const publication = {
    place,
    folder: chooseFolder(name, place, cameFrom),
    files: copy.value.files,
    branch: `talaria/${name}-${hash.slice(0, 8)}`,
    title: `Add or update the skill ${name}`,
    body: [message, `\`${name}\`: ${parsed.value.description}`, `Package SHA-256: \`${hash}\``]
      .filter((part) => part)
      .join("\n\n"),
  };
  return ok({ publication, hash, warnings });
}

interface Place {
  path: string;
  line: number;
  kind: string;
}

function findPlaces(texts: [path: string, body: FileBody][]): Place[] {
  return texts.flatMap(([path, body]) => findSecrets(toText(body)).map((found) => ({ path, ...found })));
}

/** Bytes as Latin-1: a key in a file that is not text is found, too. */
function toText(body: FileBody): string {
  return typeof body === "string" ? body : new TextDecoder("latin1").decode(body);
}

const MAX_PLACES = 20;

function refuseSecrets(name: SkillName, places: Place[]): Result<never> {
  const shown = places.slice(0, MAX_PLACES);
  const listed = shown.map(({ path, line, kind }) => `${path} line ${line} (${kind})`).join(", ");
  return err(
    "publish_secret",
    `\`${name}\` looks as if it had secrets: ${listed}${places.length > MAX_PLACES ? " and more" : ""}. Take them out first.`,
    { places: shown },
  );
}

/** [ref] Where a repository of skills has them. */
const SKILLS_FOLDER = "skills";

/** Back to where it came from, if that is in the tap; else below the tap's path. */
function chooseFolder(name: SkillName, { owner, repo, path }: TapRepository, cameFrom = ""): string {
  const tap = [owner, repo, ...(path ? [path] : [])].join("/");
  const [fromOwner = "", fromRepo = "", ...from] = cameFrom.split("/");
  const isHere = `${fromOwner}/${fromRepo}`.toLowerCase() === `${owner}/${repo}`.toLowerCase();
  const folder = from.join("/");
  if (isHere && folder !== "" && `${owner}/${repo}/${folder}/`.startsWith(`${tap}/`)) return folder;
  return `${path || SKILLS_FOLDER}/${name}`;
}

function hashCopy(files: FileBodies): string {
  const lines = Object.entries(files).map(([path, body]) => `${sha256Hex(toBytes(body))}  ${path}\n`);
  return sha256Hex(lines.sort().join(""));
}
