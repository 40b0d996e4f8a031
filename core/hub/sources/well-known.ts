// Skills that a site lists at `/.well-known/agent-skills/index.json` (version 0.2.0 of the discovery draft, 2026-03-12: every artifact has a digest
// of its bytes) or at `/.well-known/skills/index.json` (the older form: a list of files, no digests). An index with another `$schema` is not
// processed, as the draft asks.
import * as z from "zod";
import { type Result, err, ok } from "../../errors.ts";
import { SkillName } from "../../schemas/ids.ts";
import type { HubRef } from "../../schemas/hub/lock.ts";
import { IMPORT } from "../../skills/exchange/import-limits.ts";
import { SKILL_MD } from "../../skills/format/format.ts";
import { listChoices } from "./reading/choices.ts";
import { type HubClient, type HubClientDeps, badReply, openHubClient, readJson } from "./reading/client.ts";
import { eachOk } from "./reading/each.ts";
import {
  type RawFile,
  checkList,
  contentOf,
  digestOf,
  isArchive,
  readPackage,
  toFiles,
  tooLarge,
} from "./reading/files.ts";
import { splitFragment } from "../finding/identifier.ts";
import { readListing } from "./reading/listing.ts";
import { rankHits } from "../finding/rank.ts";
import { toShownDescription, toShownName } from "./reading/shown.ts";
import type { HubHit, HubSource, ListingCache } from "../source.ts";

export interface WellKnownDeps extends HubClientDeps {
  cache: ListingCache;
  cacheMs: number;
  maxIndexBytes: number;
}

const SCHEMA_0_2 = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
const PLACES = [".well-known/agent-skills/index.json", ".well-known/skills/index.json"];

const Index = z.object({ $schema: z.unknown().optional(), skills: z.array(z.unknown()) });
const Artifact = z.object({
  name: SkillName,
  description: z.string().min(1),
  type: z.enum(["skill-md", "archive"]),
  url: z.string().min(1),
  digest: z.string().regex(/^sha256:[0-9a-f]{64}$/),
});
const Listed = z.object({ name: SkillName, description: z.string().min(1), files: z.array(z.string()).min(1) });

/** `address`: of the index, after redirects. */
interface FoundIndex {
  address: string;
  etag?: string;
  /** Those of the wrong form are left out: one broken entry does not lose the others. */
  skills: (z.infer<typeof Artifact> | z.infer<typeof Listed>)[];
}

export function createWellKnownSource(deps: WellKnownDeps): HubSource {
  async function find(ref: HubRef, client: HubClient) {
    const { address, name } = splitFragment(ref.identifier);
    const index = await readIndex(client, address, deps.maxIndexBytes);
    if (!index.ok) return index;
    if (index.value === "unchanged") return badReply("is empty");
    const { skills, address: place } = index.value;
    const named = name === undefined ? skills : skills.filter((skill) => skill.name === name);
    const [skill] = named;
    if (!skill)
      return err(
        "hub_not_found",
        name === undefined ? "The index lists no skill." : "The index does not list this skill.",
      );
    if (named.length > 1) return listChoices(named.map((each) => toHit(place, each)));
    return ok({ skill, index: place, ref: toHit(place, skill).ref });
  }

  async function list(place: string, signal: AbortSignal): Promise<Result<HubHit[]>> {
    return readListing(deps, `well-known ${place}`, async (etag) => {
      const index = await readIndex(openHubClient(deps, signal), place, deps.maxIndexBytes, etag);
      if (!index.ok || index.value === "unchanged") return index.ok ? ok("unchanged") : index;
      const { address, skills, etag: newEtag } = index.value;
      return ok({ hits: skills.map((skill) => toHit(address, skill)), ...(newEtag && { etag: newEtag }) });
    });
  }

  return {
    name: "well-known",
    list,

    /** There is no register of sites: a query that is an address lists that one. */
    async search(query, { limit, signal }) {
      const [address = "", ...words] = query.trim().split(/\s+/);
      if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return ok([]);
      const listed = await list(address, signal);
      return listed.ok ? ok(rankHits(listed.value, words.join(" ")).slice(0, limit)) : listed;
    },

    async look(ref, signal) {
      const client = openHubClient(deps, signal);
      const found = await find(ref, client);
      if (!found.ok) return found;
      const { skill, index } = found.value;
      if ("digest" in skill) return ok({ version: skill.digest, content: skill.digest, moves: true });
      // The older form has no digests, so that only the files themselves show a change.
      const files = await fetchListed(client, index, skill);
      if (!files.ok) return files;
      const content = contentOf(files.value);
      return ok({ version: content, content, moves: true });
    },

    async fetch(ref, signal) {
      const client = openHubClient(deps, signal);
      const found = await find(ref, client);
      if (!found.ok) return found;
      const { skill, index } = found.value;
      const fetched =
        "digest" in skill ? await fetchArtifact(client, index, skill) : await fetchListed(client, index, skill);
      if (!fetched.ok) return fetched;
      const content = "digest" in skill ? skill.digest : contentOf(fetched.value);
      if (ref.version !== undefined && ref.version !== content) {
        return err("hub_digest_mismatch", `The index lists another version now: ${content} instead of ${ref.version}.`);
      }
      const files = toFiles(fetched.value);
      if (!files.ok) return files;
      const notes =
        "digest" in skill
          ? []
          : ["This index has no digests: whether its files are those that its author made cannot be checked."];
      return ok({
        ...{ ref: found.value.ref, version: content, content, moves: true },
        folder: skill.name,
        files: files.value,
        notes,
      });
    },
  };
}

function toHit(index: string, { name, description }: FoundIndex["skills"][number]): HubHit {
  const ref = { source: "well-known", identifier: `${index}#${name}` } as const;
  return { ref, name: toShownName(name), description: toShownDescription(description) };
}

/** The places in which a site may keep its index: below the address, then at the root, the newer form first. */
function listPlaces(address: string): string[] {
  const url = new URL(address);
  if (/\.json$/i.test(url.pathname)) return [address];
  const base = url.pathname.replace(/\/+$/, "");
  const bases = base === "" ? [""] : [base, ""];
  return PLACES.flatMap((place) => bases.map((path) => `${url.origin}${path}/${place}`));
}

async function readIndex(
  client: HubClient,
  address: string,
  maxBytes: number,
  etag?: string,
): Promise<Result<FoundIndex | "unchanged">> {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address))
    return err("bad_hub_ref", "An index is named by its http or https address.");
  let refused: Result<never> | null = null;
  for (const place of listPlaces(address)) {
    const headers = { accept: "application/json", ...(etag !== undefined && { "if-none-match": etag }) };
    const reply = await client.get(place, { maxBytes, headers });
    if (!reply.ok && FINAL.has(reply.failure.code)) return reply;
    if (!reply.ok) {
      // Some hosts answer 403 to what is not there.
      if (reply.failure.code !== "hub_not_found") refused ??= reply;
      continue;
    }
    if (reply.value.status === 304) return ok("unchanged");
    const skills = parseIndex(reply.value.bytes);
    if (!skills.ok) {
      // A site may answer every path with a page.
      refused ??= skills;
      continue;
    }
    const found = reply.value.headers.get("etag");
    return ok({ address: reply.value.url, skills: skills.value, ...(found && { etag: found }) });
  }
  return refused ?? err("hub_not_found", "The site has no index of skills.");
}

/** No other place of the same site is asked. */
const FINAL = new Set(["url_refused", "hub_rate_limited", "hub_too_large"]);

function parseIndex(bytes: Uint8Array): Result<FoundIndex["skills"]> {
  const json = readJson(bytes);
  if (!json.ok) return json;
  const index = Index.safeParse(json.value);
  if (!index.success) return badReply("is not an index of skills");
  const { $schema, skills } = index.data;
  if ($schema !== undefined && $schema !== SCHEMA_0_2)
    return badReply("has a `$schema` that is not known, and such an index is not processed");
  const read = skills.map((skill) => ($schema === undefined ? Listed : Artifact).safeParse(skill));
  return ok(read.flatMap((skill) => (skill.success ? [skill.data] : [])));
}

async function fetchArtifact(
  client: HubClient,
  index: string,
  skill: z.infer<typeof Artifact>,
): Promise<Result<RawFile[]>> {
  const url = URL.parse(skill.url, index);
  if (!url) return badReply("has an address that cannot be read");
  const reply = await client.get(url.href, { maxBytes: IMPORT.archiveBytes });
  if (!reply.ok) return reply;
  const { bytes } = reply.value;
  if (digestOf(bytes) !== skill.digest) {
    return err(
      "hub_digest_mismatch",
      "What the address answered does not have the digest that the index gives it. Nothing was kept.",
    );
  }
  if (skill.type === "skill-md") return ok([[SKILL_MD, bytes]]);
  if (!isArchive(bytes)) return badReply("is neither a zip nor a tar.gz");
  const unpacked = readPackage(bytes);
  return unpacked.ok ? ok(unpacked.value.files) : unpacked;
}

/** `<index's folder>/<name>/<path>`. The paths are checked before they become part of an address. */
async function fetchListed(
  client: HubClient,
  index: string,
  skill: z.infer<typeof Listed>,
): Promise<Result<RawFile[]>> {
  const refused = checkList(skill.files.map((path) => ({ path })));
  if (refused) return refused;
  let left: number = IMPORT.bytes;
  return eachOk(skill.files, async (path) => {
    const url = new URL(`${skill.name}/${path.split("/").map(encodeURIComponent).join("/")}`, index);
    if (left <= 0) return tooLarge();
    const reply = await client.get(url.href, { maxBytes: left });
    if (!reply.ok) return reply;
    left -= reply.value.bytes.length;
    return ok([/^skill\.md$/i.test(path) ? SKILL_MD : path, reply.value.bytes] as const);
  });
}
