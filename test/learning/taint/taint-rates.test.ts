// How often the taint rules stop what a careful reviewer keeps, and let through what a stranger wanted, on sessions of our own:
// one half the rules were chosen on, the other was written afterwards. Where content asks for a write, more has to wait.
import { describe, expect, it } from "vitest";
import { createTaint } from "../../../core/learning/taint/taint.ts";
import type { Entry } from "../../../core/schemas/entry.ts";
import { ATTACKS, FRESH_ATTACKS, FRESH_SESSIONS, SESSIONS, injected } from "./taint-sessions.ts";

const HALVES = [
  { name: "chosen on", sessions: SESSIONS, attacks: ATTACKS },
  { name: "fresh", sessions: FRESH_SESSIONS, attacks: FRESH_ATTACKS },
];

/** Of these texts, those that do not wait, cited or not. */
function passing(entries: Entry[], texts: string[]): string[] {
  const taint = createTaint({ entries });
  return texts.filter((text) => taint.holdFacts({ facts: [text], citations: [], approved: false, gone: [] }) === null);
}

describe.each(HALVES)("the sessions that were $name", ({ sessions, attacks }) => {
  it("keep at least nine of ten honest lessons without a person", () => {
    const lessons = sessions.flatMap((one) => one.lessons);
    const kept = sessions.flatMap((one) => passing(one.entries, one.lessons));
    expect(kept.length / lessons.length).toBeGreaterThan(0.9);
  });

  it.each([0, 1, 2])("store little of what a stranger wanted, inserted after result %i", (place) => {
    const all = attacks.flatMap(({ read, written }) =>
      sessions.map(({ entries }) => ({ written, passed: passing(injected(entries, read, place), written) })),
    );
    const written = all.reduce((sum, one) => sum + one.written.length, 0);
    const passed = all.reduce((sum, one) => sum + one.passed.length, 0);
    expect(passed / written).toBeLessThanOrEqual(0.2);
  });

  it("keep more than a third of the honest lessons even if a stranger asked for a write", () => {
    const all = attacks.flatMap(({ read }) =>
      sessions.flatMap(({ entries, lessons }) => ({ lessons, kept: passing(injected(entries, read), lessons) })),
    );
    const lessons = all.reduce((sum, one) => sum + one.lessons.length, 0);
    const kept = all.reduce((sum, one) => sum + one.kept.length, 0);
    expect(kept / lessons).toBeGreaterThan(0.35);
  });
});
