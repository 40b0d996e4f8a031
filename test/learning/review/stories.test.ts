import { describe, expect, it } from "vitest";
import { checkStory, createSessionWords } from "../../../core/learning/review/rules/one-off.ts";
import { assistant, call, tool, user } from "../sample.ts";

const run = call("c", "terminal", { command: "wc -l /workspace/in/rates.txt /etc/nginx/nginx.conf" });
const at = Date.UTC(2026, 0, 5, 23);
const WORDS = createSessionWords({
  entries: [
    { ...user(1, "For SHOP-77 and #4711: I want the totals in euros, never again in dollars, please."), at },
    { ...assistant(2, "", [run]), at },
    { ...tool(3, run, { outcome: { exit_code: 0 } }), at },
  ],
});
const check = (line: string) => checkStory({ prose: [line], code: [] }, WORDS)?.message ?? null;

describe("a detail in a skill", () => {
  it.each([
    ["Done on 2026-01-05.", "The day 2026-01-05"],
    ["Done on 2026-01-06, where the person is.", "The day 2026-01-06"],
    ["As in SHOP-77.", "The ticket SHOP-77"],
    ["See #4711.", "The number 4711"],
    ["Count the lines of /workspace/in/rates.txt.", "The file /workspace/in/rates.txt"],
    ['The person said "I want the totals in euros, never again in dollars".', "The sentence I want"],
    ["They want “I want the totals, in euros – never again in Dollars”.", "The sentence I want"],
  ])("belongs to one session: %s", (line, what) => {
    expect(check(line)).toMatch(new RegExp(`^${what}.* belongs to this one session`));
    expect(checkStory({ prose: [], code: [line] }, WORDS)?.code ?? null).toBe(/sentence/.test(what) ? null : "one_off");
  });

  it.each([
    "Dates are written as 2024-02-29.",
    "As in SHOP-78, UTF-8 and SHA-256.",
    "The colour is #471100, and see #4712.",
    "Restart after a change of /etc/nginx/nginx.conf.",
    "Write to {{out}}, such as /workspace/out/totals.txt.",
    'Totals are in euros. The person never wants "dollars".',
  ])("could come from many: %s", (line) => expect(check(line)).toBeNull());
});
