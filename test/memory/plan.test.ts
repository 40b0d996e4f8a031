import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type MemoryOperation,
  type MemoryStep,
  isMerge,
  readOperations,
  planOperations,
  readTargets,
  leastTrusted,
} from "../../core/memory/plan.ts";
import { memoryId } from "../../core/schemas/memory.ts";
import { entry } from "./entry.ts";
import { anyText } from "../support/any-text.ts";
import { runs } from "../support/thorough.ts";

const TEA = "Prefers tea in the morning.";
const COFFEE = "Drinks no coffee.";

describe("isMerge", () => {
  const step = (action: MemoryStep["action"], target: string | null, text?: string): MemoryStep => ({
    action,
    ...(target && { target: { id: memoryId(target), text: target } }),
    ...(text && { text }),
  });

  it.each<[string, boolean, MemoryStep[]]>([
    [
      "two merged into one",
      true,
      [step("replace", TEA, "In the morning prefers tea, no coffee."), step("remove", COFFEE)],
    ],
    ["one shortened", true, [step("replace", TEA, "Prefers tea.")]],
    ["a new word", false, [step("replace", TEA, "Prefers green tea in the morning."), step("remove", COFFEE)]],
    ["a changed figure", false, [step("replace", "Port 8080 is open.", "Port 8081 is open.")]],
    ["an address from elsewhere", false, [step("replace", TEA, "Prefers tea, https://x.example")]],
    ["one of them lost", false, [step("replace", TEA, "Prefers tea."), step("remove", COFFEE)]],
    ["a removal alone", false, [step("remove", TEA)]],
    ["an addition alone", false, [step("add", null, TEA)]],
    [
      "an addition with a replacement",
      false,
      [step("replace", TEA, "Prefers tea."), step("add", null, "Prefers tea.")],
    ],
    ["no steps", false, []],
    ["the opposite meaning", false, [step("replace", COFFEE, "Drinks coffee.")]],
    ["an added negation", false, [step("replace", TEA, "Prefers no tea in the morning.")]],
    ["a lost contraction", false, [step("replace", "Don't deploy on Fridays.", "Deploy on Fridays.")]],
    [
      "the same negation in other words",
      true,
      [step("replace", "Don't deploy on Fridays.", "Do not deploy on Fridays.")],
    ],
    ["after for before", false, [step("replace", "Calls before nine.", "Calls after nine.")]],
    [
      "a lost negation in another language",
      false,
      [step("replace", "Trinkt morgens keinen Kaffee.", "Trinkt morgens Kaffee.")],
    ],
    [
      "a negation moved to another entry",
      false,
      [
        step("replace", "Never deploy on Friday.", "Never run the tests before a deploy on Friday."),
        step("remove", "Run the tests before a deploy."),
      ],
    ],
    [
      "two exchanged objects",
      false,
      [
        step("replace", "Send invoices to Silva.", "Send credit notes to Silva, invoices to Brandt."),
        step("remove", "Send credit notes to Brandt."),
      ],
    ],
    ["subject and object exchanged", false, [step("replace", "Silva pays Brandt.", "Brandt pays Silva.")]],
    [
      "a negation moved within the entry",
      false,
      [step("replace", "Push, but never to main.", "Never push, but to main.")],
    ],
    ["two negated entries", true, [step("replace", COFFEE, "Drinks no coffee."), step("remove", "Drinks no coffee.")]],
  ])("with %s is %s", (_name, expected, steps) => {
    expect(isMerge(steps)).toBe(expected);
  });
});

it("the worst source is content, then own words, then facts", () => {
  expect(leastTrusted(["principal", "own", "outcome"])).toBe("own");
  expect(leastTrusted(["content", "principal"])).toBe("content");
  expect(leastTrusted([])).toBe(undefined);
});

it("operations are read from a call in either form, and none from any other value", () => {
  const one = { action: "remove" as const, old_text: "x" };
  expect(readOperations({ ...one, store: "user" })).toEqual([one]);
  expect(readOperations({ operations: [one, one], store: "user" })).toEqual([one, one]);
  expect([readOperations({}), readOperations({ operations: [{ action: "list" }] })]).toEqual([[], []]);
});

it("targets are read from a call, even if it was recorded before lists existed", () => {
  const target = { id: memoryId(TEA), text: TEA };
  expect(readTargets({ at: 1, steps: [{ action: "remove", target: { ...target, adds: ["a"] } }] })).toEqual([
    { ...target, adds: ["a"] },
  ]);
  expect(readTargets({ target: target.id, text: TEA })).toEqual([target]);
  expect([readTargets({}), readTargets({ at: 1 })]).toEqual([[], []]);
});

const operation: fc.Arbitrary<MemoryOperation> = fc.record(
  {
    action: fc.constantFrom("add", "replace", "remove"),
    content: fc.oneof(fc.constantFrom(TEA, COFFEE, "New.", " "), anyText({ maxLength: 30 })),
    old_text: fc.oneof(fc.constantFrom("tea", "coffee", "New", "e"), anyText({ maxLength: 10 })),
  },
  { requiredKeys: ["action"] },
);

it("any list is planned as a whole, with one step per operation, or refused with advice", () => {
  const entries = [entry(TEA, { adds: ["a"] }), entry(COFFEE, { adds: ["b", "c"] })];
  fc.assert(
    fc.property(fc.array(operation, { minLength: 1, maxLength: 20 }), (operations) => {
      const planned = planOperations({ operations, entries, purged: [], origin: "review" });
      if (!planned.ok) return planned.failure.message.length > 20;
      expect(planned.value.map(({ action }) => action)).toEqual(operations.map(({ action }) => action));
      const known = new Set(entries.map(({ id }) => id));
      for (const [n, { target, text }] of planned.value.entries()) {
        if (target) expect(known.has(target.id)).toBe(true);
        for (const own of target?.own ?? []) expect(own).toBeLessThan(n);
        const id = text === undefined ? null : memoryId(text);
        if (target && target.id !== id) known.delete(target.id);
        if (id) known.add(id);
      }
    }),
    { numRuns: runs(300) },
  );
});
