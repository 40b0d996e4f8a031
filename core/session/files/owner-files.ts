// The owner's side of the workspace: files, checkpoints, and the whole as a zip. A part of the engine. A session that was never
// created answers `session_not_found`.
import { type Result, err, ok } from "../../errors.ts";
import type {
  Checkpoint,
  CheckpointDetail,
  FileInfo,
  ImportedWorkspace,
  RestoredCheckpoint,
} from "../../schemas/api.ts";
import type { ImageType } from "../../schemas/media/image.ts";
import { concatBytes } from "../../workspace/encoding.ts";
import { createZipStream } from "../../workspace/exchange/export-zip.ts";
import { type Engine, UNKNOWN_SESSION, wake } from "../open-engine.ts";
import { listCheckpoints, openCheckpoint, restoreCheckpoint } from "./checkpoints.ts";

export function createOwnerFiles(engine: Engine) {
  const { context } = engine;
  const { workspace, images } = context;
  const missing = (path: string) => err("file_not_found", `There is no file '${path}' in this session's workspace.`);
  return {
    /** Failures: `bad_path`, `file_too_large`, `workspace_full`. */
    putFile: (path: string, body: Uint8Array): Result<{ path: string; size: number }> =>
      wake(engine) ? workspace.putAsPrincipal(path, body) : UNKNOWN_SESSION,
    /** Failures: `file_not_found`. */
    getFile(path: string): Result<Uint8Array> {
      if (!wake(engine)) return UNKNOWN_SESSION;
      const body = workspace.read(path);
      return body ? ok(body) : missing(path);
    },
    /** Failures: `file_not_found`. */
    deleteFile(path: string): Result<null> {
      if (!wake(engine)) return UNKNOWN_SESSION;
      return workspace.remove(path) ? ok(null) : missing(path);
    },
    /** An image of a message, as it was sent. Failures: `image_not_found`. */
    getImage(sha256: string): Result<{ type: ImageType; bytes: Uint8Array }> {
      if (!wake(engine)) return UNKNOWN_SESSION;
      const found = images.find(sha256);
      if (!found) return err("image_not_found", "No message of this session has this image.");
      return ok({ type: found.type, bytes: concatBytes([...images.parts(sha256)]) });
    },
    listFiles: (): Result<FileInfo[]> => (wake(engine) ? ok(workspace.list()) : UNKNOWN_SESSION),

    /** Newest first. */
    listCheckpoints: (): Result<Checkpoint[]> => (wake(engine) ? ok(listCheckpoints(context)) : UNKNOWN_SESSION),
    /** Failures: `checkpoint_not_found`, `bad_path`. */
    openCheckpoint: (n: number, path?: string): Result<CheckpointDetail> =>
      wake(engine) ? openCheckpoint(context, n, path) : UNKNOWN_SESSION,
    /** Idempotent by `key`. Failures: `checkpoint_not_found`, `session_busy`, `idempotency_conflict`. */
    restoreCheckpoint: (n: number, key?: string): Result<RestoredCheckpoint> =>
      wake(engine) ? restoreCheckpoint(context, n, key) : UNKNOWN_SESSION,
    /** Deletes all checkpoints, with the contents that only they hold. */
    deleteCheckpoints: (): Result<{ deleted: number }> =>
      wake(engine) ? ok({ deleted: workspace.checkpoints.deleteAll() }) : UNKNOWN_SESSION,

    /** The workspace as a zip. The stream fails when a file changes so that its old content is gone. */
    exportWorkspace: (): Result<ReadableStream<Uint8Array>> =>
      wake(engine) ? ok(createZipStream(workspace.snapshot())) : UNKNOWN_SESSION,
    /**
     * Unpacks a zip into the workspace as the owner's writing, all or nothing. `replace`: what was there before is removed.
     * Failures: `bad_archive`, `archive_too_large`, `too_many_files`, `bad_path`, `file_too_large`, `workspace_full`.
     */
    importWorkspace: (zip: Uint8Array, replace: boolean): Result<ImportedWorkspace> =>
      wake(engine) ? workspace.importZip(zip, replace) : UNKNOWN_SESSION,
  };
}
