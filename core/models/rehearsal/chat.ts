// Answers everything that is not a table task; called by rehearsal.ts. Introduces itself, and carries out a few simple requests that it
// recognises by their words. This is what `npm run chat` shows without a key.
import type { ModelRequest } from "../../agent/contract.ts";
import { clip, toOneLine } from "../../clip.ts";
import type { JsonObject } from "../../schemas/entry.ts";
import { isObject } from "../../unknown-object.ts";
import { type FinishedCall, callsSinceInput, readInput, listedSkills, offeredTools } from "./request.ts";
import type { Reply } from "./reply.ts";

const MAX_FOUND_CHARS = 160;

export function chat(request: ModelRequest): Reply {
  const text = readInput(request).trim();
  const tools = offeredTools(request);
  const done = callsSinceInput(request);
  const last = done.at(-1);
  if (last) return { text: report(last) };
  if (request.toolChoice === "none") return { text: "I stop here; the results so far are above." };

  if (/^\/learn(?:\s|$)/.test(text)) {
    return {
      text: `Nothing was saved: rehearsal cannot write a skill on request. Start Talaria with a key for a real model, or save the skill yourself with PUT /v1/skills/{name}.`,
    };
  }
  if (/^(?:note|for later|for your information)\b[^?]*$/i.test(text)) {
    return { text: "Noted. It stays in this conversation, where I can find it again." };
  }
  const fact = /^(?:please )?remember(?: that|:)?\s+([\s\S]+)$/i.exec(text)?.[1];
  if (fact && tools.has("memory")) {
    const store = /\b(I|my|me|I'm)\b/.test(fact) ? "user" : "memory";
    return { text: "I will keep that.", calls: [["memory", { action: "add", store, content: sentence(fact) }]] };
  }
  const command = /^(?:run|execute)\s*:?\s*`([^`]+)`|^(?:run:|\$)\s+(.+)$/i.exec(text);
  if (command && tools.has("terminal")) {
    return { text: "", calls: [["terminal", { command: (command[1] ?? command[2])! }]] };
  }
  const called = /^call (?:the tool )?`?([\w-]+)`?(?: with (\{.*\}))?$/i.exec(text);
  if (called && tools.has(called[1]!)) return { text: "", calls: [[called[1]!, readArguments(called[2])]] };
  const question = readQuestion(text);
  if (question && tools.has("clarify")) return { text: "", calls: [["clarify", question]] };
  const file = /\b(?:show|read|open|print|cat)\b\s+(?:me\s+)?(?:the\s+)?(?:file\s+)?[`"']?([\w./-]+\.\w+)[`"']?/i.exec(
    text,
  )?.[1];
  if (file && tools.has("read_file")) return { text: "", calls: [["read_file", { path: file, limit: 40 }]] };
  const query = readQuery(text);
  if (query && tools.has("session_search")) {
    return { text: "I look in earlier conversations.", calls: [["session_search", { query }]] };
  }
  if (/\b(list|show|which|what)\b.*\bfiles?\b|^ls\b/i.test(text) && tools.has("terminal")) {
    return { text: "I look at the files.", calls: [["terminal", { command: "find . -type f | sort" }]] };
  }
  if (/\b(list|show|which|what)\b.*\bskills\b/i.test(text)) {
    if (tools.has("skills_list")) return { text: "These are the skills.", calls: [["skills_list", {}]] };
  }
  const skill = /\b(?:show|view|load|open|read)\b.*?\bskill\b\s+`?([a-z0-9]+(?:-[a-z0-9]+)*)`?/i.exec(text)?.[1];
  if (skill && tools.has("skill_view")) return { text: "", calls: [["skill_view", { name: skill }]] };
  return { text: introduce(request) };
}

/** Of "Call get_weather with {"city":"Oslo"}". */
function readArguments(json = "{}"): JsonObject {
  try {
    const args: unknown = JSON.parse(json);
    return isObject(args) ? args : {};
  } catch {
    return {}; // the person wrote no JSON
  }
}

/** Of "Ask me: Which colour? red, blue": the question and its choices. */
function readQuestion(text: string): JsonObject | null {
  const [, question, offered = ""] = /^ask me:?\s+([^?]+\?)(.*)$/i.exec(text) ?? [];
  const choices = offered.split(",").flatMap((choice) => (choice.trim() === "" ? [] : [choice.trim()]));
  return question === undefined ? null : { question, ...(choices.length > 0 && { choices: choices.slice(0, 4) }) };
}

const MAX_QUERY_CHARS = 300;

/** Of "Search my earlier conversations for rain" or "What did we say about rain?": what is looked for. */
function readQuery(text: string): string | undefined {
  if (text.length > MAX_QUERY_CHARS) return undefined;
  const asked = /^(?:search|look|find)\b.*?\b(?:earlier|past|previous|old)\b.*?\b(?:for|about)\s+(\S.*)$/i.exec(text);
  return (asked ?? /\bdid we (?:say|decide|agree|do|discuss)\s+(?:about\s+|on\s+)?(\S.*)$/i.exec(text))?.[1];
}

function introduce(request: ModelRequest): string {
  const skills = listedSkills(request.system).map(({ name }) => name);
  const known = skills.length > 0 ? ` Skills at hand: ${skills.slice(0, 8).join(", ")}.` : "";
  return (
    "I am rehearsal, the small deterministic model that ships with Talaria for trying it without a model key. " +
    "I can work out a figure from a delimited file in the workspace (name the file, the column in backticks, and mean, " +
    "total, smallest or largest), list or show files and skills, run: `a command`, search earlier conversations, " +
    'ask you something when you begin with "ask me:", ' +
    `and remember a fact when you begin with "remember that".${known} For anything else, start Talaria with a key for a real model.`
  );
}

function report({ call, failed, result }: FinishedCall): string {
  if (result.code === "approval_denied") {
    const reason = String(result.reason ?? "").trim();
    return `Not run: it was refused${reason === "" ? "" : `, because: ${reason}`}.`;
  }
  if (result.code === "approval_timed_out") return "Not run: nobody approved it in time.";
  if (failed) return `That did not work: ${String(result.error ?? result.stderr ?? "no reason was given")}`.trim();
  switch (call.name) {
    case "memory":
      return result.state === "waiting" ? "It waits for you: /approvals shows it." : "Remembered.";
    case "clarify":
      return reportAnswer(call.args, result);
    case "skills_list":
      return (
        lines(result.skills, (skill) => `- ${String(skill.name)}: ${String(skill.description)}`) || "There are none."
      );
    case "session_search":
      return lines(result.sessions, (session) => toFoundSession(session, result.person)) || "I found nothing.";
    case "terminal":
      return String(result.stdout ?? "").trim() || "It printed nothing.";
    default:
      return String(result.content ?? result.result ?? "").trim() || "Done.";
  }
}

function reportAnswer({ choices }: JsonObject, { answered, answers, answer }: JsonObject): string {
  if (answered !== true) {
    const [first] = Array.isArray(choices) ? (choices as unknown[]) : [];
    return `You did not answer, so I decided by myself: ${String(first ?? "I go on without it")}.`;
  }
  const [only] = Array.isArray(answers) ? (answers as unknown[]) : [];
  const { chosen, text = answer } = isObject(only) ? only : {};
  return `Your answer: ${Array.isArray(chosen) ? chosen.map(String).join(", ") : String(text ?? "as in your message")}.`;
}

function lines(list: unknown, toLine: (item: Record<string, unknown>) => string): string {
  return Array.isArray(list) ? list.map((item) => toLine(item as Record<string, unknown>)).join("\n") : "";
}

/** The session and what the person wrote in it. */
function toFoundSession({ session, title, started }: JsonObject, person: unknown): string {
  const said = isObject(person) ? person[String(session)] : undefined;
  const words = lines(said, ({ text }) => `  ${clip(toOneLine(String(text)), MAX_FOUND_CHARS)}`);
  return `- ${String(title ?? session)} (${String(started ?? "")}):${words === "" ? "" : `\n${words}`}`;
}

function sentence(text: string): string {
  const trimmed = text.trim();
  return /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}
