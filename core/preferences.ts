// Which of the operator's settings a person may change, and how far: never to more than the operator allows. Called by the session
// and the Account, which work with the result, and by the API, which shows and checks it. Pure.
import {
  PREFERENCE_NAMES,
  Preferences,
  type PreferenceInfo,
  type PreferenceName,
  type StoredPreference,
} from "./schemas/profile/preferences.ts";
import { EFFORTS, type Settings } from "./schemas/settings.ts";

type Allowed = PreferenceInfo["allowed"];

/**
 * `any`: each value costs and risks the same. `off`: may be switched off, `on`: may be switched on. `atMost`, `atLeast`: compared with the
 * operator's. `limit`: at most the operator's, where 0 is no limit. `more`: added to the operator's.
 */
type Rule = "any" | "off" | "on" | "atMost" | "atLeast" | "limit" | "more";

/** The names that are settings of the operator's, by their path. */
const RULES: { [Name in Exclude<PreferenceName, "model" | "personality" | "learning">]: Rule } = {
  "models.effort.turn": "any",
  "turn.busy": "any",
  "turn.titles": "off",
  "turn.maxSteps": "atMost",
  "turn.maxTokens": "limit",
  "turn.maxUsd": "limit",
  "turn.approvalMs": "atMost",
  "turn.clarifyMs": "atMost",
  "budget.sessionTokens": "limit",
  "budget.sessionUsd": "limit",
  "budget.profileDayTokens": "limit",
  "budget.profileDayUsd": "limit",
  "review.enabled": "off",
  "review.without": "more",
  "review.notice": "any",
  "review.afterModelCalls": "atLeast",
  "review.minValue": "atLeast",
  "review.memoryAfterTurns": "atLeast",
  "review.replayTokens": "atMost",
  "memory.writeApproval": "on",
  "skills.writeApproval": "on",
  "skills.recall": "off",
};
type SettingName = keyof typeof RULES;

/** Values that this version does not understand are left out. */
export function readPreferences(stored: Record<string, StoredPreference>): Preferences {
  const known = PREFERENCE_NAMES.flatMap((name) => {
    const parsed = Preferences.shape[name].safeParse(stored[name]);
    return parsed.success && parsed.data !== undefined ? [[name, parsed.data] as const] : [];
  });
  return Object.fromEntries(known);
}

/** The settings that are in force. The same object if the person has changed none. */
export function applyPreferences(operator: Settings, own: Preferences): Settings {
  let settings = operator;
  for (const name of Object.keys(RULES) as SettingName[]) {
    const value = own[name];
    if (value !== undefined) settings = withSetting(settings, name, combine(name, readSetting(operator, name), value));
  }
  return settings;
}

/** Whether the value, put in force, would allow more than the operator does. */
export function isTooWide(operator: Settings, name: SettingName, value: StoredPreference): boolean {
  const known = readSetting(operator, name);
  return RULES[name] !== "more" && combine(name, known, value) !== value;
}

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(RULES, name);
}

/** `own`: the person's value. */
export function describeSetting(operator: Settings, name: SettingName, own: StoredPreference | undefined) {
  const known = readSetting(operator, name);
  return {
    value: (own === undefined ? known : combine(name, known, own)) ?? null,
    operator: known ?? null,
    own: own ?? null,
    allowed: describeAllowed(name, known),
    about: describePreference(name),
  } satisfies PreferenceInfo;
}

export function describePreference(name: PreferenceName): string {
  const { description } = Preferences.shape[name].unwrap();
  return description ?? "";
}

function describeAllowed(name: SettingName, known: StoredPreference | undefined): Allowed {
  const { minValue = 0, maxValue } = Preferences.shape[name].unwrap() as { minValue?: number; maxValue?: number };
  switch (RULES[name]) {
    case "any":
      return { oneOf: [...optionsOf(name)] };
    case "off":
      return { oneOf: known === true ? [true, false] : [false] };
    case "on":
      return { oneOf: known === true ? [true] : [true, false] };
    case "atMost":
      return { min: minValue, max: Number(known) };
    case "atLeast":
      return { min: Number(known), ...(name === "review.minValue" && { max: maxValue ?? 1 }) };
    case "limit":
      return known === 0 ? { min: 0, zero: "no limit" } : { min: 0, max: Number(known) };
    case "more":
      return { oneOf: [...optionsOf(name)], always: known as string[] };
  }
}

function optionsOf(name: SettingName): readonly string[] {
  switch (name) {
    case "models.effort.turn":
      return EFFORTS;
    case "turn.busy":
    case "review.notice":
      return Preferences.shape[name].unwrap().options;
    case "review.without":
      return Preferences.shape[name].unwrap().element.options;
    default:
      return [];
  }
}

function combine(name: SettingName, operator: StoredPreference | undefined, own: StoredPreference): StoredPreference {
  switch (RULES[name]) {
    case "any":
      return own;
    case "off":
      return operator === true && own === true;
    case "on":
      return operator === true || own === true;
    case "atMost":
      return Math.min(Number(operator), Number(own));
    case "atLeast":
      return Math.max(Number(operator), Number(own));
    case "limit":
      return operator === 0 || own === 0
        ? Math.max(Number(operator), Number(own))
        : Math.min(Number(operator), Number(own));
    case "more":
      return [...new Set([...(operator as string[]), ...(own as string[])])];
  }
}

function readSetting(settings: Settings, name: SettingName): StoredPreference | undefined {
  return name.split(".").reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], settings) as
    | StoredPreference
    | undefined;
}

function withSetting(settings: Settings, name: SettingName, value: StoredPreference): Settings {
  return replaceAt(settings, name.split("."), value) as Settings;
}

function replaceAt(at: object, [key, ...rest]: string[], value: StoredPreference): object {
  const inner = (at as Record<string, object>)[key!]!;
  return { ...at, [key!]: rest.length === 0 ? value : replaceAt(inner, rest, value) };
}
