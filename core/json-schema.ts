// Checks a JSON value against a JSON Schema that others wrote: the form of an answer, the arguments of a client's tool. Pure. Work is
// bounded, and a schema that cannot be checked to the end counts as met: the harness must not refuse what its author would accept.
import { isObject } from "./unknown-object.ts";

/** Visited pairs of a value and a schema. A schema with many alternatives that refer to each other could take forever. */
const MAX_VISITS = 50_000;
const MAX_PROBLEMS = 5;
const MAX_DEPTH = 200;

interface Check {
  root: unknown;
  visits: number;
}

/**
 * What does not fit, each as `path: what is wrong`, at most five. Not checked, because they take regular expressions or registries
 * of their author: `pattern`, `patternProperties`, `format`, references to other documents.
 */
export function findProblems(value: unknown, schema: unknown): string[] {
  const check: Check = { root: schema, visits: 0 };
  const problems = inspect(check, value, schema, "", 0);
  return check.visits > MAX_VISITS ? [] : problems.slice(0, MAX_PROBLEMS);
}

function inspect(check: Check, value: unknown, schema: unknown, path: string, depth: number): string[] {
  if (schema === false) return [say(path, "is not allowed")];
  if (++check.visits > MAX_VISITS || depth > MAX_DEPTH || !isObject(schema)) return [];
  const { $ref: ref, type } = schema;
  if (value === null && schema.nullable === true) return [];
  const wanted = (Array.isArray(type) ? type : [type]).filter((one) => typeof one === "string");
  if (wanted.length > 0 && !wanted.some((one) => isOfType(value, one))) {
    return [say(path, `must be ${wanted.join(" or ")}`)];
  }
  const at = { check, path, depth: depth + 1 };
  return [
    ...(typeof ref === "string" ? inspect(check, value, resolve(check.root, ref), path, depth + 1) : []),
    ...inspectValue(value, schema, path),
    ...inspectAlternatives(at, value, schema),
    ...(Array.isArray(value) ? inspectItems(at, value, schema) : []),
    ...(isObject(value) ? inspectFields(at, value, schema) : []),
  ];
}

type At = { check: Check; path: string; depth: number };

function inspectValue(value: unknown, schema: Record<string, unknown>, path: string): string[] {
  const problems: string[] = [];
  const { enum: allowed } = schema;
  if (Array.isArray(allowed) && !allowed.some((one) => isSame(one, value))) {
    problems.push(say(path, `must be one of ${JSON.stringify(allowed).slice(0, 300)}`));
  }
  if ("const" in schema && !isSame(schema.const, value)) {
    problems.push(say(path, `must be ${JSON.stringify(schema.const).slice(0, 300)}`));
  }
  const limit = (name: string, measured: number, isOver: (limit: number) => boolean, words: string) => {
    const most = schema[name];
    if (typeof most === "number" && isOver(most)) problems.push(say(path, `${words} ${most}, and has ${measured}`));
  };
  if (typeof value === "number") {
    limit("minimum", value, (least) => value < least, "must be at least");
    limit("maximum", value, (most) => value > most, "must be at most");
    limit("exclusiveMinimum", value, (least) => value <= least, "must be more than");
    limit("exclusiveMaximum", value, (most) => value >= most, "must be less than");
  }
  if (typeof value === "string") {
    const chars = [...value].length;
    limit("minLength", chars, (least) => chars < least, "must have a length of at least");
    limit("maxLength", chars, (most) => chars > most, "must have a length of at most");
  }
  const size = Array.isArray(value) ? value.length : isObject(value) ? Object.keys(value).length : null;
  if (size !== null) {
    const [least, most] = Array.isArray(value) ? ["minItems", "maxItems"] : ["minProperties", "maxProperties"];
    limit(least!, size, (limit) => size < limit, "must have a size of at least");
    limit(most!, size, (limit) => size > limit, "must have a size of at most");
  }
  return problems;
}

function inspectAlternatives({ check, path, depth }: At, value: unknown, schema: Record<string, unknown>): string[] {
  const { allOf, anyOf, oneOf, not } = schema;
  const fits = (one: unknown) => inspect(check, value, one, path, depth).length === 0;
  const problems = Array.isArray(allOf) ? allOf.flatMap((one) => inspect(check, value, one, path, depth)) : [];
  if (Array.isArray(anyOf) && !anyOf.some(fits)) problems.push(...explain(check, value, anyOf, path, depth));
  if (Array.isArray(oneOf)) {
    const met = oneOf.filter(fits).length;
    if (met === 0) problems.push(...explain(check, value, oneOf, path, depth));
    else if (met > 1) problems.push(say(path, "fits more than one of the alternatives"));
  }
  if (not !== undefined && isObject(not) && fits(not)) problems.push(say(path, "has a form that is excluded"));
  return problems;
}

/** With one alternative, what is wrong with it. */
function explain(check: Check, value: unknown, all: unknown[], path: string, depth: number): string[] {
  return all.length === 1
    ? inspect(check, value, all[0], path, depth)
    : [say(path, "fits none of the alternatives that the schema allows")];
}

function inspectItems({ check, path, depth }: At, value: unknown[], schema: Record<string, unknown>): string[] {
  const { items, prefixItems, additionalItems } = schema;
  // Drafts before 2020 put the first items' schemas into `items`.
  const first = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
  const rest = Array.isArray(items) ? additionalItems : items;
  const problems = value.flatMap((item, n) =>
    inspect(check, item, n < first.length ? first[n] : (rest ?? true), `${path}[${n}]`, depth),
  );
  const isRepeated = schema.uniqueItems === true && new Set(value.map(toKey)).size < value.length;
  return isRepeated ? [...problems, say(path, "has the same item twice")] : problems;
}

function inspectFields(
  { check, path, depth }: At,
  value: Record<string, unknown>,
  schema: Record<string, unknown>,
): string[] {
  const { required, additionalProperties, patternProperties } = schema;
  const properties = isObject(schema.properties) ? schema.properties : {};
  const missing = (Array.isArray(required) ? required : []).filter(
    (name): name is string => typeof name === "string" && !Object.hasOwn(value, name),
  );
  const problems = missing.map((name) => say(join(path, name), "is missing"));
  for (const [name, field] of Object.entries(value)) {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (known !== undefined) problems.push(...inspect(check, field, known, join(path, name), depth));
    else if (additionalProperties === false && patternProperties === undefined) {
      problems.push(say(join(path, name), "is not a field of the schema"));
    } else if (isObject(additionalProperties) && patternProperties === undefined) {
      problems.push(...inspect(check, field, additionalProperties, join(path, name), depth));
    }
  }
  return problems;
}

/** `true`, which everything fits, for a reference that leads nowhere. */
function resolve(root: unknown, ref: string): unknown {
  if (ref !== "#" && !ref.startsWith("#/")) return true;
  const names = ref.split("/").slice(1);
  return names.reduce<unknown>((at, name) => {
    const key = decode(name).replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(at)) return at[Number(key)] ?? true;
    return isObject(at) && Object.hasOwn(at, key) ? at[key] : true;
  }, root);
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name; // a lone percent sign
  }
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    case "integer":
      return typeof value === "number" && Number.isInteger(value);
    case "number":
    case "string":
    case "boolean":
      return typeof value === type;
    default:
      return true; // a type that JSON Schema does not have
  }
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || toKey(a) === toKey(b);
}

/** Equal for equal values, whatever the order of their fields. */
function toKey(value: unknown): string {
  return (
    JSON.stringify(value, (_, one: unknown) =>
      isObject(one) ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1))) : one,
    ) ?? ""
  );
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

function say(path: string, words: string): string {
  return `${path === "" ? "the value" : path} ${words}`;
}
