// The command /topic: several sessions in one chat. A topic is a thread of the platform where one can be opened, and else a name: then the chat
// is in one topic at a time. Called by commands/run-channel-command.ts. The session keys do the rest.
import { type CommandScene, count, plainWords } from "../commands/scene.ts";
import { headOf, toOneLine } from "../../clip.ts";
import { MAX_TOPICS, type Topic } from "./topic-rows.ts";

/** Telegram allows 128 characters, the least of those who limit it. https://core.telegram.org/bots/api#createforumtopic */
const MAX_NAME_CHARS = 100;

const USAGE =
  "`/topic create NAME` begins one, `/topic switch NAME` goes to one, `/topic switch main` leaves it, `/topic rename NAME` renames this one, `/topic off` ends topics.";

/** Returns Markdown. */
export async function runTopic(scene: CommandScene, argument: string): Promise<string> {
  const [, word = "", rest = ""] = /^(\S+)(?:\s+([\s\S]*))?$/.exec(argument) ?? [];
  const name = headOf(toOneLine(rest), MAX_NAME_CHARS).trim();
  switch (word.toLowerCase()) {
    case "":
    case "list":
      return listTopics(scene);
    case "create":
      return name === "" ? "Write it as /topic create NAME." : createTopic(scene, name);
    case "switch":
      return name === "" ? "Write it as /topic switch NAME." : switchTopic(scene, name);
    case "rename":
      return name === "" ? "Write it as /topic rename NAME." : renameTopic(scene, name);
    case "off":
      return endTopics(scene);
    default:
      return switchTopic(scene, headOf(toOneLine(argument), MAX_NAME_CHARS).trim());
  }
}

function listTopics({ topics, base, chat }: CommandScene): string {
  const all = topics.list(base);
  if (all.length === 0) return `This chat has no topics.\n\n${USAGE}`;
  const here = findHere(all, chat.thread);
  const lines = [
    `1. main${here === null && chat.thread === undefined ? " (here)" : ""}`,
    ...all.map((topic, at) => {
      const note = topic.n === here?.n ? " (here)" : topic.thread === null ? "" : " (a thread)";
      return `${at + 2}. ${plainWords(topic.name)}${note}`;
    }),
  ];
  return [...lines, "", USAGE].join("\n");
}

async function createTopic(scene: CommandScene, name: string): Promise<string> {
  const { topics, base, chat, ports, now } = scene;
  const all = topics.list(base);
  if (all.length >= MAX_TOPICS) return `A chat has at most ${MAX_TOPICS} topics. /topic off ends them.`;
  if (isMain(name)) return MAIN_TAKEN;
  const known = findNamed(all, name);
  if (known !== null) return `There is a topic ${describe(known)} already.`;
  const opened = await ports.openThread?.(name);
  if (opened?.ok) {
    topics.add(base, { name, thread: opened.value.thread }, now);
    return `I opened the thread **${plainWords(name)}**. Write there: it has a session of its own.`;
  }
  if (chat.thread !== undefined) return "A thread is a session of its own already. Begin topics in the chat itself.";
  topics.enter(base, topics.add(base, { name, thread: null }, now));
  const why = opened && !opened.ok ? " (No thread could be opened here, so it is a name.)" : "";
  return `This chat is in the topic **${plainWords(name)}** now, with a session of its own. \`/topic switch main\` goes back.${why}`;
}

function switchTopic({ topics, base, chat }: CommandScene, name: string): string {
  if (chat.thread !== undefined) return "This thread has its session. Switch topics in the chat itself.";
  const all = topics.list(base);
  const named = findNamed(all, name);
  if (isMain(name) || (named === null && name === "1")) {
    topics.enter(base, null);
    return "This chat is in its main session now.";
  }
  const found = named ?? (/^\d{1,2}$/.test(name) ? (all[Number(name) - 2] ?? null) : null);
  if (found === null) return `There is no topic ${plainWords(name)}. \`/topic create NAME\` begins one.`;
  if (found.thread !== null) return `${describe(found)} is a thread. Write there.`;
  topics.enter(base, found.n);
  return `This chat is in the topic **${plainWords(found.name)}** now.`;
}

async function renameTopic({ topics, base, chat, ports }: CommandScene, name: string): Promise<string> {
  const all = topics.list(base);
  const here = findHere(all, chat.thread);
  if (chat.thread === undefined && here === null) return "This is the main session. `/title NAME` names it.";
  if (isMain(name)) return MAIN_TAKEN;
  const same = findNamed(all, name);
  if (same !== null && same.n !== here?.n) return `There is a topic ${describe(same)} already.`;
  if (chat.thread !== undefined) {
    if (!ports.renameThread) return "This thread cannot be renamed from here.";
    const renamed = await ports.renameThread(name);
    if (!renamed.ok) return `The thread could not be renamed: ${renamed.failure.message}`;
  }
  if (here !== null) topics.rename(base, here.n, name);
  return `The topic is **${plainWords(name)}** now.`;
}

function endTopics({ topics, base }: CommandScene): string {
  const ended = topics.off(base);
  if (ended === 0) return "This chat has no topics.";
  return `Topics are off: this chat has one session again. What was said in ${count(ended, "topic")} stays; /sessions finds it.`;
}

const MAIN_TAKEN = "The chat itself is called main. Take another name.";

function isMain(name: string): boolean {
  return name.toLowerCase() === "main";
}

function findHere(all: Topic[], thread: string | undefined): Topic | null {
  return all.find((topic) => (thread === undefined ? topic.current : topic.thread === thread)) ?? null;
}

function findNamed(all: Topic[], name: string): Topic | null {
  const fold = (text: string) => text.normalize("NFC").toLowerCase();
  return all.find((topic) => fold(topic.name) === fold(name)) ?? null;
}

function describe({ name }: Topic): string {
  return `**${plainWords(name)}**`;
}
