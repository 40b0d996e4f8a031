// How the simulated reviewer writes a lesson to the library: it selects the skill, patches it or creates one, and reacts to each
// refusal. Part of reviewer.ts. It sees only the review's tools and their results.
import type { ModelRequest } from "../../../core/agent/contract.ts";
import type { JsonObject } from "../../../core/schemas/entry.ts";
import { draw, happens, pick } from "../world/draws.ts";
import { findFittingSkills } from "./matching.ts";
import type { CallResult, ScriptedAnswer } from "./scripted.ts";
import {
  type Edit,
  type Lesson,
  type Subject,
  readCompanionPart,
  readOwnPart,
  placeLesson,
  chooseWords,
  writeSkillMd,
} from "./skill-writing.ts";
import { readStatements } from "./statements.ts";
import { respell } from "../world/styles.ts";
import type { TranscriptReading } from "./transcript-reading.ts";
import { foreseeRequests } from "./understanding.ts";
import { listWordings } from "./worker.ts";
import type { Family, World } from "../world/tasks.ts";

/** One thing that a review attempts to write. A replayed script reports the same attempt again, with equal fields. */
export type Attempt =
  | { kind: "lesson"; job: string; operation: string; option: string; isWrong: boolean; isDuplicate: boolean }
  | { kind: "order"; job: string; poison: string }
  | { kind: "preference"; job: string; text: string };

export interface ReviewerOptions {
  /** The world of a job, from which the reviewer knows the job's kind of work in any wording. */
  worldOf(job: string): World;
  note?(attempt: Attempt): void;
}

/** Which tools the request offers, and which fields they take. */
export function readToolset({ tools }: ModelRequest) {
  const names = new Set(tools.map(({ name }) => name));
  const manage = tools.find(({ name }) => name === "skill_manage");
  const parameters = JSON.stringify(manage?.parameters ?? tools[0]?.parameters ?? {});
  const takesCitations = parameters.includes('"citations"');
  return {
    has: (name: string) => names.has(name),
    takesRequests: parameters.includes('"requests"'),
    isShort: manage?.description.includes("at most 60 characters") === true,
    cite: (citations: string[]): JsonObject => (takesCitations ? { citations: [...new Set(citations)] } : {}),
  };
}
export type Toolset = ReturnType<typeof readToolset>;

const MAX_TRIES = 5;

export interface LessonWriting {
  reading: TranscriptReading;
  world: World;
  lessons: Lesson[];
  /** Listed skills that fit this kind of work, best first. */
  known: string[];
  key: string;
  options: ReviewerOptions;
  toolset: Toolset;
  wrote: string[];
}

export type Dialogue<T> = Generator<ScriptedAnswer, T, CallResult[]>;

export function* writeLessons(keeping: LessonWriting): Dialogue<void> {
  const { reading, world, lessons, key, options } = keeping;
  const names = lessons.map(({ operation }) => operation);
  const subject = toSubject(world, reading, names);
  const query = `${subject.requests[0]!} ${subject.area}`.slice(0, 400);
  const [listed] = yield { text: "", calls: [{ name: "skills_list", args: { query } }] };
  const lines = readListed(listed);
  const family = findFamily(world, names);
  const fitting = findFittingSkills(lines, findWordings(world, reading, names));
  const known = fitting.filter(({ score }) => score >= MIN_COVERED).map(({ name }) => name);
  keeping.known = known;
  const groups = new Map<string | null, Lesson[]>();
  for (const lesson of lessons) {
    const target = chooseTarget(lesson, reading, family, known);
    groups.set(target, [...(groups.get(target) ?? []), lesson]);
  }
  for (const [target, group] of groups) {
    const isDuplicate =
      target !== null && happens(world.parameters.reviewer.duplicates, key, group[0]!.operation, "again");
    for (const { operation, option, isWrong } of group) {
      options.note?.({ kind: "lesson", job: reading.job, operation, option, isWrong, isDuplicate });
    }
    // A duplicate must be worded differently from the first skill.
    const first = Math.floor(draw(world.seed, subject.area, "way") * 4);
    const way = isDuplicate ? first + 1 + Math.floor(draw(key, "way") * 3) : first;
    const done =
      target === null || isDuplicate
        ? yield* createSkill(keeping, group, way)
        : yield* patchSkill(keeping, group, target);
    if (done) keeping.wrote.push(`${group.length === 1 ? "a lesson" : "lessons"} about ${group[0]!.operation}`);
  }
}

/** The family that needs any of the operations; `null` if none does. */
function findFamily(world: World, operations: readonly string[]): Family | null {
  return world.families.find((family) => family.operations.some(({ name }) => operations.includes(name))) ?? null;
}

/** A transcript without the request still has the task number, which identifies the work. */
export function toSubject(world: World, reading: TranscriptReading, operations: readonly string[]): Subject {
  const family = findFamily(world, operations);
  const requestLine = (reading.request || world.task(reading.job)?.request || operations[0] || "").split("\n")[0]!;
  const request = requestLine.replace(/ #[\d.]+$/, "");
  const others = (family?.wordings ?? []).filter((wording) => wording !== request);
  return { area: family?.key ?? operations[0]?.split(" ")[0] ?? "service", requests: [request, ...others] };
}

function findWordings(world: World, reading: TranscriptReading, operations: readonly string[]): string[] {
  const family = findFamily(world, operations);
  const request = reading.request || (world.task(reading.job)?.request ?? "");
  return listWordings({ family, request, operations: operations.map((name) => world.operation(name)) });
}

function readListed(heard: CallResult | undefined): { name: string; description: string }[] {
  const skills = heard?.fields.skills;
  if (!Array.isArray(skills)) return [];
  return (skills as JsonObject[]).map(({ name, description }) => ({
    name: String(name),
    description: String(description),
  }));
}

/**
 * The loaded skill with a statement about the operation. Else the last fitting loaded skill, one with Pitfalls preferred.
 * Else the best listed skill.
 */
function chooseTarget(
  { operation }: Lesson,
  { loaded }: TranscriptReading,
  family: Family | null,
  known: string[],
): string | null {
  const own = loaded.filter(({ name, content }) => covers(name, content, family));
  const wrong = own.findLast(({ content }) => readStatements(content).some((one) => one.operation === operation));
  const best = own.findLast(({ content }) => content.includes("## Pitfalls")) ?? own.at(-1);
  return wrong?.name ?? best?.name ?? known[0] ?? null;
}

/** Whether a loaded skill is about this family: an unrelated skill must not receive the lesson. */
function covers(name: string, content: string, family: Family | null): boolean {
  if (!family) return false;
  const names = family.operations.map((operation) => operation.name);
  if (readStatements(content).some(({ operation }) => names.includes(operation))) return true;
  const wordings = listWordings({ family, request: "", operations: [...family.operations] });
  const [fit] = findFittingSkills([{ name, description: readDescription(content) }], wordings);
  return fit !== undefined && fit.score >= MIN_COVERED;
}

/** Words that a skill must share with one wording of a kind of work to count as being about it. */
const MIN_COVERED = 3;

function readDescription(content: string): string {
  return /^description: (.*)$/m.exec(content)?.[1] ?? "";
}

function* createSkill(keeping: LessonWriting, lessons: Lesson[], way: number): Dialogue<boolean> {
  const { key, toolset, world, reading } = keeping;
  const names = lessons.map(({ operation }) => operation);
  const subject = toSubject(world, reading, names);
  const words = chooseWords(subject, way, toolset.isShort);
  const slip = drawSlip(keeping, ["citations", "section"]);
  const section = slip === "section" ? pick(["Pitfalls", "Verify"], key, "section") : null;
  const content = (leaveOut: string | null) => writeSkillMd(words, lessons, `${key} ${way}`, leaveOut);
  const citations = slip === "citations" ? {} : citeLessons(toolset, lessons);
  const requests = foreseeRequests(world, findFamily(world, names), subject.requests[0]!);
  const args: JsonObject = {
    ...{ action: "create", name: words.name, content: content(section), ...citations },
    ...(toolset.takesRequests && { requests }),
  };
  return yield* writeWithCorrections(keeping, lessons, words.name, args, () => ({
    ...args,
    content: content(null),
    ...citeLessons(toolset, lessons),
  }));
}

function* patchSkill(keeping: LessonWriting, lessons: Lesson[], name: string): Dialogue<boolean> {
  const { reading, key, toolset } = keeping;
  const slip = drawSlip(keeping, ["citations", "read"]);
  const seen = reading.loaded.findLast((one) => one.name === name)?.content;
  if (slip === "read" && seen !== undefined) {
    const args = { ...toPatch(name, lessons, readOwnPart(seen), key), ...citeLessons(toolset, lessons) };
    return yield* writeWithCorrections(keeping, lessons, name, args, () => args);
  }
  const known = reading.loaded.findLast((one) => one.name === name && one.isRead && one.content !== "");
  const content = known ? known.content : yield* viewSkill(name);
  if (content === null) return false;
  const args = { ...toPatch(name, lessons, readOwnPart(content), key) };
  const cited = citeLessons(toolset, lessons);
  return yield* writeWithCorrections(
    keeping,
    lessons,
    name,
    { ...args, ...(slip === "citations" ? {} : cited) },
    () => ({
      ...args,
      ...cited,
    }),
  );
}

export function* viewSkill(name: string): Dialogue<string | null> {
  const [heard] = yield { text: "", calls: [{ name: "skill_view", args: { name } }] };
  return heard && !heard.failed && typeof heard.fields.content === "string" ? heard.fields.content : null;
}

function citeLessons(toolset: Toolset, lessons: Lesson[]): JsonObject {
  return toolset.cite(lessons.flatMap(({ citations }) => citations));
}

/** The rule that a careless first call breaks; `null` if it breaks none. */
function drawSlip<Rule extends string>({ key, world }: LessonWriting, rules: readonly Rule[]): Rule | null {
  if (!happens(world.parameters.reviewer.careless, key, "careless")) return null;
  return pick(rules, key, "slip");
}

function toPatch(name: string, lessons: Lesson[], content: string, key: string): JsonObject {
  const edits: Edit[] = [];
  let text = content;
  for (const lesson of lessons) {
    const edit = placeLesson(text, lesson, key);
    if (!text.includes(edit.old_string)) continue;
    text = text.replace(edit.old_string, () => edit.new_string);
    edits.push(edit);
  }
  if (edits.length === 1) return { action: "patch", name, ...edits[0]! };
  if (edits.length > 1) return { operations: edits.map((edit) => ({ action: "patch", name, ...edit })) };
  // No edit found its place in the text: append after the last line.
  const last = content.trimEnd().split("\n").at(-1)!;
  const sentences = lessons.map((lesson) => placeLesson("", lesson, key).new_string.split("\n")[0]!);
  return { action: "patch", name, old_string: last, new_string: [last, ...sentences].join("\n") };
}

/** Writes and corrects the call after each refusal. True if the write was accepted or awaits approval. */
function* writeWithCorrections(
  keeping: LessonWriting,
  lessons: Lesson[],
  name: string,
  first: JsonObject,
  rebuildArgs: () => JsonObject,
): Dialogue<boolean> {
  const { key, toolset } = keeping;
  let args = first;
  let target = name;
  const tried = new Set<string>();
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const [heard] = yield { text: "", calls: [{ name: "skill_manage", args }] };
    if (!heard) return false;
    if (!heard.failed) return true;
    const { code, error } = heard.fields;
    const named = findLastName(String(error ?? ""), target);
    switch (code) {
      case "citations_missing":
      case "bad_skill_md":
        args = rebuildArgs();
        break;
      case "read_first": {
        const content = yield* viewSkill(target);
        if (content === null) return false;
        args = { ...toPatch(target, lessons, readOwnPart(content), key), ...citeLessons(toolset, lessons) };
        break;
      }
      // The name described only this session. The area names a class of work.
      case "artefact_name": {
        const subject = toSubject(
          keeping.world,
          keeping.reading,
          lessons.map(({ operation }) => operation),
        );
        const next = `${subject.area}-options`;
        args = JSON.parse(JSON.stringify(rebuildArgs()).replaceAll(target, next)) as JsonObject;
        target = next;
        break;
      }
      case "skill_exists":
      case "skill_protected":
      case "near_duplicate": {
        // Continue with the skill that the refusal names, else with the next fitting skill.
        tried.add(target);
        const place = code === "skill_exists" ? target : (named ?? keeping.known.find((known) => !tried.has(known)));
        // If no skill may be changed, create a new one.
        if (place === undefined) return code === "skill_protected" && (yield* createSkill(keeping, lessons, tries));
        target = place;
        const next = yield* toExistingSkill(keeping, lessons, target);
        if (!next) return false;
        args = next;
        break;
      }
      // The refusal names a value without proof: read the transcript again and write the value found there.
      case "unproved_value":
        args = rereadValues(keeping, lessons, args, String(error ?? ""));
        break;
      default:
        return false;
    }
  }
  return false;
}

function rereadValues(
  { reading, options }: LessonWriting,
  lessons: Lesson[],
  args: JsonObject,
  error: string,
): JsonObject {
  let text = JSON.stringify(args);
  for (const lesson of lessons) {
    const { job } = reading;
    const { operation, spelled, option, read } = lesson;
    if (read === undefined || !error.includes(option)) continue;
    const put = respell(spelled, read);
    text = text.replaceAll(`\`${spelled}\``, `\`${put}\``);
    Object.assign(lesson, { option: read, spelled: put, isWrong: false });
    delete lesson.read;
    options.note?.({ kind: "lesson", job, operation, option: read, isWrong: false, isDuplicate: false });
  }
  return JSON.parse(text) as JsonObject;
}

/** A patch of the target if it exists. Else, for a companion's name, the call that creates the companion. */
function* toExistingSkill(
  { key, toolset, world, reading }: LessonWriting,
  lessons: Lesson[],
  target: string,
): Dialogue<JsonObject | null> {
  const content = yield* viewSkill(target);
  if (content !== null)
    return { ...toPatch(target, lessons, readOwnPart(content), key), ...citeLessons(toolset, lessons) };
  const base = target.replace(/-local$/, "");
  if (base === target) return null;
  const viewed = yield* viewSkill(base);
  const subject = toSubject(
    world,
    reading,
    lessons.map(({ operation }) => operation),
  );
  const { description, thing } = chooseWords(subject, 0, toolset.isShort);
  const words = { name: target, thing, description: `Learned beside ${base}: ${description}` };
  const isThere = viewed !== null && readCompanionPart(viewed) !== null;
  if (isThere) return null;
  return {
    action: "create",
    name: target,
    content: writeSkillMd(words, lessons, `${key} beside`),
    ...citeLessons(toolset, lessons),
  };
}

/** The last skill name in a refusal other than the refused one: the place where the lesson belongs. */
export function findLastName(error: string, refused: string): string | null {
  const names = Array.from(error.matchAll(/['`]([a-z0-9]+(?:-[a-z0-9]+)*)['`]/g), ([, name]) => name!);
  return names.findLast((name) => name !== refused) ?? null;
}
