// Packs a workspace as a zip, piece by piece, so that neither the files nor the archive are ever whole in memory. Called by the
// session's engine. Folders, links, modes and times are kept; times lose their milliseconds.
import { Zip, ZipDeflate, ZipPassThrough } from "fflate";
import type { FileNode } from "../file-node.ts";
import { joinPath } from "../workspace-path.ts";

/** All nodes at one moment, and how to read their contents afterwards. */
export interface WorkspaceSnapshot {
  nodes: FileNode[];
  /** Throws when the content is gone, because the file has changed since. */
  read(content: string | null): Generator<Uint8Array>;
}

/** The reader decides the pace. Cancelling ends it. */
export function createZipStream(snapshot: WorkspaceSnapshot): ReadableStream<Uint8Array> {
  const chunks = packNodes(snapshot);
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        let next = chunks.next();
        while (!next.done && next.value.length === 0) next = chunks.next();
        if (next.done) controller.close();
        else controller.enqueue(next.value);
      },
      cancel() {
        chunks.return(undefined);
      },
    },
    // Nothing is packed before it is read.
    { highWaterMark: 0 },
  );
}

const LEVEL = 6;
const KINDS: Record<FileNode["kind"], number> = { file: 0o100000, folder: 0o040000, link: 0o120000 };
const UNIX = 3;
/** Info-ZIP's field for seconds since 1970: the format's own date has steps of two seconds and no time zone. */
const EXTENDED_TIME = 0x5455;
/** What the format's own date can show. */
const [FIRST_DATE, LAST_DATE] = [Date.UTC(1980, 0, 2), Date.UTC(2099, 11, 30)];

function* packNodes({ nodes, read }: WorkspaceSnapshot): Generator<Uint8Array, undefined> {
  let packed: Uint8Array[] = [];
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    packed.push(chunk);
  });
  const take = () => {
    const taken = packed;
    packed = [];
    return taken;
  };
  for (const node of nodes) {
    const name = joinPath(node.parent, node.name).slice(1) + (node.kind === "folder" ? "/" : "");
    const entry = node.kind === "file" ? new ZipDeflate(name, { level: LEVEL }) : new ZipPassThrough(name);
    entry.os = UNIX;
    entry.attrs = ((KINDS[node.kind] | (node.mode & 0o777)) << 16) >>> 0;
    entry.mtime = Math.min(Math.max(node.mtime, FIRST_DATE), LAST_DATE);
    entry.extra = { [EXTENDED_TIME]: toExtendedTime(node.mtime) };
    zip.add(entry);
    const pieces = node.kind === "link" ? [new TextEncoder().encode(node.target ?? "")] : read(node.content);
    for (const piece of pieces) {
      // The library may keep a reference to what it is given.
      entry.push(piece.slice());
      yield* take();
    }
    entry.push(new Uint8Array(0), true);
    yield* take();
  }
  zip.end();
  yield* take();
}

function toExtendedTime(mtime: number): Uint8Array {
  const field = new Uint8Array(5);
  const seconds = Math.min(Math.max(Math.floor(mtime / 1_000), -(2 ** 31)), 2 ** 31 - 1);
  field[0] = 1;
  new DataView(field.buffer).setInt32(1, seconds, true);
  return field;
}
