// Carries out what begins with a slash in a channel: commands by the one table of core/commands, each person's by their role. Called by
// durable-objects/channels for each message that is heard, before it is posted to a session. An unknown word is answered and never sent to a
// model.
import { type ClientCommandName, mayUse, offeredCommands } from "../../commands/commands.ts";
import { formatUsage } from "../../commands/help.ts";
import { describeMisuse, findCommand, findNearest, parseLineOf } from "../../commands/parse-command.ts";
import type { BusyMode } from "../../schemas/settings.ts";
import { runTopic } from "../topics/run-topic.ts";
import {
  listSessions,
  resumeSession,
  showLearning,
  showMemory,
  showSkills,
  showStatus,
  showUsage,
  showFound,
} from "./pages.ts";
import { type CommandScene, quoteWords, toCommandRole } from "./scene.ts";

/**
 * `message`: not a command, so it is posted as it is. `posted`: the session carries it out and answers by the outbox. `nothing`: it is for another bot.
 */
export type CommandOutcome =
  | { kind: "message" }
  | { kind: "posted" }
  | { kind: "nothing" }
  /** Markdown for the person. */
  | { kind: "said"; text: string };

/** `text`: as the person wrote it. `addressed`: to the agent. */
export async function runChannelCommand(
  scene: CommandScene,
  { text, addressed }: { text: string; addressed: boolean },
): Promise<CommandOutcome> {
  const typed = readTyped(text);
  if (!typed) return { kind: "message" };
  // Telegram's `/help@another_bot`, and what is written to all in a group where several bots listen.
  if (scene.chat.kind === "group" && typed.bot !== undefined) return { kind: "nothing" };
  const row = findCommand(typed.line, "channel");
  if (!row) return runUnknown(scene, { ...typed, addressed });
  const role = toCommandRole(scene.role);
  if (!mayUse(row, role, scene.shared)) return say(describeRefusal(row.name, scene));
  const misuse = describeMisuse(typed.line, "channel");
  if (misuse !== null) return say(misuse);
  if (row.handler !== "client") return post(scene, typed.line);
  const parsed = parseLineOf("channel", typed.line);
  if (parsed.kind !== "command") return { kind: "message" };
  return COMMANDS[parsed.name](scene, parsed.argument);
}

type Run = (scene: CommandScene, argument: string) => Promise<CommandOutcome> | CommandOutcome;

const COMMANDS: Record<ClientCommandName<"channel">, Run> = {
  new: runNew,
  stop: runStop,
  status: async (scene) => say(await showStatus(scene)),
  whoami: (scene) => say(describeSpeaker(scene)),
  usage: async (scene) => say(await showUsage(scene)),
  sessions: async (scene, id) => say(id === "" ? await listSessions(scene) : await resumeSession(scene, id)),
  branch: runBranch,
  search: async (scene, words) => say(await inPrivate(scene, () => showFound(scene, words))),
  skills: async (scene, name) => say(await showSkills(scene, name)),
  memory: async (scene) => say(await inPrivate(scene, () => showMemory(scene))),
  learning: async (scene, skill) => say(await showLearning(scene, skill)),
  topic: async (scene, argument) => say(await runTopic(scene, argument)),
  listen: runListen,
  sethome: async ({ ports }) => {
    await ports.setHome();
    return say("This chat is home now: what concerns no other chat is sent here.");
  },
  queue: (scene, text) => post(scene, text, "queue"),
  steer: (scene, text) => post(scene, text, "steer"),
  interrupt: (scene, text) => post(scene, text, "interrupt"),
  start: (scene) => say(`Hello! Write what you need.\n\n${describeSpeaker(scene)} /help lists the commands.`),
  help: (scene) => say(renderHelp(scene)),
};

async function post({ ports }: CommandScene, text: string, busy?: BusyMode): Promise<CommandOutcome> {
  const posted = await ports.post(text, busy);
  return posted.ok ? { kind: "posted" } : say(posted.failure.message);
}

async function runNew({ ports }: CommandScene): Promise<CommandOutcome> {
  const begun = await ports.begin();
  return say(
    begun.ok ? "Your next message begins a new session. /sessions goes back to an earlier one." : begun.failure.message,
  );
}

async function runStop({ ports }: CommandScene): Promise<CommandOutcome> {
  const stopped = await ports.stop();
  if (stopped === 0) return say("Nothing runs.");
  return say(stopped === 1 ? "Stopped." : `Stopped, and ${stopped - 1} waiting with it.`);
}

async function runBranch({ ports }: CommandScene, turn: string): Promise<CommandOutcome> {
  if (!/^\d{0,9}$/.test(turn) || turn === "0") return say("Write it as /branch, or /branch and the number of a turn.");
  const made = await ports.branch(turn === "" ? undefined : Number(turn));
  if (!made.ok) return say(made.failure.message);
  return say(`This chat goes on with a branch, session ${quoteWords(made.value.session)}. /sessions goes back.`);
}

async function runListen({ chat, listening, ports }: CommandScene, word: string): Promise<CommandOutcome> {
  if (chat.kind === "direct") return say("In a direct chat I hear everything.");
  if (word === "") return say(`${HEARING[listening]} Change it with /listen mention, /listen all or /listen off.`);
  const listen = word as keyof typeof HEARING;
  await ports.setListening(listen);
  return say(HEARING[listen]);
}

const HEARING = {
  mention: "I answer here when I am mentioned or replied to.",
  all: "I answer every message here.",
  off: "I do not answer here, except to commands of owners and admins.",
};

/** What the owner said elsewhere is not for everybody in a group. */
async function inPrivate({ chat }: CommandScene, show: () => Promise<string>): Promise<string> {
  return chat.kind === "direct" ? show() : "Ask me that in a direct chat: others here could read the answer.";
}

const ROLES = { owner: "its owner", admin: "an admin", user: "a user" };

function describeSpeaker({ platform, from, role }: CommandScene): string {
  return `You are ${quoteWords(from.name)} (${quoteWords(from.id)}) on ${platform}, and this agent knows you as ${ROLES[role]}.`;
}

function describeRefusal(name: string, { role, shared }: CommandScene): string {
  if (role === "admin") return `/${name} is for the owner of this agent only.`;
  const here = shared ? " here, where several people share the session" : "";
  return `/${name} is for owners and admins of this agent${here}. /help lists what you can use.`;
}

function renderHelp({ role, shared }: CommandScene): string {
  const lines = offeredCommands("channel", toCommandRole(role), shared).map((row) => {
    const aliases = (row.aliases ?? []).map((alias) => `/${alias}`).join(", ");
    return `- \`${formatUsage(row)}\` ${row.help.replaceAll("|", "\\|")}${aliases === "" ? "" : ` (also ${aliases})`}`;
  });
  return ["Commands:", ...lines, "", "`/NAME TEXT` uses the skill NAME. Anything else is a message."].join("\n");
}

interface Typed {
  /** The word without the slash, in small letters. */
  word: string;
  /** The whole text, its command in small letters and without the name of a bot. */
  line: string;
  /** The bot that the command names. */
  bot?: string;
}

/** `null`: nothing that looks like a command, such as a path. */
function readTyped(text: string): Typed | null {
  const trimmed = text.trim();
  const match = /^\/([a-z][a-z0-9_-]{0,63})(?:@(\S{1,100}))?(?=\s|$)/i.exec(trimmed);
  if (!match) return null;
  const word = match[1]!.toLowerCase();
  const line = `/${word}${trimmed.slice(match[0].length)}`;
  return { word, line, ...(match[2] !== undefined && { bot: match[2] }) };
}

/** A skill's name is for the session, which loads it. Platforms without hyphens in commands write `_`. */
async function runUnknown(
  scene: CommandScene,
  { word, line, addressed }: Typed & { addressed: boolean },
): Promise<CommandOutcome> {
  const skills = (await scene.ports.listSkills()).map(({ name }) => name);
  const skill = skills.find((name) => name === word || name === word.replaceAll("_", "-"));
  if (skill !== undefined) return post(scene, `/${skill}${line.slice(word.length + 1)}`);
  if (scene.chat.kind === "group" && !addressed) return { kind: "nothing" };
  const offered = offeredCommands("channel", toCommandRole(scene.role), scene.shared).map(({ name }) => name);
  const near = findNearest(word, [...offered, ...skills]);
  const advice = near === undefined ? "/help lists the commands." : `Did you mean /${near}?`;
  return say(`There is no command or skill /${word}. ${advice}`);
}

function say(text: string): CommandOutcome {
  return { kind: "said", text };
}
