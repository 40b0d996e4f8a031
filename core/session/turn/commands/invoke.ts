// `/skill-name what to do`: loads the skills that a message names and adds their texts after it, as user text and never as
// system text. The same for skills that came with a message, as those of a job or a card. For a message that names none, loads a skill that the
// message clearly calls for. Called by run-turn.ts before
// the first model call. The texts are recorded as a note, so that a resumed turn sends the same bytes.
import { withResultLimits } from "../../../agent/small-window.ts";
import { type Failure, type Result, err, ok } from "../../../errors.ts";
import { loadedTexts } from "../../../learning/observe/observe.ts";
import { FIXED } from "../../../limits.ts";
import type { SkillLine } from "../../../schemas/api.ts";
import { byteLength } from "../../../schemas/learning/digest.ts";
import type { NoteEntry, Part } from "../../../schemas/entry.ts";
import { type SkillName, dayOf } from "../../../schemas/ids.ts";
import { MAX_MEMBERS } from "../../../skills/format/bundles.ts";
import {
  type InvocationText,
  type LoadedSkill,
  listCommands,
  parseInvocation,
  renderInvocation,
} from "../../../skills/invocation.ts";
import { type Library, type SkillView, createLibrary, skillMissing } from "../../../skills/library.ts";
import { mayRecall, pickRecalled, renderRecalled } from "../../../skills/search/recall.ts";
import { takeStart } from "../../../tools/clip.ts";
import { isCommand, nearestCommand } from "../../../commands/parse-command.ts";
import type { EngineContext } from "../../context.ts";
import { placeNotice } from "../../readers/events.ts";
import { shownEntries } from "../../prompt/history.ts";
import type { TurnRow } from "../../log-turns.ts";
import { isHeldOut } from "../../prompt/held-out.ts";
import { type SnippetRun, runSnippets } from "./skill-shell.ts";
import { isSilent } from "../../prompt/notices.ts";
import { readScene } from "../../prompt/scene.ts";

/** What is added after a message. */
export interface SkillsNote {
  code: "skills" | "recalled_skill";
  parts: Part[];
  skills: NonNullable<NoteEntry["skills"]>;
}

/**
 * Call if `looksLikeInvocation` accepts the request. Null: the message loads nothing, or the turn's model has been asked already.
 * Failures end the turn with a notice: `too_many_skills`, `unknown_command`, `message_too_long`, `skill_archived`, and those of
 * `Library.view`. Throws when a store does.
 */
export async function readInvocation(
  context: EngineContext,
  turn: TurnRow,
  request: string,
  run: LoadRun,
): Promise<Result<SkillsNote | null>> {
  if (!mayBeAdded(context, turn)) return ok(null);
  const library = openLibrary(context);
  const names = new Set((await library.lines()).map((line) => line.name));
  const parsed = parseInvocation(request, { isSkill: (slug) => names.has(slug), isCommand, nearestCommand });
  if (!parsed.ok || parsed.value === null) return parsed as Result<null>;
  const invocation = parsed.value;

  const found: FoundSkills = { views: [], remarks: [] };
  for (const name of invocation.names) {
    const named = await load(library, name);
    if (!named.ok) return named;
    await addWithMembers(library, named.value, found);
  }
  return renderFound(context, turn, { invocation, ...found }, run);
}

/**
 * The skills that came with the message, as a note. One that cannot be loaded is named there, and the turn goes on without it. Null: the turn's
 * model has been asked already. Failure: `message_too_long`. Throws when a store does.
 */
export async function readAttached(
  context: EngineContext,
  turn: TurnRow,
  names: readonly SkillName[],
  run: LoadRun,
): Promise<Result<SkillsNote | null>> {
  if (!mayBeAdded(context, turn)) return ok(null);
  const library = openLibrary(context);
  const found: FoundSkills = { views: [], remarks: [] };
  for (const name of names) {
    const named = await load(library, name);
    if (named.ok) await addWithMembers(library, named.value, found);
    else found.remarks.push(`${name} was left out: ${named.failure.message}`);
  }
  const invocation = { names: [...names], values: [], text: "", argument: "" };
  return renderFound(context, turn, { invocation, ...found, isAttached: true }, run);
}

type LoadRun = SnippetRun & { contextWindow?: number };

interface FoundSkills {
  views: SkillView[];
  /** Sentences about what was left out. */
  remarks: string[];
}

function openLibrary(context: EngineContext): Library {
  const { host, meta } = context;
  const store = meta().learning === "on" && !isHeldOut(host) ? host.skills : null;
  return createLibrary({ store, seeds: host.seeds, scene: readScene(context) });
}

/** The members of a bundle come before it. */
async function addWithMembers(library: Library, named: SkillView, { views, remarks }: FoundSkills): Promise<void> {
  for (const member of listMembers(named, remarks)) {
    if (views.some((view) => view.name === member)) continue;
    const found = await load(library, member);
    if (found.ok) views.push(found.value);
    else remarks.push(`${named.name} also names ${member}, which was left out: ${found.failure.message}`);
  }
  if (!views.some((view) => view.name === named.name)) views.push(named);
}

async function renderFound(
  context: EngineContext,
  turn: TurnRow,
  { views, remarks, ...given }: FoundSkills & Pick<InvocationText, "invocation" | "isAttached">,
  { contextWindow = Infinity, ...run }: LoadRun,
): Promise<Result<SkillsNote>> {
  const { host } = context;
  for (const { name, notice } of views) if (notice) remarks.push(`${name}: ${notice}`);
  const { maxResultChars, maxTurnResultChars } = withResultLimits(host.settings, () => contextWindow).turn;
  const each = Math.min(maxResultChars, Math.floor(maxTurnResultChars / Math.max(1, views.length)));
  const loaded = {
    ...given,
    skills: views.map((view) => toLoaded(view, each)),
    session: host.session,
    day: dayOf(host.clock.now()),
  };
  const outputs = await runSnippets(context, turn, listCommands(loaded), run);
  const parts = renderInvocation({ ...loaded, remarks, outputs });
  if (byteLength(JSON.stringify(parts)) > FIXED.rowBytes) {
    return err(
      "message_too_long",
      "The message and the skills it loads are too long together. Load fewer, or say less.",
    );
  }
  return ok({ code: "skills", parts, skills: views.flatMap(listShownTexts) });
}

/**
 * A skill that the request does not name but clearly calls for, judged by `lines`. Null: there is none, the conversation holds
 * it already, or it cannot be read. The model can still load it from the index.
 */
export async function readRecalled(
  context: EngineContext,
  turn: Pick<TurnRow, "input">,
  request: string,
  lines: SkillLine[],
): Promise<SkillsNote | null> {
  const { host, log } = context;
  const name = host.settings.skills.recall ? pickRecalled(lines, request) : null;
  if (name === null || !mayBeAdded(context, turn)) return null;
  const library = createLibrary({ store: host.skills, seeds: host.seeds, scene: readScene(context) });
  try {
    const found = await library.view(name);
    if (!found.ok || !mayRecall(found.value)) return null;
    const skills = listShownTexts(found.value);
    const before = shownEntries(log, turn.input!).flatMap(loadedTexts);
    const isKnown = skills.every(({ text }) => before.some((one) => one.text === text));
    return isKnown ? null : { code: "recalled_skill", parts: renderRecalled(found.value), skills };
  } catch (error) {
    host.report("recalled skill", error);
    return null;
  }
}

/** Writes the note through `put`, unless another attempt did, or the model was asked, while the skills were read. */
export function recordInvocation(
  context: EngineContext,
  turn: Pick<TurnRow, "n" | "input">,
  { code, parts, skills }: SkillsNote,
  put: (note: NoteEntry) => void,
): void {
  const { host, log, hub } = context;
  if (!mayBeAdded(context, turn)) return;
  const note: NoteEntry = {
    v: 1,
    n: log.nextEntry(),
    turn: turn.n,
    at: host.clock.now(),
    kind: "note",
    code,
    parts,
    skills,
  };
  put(note);
  hub.emit(placeNotice(note));
}

/** False once the model has been asked: what it has read must not change. */
function mayBeAdded({ host, log }: EngineContext, { input }: Pick<TurnRow, "input">): boolean {
  const from = host.replay?.placedTo() ?? input!;
  return log
    .entries(from + 1)
    .every((entry) => (entry.kind === "note" ? !entry.skills : entry.kind === "notice" && isSilent(entry)));
}

/** An archived skill is an error here, because a person who names a skill wants it followed. */
async function load(library: Library, name: SkillName): Promise<Result<SkillView>> {
  const found = await library.view(name);
  if (!found.ok) return found.failure.code === "skill_missing" ? skillMissing(name, await library.offered()) : found;
  return found.value.state === "archived" ? { ok: false, failure: archived(name) } : found;
}

function archived(name: SkillName): Failure {
  return err("skill_archived", `The skill '${name}' is archived. Restore it, then say this again.`).failure;
}

/** The other skills of a bundle, one level deep. */
function listMembers({ name, bundle = [] }: SkillView, remarks: string[]): SkillName[] {
  const members = bundle.filter((member) => member !== name);
  if (members.length > MAX_MEMBERS) {
    remarks.push(`${name} names ${members.length} skills; the first ${MAX_MEMBERS} of them were loaded.`);
  }
  return members.slice(0, MAX_MEMBERS);
}

function toLoaded(view: SkillView, maxChars: number): LoadedSkill {
  const content = takeStart(view.content, maxChars);
  return { view, content, ...(content.length < view.content.length && { nextOffset: content.length }) };
}

/** The texts that a view shows: the skill's own, and its companion's. */
function listShownTexts({ companion, ...view }: SkillView): SkillsNote["skills"] {
  return [view, ...(companion ? [companion] : [])].map(({ name, text, failedWords }) => {
    return { skill: name, text, ...(failedWords && { failedWords: failedWords.map(({ word }) => word) }) };
  });
}
