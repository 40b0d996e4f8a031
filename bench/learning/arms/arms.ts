// The arms that are compared: the product, ablations of it, rival methods, and the two ends of the scale. An arm consists of
// settings, a review policy and wiring. The product itself has no code path for any arm.
import { DEFAULTS } from "../../../core/limits.ts";
import { POLICY, type ReviewPolicy } from "../../../core/learning/review/rules/policy.ts";
import type { Trigger } from "../../../core/schemas/learning/review.ts";
import type { Settings } from "../../../core/schemas/settings.ts";

export interface Arm {
  name: string;
  about: string;
  /** `product`: the product's reviews and curation; `hermes`: another agent's rules over the same stores; `none`: no library. */
  learner: "product" | "hermes" | "none";
  settings: Settings;
  policy: ReviewPolicy;
  curates: boolean;
  /** skill_view shows another family's text in place of a learned skill's. */
  placebo: boolean;
  /** The options that the worker is told with its task; see briefing.ts. */
  briefing: "nothing" | "revealed" | "all";
}

type SettingGroups = Omit<Settings, "publicUrl">;
type Change = Partial<{ [Key in keyof SettingGroups]: Partial<SettingGroups[Key]> }>;

function changeSettings(change: Change = {}): Settings {
  const { publicUrl, ...groups } = DEFAULTS;
  const merged = Object.entries(groups).map(([key, value]) => [
    key,
    { ...value, ...change[key as keyof SettingGroups] },
  ]);
  return { publicUrl, ...Object.fromEntries(merged) } as Settings;
}

const OURS: Arm = {
  name: "ours",
  about: "the product with its defaults",
  learner: "product",
  settings: changeSettings(),
  policy: POLICY,
  curates: true,
  placebo: false,
  briefing: "nothing",
};

/** About what the turns of a day use: four sessions of 40,000 tokens. */
const REPLAY_TOKENS = 160_000;

const NO_LIBRARY = { ...OURS, learner: "none", curates: false } as const;
const NO_POLICY = Object.fromEntries(Object.keys(POLICY).map((rule) => [rule, false])) as unknown as ReviewPolicy;

export const MAIN_ARMS: readonly Arm[] = [
  { ...NO_LIBRARY, name: "off", about: "learning off" },
  {
    ...OURS,
    name: "everything",
    about: "a review after every session; no rules in code, no verdicts, no taint",
    settings: changeSettings({
      review: { afterModelCalls: 1, perSessionMs: 0 },
      learning: { verdicts: false },
      skills: { recall: false },
    }),
    policy: NO_POLICY,
  },
  {
    ...OURS,
    name: "hermes",
    about: "the rules of Hermes Agent: its triggers, its review, its skill tool, its curator",
    learner: "hermes",
    settings: changeSettings({ review: { enabled: false }, learning: { verdicts: false }, skills: { recall: false } }),
    curates: false,
  },
  OURS,
  {
    ...OURS,
    name: "replay",
    about: "the product with a grant for experiments",
    settings: changeSettings({ review: { replayTokens: REPLAY_TOKENS } }),
  },
  { ...OURS, name: "placebo", about: "the product; a learned skill shows another family's text", placebo: true },
  { ...NO_LIBRARY, name: "ceiling", about: "no library; told what an earlier session revealed", briefing: "revealed" },
  { ...NO_LIBRARY, name: "oracle", about: "no library; always told", briefing: "all" },
];

function withoutRule(name: string, rule: keyof ReviewPolicy): Arm {
  return { ...OURS, name: `without ${name}`, about: `ours without ${name}`, policy: { ...POLICY, [rule]: false } };
}

function withoutTriggers(name: string, without: Trigger[]): Arm {
  return {
    ...OURS,
    name: `without ${name}`,
    about: `ours without ${name}`,
    settings: changeSettings({ review: { without } }),
  };
}

export const ABLATIONS: readonly Arm[] = [
  {
    ...OURS,
    name: "without verdicts",
    about: "ours without verdicts",
    settings: changeSettings({ learning: { verdicts: false } }),
  },
  {
    ...OURS,
    name: "without failed words",
    about: "ours without telling which words of a skill failed",
    settings: changeSettings({ learning: { failedWords: false } }),
  },
  withoutRule("taint", "taint"),
  withoutRule("citations", "citations"),
  withoutRule("duplicates", "duplicates"),
  withoutRule("companions", "companions"),
  withoutRule("values", "values"),
  withoutTriggers("corrections and ratings", ["correction", "rating"]),
  withoutTriggers("similar turns", ["similar_turns"]),
  {
    ...OURS,
    name: "without recall",
    about: "ours without loading what is not asked for",
    settings: changeSettings({ skills: { recall: false } }),
  },
  { ...OURS, name: "without curator", about: "ours without the curator", curates: false },
  {
    ...OURS,
    name: "without discount",
    about: "ours with a discount of 1",
    settings: changeSettings({ learning: { discount: 1 } }),
  },
];

/** The arms that run in both worlds, and those that run in the stress cells. */
export const RIVAL_ARMS = ["off", "everything", "hermes", "ours", "replay", "ceiling"] as const;
export const STRESS_ARMS = ["off", "hermes", "ours", "replay", "ceiling"] as const;

export function findArm(name: string): Arm {
  const arm = [...MAIN_ARMS, ...ABLATIONS].find((one) => one.name === name);
  if (!arm) throw new Error(`unknown arm: ${name}`);
  return arm;
}
