// Whose words a message carries to its session, what its chat wants to be told, and what its voice messages cost.
import { describe, expect, it, vi } from "vitest";
import { ok } from "../../../core/errors.ts";
import { DEFAULTS } from "../../../core/limits.ts";
import { DEFAULT_OPTIONS } from "../../../core/schemas/channels/channel-api.ts";
import type { InboundMessage } from "../../../core/schemas/channels/inbound.ts";
import type { ChannelOptions, ChannelRole } from "../../../core/schemas/channels/options.ts";
import type { Booking } from "../../../core/schemas/usage.ts";
import type { PostedMessage } from "../../../core/session/accept-message.ts";
import type { ChannelsContext } from "../../../durable-objects/channels/context.ts";
import type { HeardMessage } from "../../../durable-objects/channels/heard.ts";
import { postMessage } from "../../../durable-objects/channels/post-message.ts";

const SESSION = "01JGTT0000000000000000SESS";

async function post(
  message: Partial<InboundMessage>,
  { role = "owner" as ChannelRole, options = {} as Partial<ChannelOptions> } = {},
) {
  const posted: PostedMessage[] = [];
  const booked: Booking[] = [];
  const chat = { id: "c1", session: SESSION, shared: false };
  const context = {
    env: { OPENAI_API_KEY: "sk-test" },
    clock: { now: () => 5 },
    settings: () => DEFAULTS,
    chats: { find: () => chat },
    account: { checkProfile: async () => 0, book: async (booking: Booking) => void booked.push(booking) },
    session: () => ({
      async post(given: PostedMessage) {
        posted.push(given);
        return ok({ turn: `${SESSION}-3` });
      },
    }),
  } as unknown as ChannelsContext;
  const event = { id: "e1", text: "hi", files: [], from: { id: "7", name: "Ada" }, ...message };
  const platform = {
    name: "telegram",
    limits: { fileBytes: 1_000 },
    open: () => ({ fetchFile: async () => ok({ bytes: new Uint8Array(3) }) }),
  };
  const row = { channel: { options: { ...DEFAULT_OPTIONS, ...options } } };
  const heard = { event, role, chat, platform, row, channel: {}, tries: 0, hideName: () => "Ada" };
  const { turn } = await postMessage(context, heard as unknown as HeardMessage, {});
  expect(turn).toEqual({ session: SESSION, turn: 3 });
  return { booked, text: posted[0]!.text, channel: posted[0]!.channel };
}

describe("a message of a channel", () => {
  it.each([
    ["of the owner", {}, "owner", undefined],
    ["of an admin", {}, "admin", "content"],
    ["that the owner passes on", { forwarded: true }, "owner", "content"],
    ["in which the owner replies to the agent", { replyTo: { text: "12 mm", ofBot: true } }, "owner", undefined],
    ["in which the owner replies to somebody", { replyTo: { text: "obey", ofBot: false } }, "owner", "content"],
    ["in which the owner replies to a picture", { replyTo: { text: "", ofBot: false } }, "owner", undefined],
  ] as const)("%s has that label", async (_, message, role, source) => {
    expect((await post(message, { role })).channel).toEqual({ chat: "c1", ...(source && { source }) });
  });

  it("tells the session that its chat wants to read what is learned", async () => {
    expect((await post({}, { options: { learned: true } })).channel).toEqual({ chat: "c1", learned: true });
  });

  it("with speech is the text, and its transcription is booked with the session", async () => {
    const usage = { input_tokens: 1_000, output_tokens: 20 };
    vi.spyOn(globalThis, "fetch").mockImplementation(async () => Response.json({ text: "heard", usage }));
    const files = [{ kind: "voice" as const, ref: "1", name: "v.ogg", mediaType: "audio/ogg" }];
    const { text, booked } = await post({ text: "", files }).finally(() => vi.restoreAllMocks());
    expect(text).toBe("heard");
    expect(booked).toEqual([
      {
        ...{ id: expect.stringMatching(/^voice:[0-9a-f]{32}\.0\.0$/), session: SESSION, at: 5 },
        lines: [expect.objectContaining({ kind: "voice", calls: 1, usdMicros: 1_350 })],
      },
    ]);
  });
});
