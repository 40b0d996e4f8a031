// Suggests existing paths for one that does not exist. Used by the file tools. Pure.

const MAX_NAMED = 5;

/** Longer than any path of a workspace. Only the end of a longer text is compared, and only its beginning is shown. */
const MAX_WANTED_CHARS = 1_024;
const MAX_SHOWN_CHARS = 200;

/** The most similar paths first, at most five; empty when none is similar. */
function nearestPaths(wanted: string, paths: string[]): string[] {
  const text = wanted.slice(-MAX_WANTED_CHARS).toLowerCase();
  const [name, pairs] = [fileName(text), letterPairs(text)];
  const scored = paths
    .map((path) => ({ path, score: scorePath(name, pairs, path.toLowerCase()) }))
    .filter(({ score }) => score > 0.3);
  return scored
    .sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1))
    .slice(0, MAX_NAMED)
    .map(({ path }) => path);
}

/** The error sentence for a path that does not exist. */
export function describeMissing(wanted: string, paths: string[]): string {
  const shown = wanted.length > MAX_SHOWN_CHARS ? `${wanted.slice(0, MAX_SHOWN_CHARS)}…`.toWellFormed() : wanted;
  if (paths.length === 0) return `There is no '${shown}': the workspace has no files yet.`;
  const near = nearestPaths(wanted, paths);
  if (near.length > 0) return `There is no '${shown}'. Did you mean ${near.map((path) => `'${path}'`).join(", ")}?`;
  const some = paths.slice(0, MAX_NAMED).map((path) => `'${path}'`);
  return `There is no '${shown}'. The workspace holds ${some.join(", ")}${paths.length > some.length ? " and more" : ""}.`;
}

/** All arguments must be in lower case. */
function scorePath(name: string, pairs: Set<string>, path: string): number {
  const other = letterPairs(path);
  let shared = 0;
  for (const pair of other) if (pairs.has(pair)) shared++;
  const dice = (2 * shared) / Math.max(1, pairs.size + other.size);
  return fileName(path) === name ? 1 + dice : dice;
}

function letterPairs(text: string): Set<string> {
  const pairs = new Set<string>();
  for (let i = 0; i + 1 < text.length; i++) pairs.add(text.slice(i, i + 2));
  return pairs;
}

function fileName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
