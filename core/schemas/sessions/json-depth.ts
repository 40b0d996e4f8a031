// How deep a JSON value is nested, for schemas that others send. Bounded by the depth it looks for. Pure.

/** Whether objects and lists are nested in more than `depth` levels below `value`. */
export function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth === 0 || Object.values(value).some((inner) => isDeeper(inner, depth - 1));
}
