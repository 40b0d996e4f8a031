// How the simulated reviewer gets a lesson into the library: which skill it belongs to, a patch or a new skill, and what it does
// about each refusal. Part of reviewer.ts; sees the review's tools and their results, and nothing else.
import type { ModelRequest } from "../../../core/agent/contract.ts";
import type { JsonObject } from "../../../core/schemas/entry.ts";
import { draw, happens, pick } from "../world/draws.ts";
import { fittingSkills } from "./matching.ts";
import type { Heard, Said } from "./scripted.ts";
import {
  type Edit,
  type Lesson,
  type Subject,
  companionPart,
  ownPart,
  placeLesson,
  wordsFor,
  writeSkillMd,
} from "./skill-writing.ts";
import { readStatements } from "./statements.ts";
import { respell } from "../world/styles.ts";
import type { Reading } from "./transcript-reading.ts";
import { foreseeRequests } from "./understanding.ts";
import { wordingsOf } from "./worker.ts";
import type { Family, World } from "../world/tasks.ts";

/** One thing that a review set out to write. Told again, with the same words, when an answer is asked for again. */
export type Attempt =
  | { kind: "lesson"; job: string; operation: string; option: string; isWrong: boolean; isDuplicate: boolean }
  | { kind: "order"; job: string; poison: string }
  | { kind: "preference"; job: string; text: string };

export interface ReviewerOptions {
  /** What the reviewer understands of a job: its kind of work, in any wording. */
  worldOf(job: string): World;
  note?(attempt: Attempt): void;
}

/** What of the request's tools there is, and what they ask for. */
export function deskOf({ tools }: ModelRequest) {
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
export type Desk = ReturnType<typeof deskOf>;

const MAX_TRIES = 5;

export interface Keeping {
  reading: Reading;
  world: World;
  lessons: Lesson[];
  /** Skills for the class that the list shows, best first. */
  known: string[];
  key: string;
  options: ReviewerOptions;
  desk: Desk;
  wrote: string[];
}

export type Talk<T> = Generator<Said, T, Heard[]>;

export function* keepLessons(keeping: Keeping): Talk<void> {
  const { reading, world, lessons, key, options } = keeping;
  const names = lessons.map(({ operation }) => operation);
  const subject = subjectOf(world, reading, names);
  const query = `${subject.requests[0]!} ${subject.area}`.slice(0, 400);
  const [listed] = yield { text: "", calls: [{ name: "skills_list", args: { query } }] };
  const lines = readListed(listed);
  const family = familyWith(world, names);
  const fitting = fittingSkills(lines, wordingsIn(world, reading, names));
  const known = fitting.filter(({ score }) => score >= MIN_COVERED).map(({ name }) => name);
  keeping.known = known;
  const groups = new Map<string | null, Lesson[]>();
  for (const lesson of lessons) {
    const target = targetOf(lesson, reading, family, known);
    groups.set(target, [...(groups.get(target) ?? []), lesson]);
  }
  for (const [target, group] of groups) {
    const isDuplicate =
      target !== null && happens(world.parameters.reviewer.duplicates, key, group[0]!.operation, "again");
    for (const { operation, option, isWrong } of group) {
      options.note?.({ kind: "lesson", job: reading.job, operation, option, isWrong, isDuplicate });
    }
    // Written again it is called by other words than the first one was.
    const first = Math.floor(draw(world.seed, subject.area, "way") * 4);
    const way = isDuplicate ? first + 1 + Math.floor(draw(key, "way") * 3) : first;
    const done =
      target === null || isDuplicate ? yield* create(keeping, group, way) : yield* improve(keeping, group, target);
    if (done) keeping.wrote.push(`${group.length === 1 ? "a lesson" : "lessons"} about ${group[0]!.operation}`);
  }
}

/** The kind of work that needs any of the operations; `null` for work that nobody has met. */
function familyWith(world: World, operations: readonly string[]): Family | null {
  return world.families.find((family) => family.operations.some(({ name }) => operations.includes(name))) ?? null;
}

/** A transcript without the request still has the number of the task, which tells what the work was about. */
export function subjectOf(world: World, reading: Reading, operations: readonly string[]): Subject {
  const family = familyWith(world, operations);
  const asked = (reading.request || world.task(reading.job)?.request || operations[0] || "").split("\n")[0]!;
  const request = asked.replace(/ #[\d.]+$/, "");
  const others = (family?.wordings ?? []).filter((wording) => wording !== request);
  return { area: family?.key ?? operations[0]?.split(" ")[0] ?? "service", requests: [request, ...others] };
}

function wordingsIn(world: World, reading: Reading, operations: readonly string[]): string[] {
  const family = familyWith(world, operations);
  const request = reading.request || (world.task(reading.job)?.request ?? "");
  return wordingsOf({ family, request, operations: operations.map((name) => world.operation(name)) });
}

function readListed(heard: Heard | undefined): { name: string; description: string }[] {
  const skills = heard?.fields.skills;
  if (!Array.isArray(skills)) return [];
  return (skills as JsonObject[]).map(({ name, description }) => ({
    name: String(name),
    description: String(description),
  }));
}

/** The skill that said something else; else the best of those that were loaded, the agent's own first; else one that is known. */
function targetOf({ operation }: Lesson, { loaded }: Reading, family: Family | null, known: string[]): string | null {
  const own = loaded.filter(({ name, content }) => covers(name, content, family));
  const wrong = own.findLast(({ content }) => readStatements(content).some((one) => one.operation === operation));
  const best = own.findLast(({ content }) => content.includes("## Pitfalls")) ?? own.at(-1);
  return wrong?.name ?? best?.name ?? known[0] ?? null;
}

/** What was loaded by the way is no place for a lesson about something else. */
function covers(name: string, content: string, family: Family | null): boolean {
  if (!family) return false;
  const names = family.operations.map((operation) => operation.name);
  if (readStatements(content).some(({ operation }) => names.includes(operation))) return true;
  const wordings = wordingsOf({ family, request: "", operations: [...family.operations] });
  const [fit] = fittingSkills([{ name, description: descriptionIn(content) }], wordings);
  return fit !== undefined && fit.score >= MIN_COVERED;
}

/** Words that a skill has in common with one wording of a kind of work. */
const MIN_COVERED = 3;

function descriptionIn(content: string): string {
  return /^description: (.*)$/m.exec(content)?.[1] ?? "";
}

function* create(keeping: Keeping, lessons: Lesson[], way: number): Talk<boolean> {
  const { key, desk, world, reading } = keeping;
  const names = lessons.map(({ operation }) => operation);
  const subject = subjectOf(world, reading, names);
  const words = wordsFor(subject, way, desk.isShort);
  const slip = slipOf(keeping, ["citations", "section"]);
  const section = slip === "section" ? pick(["Pitfalls", "Verify"], key, "section") : null;
  const content = (leaveOut: string | null) => writeSkillMd(words, lessons, `${key} ${way}`, leaveOut);
  const citations = slip === "citations" ? {} : citing(desk, lessons);
  const requests = foreseeRequests(world, familyWith(world, names), subject.requests[0]!);
  const args: JsonObject = {
    ...{ action: "create", name: words.name, content: content(section), ...citations },
    ...(desk.takesRequests && { requests }),
  };
  return yield* settle(keeping, lessons, words.name, args, () => ({
    ...args,
    content: content(null),
    ...citing(desk, lessons),
  }));
}

function* improve(keeping: Keeping, lessons: Lesson[], name: string): Talk<boolean> {
  const { reading, key, desk } = keeping;
  const slip = slipOf(keeping, ["citations", "read"]);
  const seen = reading.loaded.findLast((one) => one.name === name)?.content;
  if (slip === "read" && seen !== undefined) {
    const args = { ...toPatch(name, lessons, ownPart(seen), key), ...citing(desk, lessons) };
    return yield* settle(keeping, lessons, name, args, () => args);
  }
  const known = reading.loaded.findLast((one) => one.name === name && one.isRead && one.content !== "");
  const content = known ? known.content : yield* view(name);
  if (content === null) return false;
  const args = { ...toPatch(name, lessons, ownPart(content), key) };
  const cited = citing(desk, lessons);
  return yield* settle(keeping, lessons, name, { ...args, ...(slip === "citations" ? {} : cited) }, () => ({
    ...args,
    ...cited,
  }));
}

export function* view(name: string): Talk<string | null> {
  const [heard] = yield { text: "", calls: [{ name: "skill_view", args: { name } }] };
  return heard && !heard.failed && typeof heard.fields.content === "string" ? heard.fields.content : null;
}

function citing(desk: Desk, lessons: Lesson[]): JsonObject {
  return desk.cite(lessons.flatMap(({ citations }) => citations));
}

/** The rule that a careless first call breaks; `null`: none. */
function slipOf<Rule extends string>({ key, world }: Keeping, rules: readonly Rule[]): Rule | null {
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
  // A text that has no such place: its last line is as good as any.
  const last = content.trimEnd().split("\n").at(-1)!;
  const told = lessons.map((lesson) => placeLesson("", lesson, key).new_string.split("\n")[0]!);
  return { action: "patch", name, old_string: last, new_string: [last, ...told].join("\n") };
}

/** Writes, and puts right what a refusal says. True when it was taken, or waits for a person. */
function* settle(
  keeping: Keeping,
  lessons: Lesson[],
  name: string,
  first: JsonObject,
  whole: () => JsonObject,
): Talk<boolean> {
  const { key, desk } = keeping;
  let args = first;
  let target = name;
  const tried = new Set<string>();
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const [heard] = yield { text: "", calls: [{ name: "skill_manage", args }] };
    if (!heard) return false;
    if (!heard.failed) return true;
    const { code, error } = heard.fields;
    const named = namedIn(String(error ?? ""), target);
    switch (code) {
      case "citations_missing":
      case "bad_skill_md":
        args = whole();
        break;
      case "read_first": {
        const content = yield* view(target);
        if (content === null) return false;
        args = { ...toPatch(target, lessons, ownPart(content), key), ...citing(desk, lessons) };
        break;
      }
      // The name was an artefact of this session. The area names a class of work.
      case "artefact_name": {
        const subject = subjectOf(
          keeping.world,
          keeping.reading,
          lessons.map(({ operation }) => operation),
        );
        const next = `${subject.area}-options`;
        args = JSON.parse(JSON.stringify(whole()).replaceAll(target, next)) as JsonObject;
        target = next;
        break;
      }
      case "skill_exists":
      case "skill_protected":
      case "near_duplicate": {
        // Its neighbour, its companion, or, where neither is named, the next skill for the class.
        tried.add(target);
        const place = code === "skill_exists" ? target : (named ?? keeping.known.find((known) => !tried.has(known)));
        // If no skill may be changed, a new one holds the lesson.
        if (place === undefined) return code === "skill_protected" && (yield* create(keeping, lessons, tries));
        target = place;
        const next = yield* intoExisting(keeping, lessons, target);
        if (!next) return false;
        args = next;
        break;
      }
      // Told which value nothing shows, it reads the transcript again, and writes what stands there.
      case "unproved_value":
        args = reread(keeping, lessons, args, String(error ?? ""));
        break;
      default:
        return false;
    }
  }
  return false;
}

function reread({ reading, options }: Keeping, lessons: Lesson[], args: JsonObject, error: string): JsonObject {
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

/** A patch of a skill that is there, or a new companion with what the base's lacks. */
function* intoExisting(
  { key, desk, world, reading }: Keeping,
  lessons: Lesson[],
  target: string,
): Talk<JsonObject | null> {
  const content = yield* view(target);
  if (content !== null) return { ...toPatch(target, lessons, ownPart(content), key), ...citing(desk, lessons) };
  const base = target.replace(/-local$/, "");
  if (base === target) return null;
  const shown = yield* view(base);
  const subject = subjectOf(
    world,
    reading,
    lessons.map(({ operation }) => operation),
  );
  const { description, thing } = wordsFor(subject, 0, desk.isShort);
  const words = { name: target, thing, description: `Learned beside ${base}: ${description}` };
  const isThere = shown !== null && companionPart(shown) !== null;
  if (isThere) return null;
  return {
    action: "create",
    name: target,
    content: writeSkillMd(words, lessons, `${key} beside`),
    ...citing(desk, lessons),
  };
}

/** The last skill that a refusal names beside the one that was refused: where it says the lesson belongs. */
export function namedIn(error: string, refused: string): string | null {
  const names = Array.from(error.matchAll(/['`]([a-z0-9]+(?:-[a-z0-9]+)*)['`]/g), ([, name]) => name!);
  return names.findLast((name) => name !== refused) ?? null;
}
