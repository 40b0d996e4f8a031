// Reads the home of OpenClaw (`~/.openclaw`): the workspace's skills, memory and SOUL.md, jobs, and conversations of its agents. Daily notes
// become conversations, which searches find. Pure. Layout: docs.openclaw.ai, "Agent workspace" and "Scheduled tasks"; transcripts version 3.
import { type UnknownObject, isObject, toObject } from "../../unknown-object.ts";
import { quotePath } from "../../zip/quote-path.ts";
import { readMarkdownFacts, withoutComments } from "./facts.ts";
import type {
  ForeignConversation,
  ForeignFiles,
  ForeignHome,
  ForeignJob,
  ForeignSkill,
  MoveNote,
} from "./foreign-home.ts";
import { readOpenClawJobs } from "./jobs.ts";
import { noteMcpServers, noteTop } from "./leftovers.ts";
import { readJson, readLines, readText, toText, toTime } from "./read-text.ts";
import { findSkillFolders, readSkillFolder } from "./skill-folders.ts";
import { type RawMessage, toCall, toConversation, toPlainText } from "./transcripts.ts";

const WORKSPACE = "workspace/";
const DAY_NOTE = /^workspace\/memory\/(\d{4}-\d\d-\d\d)[^/]*\.md$/;
const NOTE = /^workspace\/memory\/[^/]+\.md$/;
const TRANSCRIPT = /^agents\/([^/]+)\/sessions\/([^/]+)\.jsonl$/;

/** `now`: milliseconds since 1970. */
export function readOpenClaw(files: ForeignFiles, now: number): ForeignHome {
  const notes: MoveNote[] = [];
  const markdown = (path: string) => readText(files, path) ?? "";
  const notesFiles = files.paths.filter((path) => NOTE.test(path) && !DAY_NOTE.test(path));
  const facts = [
    ...[`${WORKSPACE}MEMORY.md`, `${WORKSPACE}memory.md`, ...notesFiles].flatMap((path) =>
      readMarkdownFacts(markdown(path), "memory", notes),
    ),
    ...readMarkdownFacts(markdown(`${WORKSPACE}USER.md`), "user", notes),
  ];
  const soul = withoutComments(markdown(`${WORKSPACE}SOUL.md`)).trim();
  const skills = [`${WORKSPACE}skills/`, "skills/"].flatMap((root) => readSkills(files, root, notes));
  const config = readJson(files, "openclaw.json", []);
  noteMcpServers(toObject(toObject(config).mcp).servers, notes);
  noteTop(files, OPENCLAW_TOP, notes);
  noteWorkspace(files, notes);
  for (const name of files.top.filter((one) => one.startsWith("workspace-"))) {
    const how = "import it by itself into another profile, as the `workspace` of a folder";
    notes.push({ kind: "no_equal", what: quotePath(name), why: "another agent has a memory of its own", how });
  }
  return {
    ...{ program: "openclaw", skills, facts, notes },
    jobs: readJobs(files, now, notes),
    personality: soul === "" ? null : { path: `${WORKSPACE}SOUL.md`, text: soul },
    conversations: (note) => readConversations(files, note),
  };
}

/** Newer versions keep jobs in a database, and leave the file that they began with. */
function readJobs(files: ForeignFiles, now: number, notes: MoveNote[]): ForeignJob[] {
  const old = "cron/jobs.json.migrated";
  const isOld = !files.paths.includes("cron/jobs.json") && files.paths.includes(old);
  if (isOld) {
    const why = "OpenClaw keeps them in a database now; later changes are not in the file that was read";
    notes.push({ kind: "changed", what: quotePath(old), why });
  }
  return readOpenClawJobs(readJson(files, isOld ? old : "cron/jobs.json", notes), { now, notes });
}

function readSkills(files: ForeignFiles, root: string, notes: MoveNote[]): ForeignSkill[] {
  return findSkillFolders(files, root).flatMap((folder) => {
    const known = { program: "openclaw" as const, identifier: folder.slice(root.length) };
    return readSkillFolder(files, folder, known, notes) ?? [];
  });
}

function* readConversations(files: ForeignFiles, note: (note: MoveNote) => void): Generator<ForeignConversation> {
  for (const path of files.paths) {
    const day = DAY_NOTE.exec(path)?.[1];
    const [, agent, name] = TRANSCRIPT.exec(path) ?? [];
    const conversation =
      day !== undefined
        ? readDay(files, path, day, note)
        : agent !== undefined
          ? readSession(files, path, { agent, name: name! }, note)
          : null;
    if (conversation) yield conversation;
  }
}

function readDay(files: ForeignFiles, path: string, day: string, note: (note: MoveNote) => void) {
  const at = toTime(day);
  const text = readText(files, path) ?? "";
  const message: RawMessage = { role: "user", text, at };
  return toConversation({ id: path, title: `Notes of ${day}`, createdAt: at, messages: [message] }, note);
}

function readSession(
  files: ForeignFiles,
  path: string,
  { agent, name }: { agent: string; name: string },
  note: (note: MoveNote) => void,
): ForeignConversation | null {
  let [id, createdAt]: [string, number | null] = [name, null];
  const messages: RawMessage[] = [];
  for (const line of readLines(files, path, note)) {
    if (!isObject(line)) continue;
    if (line.type === "session") {
      id = toText(line.id) || id;
      createdAt = toTime(line.timestamp);
    } else if (line.type === "message" && isObject(line.message)) {
      const message = toMessage(line.message, toTime(line.timestamp));
      if (message) messages.push(message);
    }
  }
  return toConversation({ id: `${agent}/${id}`, title: "", createdAt, messages }, note);
}

function toMessage(message: UnknownObject, at: number | null): RawMessage | null {
  const { role, content } = message;
  const text = toPlainText(content);
  if (role === "user") return { role, text, at };
  if (role === "toolResult") {
    const [callId, name] = [toText(message.toolCallId), toText(message.toolName)];
    return { role: "tool", text, at, callId, name, failed: message.isError === true };
  }
  if (role !== "assistant") return null;
  const parts = Array.isArray(content) ? content.filter(isObject) : [];
  const calls = parts.flatMap((part) =>
    part.type === "toolCall" ? (toCall(part.id, part.name, part.arguments) ?? []) : [],
  );
  return { role, text, at, model: toText(message.model), ...(calls.length > 0 && { calls }) };
}

/** Files of the workspace that are read into every prompt there. */
function noteWorkspace(files: ForeignFiles, notes: MoveNote[]): void {
  for (const name of ["AGENTS.md", "TOOLS.md", "IDENTITY.md", "HEARTBEAT.md", "BOOTSTRAP.md"]) {
    const path = `${WORKSPACE}${name}`;
    if (!files.paths.includes(path) || withoutComments(readText(files, path) ?? "").trim() === "") continue;
    const how =
      name === "HEARTBEAT.md"
        ? "make a job of it (`talaria jobs add`)"
        : "put it into a session's workspace as AGENTS.md";
    notes.push({
      kind: "no_equal",
      what: quotePath(path),
      why: "a profile has no instructions beside its personality",
      how,
    });
  }
}

const OPENCLAW_TOP: Record<string, readonly [why: string, how?: string] | null> = {
  ...{ workspace: null, skills: null, agents: null, cron: null, logs: null, cache: null },
  "openclaw.json": [
    "settings mean other things here, and may hold keys",
    "see docs/CONFIGURATION.md and docs/CHANNELS.md",
  ],
  hooks: ["hooks run code of that machine", "outbound webhooks tell other systems of events (`/v1/hooks`)"],
  plugins: ["plugins run code of that machine", "MCP servers add tools (`/v1/mcp-servers`)"],
  extensions: ["extensions run code of that machine", "MCP servers add tools (`/v1/mcp-servers`)"],
  memory: ["it is an index of files that come by themselves"],
};
