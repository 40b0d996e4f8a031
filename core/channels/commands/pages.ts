// What the commands of a channel show, as short Markdown that fits a chat: the session, sessions, skills, memory, found messages, usage, what was
// learned. Called by run-channel-command.ts. Names and texts come from people, models and files, so none of them becomes a mark.
import type { SessionDetail, SessionInfo } from "../../schemas/api.ts";
import { SessionId } from "../../schemas/ids.ts";
import { type CommandScene, count, plainWords, quoteWords } from "./scene.ts";

/** [own] A chat is narrow. */
const MAX_SESSIONS = 10;
const MAX_SKILLS = 30;
const MAX_FACTS = 30;
const MAX_PAGE_CHARS = 3_000;
/** Sessions of a chat that can be named by id. */
const MAX_KNOWN = 100;

export async function showStatus({ ports, base, topics, chat }: CommandScene): Promise<string> {
  const topic = chat.thread === undefined ? topics.list(base).find(({ current }) => current) : undefined;
  const place = topic ? [`Topic: ${plainWords(topic.name)}`] : [];
  const detail = await ports.session();
  if (!detail) return [...place, "There is no session yet: your next message begins one."].join("\n");
  const { session, title, model, effort, personality, turns, usage } = detail;
  const choices = [
    ...(model === undefined ? [] : [`model ${plainWords(model)}`]),
    ...(effort === undefined ? [] : [`reasoning ${effort}`]),
    ...(personality === undefined ? [] : [`personality ${plainWords(personality)}`]),
  ];
  return [
    ...place,
    `Session ${quoteWords(session)}${title === "" ? "" : `: ${plainWords(title)}`}`,
    describeWork(detail),
    ...(choices.length > 0 ? [`Chosen: ${choices.join(", ")}`] : []),
    `${count(turns.length, "turn")}, ${formatSum(usage)}`,
  ].join("\n");
}

function describeWork({ turns }: SessionDetail): string {
  const running = turns.find(({ state }) => state === "running" || state === "parked");
  const waiting = turns.filter(({ state }) => state === "queued").length;
  const more = waiting === 0 ? "" : `, ${count(waiting, "message")} waiting`;
  if (!running) return `Nothing runs${more}.`;
  const waits = running.parked && WAITS[running.parked.for];
  return `Turn ${running.n} ${waits ?? "runs"}${more}.`;
}

const WAITS = {
  approval: "waits for an approval",
  clarify: "waits for an answer",
  children: "waits for delegated tasks",
  client: "waits for a client",
};

export async function showUsage({ ports }: CommandScene): Promise<string> {
  const [detail, total] = await Promise.all([ports.session(), ports.usage()]);
  const own = detail === null ? [] : [`This session: ${formatSum(detail.usage)}`];
  return [...own, `All sessions, 30 days: ${formatSum(total)}`].join("\n");
}

function formatSum({ calls, tokens, usd }: { calls: number; tokens: number; usd: number }): string {
  return `${count(calls, "model call")}, ${count(tokens, "token")}, $${usd.toFixed(4)}`;
}

/** The owner sees all sessions in a direct chat. Everybody else, and the owner in a group, those of the chat. */
function scopeOf({ role, chat }: CommandScene): "chat" | "profile" {
  return role === "owner" && chat.kind === "direct" ? "profile" : "chat";
}

export async function listSessions(scene: CommandScene): Promise<string> {
  const [sessions, current] = await Promise.all([
    scene.ports.listSessions(scopeOf(scene), MAX_SESSIONS),
    scene.ports.session(),
  ]);
  if (sessions.length === 0) return "There is no session yet: your next message begins one.";
  const lines = sessions.map((info, at) => {
    const here = info.session === current?.session ? " (this one)" : "";
    return `${at + 1}. ${nameSession(info)}, ${dayOf(info.createdAt)}${here}`;
  });
  return [...lines, "", "`/sessions NUMBER` goes on with one of them."].join("\n");
}

/** `asked`: a number of the list, or an id. */
export async function resumeSession(scene: CommandScene, asked: string): Promise<string> {
  const { ports } = scene;
  const scope = scopeOf(scene);
  const place = /^\d{1,2}$/.test(asked) ? Number(asked) : null;
  const id = SessionId.safeParse(asked.toUpperCase());
  if (place === null && !id.success) return "Write it as /sessions and a number of the list or the id of a session.";
  const known = await ports.listSessions(scope, place === null ? MAX_KNOWN : MAX_SESSIONS);
  const found = place === null ? known.find(({ session }) => session === id.data) : known[place - 1];
  const session = found?.session ?? (scope === "profile" && id.success ? id.data : null);
  if (session === null) return "This chat had no such session. /sessions lists them.";
  const resumed = await ports.resume(session);
  return resumed.ok ? `This chat goes on with ${nameSession(resumed.value)}.` : resumed.failure.message;
}

function nameSession({ session, title }: Pick<SessionInfo, "session" | "title">): string {
  return title === "" ? quoteWords(session) : plainWords(title, 60);
}

export async function showFound({ ports }: CommandScene, words: string): Promise<string> {
  const found = await ports.search(words);
  if (found.length === 0) return "Nothing was found.";
  return found
    .map(({ title, role, at, snippet, session }) => {
      const who = role === "user" ? "you" : role === "assistant" ? "the agent" : "a tool";
      return `- ${dayOf(at)}, ${who}, in ${nameSession({ session, title })}: ${plainWords(snippet.text, 300)}`;
    })
    .join("\n");
}

export async function showSkills({ ports }: CommandScene, name: string): Promise<string> {
  if (name !== "") {
    const text = await ports.readSkill(name);
    if (text === null) return `There is no skill ${quoteWords(name, 64)}. /skills lists them.`;
    return fenceText(text);
  }
  const skills = await ports.listSkills();
  if (skills.length === 0) return "There is no skill.";
  const lines = skills
    .slice(0, MAX_SKILLS)
    .map(
      (skill) =>
        `- ${quoteWords(skill.name)}${skill.state === "trial" ? " (on trial)" : ""}: ${plainWords(skill.description, 120)}`,
    );
  return withMore(lines, skills.length);
}

export async function showMemory({ ports }: CommandScene): Promise<string> {
  const facts = await ports.listMemory();
  if (facts.length === 0) return "Nothing is remembered yet.";
  const lines = facts
    .slice(0, MAX_FACTS)
    .map(({ store, text }) => `- ${store === "user" ? "you" : "notes"}: ${plainWords(text)}`);
  return withMore(lines, facts.length);
}

export async function showLearning({ ports }: CommandScene, skill: string): Promise<string> {
  const { turns, reuse, skills } = await ports.learning();
  if (skill !== "") {
    const found = skills.find(({ name }) => name === skill);
    if (!found) return `Nothing was learned as ${quoteWords(skill, 64)}. /learning lists what was.`;
    const { uses, successes, failures, state } = found;
    return `${quoteWords(found.name)} is ${state}: ${count(uses, "use")}, ${successes} good, ${failures} bad. ${plainWords(found.description)}`;
  }
  if (turns.since === null) return "No turn has been observed yet.";
  const success =
    turns.all.success === null ? "" : `, ${Math.round(turns.all.success * 100)} % of the judged ones good`;
  const lines = skills
    .slice(0, MAX_SKILLS)
    .map(({ name, state, uses }) => `- ${quoteWords(name)} (${state}): ${count(uses, "use")}`);
  return [
    `${count(turns.seen, "turn")} since ${dayOf(turns.since)}${success}.`,
    `${reuse.loaded} of ${count(reuse.had, "turn")} with a learned skill at hand used it.`,
    ...(lines.length === 0 ? [] : ["", withMore(lines, skills.length)]),
  ].join("\n");
}

function withMore(lines: string[], all: number): string {
  return [...lines, ...(all > lines.length ? [`- … ${all - lines.length} more`] : [])].join("\n");
}

/** A fence that is longer than any in the text. */
function fenceText(text: string): string {
  const shown = text.length > MAX_PAGE_CHARS ? `${text.slice(0, MAX_PAGE_CHARS)}…` : text;
  const longest = Math.max(2, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${shown.trim().toWellFormed()}\n${fence}`;
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
