// Exports a profile into one tar file: appends each part as it comes and remembers it in a log beside the file, so that an export that was
// cut off anywhere goes on where it was. The file gets its name when it is whole. Used by cli/verbs/export.ts.
import { createHash } from "node:crypto";
import { type FileHandle, open, readFile, rename, rm } from "node:fs/promises";
import * as z from "zod";
import type { SealedManifest } from "../../core/schemas/moving/manifest.ts";
import { ProblemError } from "../connection/http.ts";
import type { MovingClient } from "./moving-client.ts";
import { endTar, writeTarEntry } from "./tar-file.ts";
import { MANIFEST_ENTRY, partEntry } from "./tar-header.ts";

/** A session that is in use is read again this often, each time after a pause. */
const MAX_REPEATS = 20;
const REPEAT_MS = 3_000;

const Begun = z.object({ export: z.string(), deployment: z.string() });
/** `end`: where the part ends in the file. */
const Noted = z.object({ from: z.string(), next: z.string(), receipt: z.string(), end: z.int() });
type Noted = z.infer<typeof Noted>;

export interface ExportProgress {
  parts: number;
  bytes: number;
}

interface Work {
  file: FileHandle;
  log: FileHandle;
  begun: z.infer<typeof Begun>;
  noted: Noted[];
}

/** Continues an export that was cut off. Returns the manifest. Throws ProblemError, UnreachableError, and errors of the disk. */
export async function exportProfile(
  client: MovingClient,
  path: string,
  onProgress: (progress: ExportProgress) => void = () => {},
): Promise<SealedManifest> {
  const [filePath, logPath] = [`${path}.partial`, `${path}.partial.log`];
  const work = await openWork(client, filePath, logPath);
  try {
    await readParts(client, work, onProgress);
    const receipts = work.noted.map(({ receipt }) => receipt);
    const sealed = await client.seal(work.begun.export, receipts);
    const end = work.noted.at(-1)?.end ?? 0;
    await endTar(work.file, await writeTarEntry(work.file, end, MANIFEST_ENTRY, toBytes(JSON.stringify(sealed))));
    await work.file.sync();
    await rename(filePath, path);
    await rm(logPath, { force: true });
    return sealed;
  } finally {
    await work.file.close();
    await work.log.close();
  }
}

async function readParts(client: MovingClient, work: Work, onProgress: (progress: ExportProgress) => void) {
  let repeats = 0;
  for (;;) {
    const last = work.noted.at(-1);
    if (last?.next === "") return;
    const from = last?.next ?? "";
    try {
      const { body, receipt, next } = await client.readPart(work.begun.export, from);
      let end = last?.end ?? 0;
      if (body.length > 0) end = await writeTarEntry(work.file, end, partEntry(sha256Of(body)), body);
      await work.file.datasync();
      await note(work, { from, next, receipt, end });
      onProgress({ parts: work.noted.length, bytes: end });
    } catch (error) {
      const isChanging = error instanceof ProblemError && error.problem.code === "session_changing";
      if (!isChanging || ++repeats > MAX_REPEATS) throw error;
      await goBack(work);
      await new Promise((resolve) => setTimeout(resolve, REPEAT_MS));
    }
  }
}

/** To the last part in which no session was left open: from there on the session is read again. */
async function goBack(work: Work): Promise<void> {
  while (work.noted.length > 0 && hasOpenSession(work.noted.at(-1)!.next)) work.noted.pop();
  await rewriteLog(work);
}

/** The place of a part says which session is half read. */
function hasOpenSession(place: string): boolean {
  try {
    const parsed = JSON.parse(Buffer.from(place, "base64url").toString()) as { open?: unknown };
    return parsed.open != null;
  } catch {
    return false; // the end
  }
}

async function openWork(client: MovingClient, filePath: string, logPath: string): Promise<Work> {
  const kept = await readLog(logPath);
  const file = await open(filePath, kept ? "r+" : "w+").catch(() => null);
  if (kept && file) {
    const work = { ...kept, file, log: await open(logPath, "a") };
    await rewriteLog(work);
    return work;
  }
  const begun = await client.beginExport();
  const work = { file: file ?? (await open(filePath, "w+")), log: await open(logPath, "a"), begun, noted: [] };
  await rewriteLog(work);
  return work;
}

/** `null`: no export was begun. Ignores a line that was cut off. */
async function readLog(path: string): Promise<Pick<Work, "begun" | "noted"> | null> {
  const text = await readFile(path, "utf8").catch(() => "");
  const lines = text.split("\n").slice(0, -1).map(parse);
  const begun = Begun.safeParse(lines[0]).data;
  if (!begun) return null;
  const noted: Noted[] = [];
  for (const line of lines.slice(1)) {
    const part = Noted.safeParse(line).data;
    if (!part || part.from !== (noted.at(-1)?.next ?? "")) break;
    noted.push(part);
  }
  return { begun, noted };
}

async function note(work: Work, part: Noted): Promise<void> {
  work.noted.push(part);
  await work.log.appendFile(`${JSON.stringify(part)}\n`);
  await work.log.datasync();
}

async function rewriteLog({ log, begun, noted }: Work): Promise<void> {
  const text = [begun, ...noted].map((line) => `${JSON.stringify(line)}\n`).join("");
  await log.truncate(0);
  await log.appendFile(text);
  await log.datasync();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // cut off
  }
}

const toBytes = (text: string) => new TextEncoder().encode(text);
const sha256Of = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
