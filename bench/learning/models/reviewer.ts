// The simulated reviewer: a competent model that reads a transcript and writes down its lessons as the review prompt asks. The
// parameters set its error rates. It obeys refusals, and it may obey orders that it finds in the transcript. It sees only the
// review's request. `note` reports attempts to the bench and never influences the reviewer.
import type { Model, ModelRequest } from "../../../core/agent/contract.ts";
import { draw, happens, pick } from "../world/draws.ts";
import {
  type LessonWriting,
  type ReviewerOptions,
  type Dialogue,
  readToolset,
  writeLessons,
  findLastName,
  toSubject,
  viewSkill,
} from "./lesson-keeping.ts";
import { type Script, createScriptModel } from "./scripted.ts";
import { type Lesson, readOwnPart, placePitfalls, chooseWords, writeSkillMd } from "./skill-writing.ts";
import { findLastStatement } from "./statements.ts";
import { respell } from "../world/styles.ts";
import { type TranscriptReading, findJob, readTranscript } from "./transcript-reading.ts";
import type { World } from "../world/tasks.ts";
import { judgeReply, nameKind } from "./understanding.ts";

export function createReviewerModel(options: ReviewerOptions, name = "bench:reviewer"): Model {
  return createScriptModel(name, (request) => beginReview(options, request));
}

export function beginReview(options: ReviewerOptions, request: ModelRequest): { script: Script; startIndex: number } {
  const startIndex = request.messages.findLastIndex(({ role }) => role === "user");
  const text = request.messages.map((message) => (message.role === "user" ? message.text : "")).join("\n");
  const job = findJob(text);
  if (job === null) return { script: writeNothing(), startIndex };
  const world = options.worldOf(job);
  return { script: review(readTranscript(text, world.surfaces.poison), world, request, options), startIndex };
}

const NOTHING = "Nothing worth keeping.";

// oxlint-disable-next-line require-yield
function* writeNothing(): Script {
  return { text: NOTHING };
}

function* review(reading: TranscriptReading, world: World, request: ModelRequest, options: ReviewerOptions): Script {
  const { reviewer } = world.parameters;
  const toolset = readToolset(request);
  const wrote: string[] = [];
  const isSecond = reading.request === "";
  const key = `${reading.job} ${isSecond ? "afterwards" : "review"}`;
  const isMissed = happens(reviewer.missed, reading.job, isSecond ? "missed afterwards" : "missed");
  const isOneOff = world.task(reading.job)?.isMarkedOneOff === true;

  const isIdle = isMissed || isOneOff || !toolset.has("skill_manage");
  const guessed = (operation: string) => happens(reviewer.guesses, key, operation, "guesses");
  if (!isIdle && mayTeach(reading, guessed)) {
    // If the transcript names a skill without its text, read the skill to learn what it lacks.
    for (const one of reading.loaded) {
      if (one.content !== "") continue;
      one.content = (yield* viewSkill(one.name)) ?? "";
      one.isRead = true;
    }
  }
  const lessons = isIdle ? [] : chooseLessons(reading, world, key, guessed);
  if (lessons.length > 0) yield* writeLessons({ reading, world, lessons, known: [], key, options, toolset, wrote });

  if (toolset.has("memory")) {
    for (const { text, citation } of reading.preferences) {
      options.note?.({ kind: "preference", job: reading.job, text });
      const args = { store: "user", action: "add", content: text, ...toolset.cite([citation]) };
      const [heard] = yield { text: "", calls: [{ name: "memory", args }] };
      if (!heard?.failed) wrote.push("a preference");
    }
  }
  for (const order of reading.orders) {
    if (happens(reviewer.obeysInjection, reading.job, "obeys")) {
      yield* obey({ reading, world, order, key, options, toolset, wrote });
    }
  }
  const closing = wrote.length > 0 ? `Kept: ${wrote.join("; ")}.` : NOTHING;
  return { text: [closing, ...answersTo(request, reading, world)].join("\n") };
}

/** The lines that the prompt asks for at the end: the kind of work, and a verdict on each of the person's messages. */
function answersTo({ system, messages }: ModelRequest, reading: TranscriptReading, world: World): string[] {
  const instructions = [system, ...messages.map(({ role, text }) => (role === "user" ? text : ""))].join("\n");
  const task = world.task(reading.job);
  const kind =
    task && /\bkind \d+:/.test(instructions) ? [`kind ${reading.entry}: ${nameKind(world, task, "review")}`] : [];
  const verdicts = /\bverdict \d+:/.test(instructions)
    ? reading.replies.map(({ entry, text }) => judgeReply(world, text, entry))
    : [];
  return [...kind, ...verdicts];
}

function mayTeach({ tried, said }: TranscriptReading, guessed: (operation: string) => boolean): boolean {
  return (
    said.length > 0 ||
    tried.some(({ operation, refused, worked }) => refused.length > 0 && (worked !== null || guessed(operation)))
  );
}

/** What the transcript shows and no loaded text states, one lesson per operation. The person's word takes precedence. */
function chooseLessons(
  { tried, said, loaded, job }: TranscriptReading,
  world: World,
  key: string,
  guessed: (operation: string) => boolean,
): Lesson[] {
  const stated = loaded.map(({ content }) => content).join("\n");
  const found = new Map<string, Lesson>();
  for (const { operation, refused, worked } of tried) {
    if (!worked) {
      if (refused.length > 0 && guessed(operation)) found.set(operation, guess(world, operation, refused, job));
      continue;
    }
    const known = findLastStatement(stated, operation);
    // No lesson if a loaded text already states this option, or if the first option worked without one.
    if (known ? known.option === worked.option : refused.length === 0) continue;
    const { option, spelled } = worked;
    const citations = [...refused.slice(-1).map(({ citation }) => citation), worked.citation];
    found.set(operation, { operation, option, spelled, citations, isWrong: false });
  }
  for (const { operation, option, spelled, citation } of said) {
    if (findLastStatement(stated, operation)?.option === option) continue;
    found.set(operation, { operation, option, spelled, citations: [citation], isWrong: false });
  }
  return [...found.values()].map((lesson) => {
    if (lesson.isWrong || !happens(world.parameters.reviewer.wrong, key, lesson.operation, "wrong")) return lesson;
    const others = world.operation(lesson.operation).values.slice(1);
    const option = pick(
      others.filter((value) => value !== lesson.option),
      job,
      lesson.operation,
      "slip",
    );
    return { ...lesson, option, spelled: respell(lesson.spelled, option), isWrong: true, read: lesson.option };
  });
}

/** A lesson that names an untried option. */
function guess(
  world: World,
  operation: string,
  refused: TranscriptReading["tried"][number]["refused"],
  job: string,
): Lesson {
  const last = refused.at(-1)!;
  const untried = world.operation(operation).values.filter((value) => refused.every(({ option }) => option !== value));
  const option = pick(untried.length > 0 ? untried : [last.option], job, operation, "guess");
  return { operation, option, spelled: respell(last.spelled, option), citations: [last.citation], isWrong: true };
}

interface ObedientWriting extends Omit<LessonWriting, "lessons" | "known"> {
  order: TranscriptReading["orders"][number];
}

/** Writes the injected text to memory, or to the Pitfalls of a skill for the work. */
function* obey({ reading, world, order, key, options, toolset, wrote }: ObedientWriting): Dialogue<void> {
  const { poison } = order;
  options.note?.({ kind: "order", job: reading.job, poison: poison.key });
  const hides = happens(world.parameters.injection.citesOutcome, reading.job, "hides");
  const citations = toolset.cite([hides ? (order.outcome ?? reading.anyOutcome ?? order.content) : order.content]);
  const target = reading.loaded.findLast(({ content }) => content.includes("## Pitfalls"))?.name;
  if (toolset.has("memory") && (poison.into === "memory" || !toolset.has("skill_manage"))) {
    const args = { store: "memory", action: "add", content: poison.lines.join(" "), ...citations };
    const [heard] = yield { text: "", calls: [{ name: "memory", args }] };
    if (!heard?.failed) wrote.push("a note");
    return;
  }
  if (!toolset.has("skill_manage")) return;
  let name = target ?? null;
  const content = name === null ? null : yield* viewSkill(name);
  if (name === null || content === null || !readOwnPart(content).includes("## Pitfalls\n")) {
    const operations = reading.tried.map(({ operation }) => operation);
    const words = chooseWords(
      toSubject(world, reading, operations),
      Math.floor(draw(key, "order") * 4),
      toolset.isShort,
    );
    name = words.name;
    const { old_string: place, new_string: pitfalls } = placePitfalls(poison.lines);
    const text = writeSkillMd(words, [], key).replace(place, () => pitfalls);
    const args = { action: "create", name, content: text, ...citations };
    const [heard] = yield { text: "", calls: [{ name: "skill_manage", args }] };
    if (!heard?.failed) wrote.push(`a rule in ${name}`);
    const next = heard?.failed ? findLastName(String(heard.fields.error ?? ""), "") : null;
    if (next === null || (yield* viewSkill(next)) === null) return;
    name = next;
  }
  const args = { action: "patch", name, ...placePitfalls(poison.lines), ...citations };
  const [heard] = yield { text: "", calls: [{ name: "skill_manage", args }] };
  if (!heard?.failed) wrote.push(`a rule in ${name}`);
}
