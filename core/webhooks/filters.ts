// Decides which events a webhook route takes. Pure. Time: linear in the payload for each condition.
import { type Result, ok } from "../errors.ts";
import type { Condition, Filter } from "../schemas/webhooks/filter.ts";
import { compileRegex } from "./linear-regex.ts";
import { readPath, toText } from "./payload.ts";

/** [own] Characters of a value that a regular expression reads. */
const REGEX_CHARS = 20_000;

export function passes(filter: Filter, value: unknown): boolean {
  if ("all" in filter) return filter.all.every((one) => passes(one, value));
  if ("any" in filter) return filter.any.some((one) => passes(one, value));
  if ("not" in filter) return !passes(filter.not, value);
  return isMet(filter, readPath(value, filter.field));
}

function isMet(condition: Condition, found: unknown): boolean {
  if ("exists" in condition) return found !== undefined;
  if ("missing" in condition) return found === undefined;
  if ("equals" in condition) return found === condition.equals;
  if ("not_equals" in condition) return found !== condition.not_equals;
  if ("in" in condition) return condition.in.some((one) => one === found);
  if ("contains" in condition) {
    const { contains } = condition;
    return typeof found === "string"
      ? found.includes(String(contains))
      : Array.isArray(found) && found.includes(contains);
  }
  const regex = compileRegex(condition.regex);
  return regex.ok && found !== undefined && regex.value.test(toText(found, REGEX_CHARS));
}

/** Whether every regular expression of the filter can be used. Failure: `regex_invalid`. */
export function checkFilter(filter: Filter): Result<null> {
  const inner = "all" in filter ? filter.all : "any" in filter ? filter.any : "not" in filter ? [filter.not] : [];
  for (const one of inner) {
    const checked = checkFilter(one);
    if (!checked.ok) return checked;
  }
  if (!("regex" in filter)) return ok(null);
  const regex = compileRegex(filter.regex);
  return regex.ok ? ok(null) : regex;
}
