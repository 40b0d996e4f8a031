// Which object of the profile began a turn, and so hears what the turn says: read from the chat of its origin. Called where a turn ends and
// where the session hands a delivery over. Pure.
import type { ChannelOrigin } from "../../schemas/channels/delivery.ts";
import type { BoardName, RunId } from "../../schemas/board/card.ts";

export type Beginner =
  /** A chat of the profile's channels. */
  | { kind: "channel" }
  | { kind: "webhook"; route: string }
  | { kind: "card"; board: BoardName; run: RunId }
  | { kind: "job"; run: string };

/** No chat of a channel has an id with one of these beginnings. */
const WEBHOOK = "webhook:";
const CARD = "card:";
const JOB = "job:";

export function readBeginner({ chat }: Pick<ChannelOrigin, "chat">): Beginner {
  if (chat.startsWith(WEBHOOK)) return { kind: "webhook", route: chat.slice(WEBHOOK.length) };
  if (chat.startsWith(JOB)) return { kind: "job", run: chat.slice(JOB.length) };
  if (!chat.startsWith(CARD)) return { kind: "channel" };
  const [board = "", run = ""] = chat.slice(CARD.length).split("/");
  return { kind: "card", board, run };
}

/** The chat of an origin. */
export function toBeginnerChat(beginner: Exclude<Beginner, { kind: "channel" }>): string {
  switch (beginner.kind) {
    case "webhook":
      return `${WEBHOOK}${beginner.route}`;
    case "card":
      return `${CARD}${beginner.board}/${beginner.run}`;
    case "job":
      return `${JOB}${beginner.run}`;
  }
}

/** It hears of the turn's end also where the turn has nothing to say. */
export function hearsEveryEnd(origin: Pick<ChannelOrigin, "chat">): boolean {
  const { kind } = readBeginner(origin);
  return kind === "card" || kind === "job";
}
