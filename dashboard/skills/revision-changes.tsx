// What a revision changed, file by file, beside the revision before it.
import { Diff } from "../components/diff.tsx";
import { formatBytes } from "../components/numbers.ts";
import { Failure, Loading } from "../components/states.tsx";
import { ProblemError } from "../data/api.ts";
import { useResource } from "../data/resource.ts";
import { type Files, isText, pathsOf, sizeOf } from "./files.ts";

interface ChangesProps {
  name: string;
  rev: number;
  /** The present revision, whose `against` is shown before it: used for a restore. Default: the revision before. */
  before?: number;
}

export function RevisionChanges({ name, rev, before = rev - 1 }: ChangesProps) {
  const route = "GET /v1/skills/{name}/revisions/{rev}";
  const after = useResource(route, { params: { name, rev } });
  const earlier = useResource(route, before === 0 ? null : { params: { name, rev: before } });
  const error = after.error ?? earlier.error;
  if (error !== undefined) {
    if (isPurged(error)) return <NothingToCompare />;
    return <Failure error={error} retry={() => void Promise.all([after.reload(), earlier.reload()])} />;
  }
  if (after.value === undefined || (before !== 0 && earlier.value === undefined)) return <Loading />;
  return <Changes before={earlier.value?.files ?? {}} after={after.value.files} />;
}

export function NothingToCompare() {
  return <p class="muted">One of the two revisions was purged, so there is nothing to compare.</p>;
}

export function Changes({ before, after }: { before: Files; after: Files }) {
  // A file may be called as a property that every object has.
  const bodyOf = (files: Files, path: string) => (Object.hasOwn(files, path) ? files[path] : undefined);
  const changed = pathsOf({ ...before, ...after })
    .map((path) => ({ path, old: bodyOf(before, path), now: bodyOf(after, path) }))
    .filter(({ old, now }) => !isSame(old, now));
  if (changed.length === 0) return <p class="muted">The files are the same.</p>;
  return (
    <div class="stack">
      {changed.map(({ path, old, now }) => (
        <div key={path} class="changed-file">
          <p class="changed-path mono">
            {path} <span class="muted">{describeChange(old, now)}</span>
          </p>
          {isShown(old) && isShown(now) ? (
            <Diff name={path} before={old ?? null} after={now ?? null} />
          ) : (
            <p class="muted">Not text: {formatBytes(now === undefined ? 0 : sizeOf(now))} now.</p>
          )}
        </div>
      ))}
    </div>
  );
}

function isShown(body: Files[string] | undefined): body is string | undefined {
  return body === undefined || isText(body);
}

function isSame(a: Files[string] | undefined, b: Files[string] | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function describeChange(before: Files[string] | undefined, after: Files[string] | undefined): string {
  if (before === undefined) return "added";
  return after === undefined ? "removed" : "changed";
}

function isPurged(error: unknown): boolean {
  return error instanceof ProblemError && ["revision_purged", "revision_not_found"].includes(error.problem.code);
}
