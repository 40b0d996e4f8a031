// skills.sh: a search over public repositories, and snapshots of the skills in them. The form of its replies is the one that the `skills` CLI reads
// (1.7.4). A snapshot has a hash whose rule is not documented: it is the snapshot's name, and what came is hashed here. That the files are those of
// the repository, only skills.sh says.
import * as z from "zod";
import { err, ok } from "../../errors.ts";
import type { HubRef } from "../../schemas/hub/lock.ts";
import { IMPORT } from "../../skills/exchange/import-limits.ts";
import { type HubClientDeps, badReply, openHubClient, readJson } from "./reading/client.ts";
import { type RawFile, checkList, contentOf, toFiles } from "./reading/files.ts";
import { parseIdentifier } from "../finding/identifier.ts";
import { toShownDescription, toShownName } from "./reading/shown.ts";
import type { HubHit, HubSource } from "../source.ts";

const API_BASE = "https://skills.sh";

export interface SkillsShDeps extends HubClientDeps {
  /** Without a trailing slash. `null`: skills.sh. */
  apiBase: string | null;
  maxIndexBytes: number;
}

const Found = z.object({
  id: z.string(),
  name: z.string(),
  source: z.string(),
  installs: z.number().min(0).optional().catch(undefined),
  description: z.string().nullish().catch(null),
});
const SearchReply = z.object({ skills: z.array(z.unknown()) });
const Snapshot = z.object({
  files: z.array(z.object({ path: z.string(), contents: z.string() })),
  hash: z.string().regex(/^[\w:.-]{1,200}$/),
});

/** JSON writes a control character in six bytes. */
const MAX_SNAPSHOT_BYTES = 2 * IMPORT.bytes;

export function createSkillsShSource(deps: SkillsShDeps): HubSource {
  const base = deps.apiBase ?? API_BASE;
  const configured = deps.apiBase !== null;

  async function readSnapshot(ref: HubRef, signal: AbortSignal) {
    const path = ref.identifier.split("/").map(encodeURIComponent).join("/");
    const request = { maxBytes: MAX_SNAPSHOT_BYTES, headers: { accept: "application/json" }, configured };
    const reply = await openHubClient(deps, signal).get(`${base}/api/download/${path}`, request);
    const json = reply.ok ? readJson(reply.value.bytes) : reply;
    if (!json.ok) return json;
    const read = Snapshot.safeParse(json.value);
    if (!read.success) return badReply("is not a snapshot of a skill");
    const { files, hash } = read.data;
    const refused = checkList(files.map(({ path: name }) => ({ path: name })));
    if (refused) return refused;
    if (!files.every(({ contents }) => contents.isWellFormed())) return badReply("contains half of a surrogate pair");
    const utf8 = new TextEncoder();
    const raw = files.map(({ path: name, contents }): RawFile => [name, utf8.encode(contents)]);
    return ok({ files: raw, hash, content: contentOf(raw) });
  }

  return {
    name: "skills-sh",

    async search(query, { limit, signal }) {
      const words = new URLSearchParams({ q: query, limit: String(limit) });
      const request = { maxBytes: deps.maxIndexBytes, headers: { accept: "application/json" }, configured };
      const reply = await openHubClient(deps, signal).get(`${base}/api/search?${words}`, request);
      const json = reply.ok ? readJson(reply.value.bytes) : reply;
      if (!json.ok) return json;
      const read = SearchReply.safeParse(json.value);
      return read.success ? ok(read.data.skills.flatMap(toHits).slice(0, limit)) : badReply("is not a list of skills");
    },

    async look(ref, signal) {
      const snapshot = await readSnapshot(ref, signal);
      if (!snapshot.ok) return snapshot;
      const { hash, content } = snapshot.value;
      return ok({ version: hash, content, moves: true });
    },

    async fetch(ref, signal) {
      const snapshot = await readSnapshot(ref, signal);
      if (!snapshot.ok) return snapshot;
      const { hash, content, files } = snapshot.value;
      if (ref.version !== undefined && ref.version !== hash) {
        return err("hub_not_found", `skills.sh serves the newest snapshot only, which is ${hash}, not ${ref.version}.`);
      }
      const read = toFiles(files);
      if (!read.ok) return read;
      const version = { version: hash, content, moves: true as const };
      const notes = ["skills.sh made this snapshot: it has text files only, and was not compared with the repository."];
      return ok({
        ...version,
        ref: { source: "skills-sh", identifier: ref.identifier },
        folder: ref.identifier.split("/")[2]!,
        files: read.value,
        notes,
      });
    },
  };
}

/** `{"id": "owner/repo/slug", "source": "owner/repo"}`. Hits of sites, whose source is a host, are left out: a site is asked by its address. */
function toHits(raw: unknown): HubHit[] {
  const read = Found.safeParse(raw);
  if (!read.success) return [];
  const { id, name, source, installs, description } = read.data;
  const slug = id.split("/").at(-1)!;
  const ref = parseIdentifier(`skills-sh:${source}/${slug}`);
  if (!ref.ok) return [];
  const hit = { ref: ref.value, name: toShownName(name), description: toShownDescription(description ?? "") };
  return [{ ...hit, ...(installs !== undefined && { installs: Math.floor(installs) }) }];
}
