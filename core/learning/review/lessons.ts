// What a review has written and what was refused, read from its script: a run that was resumed reports the lessons of
// the runs before it too. Called by review.ts. Pure.
import * as z from "zod";
import { operationsOf, targetsOf } from "../../memory/plan.ts";
import { normaliseFact } from "../../memory/rules.ts";
import { JsonObject, type ToolCall } from "../../schemas/entry.ts";
import { type Citation, type SessionId, Sha256, SkillName } from "../../schemas/ids.ts";
import { MemoryStoreName } from "../../schemas/memory.ts";
import type { Lesson, ReviewResult, ReviewStep } from "../../schemas/review.ts";
import { UNCHANGED, actionOf } from "../../tools/skill-manage.ts";
import { readCitations } from "./citations.ts";
import { withPreviews } from "./telling.ts";

type Refusal = ReviewResult["refused"][number];

/** A finished call of the script: what was asked, what was noted before, what came of it. */
export interface ScriptCall {
  call: ToolCall;
  /** Which of the script's answers asked for it, from 1. */
  answer: number;
  prepared: JsonObject;
  failed: boolean;
  /** The facts the harness wrote. */
  outcome: JsonObject;
}

/** In the order they were made. */
export function callsOf(script: ReviewStep[]): ScriptCall[] {
  const asked = new Map<string, ToolCall>();
  const calls: ScriptCall[] = [];
  let answer = 0;
  let prepared: JsonObject = {};
  for (const step of script) {
    if (step.kind === "answer") {
      answer += 1;
      // Some models count their calls anew in every answer: an id means the latest call of that name.
      for (const call of step.answer.calls) asked.set(call.id, call);
    }
    if (step.kind === "intent") prepared = step.prepared;
    if (step.kind !== "outcome") continue;
    const call = asked.get(step.call);
    const facts = step.parts.find((part) => part.source === "outcome");
    const outcome = JsonObject.parse(JSON.parse(facts?.text ?? "{}"));
    if (call) calls.push({ call, answer, prepared, failed: step.failed, outcome });
    prepared = {};
  }
  return calls;
}

/**
 * Whether the review has read a skill before it wrote the answer that is being carried out: a view in the same answer
 * comes too late to have been read. Its own creation it knows, and what its request showed.
 */
export function hasViewed(script: ReviewStep[], name: string): boolean {
  const [begin] = script;
  if (begin?.kind === "start" && begin.read?.includes(name)) return true;
  const answers = script.filter((step) => step.kind === "answer").length;
  return callsOf(script).some(({ call, answer, failed, outcome }) => {
    if (failed || outcome.name !== name) return false;
    if (call.name === "skill_view") return answer < answers;
    return call.name === "skill_manage" && actionOf(call.args) === "create";
  });
}

/** `previews`: with the beginning of what each changed. */
export function lessonsOf(
  calls: ScriptCall[],
  { session, previews = false }: { session: SessionId; previews?: boolean },
): Lesson[] {
  return calls.flatMap((made) => {
    const lessons = made.failed ? [] : toLessons(made, readCitations(made.call.args.citations, { session }));
    return previews ? withPreviews(lessons, made.call) : lessons;
  });
}

function toLessons(made: ScriptCall, citations: Citation[]): Lesson[] {
  if (made.call.name === "memory") return toMemoryLessons(made, citations);
  const lesson = made.call.name === "skill_manage" ? toSkillLesson(made, citations) : null;
  return lesson ? [lesson] : [];
}

export function refusalsOf(calls: ScriptCall[]): Refusal[] {
  return calls
    .filter((made) => made.failed)
    .map(({ call, outcome }) => ({
      tool: call.name,
      code: typeof outcome.code === "string" ? outcome.code : "failed",
      message: typeof outcome.error === "string" ? outcome.error : "",
    }));
}

const SkillFacts = z.object({ done: z.string().optional(), name: SkillName, rev: z.int(), text: Sha256 });
/** `text`: where less was written than the call asked for. */
const MemoryFacts = z.object({ done: z.string(), id: Sha256, text: z.string().optional() });
/** A list has the results of its operations one by one. */
const MemoryListFacts = z.object({ results: z.array(MemoryFacts) });
/** What the memory tool says when it has written. */
const WRITTEN = new Set(["added", "replaced", "removed"]);

function toSkillLesson({ call, outcome }: ScriptCall, citations: Citation[]): Lesson | null {
  const facts = SkillFacts.safeParse(outcome);
  if (!facts.success || facts.data.done === UNCHANGED) return null;
  const { name, rev, text } = facts.data;
  return { kind: "skill", skill: name, action: actionOf(call.args), rev, text, citations };
}

function toMemoryLessons({ call, prepared, outcome }: ScriptCall, citations: Citation[]): Lesson[] {
  const store = MemoryStoreName.safeParse(outcome.store);
  const list = MemoryListFacts.safeParse(outcome);
  const facts = list.success ? list.data.results : MemoryFacts.array().safeParse([outcome]).data;
  if (!store.success || !facts) return [];
  const gone = new Map(targetsOf(prepared).map(({ id, text }) => [id, text]));
  return operationsOf(call.args).flatMap(({ action, content = "" }, n) => {
    const { done, id, text: written } = facts[n] ?? {};
    if (!id || !WRITTEN.has(done ?? "")) return [];
    const text = action === "remove" ? (gone.get(id) ?? "") : (written ?? normaliseFact(content));
    return [{ kind: "memory" as const, store: store.data, action, id, text, citations }];
  });
}

/** Writes that a person has to decide on first. */
export function waitingIn(calls: ScriptCall[]): number {
  return calls.filter(({ failed, outcome }) => !failed && (outcome.state === "waiting" || outcome.held !== undefined))
    .length;
}

/** One readable line. */
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
    // A skill that was created a moment ago is still a new one.
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
