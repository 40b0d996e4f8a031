// What a command of a channel is carried out with: who wrote it, where, and what it may reach. Made by durable-objects/channels for one event.
// Types, and how foreign words become part of an answer.
import { clip, toOneLine } from "../../clip.ts";
import type { CommandRole } from "../../commands/commands.ts";
import type { ChatPlace, Sender } from "../../schemas/channels/inbound.ts";
import type { ChannelRole, Listening } from "../../schemas/channels/options.ts";
import type { TopicRows } from "../topics/topic-rows.ts";
import type { ChannelCommandPorts } from "./command-ports.ts";

export interface CommandScene {
  /** As people write it: `Telegram`. */
  platform: string;
  from: Pick<Sender, "id" | "name">;
  role: ChannelRole;
  chat: ChatPlace;
  /** Session key of the chat itself, without its thread and without a topic: whose topics these are. */
  base: string;
  /** Several people write in the chat's session. */
  shared: boolean;
  /** What counts in the chat. */
  listening: Listening;
  ports: ChannelCommandPorts;
  topics: TopicRows;
  /** Unix time in ms. */
  now: number;
}

export function toCommandRole(role: ChannelRole): CommandRole {
  return role === "user" ? "participant" : role;
}

/** Whether somebody may decide what a session asks, by a button or in words. `approval`: whether a call may run. `clarify`: a question to anybody. */
export function mayDecide(role: ChannelRole, asked: "approval" | "clarify"): boolean {
  return asked === "clarify" || role !== "user";
}

/** Words of people and models as a part of Markdown that cannot become a mark: one line, as code. */
export function quoteWords(text: string, maxChars = 200): string {
  const line = clip(toOneLine(text), maxChars).replaceAll("`", "'");
  return `\`${line === "" ? " " : line}\``;
}

/** Words of people and models inside a line of Markdown. Marks in them are escaped. */
export function plainWords(text: string, maxChars = 200): string {
  return clip(toOneLine(text), maxChars).replace(/[\\`*_~[\]<>|#!]/g, "\\$&");
}

/** `1 session`, `2 sessions`. */
export function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}
