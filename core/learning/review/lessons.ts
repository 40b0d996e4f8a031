// Reads from the calls of a script what a review has written, and sums it up for a person. Called by review.ts. Pure.
import * as z from "zod";
import { readOperations, readTargets } from "../../memory/plan.ts";
import { normaliseFact } from "../../memory/rules.ts";
import { type Citation, type SessionId, Sha256, SkillName } from "../../schemas/ids.ts";
import { MemoryStoreName } from "../../schemas/memory.ts";
import type { Lesson } from "../../schemas/learning/review.ts";
import { UNCHANGED, readRecordedAction } from "../../tools/skills/skill-manage.ts";
import type { ScriptCall } from "../script/script-facts.ts";
import { readCitations } from "./rules/citations.ts";
import { addPreviews } from "./result-notice.ts";

/** `previews`: add the beginning of each change. */
export function lessonsOf(
  calls: ScriptCall[],
  { session, previews = false }: { session: SessionId; previews?: boolean },
): Lesson[] {
  return calls.flatMap((made) => {
    const lessons = made.failed ? [] : toLessons(made, readCitations(made.call.args.citations, { session }));
    return previews ? addPreviews(lessons, made.call) : lessons;
  });
}

function toLessons(made: ScriptCall, citations: Citation[]): Lesson[] {
  if (made.call.name === "memory") return toMemoryLessons(made, citations);
  const lesson = made.call.name === "skill_manage" ? toSkillLesson(made, citations) : null;
  return lesson ? [lesson] : [];
}

const SkillFacts = z.object({ done: z.string().optional(), name: SkillName, rev: z.int(), text: Sha256 });
/** `text`: what was written, if that is less than the call asked for. */
const MemoryFacts = z.object({ done: z.string(), id: Sha256, text: z.string().optional() });
/** The result of a call with a list of operations: one result for each. */
const MemoryListFacts = z.object({ results: z.array(MemoryFacts) });
/** Values of `done` with which the memory tool reports a write. */
const WRITTEN = new Set(["added", "replaced", "removed"]);

function toSkillLesson({ call, outcome }: ScriptCall, citations: Citation[]): Lesson | null {
  const facts = SkillFacts.safeParse(outcome);
  if (!facts.success || facts.data.done === UNCHANGED) return null;
  const { name, rev, text } = facts.data;
  return { kind: "skill", skill: name, action: readRecordedAction(call.args), rev, text, citations };
}

function toMemoryLessons({ call, prepared, outcome }: ScriptCall, citations: Citation[]): Lesson[] {
  const store = MemoryStoreName.safeParse(outcome.store);
  const list = MemoryListFacts.safeParse(outcome);
  const facts = list.success ? list.data.results : MemoryFacts.array().safeParse([outcome]).data;
  if (!store.success || !facts) return [];
  const gone = new Map(readTargets(prepared).map(({ id, text }) => [id, text]));
  return readOperations(call.args).flatMap(({ action, content = "" }, n) => {
    const { done, id, text: written } = facts[n] ?? {};
    if (!id || !WRITTEN.has(done ?? "")) return [];
    const text = action === "remove" ? (gone.get(id) ?? "") : (written ?? normaliseFact(content));
    return [{ kind: "memory" as const, store: store.data, action, id, text, citations }];
  });
}

/** The number of writes that wait for a person's decision. */
export function countWaiting(calls: ScriptCall[]): number {
  return calls.filter(({ failed, outcome }) => !failed && (outcome.state === "waiting" || outcome.held !== undefined))
    .length;
}

/** One line for a person. */
export function summarise(lessons: Lesson[], waiting = 0): string {
  const words = [...skillWords(lessons), ...memoryWords(lessons)];
  const learned = words.length === 0 ? [] : [`Learned: ${words.join("; ")}.`];
  const asked =
    waiting === 0 ? [] : [`${waiting} ${waiting === 1 ? "change waits" : "changes wait"} for you: /pending.`];
  return [...learned, ...asked].join(" ") || "Nothing worth keeping.";
}

function skillWords(lessons: Lesson[]): string[] {
  const verbs = new Map<string, "created" | "improved" | "archived">();
  for (const lesson of lessons) {
    if (lesson.kind !== "skill") continue;
    if (lesson.action === "create") verbs.set(lesson.skill, "created");
    else if (lesson.action === "delete") verbs.set(lesson.skill, "archived");
    // A skill created in this review stays "created".
    else if (verbs.get(lesson.skill) !== "created") verbs.set(lesson.skill, "improved");
  }
  return [...verbs].map(([skill, verb]) => `${verb} skill ${skill}`);
}

function memoryWords(lessons: Lesson[]): string[] {
  const verbs = { add: "remembered", replace: "corrected", remove: "forgot" };
  return Object.entries(verbs).flatMap(([action, verb]) => {
    const ids = new Set(
      lessons.flatMap((lesson) => (lesson.kind === "memory" && lesson.action === action ? [lesson.id] : [])),
    );
    return ids.size === 0 ? [] : [`${verb} ${ids.size === 1 ? "1 fact" : `${ids.size} facts`}`];
  });
}
