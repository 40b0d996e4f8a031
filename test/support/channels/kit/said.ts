// The people, places and messages of the conformance kit.
import type { PlatformFixture, SaidMessage, SaidPress, Somebody, Somewhere } from "../fixture.ts";

export const ADA: Somebody = { word: "ada" };
export const BOB: Somebody = { word: "bob" };
export const OTHER_BOT: Somebody = { word: "robot", isBot: true };
export const SELF: Somebody = { word: "self", isBot: true, isSelf: true };

export const DIRECT: Somewhere = { word: "ada", kind: "direct" };
export const GROUP: Somewhere = { word: "garden", kind: "group" };

export const PICTURE = {
  kind: "image" as const,
  name: "rain.png",
  mediaType: "image/png",
  bytes: Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 255, 1, 2]),
};

/** A message to the bot: in a direct chat, or where there is none, one that mentions it in a group. */
export function say<Fields>(
  fixture: PlatformFixture<Fields>,
  event: string,
  more: Partial<SaidMessage> = {},
): SaidMessage {
  const isGroup = fixture.lacks.direct !== undefined;
  return {
    kind: "message",
    event,
    message: `m-${event}`,
    text: "How much rain fell?",
    from: ADA,
    in: isGroup ? GROUP : DIRECT,
    ...(isGroup ? { mentions: true } : {}),
    ...more,
  };
}

export function press(event: string, token: string, of: string, where: Somewhere): SaidPress {
  return { kind: "press", event, token, of, from: ADA, in: where };
}
