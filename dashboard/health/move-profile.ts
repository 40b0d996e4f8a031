// Exports the whole profile into a tar file that the browser saves, and imports one, part by part. The file is the one that
// `talaria export` writes. Used by the page Health.
import { type Answer, ProblemError, call, sendBytes } from "../data/api.ts";
import { fillRoute } from "../../cli/connection/routes.ts";
import {
  BLOCK,
  MANIFEST_ENTRY,
  MAX_ENTRIES,
  TarError,
  partEntry,
  readTarHeader,
  toTarHeader,
} from "../../cli/moving/tar-header.ts";

type Sealed = Answer<"POST /v1/export/{export}/manifest">;

/** A session that is in use is read again this often, each time after a pause. */
const MAX_REPEATS = 20;
const REPEAT_MS = 3_000;

interface Part {
  receipt: string;
  /** Where the next part begins; `""`: it was the last one. */
  next: string;
  /** `null`: it is empty. */
  body: Blob | null;
}

/** `onProgress` gets the bytes so far. Throws ProblemError, UnreachableError. */
export async function exportProfile(onProgress: (bytes: number) => void): Promise<Blob> {
  const { export: id } = await call("POST /v1/export");
  const parts: Part[] = [];
  for (let repeats = 0; parts.at(-1)?.next !== "";) {
    try {
      parts.push(await readPart(id, parts.at(-1)?.next));
      onProgress(parts.reduce((sum, { body }) => sum + (body?.size ?? 0), 0));
    } catch (error) {
      const isChanging = error instanceof ProblemError && error.problem.code === "session_changing";
      if (!isChanging || ++repeats > MAX_REPEATS) throw error;
      // Back to the last part in which no session was left open: from there on the session is read again.
      while (parts.length > 0 && hasOpenSession(parts.at(-1)!.next)) parts.pop();
      await new Promise((resolve) => setTimeout(resolve, REPEAT_MS));
    }
  }
  const receipts = parts.map(({ receipt }) => receipt);
  const sealed = await call("POST /v1/export/{export}/manifest", { params: { export: id }, body: { receipts } });
  return packArchive(
    parts.flatMap(({ receipt, body }) => (body ? [{ name: partEntry(readReceipt(receipt)), body }] : [])),
    sealed,
  );
}

async function readPart(id: string, from: string | undefined): Promise<Part> {
  const [, path] = fillRoute("GET /v1/export/{export}/part", { params: { export: id }, query: { from } });
  const response = await sendBytes("GET", path);
  const body = await response.blob();
  return {
    receipt: response.headers.get("talaria-receipt") ?? "",
    next: response.headers.get("talaria-next") ?? "",
    body: body.size > 0 ? body : null,
  };
}

/** The SHA-256 of the part. A receipt is Base64 of its JSON, a dot, and a signature. */
function readReceipt(receipt: string): string {
  return (JSON.parse(fromBase64(receipt.split(".")[0]!)) as { sha256: string }).sha256;
}

/** The place of a part says which session is half read. */
function hasOpenSession(place: string): boolean {
  try {
    return (JSON.parse(fromBase64(place)) as { open?: unknown }).open != null;
  } catch {
    return false; // the end
  }
}

/** Base64 or base64url. */
function fromBase64(text: string): string {
  return atob(text.replaceAll("-", "+").replaceAll("_", "/"));
}

/** The parts and the manifest as one tar file. */
export function packArchive(entries: { name: string; body: Blob }[], sealed: Sealed): Blob {
  const manifest = { name: MANIFEST_ENTRY, body: new Blob([JSON.stringify(sealed)]) };
  const pieces = [...entries, manifest].flatMap(({ name, body }): BlobPart[] => [
    toTarHeader(name, body.size) as Uint8Array<ArrayBuffer>,
    body,
    new Uint8Array(padding(body.size)),
  ]);
  return new Blob([...pieces, new Uint8Array(2 * BLOCK)], { type: "application/x-tar" });
}

/** The entries of a tar file by their names. Reads headers only. Throws a TarError. */
export async function openArchive(file: Blob): Promise<Map<string, Blob>> {
  const entries = new Map<string, Blob>();
  for (let at = 0; at + BLOCK <= file.size;) {
    const header = new Uint8Array(await file.slice(at, at + BLOCK).arrayBuffer());
    if (header.every((byte) => byte === 0)) return entries;
    const { name, bytes } = readTarHeader(header);
    const from = at + BLOCK;
    if (from + bytes > file.size) throw new TarError("The archive is cut off: export the profile again.");
    if (entries.size >= MAX_ENTRIES)
      throw new TarError("The archive has too many entries: it is not an exported profile.");
    entries.set(name, file.slice(from, from + bytes));
    at = from + bytes + padding(bytes);
  }
  throw new TarError("The archive has no end: it is cut off, or not a tar. Export the profile again.");
}

function padding(bytes: number): number {
  return Math.ceil(bytes / BLOCK) * BLOCK - bytes;
}

export interface Imported {
  /** An archive of a deployment that is not trusted arrives as content: skills on trial, without evidence. */
  trusted: boolean;
  sessions: number;
  skills: number;
  facts: number;
  /** What was left out. */
  skipped: string[];
}

/** Throws TarError, ProblemError, UnreachableError. Begun again, it goes on where it was cut off. */
export async function importProfile(file: Blob, onProgress: (text: string) => void): Promise<Imported> {
  const entries = await openArchive(file);
  const { missing, trusted } = await call("POST /v1/import", { body: await readManifest(entries.get(MANIFEST_ENTRY)) });
  for (const [at, sha256] of missing.entries()) {
    onProgress(`Uploading part ${at + 1} of ${missing.length}`);
    const body = entries.get(partEntry(sha256));
    const [, path] = fillRoute("PUT /v1/import/parts/{part}", { params: { part: sha256 } });
    try {
      if (!body)
        throw new TarError("A part of the archive is missing. Nothing was imported: export the profile again.");
      await sendBytes("PUT", path, body);
    } catch (error) {
      if (isDamage(error)) await call("DELETE /v1/import");
      throw error;
    }
  }
  const skipped: string[] = [];
  for (let from: Answer<"POST /v1/import/commit">["next"]; ;) {
    const step = await call("POST /v1/import/commit", { body: { ...(from && { from }) } });
    skipped.push(...step.skipped);
    if (!step.next) return { trusted, skipped, ...(step.report ?? { sessions: 0, skills: 0, facts: 0 }) };
    onProgress(`Writing, step ${step.next.step} of ${step.steps}`);
    from = step.next;
  }
}

/** The archive cannot be imported, however often it is tried: what was uploaded is discarded. */
function isDamage(error: unknown): boolean {
  return error instanceof TarError || (error instanceof ProblemError && error.problem.code === "part_damaged");
}

async function readManifest(entry: Blob | undefined): Promise<Sealed> {
  if (!entry) throw new TarError("The file has no manifest: it is not an exported profile.");
  try {
    return JSON.parse(await entry.text()) as Sealed;
  } catch {
    throw new TarError("The manifest of the archive does not parse. Export the profile again.");
  }
}
