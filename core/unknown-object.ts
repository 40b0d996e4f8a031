// Reads values whose shape is unknown: parsed JSON or YAML, a provider's reply, a thrown value. Pure.

export type UnknownObject = Record<string, unknown>;

/** An object that is neither null nor an array. */
export function isObject(value: unknown): value is UnknownObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object, or an empty one for every other value. */
export function toObject(value: unknown): UnknownObject {
  return isObject(value) ? value : {};
}

/** The items of a list, or of a text split at `separator`; empty for every other value. */
export function toItems(value: unknown, separator: RegExp): unknown[] {
  if (typeof value === "string") return value.split(separator);
  return Array.isArray(value) ? value : [];
}
