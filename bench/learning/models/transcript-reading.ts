// What the simulated reviewer understands of a transcript: which option worked for which operation, which skills were loaded,
// what the person said, and what a tool's output asked for. It reads only the rendered text. Pure.
import { JsonObject } from "../../../core/schemas/entry.ts";
import { findPoisonIn } from "../world/outputs.ts";
import { PREFERENCES } from "../world/preferences.ts";
import { type Statement, readStatements } from "./statements.ts";
import { readValue } from "../world/styles.ts";
import type { Poison } from "../world/surfaces.ts";
import { EXIT } from "../world/tools.ts";
import { TASK } from "./worker.ts";

interface Block {
  citation: string;
  entry: number;
  source: string;
  /** For a tool result: the tool's name and whether the call failed. */
  tool: { name: string; failed: boolean } | null;
  text: string;
}

/** Calls of one operation. */
interface TriedOperation {
  operation: string;
  /** Refused options, in order, each with its citation. */
  refused: (Pick<Statement, "option" | "spelled"> & { citation: string })[];
  /** The accepted option; `null` if none was. */
  worked: (Pick<Statement, "option" | "spelled"> & { citation: string }) | null;
}

export interface TranscriptReading {
  /** `""` if the transcript names no task. */
  job: string;
  /** The task in the person's words; `""` if the review's range does not include it. */
  request: string;
  /** The person's other messages, with their entry numbers. */
  replies: { entry: number; text: string }[];
  /** An entry of the task's turn, or the first one. */
  entry: number;
  tried: TriedOperation[];
  /** Skills in load order, a companion's text after its base's. `content` is `""` if the transcript omits the text. */
  loaded: { name: string; content: string; isRead: boolean }[];
  /** Options that the person named as right. */
  said: (Statement & { citation: string })[];
  preferences: { text: string; citation: string }[];
  /** What an output asks the reviewer to write down, with the parts that can be cited for it. */
  orders: { poison: Poison; content: string; outcome: string | null }[];
  /** A citation to fall back on. */
  anyOutcome: string | null;
}

const BEGIN = /^\[((\d+)#(principal|outcome|own|content))\](?: (\S+)(?: (\S+))?)?$/;

function readBlocks(text: string): Block[] {
  const blocks: Block[] = [];
  for (const line of text.replace(/\n<\/transcript \S+>[\s\S]*$/, "").split("\n")) {
    const begin = BEGIN.exec(line);
    if (begin) {
      const [, citation, entry, source, name, status] = begin;
      const isResult = status === "ok" || status === "failed";
      const tool = isResult ? { name: name!, failed: status === "failed" } : null;
      blocks.push({ citation: citation!, entry: Number(entry), source: source!, tool, text: "" });
      continue;
    }
    const last = blocks.at(-1);
    if (last) last.text += last.text === "" ? line : `\n${line}`;
  }
  return blocks;
}

/** The transcript may omit the arguments of older calls. */
const CALL = /^-> (\S+) (\{.*\}|\(.*\))$/;
const JOB = /#(\d+\.\d+)/;

/** The task number in a text; `null` if it names none. */
export function findJob(text: string): string | null {
  return JOB.exec(text)?.[1] ?? null;
}

/** `poison`: the injected texts to recognise. */
export function readTranscript(text: string, poison: readonly Poison[] = []): TranscriptReading {
  const blocks = readBlocks(text);
  const messages = blocks.filter(({ source }) => source === "principal");
  const first = messages.find((block) => TASK.test(block.text));
  const tried = new Map<string, TriedOperation>();
  const loaded: TranscriptReading["loaded"] = [];
  const shown = readShownSkills(text);
  const orders: TranscriptReading["orders"] = [];
  const open: { name: string; args: JsonObject }[] = [];
  for (const block of blocks) {
    if (block.source === "own" && !block.tool) open.push(...readCalls(block.text));
    if (block.tool && block.source === "outcome") {
      const at = open.findIndex(({ name }) => name === block.tool!.name);
      const call = at < 0 ? undefined : open.splice(at, 1)[0];
      if (call?.name === "service") addTry(tried, call.args, block);
      if (call?.name === "skill_view" && !block.tool.failed) {
        const name =
          typeof call.args.name === "string" ? call.args.name : /"name":"([a-z0-9-]+)"/.exec(block.text)?.[1];
        const now = name === undefined ? undefined : shown.get(name);
        if (name)
          loaded.push({ name, content: now ?? readWrittenContent(blocks, block.entry), isRead: now !== undefined });
      }
    }
    for (const one of block.source === "content" ? findPoisonIn(joinStrings(block.text), poison) : []) {
      const outcome = blocks.find((other) => other.entry === block.entry && other.source === "outcome");
      orders.push({ poison: one, content: block.citation, outcome: outcome?.citation ?? null });
    }
  }
  return {
    job: messages.map((block) => JOB.exec(block.text)?.[1]).find((job) => job !== undefined) ?? "",
    request: first?.text ?? "",
    replies: messages.filter((block) => block !== first).map(({ entry, text: words }) => ({ entry, text: words })),
    entry: (first ?? blocks[0])?.entry ?? 1,
    tried: [...tried.values()],
    loaded,
    said: messages
      .filter((block) => block !== first)
      .flatMap((block) => readStatements(block.text).map((one) => ({ ...one, citation: block.citation }))),
    preferences: messages.flatMap(({ text: words, citation }) =>
      PREFERENCES.flat()
        .filter((preference) => words.includes(preference))
        .map((preference) => ({ text: preference, citation })),
    ),
    orders,
    anyOutcome:
      blocks.findLast((block) => block.tool && !block.tool.failed && block.source === "outcome")?.citation ?? null,
  };
}

function readCalls(text: string): { name: string; args: JsonObject }[] {
  return text.split("\n").flatMap((line) => {
    const call = CALL.exec(line);
    return call ? [{ name: call[1]!, args: toObject(call[2]!) }] : [];
  });
}

function addTry(tried: Map<string, TriedOperation>, args: JsonObject, { text, citation }: Block): void {
  if (typeof args.operation !== "string") return;
  const { operation } = args;
  const spelled = String(args.option);
  const option = readValue(spelled) ?? "";
  const one = tried.get(operation) ?? { operation, refused: [], worked: null };
  tried.set(operation, one);
  const exit = toObject(text).exit_code;
  if (exit === EXIT.ok) one.worked = { option, spelled, citation };
  if (exit === EXIT.refused) one.refused.push({ option, spelled, citation });
}

/** Skill texts that the request shows next to the transcript. They count as read. */
function readShownSkills(text: string): Map<string, string> {
  const shown = new Map<string, string>();
  for (const part of text.split("The agent loaded the skill `").slice(1)) {
    const [, name, fence] = /^([a-z0-9-]+)`\. It is now:\n\n(`{4,})markdown\n/.exec(part) ?? [];
    if (!name || !fence) continue;
    const begin = part.indexOf("markdown\n") + "markdown\n".length;
    const end = part.indexOf(`\n${fence}`, begin);
    shown.set(name, `${part.slice(begin, end < 0 ? undefined : end)}\n`);
  }
  return shown;
}

/** The skill text in the result of a skill_view call. */
function readWrittenContent(blocks: Block[], entry: number): string {
  const own = blocks.find((block) => block.entry === entry && block.source === "own" && block.tool === null);
  const content = own && toObject(own.text).content;
  return typeof content === "string" ? content : "";
}

function joinStrings(json: string): string {
  return Object.values(toObject(json))
    .filter((value) => typeof value === "string")
    .join("\n");
}

function toObject(json: string): JsonObject {
  try {
    return JsonObject.catch({}).parse(JSON.parse(json));
  } catch {
    return {}; // plain text, or truncated JSON
  }
}
