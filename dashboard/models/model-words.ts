// What the page Models says of models and of the kinds of work that use them. Pure.
import { formatMoney, formatNumber } from "../components/numbers.ts";
import type { Answer } from "../data/api.ts";
import { KIND_NAMES } from "../usage/usage-series.ts";

/** Without the header `anthropic-version` the answer has this form. */
export type ModelList = Extract<Answer<"GET /v1/models">, { slots: unknown }>;
export type Slot = ModelList["slots"][number];
type KnownModel = Slot["models"][number];

export interface ListedModel extends KnownModel {
  isDefault: boolean;
  /** A session may choose it. */
  isChoice: boolean;
}

/** Those to choose from, then those that only some kind of work uses. */
export function listModels({ models, slots }: Pick<ModelList, "models" | "slots">): ListedModel[] {
  const choices = models.map((model) => ({ ...model, isChoice: true }));
  const others = slots.flatMap(({ models: of }) =>
    of.map((model) => ({ ...model, isDefault: false, isChoice: false })),
  );
  const all = [...choices, ...others];
  return all.filter(({ name }, i) => all.findIndex((other) => other.name === name) === i);
}

export function nameSlot(slot: string): string {
  return slot === "judge" ? "Judging of reviews" : (KIND_NAMES[slot] ?? slot);
}

/** "$2.00 in, $10.00 out a million tokens" */
export function describePrice({ price }: KnownModel): string {
  if (!price) return "unknown";
  const { input, output, cacheRead } = price;
  const cached = cacheRead === undefined ? "" : `, ${formatMoney(cacheRead)} cached`;
  return `${formatMoney(input)} in${cached}, ${formatMoney(output)} out a million tokens`;
}

export function describeWindow({ window }: KnownModel): string {
  return window === undefined ? "unknown" : `${formatNumber(window)} tokens`;
}
