// Reads the home of Claude Code (`~/.claude`, or the `.claude` of a project): skills, commands, CLAUDE.md, the memory that it keeps by itself,
// and its conversations. Commands become skills, as they are there. Pure. Layout: code.claude.com/docs; the form of transcripts is not
// documented, and was taken from what version 2 writes.
import { type UnknownObject, isObject, toObject } from "../../unknown-object.ts";
import { SKILL_MD } from "../../skills/format/format.ts";
import { readFrontmatter } from "../../skills/format/frontmatter.ts";
import { readMarkdownFacts, withoutComments } from "./facts.ts";
import type {
  ForeignConversation,
  ForeignFact,
  ForeignFiles,
  ForeignHome,
  ForeignSkill,
  MoveNote,
} from "./foreign-home.ts";
import { noteMcpServers, noteTop } from "./leftovers.ts";
import { readJson, readLines, readText, toText, toTime } from "./read-text.ts";
import { findSkillFolders, readSkillFolder, toForeignSkill } from "./skill-folders.ts";
import { type RawMessage, toCall, toConversation, toPlainText } from "./transcripts.ts";

const SKILLS = "skills/";
const COMMAND = /^commands\/(.+)\.md$/;
const MEMORY = /^projects\/[^/]+\/memory\/[^/]+\.md$/;
const TRANSCRIPT = /^projects\/[^/]+\/([^/]+)\.jsonl$/;

/** Headings of the parts of a CLAUDE.md that this program has written (write-claude.ts): the facts below them come back as facts. */
export const CLAUDE_PARTS = { user: "# What is known of the user", memory: "# Notes of the agent" } as const;
export const CLAUDE_BEGIN = "<!-- facts from Talaria -->";
export const CLAUDE_END = "<!-- end of the facts from Talaria -->";

export function readClaude(files: ForeignFiles): ForeignHome {
  const notes: MoveNote[] = [];
  const { text, facts } = splitInstructions(readText(files, "CLAUDE.md") ?? "", notes);
  const kept = files.paths.filter((path) => MEMORY.test(path));
  for (const path of kept) facts.push(...readMarkdownFacts(readText(files, path) ?? "", "memory", notes));
  const settings = toObject(readJson(files, "settings.json", []));
  noteMcpServers(settings.mcpServers, notes);
  noteTop(files, CLAUDE_TOP, notes);
  const skills = [...readSkills(files, notes), ...readCommands(files)];
  return {
    ...{ program: "claude", skills, facts, jobs: [], notes },
    personality: text === "" ? null : { path: "CLAUDE.md", text },
    conversations: (note) => readConversations(files, note),
  };
}

/** The instructions, without the facts that this program wrote into them. */
function splitInstructions(whole: string, notes: MoveNote[]): { text: string; facts: ForeignFact[] } {
  const begin = whole.indexOf(CLAUDE_BEGIN);
  const end = whole.indexOf(CLAUDE_END);
  if (begin < 0 || end < begin) return { text: withoutComments(whole).trim(), facts: [] };
  const rest = whole.slice(0, begin) + whole.slice(end + CLAUDE_END.length);
  const [user = "", memory = ""] = whole.slice(begin, end).split(CLAUDE_PARTS.memory);
  const facts = [...readMarkdownFacts(user, "user", notes), ...readMarkdownFacts(memory, "memory", notes)];
  return { text: withoutComments(rest).trim(), facts };
}

function readSkills(files: ForeignFiles, notes: MoveNote[]): ForeignSkill[] {
  return findSkillFolders(files, SKILLS).flatMap((folder) => {
    const known = { program: "claude" as const, identifier: folder.slice(SKILLS.length) };
    return readSkillFolder(files, folder, known, notes) ?? [];
  });
}

function readCommands(files: ForeignFiles): ForeignSkill[] {
  return files.paths.flatMap((path) => {
    const name = COMMAND.exec(path)?.[1];
    const text = name === undefined ? null : readText(files, path);
    if (name === undefined || text === null || text.trim() === "") return [];
    const head = readFrontmatter(text);
    const body = head.ok ? head.value.body : text.trim();
    const described = head.ok ? toText(head.value.fields.description).trim() : "";
    const first = body.split("\n").find((line) => line.trim() !== "") ?? name;
    const description = described || first.replace(/^#+\s*/, "").slice(0, 200);
    const header = [
      "---",
      `name: ${JSON.stringify(name.replaceAll("/", "-"))}`,
      `description: ${JSON.stringify(description)}`,
      "---",
    ];
    const skill = { [SKILL_MD]: `${header.join("\n")}\n\n${body}\n` };
    return [toForeignSkill(path, skill, { program: "claude", identifier: path })];
  });
}

function* readConversations(files: ForeignFiles, note: (note: MoveNote) => void): Generator<ForeignConversation> {
  let inner = 0;
  for (const path of files.paths) {
    const name = TRANSCRIPT.exec(path)?.[1];
    if (name === undefined) continue;
    if (name.startsWith("agent-")) inner += 1;
    else {
      const conversation = readSession(files, path, name, note);
      if (conversation) yield conversation;
    }
  }
  if (inner > 0) {
    note({
      kind: "left_out",
      what: `${inner} conversations of agents with agents`,
      why: "their results are in the conversations that began them",
    });
  }
}

function readSession(files: ForeignFiles, path: string, name: string, note: (note: MoveNote) => void) {
  let title = "";
  const messages: RawMessage[] = [];
  const names = new Map<string, string>();
  for (const line of readLines(files, path, note)) {
    if (!isObject(line)) continue;
    if (line.type === "summary") title ||= toText(line.summary);
    if (line.type === "custom-title") title = toText(line.customTitle) || title;
    const isSaid =
      (line.type === "user" || line.type === "assistant") && line.isSidechain !== true && line.isMeta !== true;
    if (isSaid && isObject(line.message))
      messages.push(...toMessages(line.message, { at: toTime(line.timestamp), names }));
  }
  return toConversation(
    { id: name, title, createdAt: messages.find(({ at }) => at !== null)?.at ?? null, messages },
    note,
  );
}

/** Results of tools come in messages of the user. `names`: of the calls so far, by their ids. */
function toMessages(
  { role, content, model }: UnknownObject,
  { at, names }: { at: number | null; names: Map<string, string> },
): RawMessage[] {
  const parts = Array.isArray(content) ? content.filter(isObject) : [];
  const said = toPlainText(Array.isArray(content) ? parts.filter(({ type }) => type !== "tool_result") : content);
  if (role === "assistant") {
    const calls = parts.flatMap((part) =>
      part.type === "tool_use" ? (toCall(part.id, part.name, part.input) ?? []) : [],
    );
    for (const call of calls) names.set(call.id, call.name);
    return [{ role, text: said, at, model: toText(model), ...(calls.length > 0 && { calls }) }];
  }
  if (role !== "user") return [];
  const results = parts.flatMap((part): RawMessage[] => {
    if (part.type !== "tool_result") return [];
    const callId = toText(part.tool_use_id);
    const failed = part.is_error === true;
    return [{ role: "tool", text: toPlainText(part.content), at, callId, name: names.get(callId) ?? "", failed }];
  });
  return said.trim() === "" ? results : [...results, { role, text: said, at }];
}

const CLAUDE_TOP: Record<string, readonly [why: string, how?: string] | null> = {
  ...{
    skills: null,
    commands: null,
    projects: null,
    "CLAUDE.md": null,
    todos: null,
    cache: null,
    logs: null,
    statsig: null,
  },
  ...{
    "shell-snapshots": null,
    ide: null,
    debug: null,
    downloads: null,
    telemetry: null,
    backups: null,
    sessions: null,
  },
  agents: ["agents with a task of their own are roles here", "make each again (`PUT /v1/roles/{role}`)"],
  "settings.json": ["settings mean other things here, and may hold keys and hooks", "see docs/CONFIGURATION.md"],
  "settings.local.json": ["settings mean other things here", "see docs/CONFIGURATION.md"],
  hooks: ["hooks run code of that machine", "outbound webhooks tell other systems of events (`/v1/hooks`)"],
  plugins: ["plugins run code of that machine", "MCP servers add tools (`/v1/mcp-servers`)"],
  "history.jsonl": ["what was typed is in the conversations"],
  "output-styles": ["styles are personalities here", "`PUT /v1/personalities/{personality}`"],
  rules: ["rules belong to folders of projects", "put them into a session's workspace as AGENTS.md"],
};
