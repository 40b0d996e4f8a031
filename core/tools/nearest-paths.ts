// Which existing paths someone probably meant who named one that does not exist. Used by the file tools. Pure.

const MAX_NAMED = 5;

/** The likeliest first, at most five; empty when nothing resembles it. */
function nearestPaths(wanted: string, paths: string[]): string[] {
  const pairs = pairsOf(wanted);
  const scored = paths
    .map((path) => ({ path, score: scorePath(wanted, pairs, path) }))
    .filter(({ score }) => score > 0.3);
  return scored
    .sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1))
    .slice(0, MAX_NAMED)
    .map(({ path }) => path);
}

/** The sentence for a path that is not there. */
export function describeMissing(wanted: string, paths: string[]): string {
  if (paths.length === 0) return `There is no '${wanted}': the workspace has no files yet.`;
  const near = nearestPaths(wanted, paths);
  if (near.length > 0) return `There is no '${wanted}'. Did you mean ${near.map((path) => `'${path}'`).join(", ")}?`;
  const some = paths.slice(0, MAX_NAMED).map((path) => `'${path}'`);
  return `There is no '${wanted}'. The workspace holds ${some.join(", ")}${paths.length > some.length ? " and more" : ""}.`;
}

function scorePath(wanted: string, pairs: Set<string>, path: string): number {
  const sameName = nameOf(path).toLowerCase() === nameOf(wanted).toLowerCase();
  const other = pairsOf(path);
  let shared = 0;
  for (const pair of pairs) if (other.has(pair)) shared++;
  const dice = (2 * shared) / Math.max(1, pairs.size + other.size);
  return sameName ? 1 + dice : dice;
}

function pairsOf(path: string): Set<string> {
  const text = path.toLowerCase();
  const pairs = new Set<string>();
  for (let i = 0; i + 1 < text.length; i++) pairs.add(text.slice(i, i + 2));
  return pairs;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
