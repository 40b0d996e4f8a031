// The checkpoints of a session's workspace, as the API and the command /rollback use them. The model learns of a restore by a note.
import { type Result, err, ok } from "../../errors.ts";
import type { Checkpoint, CheckpointDetail, RestoredCheckpoint } from "../../schemas/api.ts";
import { type FileBody, toFileBody } from "../../schemas/file-body.ts";
import { diffFiles } from "../../skills/history.ts";
import type { PathChange, RestoreOptions, Restored, StoredVersion } from "../../workspace/checkpoints/checkpoints.ts";
import { concatBytes } from "../../workspace/encoding.ts";
import type { EngineContext } from "../context.ts";
import { addRestoreNews } from "../prompt/notes.ts";

const MAX_CHANGES = 1_000;
/** Of one version of a file whose difference is shown. */
const MAX_DIFF_BYTES = 1 << 20;

type Parts = Pick<EngineContext, "log" | "workspace">;

/** Newest first. */
export function listCheckpoints({ workspace }: Parts): Checkpoint[] {
  return workspace.checkpoints.list().reverse();
}

/** `path`: also shows the difference of that file. Failures: `checkpoint_not_found`, `bad_path`, `file_not_found`. */
export function openCheckpoint({ workspace }: Parts, n: number, path?: string): Result<CheckpointDetail> {
  const changed = workspace.checkpoints.changesSince(n);
  if (!changed.ok) return changed;
  const info = workspace.checkpoints.list().find((checkpoint) => checkpoint.n === n)!;
  const detail = { ...info, ...limit(changed.value) };
  if (path === undefined) return ok(detail);
  const located = workspace.locate(path);
  if (!located.ok) return located;
  const { before, now } = workspace.checkpoints.versions(n, `/${located.value}`);
  if (before || now) return ok({ ...detail, diff: diffVersions(located.value, before, now) });
  const isFolderOrLink = workspace.isTaken(path) || changed.value.some((one) => one.path === located.value);
  if (isFolderOrLink) return ok({ ...detail, diff: null });
  return err("file_not_found", `There is no file '${located.value}' in checkpoint ${n}, and none now.`);
}

/** Failures: `checkpoint_not_found`, `session_busy`, `idempotency_conflict`. */
export function restoreCheckpoint({ log, workspace }: Parts, n: number, key?: string): Result<RestoredCheckpoint> {
  const restored = restore({ log, workspace }, n, { alone: { key, isBusy: log.openTurns().length > 0 } });
  return restored.ok ? ok(toRestored(restored.value)) : restored;
}

/** `alone`: the restore is not part of a turn. `isTold`: the model reads of it. */
export function restore(
  { log, workspace }: Parts,
  n: number,
  { alone, isTold = true }: Pick<RestoreOptions, "alone"> & { isTold?: boolean } = {},
): Result<Restored> {
  if (!isTold) return workspace.checkpoints.restore(n, { ...(alone && { alone }) });
  return workspace.checkpoints.restore(n, {
    ...(alone && { alone }),
    also: ({ undo, turn, kind, changes }) => addRestoreNews(log, undo, { turn, kind, paths: changes.length }),
  });
}

function toRestored({ n, undo, changes }: Restored): RestoredCheckpoint {
  return { restored: n, undo, ...limit(changes) };
}

function limit(changes: PathChange[]): { changes: PathChange[]; more?: number } {
  const more = changes.length - MAX_CHANGES;
  return { changes: changes.slice(0, MAX_CHANGES), ...(more > 0 && { more }) };
}

function diffVersions(path: string, before: StoredVersion | null, now: StoredVersion | null): string | null {
  if ([before, now].some((version) => version !== null && version.size > MAX_DIFF_BYTES)) return null;
  const [old, present] = [toBody(before), toBody(now)];
  if ([old, present].some((body) => body !== undefined && typeof body !== "string")) return null;
  const pick = (body: FileBody | undefined) => (body === undefined ? {} : { [path]: body });
  return diffFiles(pick(old), pick(present))[0]?.diff ?? "";
}

function toBody(version: StoredVersion | null): FileBody | undefined {
  return version ? toFileBody(concatBytes([...version.parts()])) : undefined;
}
