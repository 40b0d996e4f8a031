// The rules that look at what a write of a review would leave behind, in the order they are asked: the cheap ones first, those
// that read a store last. Made once a run by review.ts; each can be switched off.
import type { Failure } from "../../errors.ts";
import type { SkillStore } from "../../ports.ts";
import type { Entry } from "../../schemas/entry.ts";
import type { ReviewJob } from "../../schemas/review.ts";
import type { Settings } from "../../schemas/settings.ts";
import type { Seeds } from "../../skills/library.ts";
import type { SkillInspector } from "../../tools/skill-manage.ts";
import { type AddedText, addedText } from "../added-text.ts";
import { createClaims } from "./claims.ts";
import { createDuplicateInspector } from "./duplicates.ts";
import { createGrounding } from "./grounding.ts";
import { checkTitle } from "./names.ts";
import type { ReviewPolicy } from "./policy.ts";
import { createSessionWords } from "./session-words.ts";
import { checkStory } from "./stories.ts";

export interface InspectOptions {
  job: ReviewJob;
  policy: ReviewPolicy;
  skills: SkillStore;
  seeds: Seeds;
  settings: Settings;
}

export interface Inspectors {
  skills: SkillInspector[];
  /** The same of facts for memory. */
  checkFacts(facts: string[]): Failure | null;
}

export function createInspectors({ job, policy, skills, seeds, settings }: InspectOptions): Inspectors {
  const words = createSessionWords(job);
  const claims = createClaims(programsIn(job.entries));
  const added = (check: (text: AddedText) => Failure | null): SkillInspector => {
    return ({ before, after }) => check(addedText(before?.files ?? {}, after));
  };
  const grounding = createGrounding(job);
  const values: SkillInspector = ({ before, after }) => {
    const standing = Object.values(before?.files ?? {}).filter((body) => typeof body === "string");
    return grounding.check(addedText(before?.files ?? {}, after), standing.join("\n"));
  };
  const duplicates = createDuplicateInspector({
    store: skills,
    seeds,
    similarity: settings.skills.duplicateBody,
    loaded: new Set(job.observations.flatMap(({ loaded }) => loaded.map(({ skill }) => skill))),
    companions: policy.companions,
  });
  return {
    skills: [
      ...(policy.names ? [(({ name, before }) => (before ? null : checkTitle(name, words))) as SkillInspector] : []),
      ...(policy.claims ? [added(({ prose }) => claims.check(prose))] : []),
      ...(policy.stories ? [added((text) => checkStory(text, words))] : []),
      ...(policy.values ? [values] : []),
      ...(policy.duplicates ? [duplicates] : []),
    ],
    checkFacts: (facts) =>
      (policy.claims ? claims.check(facts) : null) ??
      (policy.values ? grounding.check({ prose: facts, code: [] }, "") : null),
  };
}

/** Tools the agent has called, and the first words of its commands. */
function programsIn(entries: Entry[]): Set<string> {
  const calls = entries.flatMap((entry) => (entry.kind === "tool" ? [entry.call] : []));
  const commands = calls.flatMap(({ args }) => (typeof args.command === "string" ? args.command : []));
  const firsts = commands.flatMap((command) =>
    command.split(/[|;&\n]+/).flatMap((part) => part.trim().split(/\s/)[0] ?? []),
  );
  return new Set([...calls.map(({ name }) => name), ...firsts].filter((word) => /^[A-Za-z][\w.+-]{1,30}$/.test(word)));
}
