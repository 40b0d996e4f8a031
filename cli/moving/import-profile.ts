// Imports a profile from a tar file: the manifest, the parts that the server lacks, then step by step until everything is written. The
// server knows what it has, so an import that was cut off goes on when it is begun again. Used by cli/verbs/import.ts.
import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { type CommitPlace, type ImportReport, SealedManifest } from "../../core/schemas/moving/manifest.ts";
import { ProblemError } from "../connection/http.ts";
import type { MovingClient } from "./moving-client.ts";
import { type TarEntry, listTarEntries, readTarEntry } from "./tar-file.ts";
import { MANIFEST_ENTRY, TarError, partEntry } from "./tar-header.ts";

/** [own] 20,000 parts of 150 bytes, as JSON in JSON. */
const MAX_MANIFEST_BYTES = 8 << 20;
const MAX_PART_BYTES = 16 << 20;

export interface ImportProgress {
  stage: "upload" | "write";
  done: number;
  of: number;
}

export interface Imported {
  trusted: boolean;
  report: ImportReport | undefined;
  /** What was left out of an archive that is not trusted. */
  skipped: string[];
}

/** A refused archive leaves nothing on the server. Throws TarError, ProblemError, UnreachableError, and errors of the disk. */
export async function importProfile(
  client: MovingClient,
  path: string,
  onProgress: (progress: ImportProgress) => void = () => {},
): Promise<Imported> {
  const file = await open(path, "r");
  try {
    const entries = new Map((await listTarEntries(file)).map((entry) => [entry.name, entry]));
    const begun = await client.beginImport(await readManifest(file, entries.get(MANIFEST_ENTRY)));
    const { missing, trusted } = begun;
    for (const [at, sha256] of missing.entries()) {
      onProgress({ stage: "upload", done: at, of: missing.length });
      await upload(client, file, { sha256, entry: entries.get(partEntry(sha256)) });
    }
    const skipped: string[] = [];
    for (let from: CommitPlace | undefined; ;) {
      const step = await client.commit(from);
      skipped.push(...step.skipped);
      if (!step.next) return { trusted, report: step.report, skipped };
      onProgress({ stage: "write", done: step.next.step, of: step.steps });
      from = step.next;
    }
  } finally {
    await file.close();
  }
}

async function readManifest(file: FileHandle, entry: TarEntry | undefined): Promise<SealedManifest> {
  if (!entry || entry.bytes > MAX_MANIFEST_BYTES)
    throw new TarError("The file has no manifest: it is not an exported profile.");
  const text = new TextDecoder().decode(await readTarEntry(file, entry));
  try {
    return SealedManifest.parse(JSON.parse(text));
  } catch {
    throw new TarError("The manifest of the archive does not parse. Export the profile again.");
  }
}

/** A part that is missing or damaged ends the import, and what was uploaded is discarded. */
async function upload(
  client: MovingClient,
  file: FileHandle,
  { sha256, entry }: { sha256: string; entry: TarEntry | undefined },
): Promise<void> {
  const body = entry && entry.bytes <= MAX_PART_BYTES ? await readTarEntry(file, entry) : null;
  if (!body || createHash("sha256").update(body).digest("hex") !== sha256) {
    await client.discard();
    throw new TarError("A part of the archive is missing or damaged. Nothing was imported: export the profile again.");
  }
  try {
    await client.putPart(sha256, body);
  } catch (error) {
    if (error instanceof ProblemError && error.problem.code === "part_damaged") await client.discard();
    throw error;
  }
}
