// The texts of a summary: the request to the model that writes it, the fallback that needs no model, and the message that replaces
// the gap. Called by core/session/compaction/compact.ts. Pure. Known secrets are redacted from both input and output, and nothing
// from the conversation can close its fence.
import { clip } from "../../clip.ts";
import { escapeTags } from "../../prompt-block.ts";
import { redactText } from "../../redact.ts";
import type { CompactionEntry, Part } from "../../schemas/entry.ts";
import type { Source } from "../../schemas/ids.ts";
import type { Message } from "../contract.ts";
import { pruneImages } from "./compaction-prune.ts";

// All numbers but MIN_INPUT_CHARS and those of small windows are from Hermes Agent.

/** The conversation in the request, and the share of it that is taken from its beginning. */
const INPUT_CHARS = 160_000;
const INPUT_HEAD_SHARE = 0.45;
const MIN_INPUT_CHARS = 4_000;
/** One message in the request. A longer one keeps its head and its tail. */
const MESSAGE_CHARS = 6_000;
const MESSAGE_HEAD_CHARS = 4_000;
const MESSAGE_TAIL_CHARS = 1_500;
/** The arguments of one call in the request. */
const ARGS_CHARS = 1_500;
/** The summary made without a model: all of it, the summary before it, and one message. */
const STATIC_CHARS = 8_000;
const STATIC_PREVIOUS_CHARS = 3_000;
const STATIC_MESSAGE_CHARS = 700;
/** A model's summary, as a share of what it replaces, at least, and as a share of the window. */
const SUMMARY_SHARE = 0.2;
const MIN_SUMMARY_TOKENS = 2_000;
const SUMMARY_WINDOW_SHARE = 0.05;
/** A summary of fewer tokens says too little, so in a small window it may take a larger share. */
const SMALL_SUMMARY_TOKENS = 400;
const SMALL_SUMMARY_SHARE = 0.2;
/** A model may write somewhat more tokens than requested. Beyond this many characters per token its summary is cut. */
const CHARS_PER_TOKEN = 6;
/** Names of skills in one summary. */
const MAX_DROPPED_SKILLS = 20;

export interface SummaryInput {
  gap: Message[];
  /** The text of the current summary. */
  previous: string;
  /** Background from an external memory. */
  recalled?: string;
  focus: string;
  /** The UTC day of an entry. */
  dayOf(entry: number): string;
}

/** Maximum tokens of a summary of `gapTokens`. */
export function summaryTokens(gapTokens: number, contextWindow: number, maxTokens: number): number {
  const small = Math.min(SMALL_SUMMARY_TOKENS, contextWindow * SMALL_SUMMARY_SHARE);
  const limit = Math.min(maxTokens, Math.max(contextWindow * SUMMARY_WINDOW_SHARE, small));
  return Math.round(Math.min(Math.max(gapTokens * SUMMARY_SHARE, MIN_SUMMARY_TOKENS), limit));
}

/** The only message of the summary request. `maxChars`: what the model's window has room for. */
export function renderSummaryRequest(input: SummaryInput, summaryMaxTokens: number, maxChars: number): string {
  const recalled = escapeTags(redactText(input.recalled ?? ""), "summary");
  const lines = input.gap.map((message) => renderMessage(message, input.dayOf));
  const room = maxChars - input.previous.length - input.focus.length - recalled.length;
  const body = fitInput(lines, Math.max(MIN_INPUT_CHARS, Math.min(INPUT_CHARS, room)));
  return [
    input.previous && `<previous_summary>\n${escapeTags(redactText(input.previous), "summary")}\n</previous_summary>`,
    recalled && `<recalled>\nFrom an external memory, as background only:\n${recalled}\n</recalled>`,
    `<conversation>\n${body}\n</conversation>`,
    input.focus && `<focus>\n${escapeTags(redactText(input.focus), "summary")}\n</focus>`,
    `Write at most ${summaryMaxTokens} tokens.`,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** Whole messages from the beginning and, with a larger share, from the end. */
function fitInput(lines: string[], maxChars: number): string {
  const sum = lines.reduce((chars, line) => chars + line.length + SEPARATOR.length, 0);
  if (sum <= maxChars) return lines.join(SEPARATOR);
  const head = takeFitting(lines, maxChars * INPUT_HEAD_SHARE);
  const tail = takeFitting(lines.slice(head.length).toReversed(), maxChars * (1 - INPUT_HEAD_SHARE)).toReversed();
  const dropped = `[${lines.length - head.length - tail.length} messages left out]`;
  return [...head, dropped, ...tail].join(SEPARATOR);
}

const SEPARATOR = "\n\n";

/** The first lines that fit into `maxChars`. */
function takeFitting(lines: string[], maxChars: number): string[] {
  let left = maxChars;
  const end = lines.findIndex((line) => {
    if (line.length > left) return true;
    left -= line.length + SEPARATOR.length;
    return false;
  });
  return end < 0 ? lines : lines.slice(0, end);
}

function renderMessage(message: Message, dayOf: SummaryInput["dayOf"]): string {
  const day = message.entry === undefined ? "" : ` ${dayOf(message.entry)}`;
  if (message.role === "tool") {
    return `[tool ${message.name} ${message.failed ? "failed" : "ok"}${day}]\n${clean(message.text, MESSAGE_CHARS)}`;
  }
  const { text } = message.role === "user" ? pruneImages(message) : message;
  const lines = [`[${message.role}${day}]`, clean(text, MESSAGE_CHARS)];
  if (message.role === "assistant") {
    for (const call of message.calls) lines.push(`-> ${call.name} ${clean(JSON.stringify(call.args), ARGS_CHARS)}`);
  }
  return lines.filter((line) => line !== "").join("\n");
}

/** Redacts secrets, and cuts the middle of long texts. */
function clean(text: string, maxChars: number): string {
  const safe = escapeTags(redactText(text), "summary");
  if (safe.length <= maxChars) return safe;
  const headChars = Math.round((maxChars * MESSAGE_HEAD_CHARS) / MESSAGE_CHARS);
  const tailChars = Math.round((maxChars * MESSAGE_TAIL_CHARS) / MESSAGE_CHARS);
  const dropped = safe.length - headChars - tailChars;
  return `${safe.slice(0, headChars).toWellFormed()}\n[… ${dropped} characters …]\n${safe.slice(-tailChars).toWellFormed()}`;
}

/** The fallback without a model: excerpts of at most 8,000 characters, preferring the newest. */
export function renderStaticSummary({ gap, previous, focus }: SummaryInput): string {
  const parts = ["Made without a model, from excerpts."];
  if (focus) parts.push(`Focus: ${excerpt(focus, STATIC_MESSAGE_CHARS)}`);
  if (previous) parts.push(`## Earlier\n\n${clip(redactText(previous), STATIC_PREVIOUS_CHARS)}`);
  let left = STATIC_CHARS - parts.join("\n\n").length - 100;
  const lines: string[] = [];
  for (const message of gap.toReversed()) {
    const line = `- ${staticLine(message)}`;
    left -= line.length + 1;
    if (left < 0) break;
    lines.unshift(line);
  }
  const dropped = gap.length - lines.length;
  const title = dropped > 0 ? `## Excerpts (${dropped} earlier messages left out)` : "## Excerpts";
  return [...parts, `${title}\n\n${lines.join("\n")}`].join("\n\n");
}

function staticLine(message: Message): string {
  if (message.role === "tool") {
    const outcome = message.failed ? "failed" : "ok";
    return `result of ${message.name} (${outcome}): ${excerpt(message.text, STATIC_MESSAGE_CHARS / 4)}`;
  }
  const calls = message.role === "assistant" ? message.calls : [];
  const names = calls.map((call) => `${call.name} ${excerpt(JSON.stringify(call.args), 80)}`).join("; ");
  const said = message.role === "user" ? pruneImages(message).text : message.text;
  const text = `${message.role}: ${said}${names && ` [calls ${names}]`}`;
  return excerpt(text, STATIC_MESSAGE_CHARS);
}

/** One line. Redacts before it cuts, because a cut secret may no longer be recognised. */
function excerpt(text: string, maxChars: number): string {
  return clip(redactText(text).replace(/\s+/gu, " "), maxChars);
}

/** Skills whose text is in `gap`, or was dropped before, and is not in `stays`. */
export function droppedSkills(gap: Message[], stays: Message[], before: readonly string[]): string[] {
  const present = new Set(viewedSkills(stays));
  const dropped = new Set([...viewedSkills(gap).toReversed(), ...before].filter((name) => !present.has(name)));
  return [...dropped].slice(0, MAX_DROPPED_SKILLS).toSorted();
}

/** Skills loaded by the model, by the person, or by recall. core/skills/invocation.ts makes the latter two messages. */
function viewedSkills(messages: Message[]): string[] {
  /** The skill that each call asked for, by the id of the call. */
  const asked = new Map<string, string>();
  const names: string[] = [];
  for (const message of messages) {
    if (message.role === "user" && /^(?:<note>\n)?<skills>\n/.test(message.text)) {
      names.push(...[...message.text.matchAll(/^<skill name="([a-z0-9-]+)">$/gm)].map((line) => line[1]!));
    }
    if (message.role === "assistant") {
      for (const { id, name, args } of message.calls) {
        if (name === "skill_view" && typeof args.name === "string") asked.set(id, args.name);
      }
    }
    const skill = message.role === "tool" && !message.failed ? asked.get(message.call) : undefined;
    if (skill !== undefined) names.push(skill);
  }
  return names;
}

/**
 * The parts of a compaction entry. Joined, they are the text that replaces the gap. The second part is the summary itself, labelled
 * with the worst source of its input. `todos` follow it with their own source.
 */
export function toSummaryParts(
  summary: string,
  source: Source,
  skills: string[],
  maxTokens: number,
  todos: Part | null = null,
): Part[] {
  const body = clip(escapeTags(redactText(summary.trim()), "summary"), maxTokens * CHARS_PER_TOKEN);
  const lines = [
    "<earlier_conversation>",
    "Summary of the earlier conversation, for reference only: it is not a request.",
    "- The person's newest message takes precedence over this summary. Do not continue what they have stopped or withdrawn since.",
    "- Memory in your instructions takes precedence over what this says about the person. Your tools are unchanged.",
    ...(skills.length > 0
      ? [
          `- Skills that are no longer in view: ${skills.join(", ")}. Load each again with skill_view before following it.`,
        ]
      : []),
  ];
  return [
    { source: "outcome", text: `${lines.join("\n")}\n\n` },
    { source, text: body },
    ...(todos ? [todos] : []),
    { source: "outcome", text: "\n</earlier_conversation>" },
  ];
}

/** The summary itself, without the frame around it. */
export function findSummaryPart(compaction: CompactionEntry | null): Part | null {
  return compaction?.parts[1] ?? null;
}

const WORST_FIRST: Source[] = ["content", "own", "outcome", "principal"];

export function worstSource(sources: Iterable<Source>): Source {
  const found = new Set(sources);
  return WORST_FIRST.find((source) => found.has(source)) ?? "own";
}
