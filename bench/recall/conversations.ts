// Reads the conversations of bench:recall: JSON in the format of LoCoMo, plain or gzip (detected by the first bytes). The default is
// a small fixture.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import * as z from "zod";
import type { ArchivedMessage, ArchivedTurn } from "../../core/archive/messages/message-archive.ts";
import { type Result, err, messageOf, ok } from "../../core/errors.ts";

export interface Conversation {
  name: string;
  /** Each session is one turn. Its messages are numbered from 1. */
  sessions: ArchivedTurn[];
  /** Those with evidence. */
  questions: Question[];
}
export interface Question {
  text: string;
  category: number | null;
  /** Distinct messages that answer it. */
  evidence: Evidence[];
}
/** `n` is `null` if the id in the file names no message. */
export interface Evidence {
  session: string;
  n: number | null;
}

const Message = z.object({
  speaker: z.string(),
  dia_id: z.string(),
  text: z.string(),
  blip_caption: z.string().nullish(),
});
/** Other fields are ignored. */
const Sample = z.object({
  sample_id: z.string(),
  conversation: z.record(z.string(), z.unknown()),
  qa: z.array(
    z.object({
      question: z.string(),
      evidence: z.array(z.string()).nullish(),
      category: z.number().nullish(),
    }),
  ),
});

const OWN = join(import.meta.dirname, "../../test/fixtures/recall/conversations.json");
const SESSION = /^session_(\d+)$/;

/** Failure: `bad_data`. */
export function readConversations(file: string = OWN): Result<Conversation[]> {
  try {
    const bytes = readFileSync(file);
    const text = (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString("utf8");
    const samples = z.array(Sample).min(1).safeParse(JSON.parse(text));
    if (!samples.success) return err("bad_data", `${file} is not a list of conversations in the format of LoCoMo.`);
    const conversations = samples.data.map(toConversation);
    if (conversations.some(({ questions }) => questions.length > 0)) return ok(conversations);
    return err("bad_data", `${file} has no question with evidence.`);
  } catch (thrown) {
    return err("bad_data", `${file} cannot be used: ${messageOf(thrown).replace(/\.$/, "")}.`);
  }
}

/** `number` makes the names of sessions distinct across conversations. Throws an Error for a session that is not in the format. */
function toConversation({ sample_id: name, conversation, qa }: z.infer<typeof Sample>, number: number): Conversation {
  const places = new Map<string, Evidence>();
  const sessions: ArchivedTurn[] = [];
  const numbers = Object.keys(conversation).flatMap((key) => SESSION.exec(key)?.[1] ?? []);
  for (const each of numbers.toSorted((a, b) => Number(a) - Number(b))) {
    const list = z.array(Message).safeParse(conversation[`session_${each}`]);
    if (!list.success) throw new Error(`session_${each} of ${name} is not a list of messages`);
    const at = toTime(conversation[`session_${each}_date_time`]);
    if (Number.isNaN(at)) throw new Error(`session_${each}_date_time of ${name} is not "1:56 pm on 8 May, 2023"`);
    const session = toSessionName(number, Number(each));
    const first = list.data[0]?.speaker;
    const messages = list.data.map(({ speaker, dia_id: id, text, blip_caption: caption }, index): ArchivedMessage => {
      places.set(id, { session, n: index + 1 });
      const role = speaker === first ? "user" : "assistant";
      return { n: index + 1, role, at, speaker, text: caption ? `${text} ${caption}` : text };
    });
    sessions.push({ session, turn: 1, messages });
  }
  const toEvidence = (id: string): Evidence =>
    places.get(id) ?? { session: toSessionName(number, Number.parseInt(id.slice(1), 10)), n: null };
  const questions = qa.flatMap(({ question, evidence, category }) => {
    const ids = [...new Set((evidence ?? []).flatMap((text) => text.split(/[\s;,]+/)))].filter((id) => id !== "");
    return ids.length > 0 ? [{ text: question, category: category ?? null, evidence: ids.map(toEvidence) }] : [];
  });
  return { name, sessions, questions };
}

/** The number of the session is also the first number of its messages' ids, such as `D3:12`. */
function toSessionName(conversation: number, session: number): string {
  return `${conversation}.${session}`;
}

/** Reads "1:56 pm on 8 May, 2023" as UTC. NaN for anything else. */
function toTime(text: unknown): number {
  const [time, date] = typeof text === "string" ? text.split(" on ") : [];
  return Date.parse(`${date} ${time} UTC`);
}
