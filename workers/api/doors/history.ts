// Reads a client's history: which messages are new in the request, and the hashes that name the conversation up to each message of the
// person. Pure.
import { sha256Hex } from "../../../core/schemas/learning/digest.ts";
import type { Sha256 } from "../../../core/schemas/ids.ts";
import type { DoorMessage } from "./contract.ts";

type UserMessage = Extract<DoorMessage, { role: "user" }>;
type ToolMessage = Extract<DoorMessage, { role: "tool" }>;

/** A message of the person, in a client's history. */
export interface Position {
  /** Of the conversation up to and with this message. */
  chain: Sha256;
  /** What the client says was answered, in all messages up to the next one of the person. */
  answer: string;
  /** Index of the next message of the person. */
  next: number;
}

/** Newer ones are compared first. A history with more is known by these. */
const MAX_POSITIONS = 300;

/**
 * The person's messages but for the last, oldest first, and the chain with the last. `scope`: chains of different scopes never meet.
 * Images count, calls and results of tools do not: some clients leave them out of what they send later. Some trim messages that they stored.
 */
export function readPositions(messages: DoorMessage[], scope = ""): { positions: Position[]; chain: Sha256 } {
  const positions: Position[] = [];
  let chain = sha256Hex(`scope ${scope}`);
  let answer = "";
  for (const [at, message] of messages.entries()) {
    if (message.role === "assistant") answer += message.text;
    if (message.role !== "user") continue;
    const before = positions.at(-1);
    if (before) Object.assign(before, { answer, next: at });
    const images = message.images.map((image) => sha256Hex(JSON.stringify(image)));
    chain = sha256Hex(JSON.stringify([chain, squeeze(answer), message.text.trim(), ...images]));
    positions.push({ chain, answer: "", next: messages.length });
    answer = "";
  }
  return { positions: positions.slice(0, -1).slice(-MAX_POSITIONS), chain };
}

/**
 * Whether a client means what the session said: white space aside, the whole, a beginning of it (the person stopped reading), or its end
 * (the client kept the last text only).
 */
export function isSameAnswer(answer: string, { said, closing }: { said: string; closing: string }): boolean {
  const [told, whole, last] = [squeeze(answer), squeeze(said), squeeze(closing)];
  return whole.startsWith(told) || (last !== "" && told.endsWith(last));
}

/** Whether what a client has read begins with all that the session has stored of an answer. */
export function isFurther(answer: string, { said }: { said: string }): boolean {
  return squeeze(answer).startsWith(squeeze(said));
}

export interface NewMessages {
  /** What the session does not know and is not posted as a message. */
  history: DoorMessage[];
  /** The person's messages at the end, as one. */
  text: string;
  images: UserMessage["images"];
}

/** `known`: how many messages the session knows. */
export function splitNew(messages: DoorMessage[], known: number): NewMessages {
  const first = messages.findLastIndex(({ role }) => role !== "user") + 1;
  const from = Math.max(known, first);
  const posted = messages.slice(from).filter((message) => message.role === "user");
  return {
    history: messages.slice(known, from),
    text: posted.map(({ text }) => text).join("\n\n"),
    images: posted.flatMap(({ images }) => images),
  };
}

/** Results of tools since the last answer: the client ran calls. */
export function readResults(messages: DoorMessage[]): ToolMessage[] {
  const from = messages.findLastIndex(({ role }) => role === "assistant") + 1;
  return messages.slice(from).filter((message) => message.role === "tool");
}

function squeeze(text: string): string {
  return text.replace(/\s/g, "");
}
