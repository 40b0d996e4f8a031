// A package as it would be stored: read by the rules of imports, named and hashed. Pure.
import { type Result, ok } from "../../errors.ts";
import type { FileBodies } from "../../schemas/file-body.ts";
import type { HubRef } from "../../schemas/hub/lock.ts";
import type { Sha256, SkillName } from "../../schemas/ids.ts";
import type { Provenance } from "../../schemas/skill.ts";
import { REQUESTS_FILE, withoutRequests } from "../../schemas/skill-requests.ts";
import { readFolder } from "../../skills/exchange/import.ts";
import { hashPackage } from "./package-hash.ts";
import type { HubPackage } from "../source.ts";

export interface HubCandidate {
  /** Without a version. */
  ref: HubRef;
  version: string;
  commit?: string;
  content?: string;
  /** The branch that was asked for. */
  follows?: string;
  /** As `HubVersion.offBranch`. */
  offBranch?: true;
  name: SkillName;
  /** One line, as listings show it. */
  description: string;
  category: string;
  files: FileBodies;
  hash: Sha256;
  hashes: Record<string, Sha256>;
  warnings: string[];
  notes: string[];
}

/** What a source returned, as the quarantine keeps it. */
export type FetchedPackage = Omit<HubPackage, "moves"> & { follows?: string | undefined };

/** `asked`: the ref as a person named it. */
export function toFetched({ moves, ...fetched }: HubPackage, asked: HubRef): FetchedPackage {
  return { ...fetched, ...(moves && asked.version !== undefined && { follows: asked.version }) };
}

/** `name`: instead of the one in its text. Failures: those of `readFolder`. */
export function toCandidate(fetched: FetchedPackage, name?: SkillName): Result<HubCandidate> {
  const { folder, version, commit, content, follows, offBranch } = fetched;
  const read = readFolder(fetched.files, { folder, ...(name !== undefined && { name }) });
  if (!read.ok) return read;
  const { warnings: corrections, ...skill } = read.value;
  const files = withoutRequests(skill.files);
  // Requests say what a skill is found by. They are written here, from what people ask here.
  const isSuggested = Object.hasOwn(skill.files, REQUESTS_FILE);
  const { hash, files: hashes } = hashPackage(files);
  return ok({
    ...skill,
    ref: toBareRef(fetched.ref),
    version,
    ...(commit !== undefined && { commit }),
    ...(content !== undefined && { content }),
    ...(follows !== undefined && { follows }),
    ...(offBranch && { offBranch }),
    ...{ files, hash, hashes },
    warnings: isSuggested ? [...corrections, `${REQUESTS_FILE} was left out.`] : corrections,
    notes: fetched.notes,
  });
}

export function toBareRef({ source, identifier }: Pick<HubRef, "source" | "identifier">): HubRef {
  return { source, identifier };
}

export function toProvenance({ ref, version, commit, hash }: HubCandidate): Provenance {
  return { ...toBareRef(ref), version, ...(commit !== undefined && { commit }), hash };
}

/** Whether the skill with this provenance came from there. */
export function isFrom(from: Provenance | undefined, ref: Pick<HubRef, "source" | "identifier">): boolean {
  return from !== undefined && from.source === ref.source && from.identifier === ref.identifier;
}
