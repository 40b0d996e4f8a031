// `/blueprint`: the owner makes a job or a goal of a blueprint, in the conversation. Alone it lists them; with a name it shows the slots. Called by
// run-command.ts. The turn names what is made, so that a command that is repeated after a crash makes it once.
import { BLUEPRINTS, findBlueprint } from "../../blueprints/catalog/index.ts";
import type { Blueprint } from "../../blueprints/blueprint.ts";
import { type FilledJob, fillBlueprint, toBlueprintInfo } from "../../blueprints/fill.ts";
import { readSlotWords } from "../../blueprints/read-words.ts";
import { describeJobDone } from "../../commands/jobs/describe-jobs.ts";
import type { SlotInfo } from "../../schemas/agenda/blueprint.ts";
import { JobName } from "../../schemas/agenda/job.ts";
import { toTurnId } from "../../schemas/ids.ts";
import type { EngineContext } from "../context.ts";
import { beginGoal } from "../goals/goal-commands.ts";
import type { TurnRow } from "../log-turns.ts";
import type { NoticeEnding } from "../turn/endings.ts";
import { chatOfTurn } from "../turn/profile-jobs.ts";

interface BlueprintCommand {
  context: EngineContext;
  turn: TurnRow;
}

export async function runBlueprint(command: BlueprintCommand, argument: string): Promise<NoticeEnding> {
  const { context, turn } = command;
  if (turn.more.source !== undefined || context.meta().kind !== undefined) {
    return refuse("blueprint_not_here", "Only the profile's owner can use blueprints, in a chat.");
  }
  const [id = ""] = argument.split(/\s/, 1);
  if (id === "") return say(listBlueprints());
  const found = findBlueprint(id);
  if (!found.ok) return refuse(found.failure.code, `${found.failure.message} /blueprint lists them.`);
  const blueprint = found.value;
  const rest = argument.slice(id.length).trim();
  if (rest === "") return say(describe(blueprint));
  const words = readSlotWords(rest, [...blueprint.slots.map(({ name }) => name), "name"]);
  if (!words.ok) return refuse(words.failure.code, words.failure.message);
  const { name = blueprint.id, ...slots } = words.value;
  const filled = fillBlueprint(blueprint, { ...readChat(blueprint, turn), ...slots });
  if (!filled.ok) return refuse(filled.failure.code, filled.failure.message);
  return filled.value.kind === "goal" ? beginGoal(command, filled.value.spec) : makeJob(command, filled.value, name);
}

async function makeJob({ context, turn }: BlueprintCommand, { spec }: FilledJob, given: string): Promise<NoticeEnding> {
  const { profileJobs, session } = context.host;
  const name = JobName.safeParse(given);
  if (!name.success) return refuse("bad_job", `'${given}' is not a name of a job: ${name.error.issues[0]!.message}.`);
  if (!profileJobs) return refuse("blueprint_not_here", "Jobs cannot be made here.");
  const call = { author: { by: "owner" as const }, op: `command:${toTurnId(session, turn.n)}` };
  const made = await profileJobs.create({ ...spec, name: name.data }, call);
  if (!made.ok) return refuse(made.failure.code, made.failure.message);
  return say(describeJobDone({ did: "create", job: made.value }));
}

/** A job that is made in a chat answers there, if nothing else is said. */
function readChat({ slots }: Blueprint, turn: TurnRow): Record<string, string> {
  const chat = chatOfTurn(turn);
  return chat !== null && slots.some(({ name }) => name === "deliver") ? { deliver: `chat:${chat}` } : {};
}

function listBlueprints(): string {
  const lines = BLUEPRINTS.map(({ id, kind, purpose }) => `- \`${id}\` (${kind}): ${purpose}`);
  return `${lines.join("\n")}\n\n/blueprint NAME shows what one asks.`;
}

function describe(blueprint: Blueprint): string {
  const { title, purpose, slots, example, kind } = toBlueprintInfo(blueprint);
  const name = kind === "job" ? "\n- `name`: Of the job. Default: its blueprint's name" : "";
  return `**${title}.** ${purpose}\n\n${slots.map(describeSlot).join("\n")}${name}\n\nMake it with: ${example}`;
}

function describeSlot({ name, ask, required, default: of, options }: SlotInfo): string {
  const choice = options ? ` (${options.join(", ")})` : "";
  const without = required ? " (needed)" : of === undefined ? " (optional)" : `. Default: ${of}`;
  return `- \`${name}\`: ${ask}${choice}${without}`;
}

function say(text: string): NoticeEnding {
  return { state: "done", code: "blueprint", text };
}

function refuse(code: string, text: string): NoticeEnding {
  return { state: "failed", code, text };
}
