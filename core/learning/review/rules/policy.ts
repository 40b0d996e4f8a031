// The rules of a review that code enforces; core/prompts/ states them in words. Builds the inspectors, which check the text that a
// write would leave. Called by review.ts.
import type { Failure } from "../../../errors.ts";
import type { SkillStore } from "../../../ports.ts";
import type { Entry } from "../../../schemas/entry.ts";
import type { ReviewJob } from "../../../schemas/learning/review.ts";
import type { Settings } from "../../../schemas/settings.ts";
import type { Seeds } from "../../../skills/library.ts";
import type { SkillInspector } from "../../../tools/skills/skill-manage.ts";
import { type AddedText, addedText } from "../../added-text.ts";
import { createClaims } from "./claims.ts";
import { createDuplicateInspector } from "./duplicates.ts";
import { createGrounding } from "./grounding.ts";
import { checkStory, checkTitle, createSessionWords } from "./one-off.ts";

/** The product enforces all rules. A bench switches them off one at a time to measure their effect. */
export const POLICY = {
  /** Every write cites parts of entries that prove it. */
  citations: true,
  /** Writes that only content wanted wait for a person. */
  taint: true,
  /** A review must read a skill before it changes the skill. */
  readFirst: true,
  /** A near duplicate of an existing skill is refused. */
  duplicates: true,
  /** A lesson for a protected skill goes to its companion, instead of being refused. */
  companions: true,
  /** Names after artefacts of the session are refused. */
  names: true,
  /** Negative claims about tools, and transient failures, are refused. */
  claims: true,
  /** The story of one session is refused: its days, tickets, files and quotations. */
  stories: true,
  /** Values are refused if they failed in the work, or were not tried although another value worked. */
  values: true,
  /** The checks of a skill run before it is accepted. */
  checks: true,
};
export type ReviewPolicy = typeof POLICY;

interface InspectOptions {
  job: ReviewJob;
  policy: ReviewPolicy;
  skills: SkillStore;
  seeds: Seeds;
  settings: Settings;
}

/** The rules in the order of their calls: cheap ones first, those that read a store last. */
export function createInspectors({ job, policy, skills, seeds, settings }: InspectOptions) {
  const words = createSessionWords(job);
  const checkClaims = createClaims(programsIn(job.entries));
  const checkValues = createGrounding(job);
  const added = (check: (text: AddedText, existing: string) => Failure | null): SkillInspector => {
    return ({ before, after }) => {
      const existing = Object.values(before?.files ?? {}).filter((body) => typeof body === "string");
      return check(addedText(before?.files ?? {}, after), existing.join("\n"));
    };
  };
  const names: SkillInspector = ({ name, before }) => (before ? null : checkTitle(name, words));
  const duplicates = createDuplicateInspector({
    store: skills,
    seeds,
    similarity: settings.skills.duplicateBody,
    loaded: new Set(job.observations.flatMap(({ loaded }) => loaded.map(({ skill }) => skill))),
    companions: policy.companions,
  });
  return {
    skills: [
      ...(policy.names ? [names] : []),
      ...(policy.claims ? [added(({ prose }) => checkClaims(prose))] : []),
      ...(policy.stories ? [added((text) => checkStory(text, words))] : []),
      ...(policy.values ? [added(checkValues)] : []),
      ...(policy.duplicates ? [duplicates] : []),
    ],
    /** The rules that also apply to facts in memory. */
    checkFacts: (facts: string[]): Failure | null =>
      (policy.claims ? checkClaims(facts) : null) ??
      (policy.values ? checkValues({ prose: facts, code: [] }, "") : null),
  };
}

/** Tools that the agent called, and the first words of its commands. */
function programsIn(entries: Entry[]): Set<string> {
  const calls = entries.flatMap((entry) => (entry.kind === "tool" ? [entry.call] : []));
  const commands = calls.flatMap(({ args }) => (typeof args.command === "string" ? args.command : []));
  const firsts = commands.flatMap((command) =>
    command.split(/[|;&\n]+/).flatMap((part) => part.trim().split(/\s/)[0] ?? []),
  );
  return new Set([...calls.map(({ name }) => name), ...firsts].filter((word) => /^[A-Za-z][\w.+-]{1,30}$/.test(word)));
}
