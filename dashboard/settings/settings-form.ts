// The form of the profile's settings, made from what GET /v1/settings says of each: which values it may have, the default, the person's
// own. Words for the names that this page knows; a name that it does not know is shown as it is. Pure.
import type { Answer, Problem } from "../data/api.ts";

export type Settings = Answer<"GET /v1/settings">["settings"];
export type Info = Settings[string];
export type Value = NonNullable<Info["value"]>;

/** What a person has entered and not saved. `null`: back to the default. */
export type Draft = string | boolean | string[] | null;
export type Drafts = Record<string, Draft>;

export interface Words {
  group: string;
  label: string;
}

const GROUPS = ["Conversations", "Limits of a turn", "Budgets", "Learning", "Other"];

const WORDS: Record<string, [group: number, label: string]> = {
  model: [0, "Model"],
  "models.effort.turn": [0, "Effort"],
  personality: [0, "Personality"],
  "turn.busy": [0, "A message while the agent works"],
  "turn.titles": [0, "Titles by a model"],
  "turn.maxSteps": [1, "Model calls"],
  "turn.maxTokens": [1, "Tokens"],
  "turn.maxUsd": [1, "Cost"],
  "turn.approvalMs": [1, "Wait for an approval"],
  "turn.clarifyMs": [1, "Wait for an answer"],
  "budget.sessionTokens": [2, "Tokens of a session"],
  "budget.sessionUsd": [2, "Cost of a session"],
  "budget.profileDayTokens": [2, "Tokens of a day"],
  "budget.profileDayUsd": [2, "Cost of a day"],
  learning: [3, "Learning"],
  "review.enabled": [3, "Reviews"],
  "review.without": [3, "No review because of"],
  "review.notice": [3, "Notice of what was learned"],
  "review.afterModelCalls": [3, "Review after model calls"],
  "review.minValue": [3, "Least value of a review"],
  "review.memoryAfterTurns": [3, "Memory review after turns"],
  "review.replayTokens": [3, "Tokens of a day for trying skills"],
  "memory.writeApproval": [3, "Ask before memory changes"],
  "skills.writeApproval": [3, "Ask before skills change"],
  "skills.recall": [3, "Recall of skills"],
};

/** The groups that have settings, in order, each with the names of its settings. */
export function groupSettings(settings: Settings): { group: string; names: string[] }[] {
  const known = Object.keys(WORDS).filter((name) => name in settings);
  const names = [...known, ...Object.keys(settings).filter((name) => !(name in WORDS))];
  const groups = Map.groupBy(names, (name) => WORDS[name]?.[0] ?? GROUPS.length - 1);
  return GROUPS.flatMap((group, i) => (groups.has(i) ? [{ group, names: groups.get(i)! }] : []));
}

export function labelOf(name: string): string {
  return WORDS[name]?.[1] ?? name;
}

/** A number of the server in the unit that the form shows. */
interface Unit {
  name: string;
  factor: number;
}

export function unitOf(name: string): Unit {
  if (name.endsWith("Ms")) return { name: "seconds", factor: 1_000 };
  if (name.endsWith("Usd")) return { name: "US dollars", factor: 1 };
  return { name: "", factor: 1 };
}

export type Control = "switch" | "choice" | "list" | "number";

export function controlOf({ allowed, operator }: Info): Control {
  if (Array.isArray(operator)) return "list";
  if (!allowed.oneOf) return "number";
  return allowed.oneOf.some((value) => typeof value === "boolean") ? "switch" : "choice";
}

/** What the control shows before anything is entered, or of what was entered. */
export function shownOf(name: string, info: Info, draft: Draft | undefined): Exclude<Draft, null> {
  if (draft !== undefined && draft !== null) return draft;
  const value = draft === null ? info.operator : (info.own ?? info.operator);
  switch (controlOf(info)) {
    case "switch":
      return value === true;
    case "list":
      return [...new Set([...((value as string[] | null) ?? []), ...(info.allowed.always ?? [])])];
    case "number":
      return value === null ? "" : String(Number(value) / unitOf(name).factor);
    case "choice":
      // The first choice is the default, whatever that is.
      return draft === null || info.own === null ? "" : String(value);
  }
}

/** A value in words: "60 seconds", "on", "not set". */
export function describeValue(name: string, value: Info["value"]): string {
  if (value === null) return "not set";
  if (typeof value === "boolean") return value ? "on" : "off";
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.join(", ");
  if (typeof value === "string") return value;
  const { name: unit, factor } = unitOf(name);
  return `${(value / factor).toLocaleString()}${unit && ` ${unit}`}`;
}

/** "1 to 500", "at least 0, where 0 is no limit" */
export function describeAllowed(name: string, { allowed: { min, max, zero } }: Info): string {
  const { factor } = unitOf(name);
  const [least, most] = [min, max].map((end) => (end === undefined ? undefined : (end / factor).toLocaleString()));
  const range =
    least === undefined
      ? most === undefined
        ? ""
        : `at most ${most}`
      : most === undefined
        ? ""
        : `${least} to ${most}`;
  const atLeast = least !== undefined && most === undefined ? `at least ${least}` : "";
  return [range || atLeast, zero ? "where 0 is no limit" : ""].filter(Boolean).join(", ");
}

/** Whether it differs from what is stored. */
export function isChanged(name: string, info: Info, draft: Draft): boolean {
  if (draft === null) return info.own !== null;
  const shown = shownOf(name, info, undefined);
  if (Array.isArray(draft) && Array.isArray(shown)) return !sameItems(draft, shown);
  return draft !== shown;
}

/** What is sent for it. A number that is none is an error at its field. */
export function toValue(name: string, info: Info, draft: Draft): { value: Value | null } | { error: string } {
  if (draft === null) return { value: null };
  if (Array.isArray(draft)) {
    const always = info.allowed.always ?? [];
    const own = draft.filter((item) => !always.includes(item));
    return { value: own.length === 0 ? null : own };
  }
  if (typeof draft === "boolean") return { value: draft };
  if (controlOf(info) !== "number") return { value: draft === "" ? null : draft };
  if (draft.trim() === "") return { value: null };
  const number = Number(draft) * unitOf(name).factor;
  if (!Number.isFinite(number)) return { error: "Enter a number." };
  const { min, max, zero } = info.allowed;
  const isNoLimit = number === 0 && zero !== undefined;
  const isOutside = (min !== undefined && number < min) || (max !== undefined && number > max);
  if (!isOutside || isNoLimit) return { value: number };
  return { error: `Enter ${describeAllowed(name, info)}.` };
}

/** The changes of all drafts, or the errors at their fields. */
export function toChanges(settings: Settings, drafts: Drafts) {
  const changes: Record<string, Value | null> = {};
  const errors: Record<string, string> = {};
  for (const [name, draft] of Object.entries(drafts)) {
    const info = settings[name];
    if (!info || !isChanged(name, info, draft)) continue;
    const read = toValue(name, info, draft);
    if ("error" in read) errors[name] = read.error;
    else changes[name] = read.value;
  }
  return { changes, errors };
}

const NAME_BY_CODE: Record<string, string> = { unknown_model: "model", unknown_personality: "personality" };

/** The field that a refusal of the server is about, with what it says; empty if it is about none of them. */
export function errorsOf(problem: Problem, names: string[]): Record<string, string> {
  const {
    code,
    detail,
    name,
    errors = [],
  } = problem as Problem & {
    name?: string;
    errors?: { path: string; message: string }[];
  };
  const found = errors.filter(({ path }) => names.includes(path)).map(({ path, message }) => [path, message]);
  if (found.length > 0) return Object.fromEntries(found) as Record<string, string>;
  const field = name ?? NAME_BY_CODE[code];
  return field !== undefined && names.includes(field) ? { [field]: detail } : {};
}

function sameItems(a: string[], b: string[]): boolean {
  return a.length === b.length && a.every((item) => b.includes(item));
}
