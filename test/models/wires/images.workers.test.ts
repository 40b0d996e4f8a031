// Images on each wire, inside workerd, against the scripted model server: what a provider receives, byte for byte.
import { describe, expect, it } from "vitest";
import type { Message, MessageImage, Model } from "../../../core/agent/contract.ts";
import { createAnthropicModel } from "../../../core/models/wires/anthropic.ts";
import { createOpenAiChatModel } from "../../../core/models/wires/openai-chat.ts";
import { createOpenAiResponsesModel } from "../../../core/models/wires/openai-responses.ts";
import { sha256Hex } from "../../../core/schemas/learning/digest.ts";
import { systemClock } from "../../../stores/platform/system-clock.ts";
import { readAnswer, reply, toRequest } from "../../conformance/model.ts";
import { makePng } from "../../support/images.ts";
import { openOverWire } from "../../support/wires/wire-model.ts";
import type { RecordedRequest } from "../../support/wires/wire-script.ts";

type Options = { baseUrl: string; fetch: typeof fetch };
const common = { clock: systemClock, apiKey: "sk-a-test-key" };
const OPEN: Record<string, (options: Options) => Model> = {
  anthropic: (options) => createAnthropicModel({ ...common, ...options, model: "claude-sonnet-5-5" }),
  chat: (options) => createOpenAiChatModel({ ...common, ...options, model: "llava" }),
  responses: (options) => createOpenAiResponsesModel({ ...common, ...options, model: "gpt-6.1-terra" }),
};
/** An image of the last message as the wire has it: its type, and its Base64. */
const READ: Record<string, (body: any) => unknown> = {
  anthropic: ({ messages }) => messages.at(-1).content,
  chat: ({ messages }) => messages.at(-1).content,
  responses: ({ input }) => input.at(-1).content,
};

/** Lengths that end a part and the whole in each of Base64's three ways. */
const BYTES = [makePng(8, 6), makePng(9, 9, { bytes: 2_400_001, fill: 251 }), makePng(7, 7, { bytes: 65, fill: 62 })];
const IMAGES: MessageImage[] = BYTES.map((bytes, n) => ({
  ...{ sha256: sha256Hex(bytes), type: n === 2 ? "image/webp" : "image/png", bytes: bytes.length, width: 8, height: 6 },
}));
const PART = 1_200_000;

function* readImage({ sha256 }: { sha256: string }): Generator<Uint8Array> {
  const bytes = BYTES[IMAGES.findIndex((image) => image.sha256 === sha256)]!;
  for (let at = 0; at < bytes.length; at += PART) yield bytes.slice(at, at + PART);
}

const base64 = (n: number) => Buffer.from(BYTES[n]!).toString("base64");
const ask = (messages: Message[]) => toRequest({ messages, readImage });

describe.each(Object.keys(OPEN))("an image on the wire %s", (wire) => {
  async function send(...conversations: Message[][]): Promise<RecordedRequest[]> {
    const { model, script } = await openOverWire(OPEN[wire]!)(conversations.map(() => reply({ text: "Seen." })));
    for (const messages of conversations) await readAnswer(model, ask(messages));
    return script!.requests();
  }

  it("has the provider's form, and the bytes that are stored", async () => {
    const text = "What is @image-0-1@ here?";
    const [request] = await send([{ role: "user", text, images: IMAGES }]);
    const url = (n: number) => `data:${IMAGES[n]!.type};base64,${base64(n)}`;
    const cache_control = { type: "ephemeral" };
    const expected: Record<string, object[]> = {
      anthropic: [
        ...[0, 1, 2].map((n) => ({
          type: "image",
          source: { type: "base64", media_type: IMAGES[n]!.type, data: base64(n) },
        })),
        { type: "text", text, cache_control },
      ],
      chat: [{ type: "text", text }, ...[0, 1, 2].map((n) => ({ type: "image_url", image_url: { url: url(n) } }))],
      responses: [
        { type: "input_text", text },
        ...[0, 1, 2].map((n) => ({ type: "input_image", detail: "auto", image_url: url(n) })),
      ],
    };
    expect(READ[wire]!(request!.body)).toEqual(expected[wire]);
    expect(Number(request!.headers["content-length"])).toBeGreaterThan(3_200_000);
  });

  it("is the same in every later call, so that a cached prefix holds", async () => {
    const first: Message[] = [{ role: "user", text: "One.", images: IMAGES.slice(0, 1) }];
    const next: Message[] = [...first, { role: "assistant", text: "Seen.", calls: [] }, { role: "user", text: "Two." }];
    const [one, two] = await send(first, next);
    const list = (request: RecordedRequest) => (request.body.messages ?? request.body.input) as object[];
    // Chat and Responses may begin with the system prompt.
    const at = list(one!).length - 1;
    const bare = (message: object) =>
      JSON.stringify(message).replaceAll(/,"cache_control":\{"type":"ephemeral"\}/g, "");
    expect(bare(list(two!)[at]!)).toBe(bare(list(one!)[at]!));
  });

  it("may be the whole message", async () => {
    const [request] = await send([{ role: "user", text: "", images: IMAGES.slice(0, 1) }]);
    expect(READ[wire]!(request!.body)).toHaveLength(1);
  });
});

describe("an image beside messages that a template joins", () => {
  it("stays a part of the joined message", async () => {
    const { model, script } = await openOverWire(OPEN.chat!)([reply({ text: "Seen." })]);
    const messages: Message[] = [
      { role: "user", text: "One." },
      { role: "user", text: "Two.", images: IMAGES.slice(0, 1) },
      { role: "user", text: "Three." },
    ];
    await readAnswer(model, ask(messages));
    const [request] = await script!.requests();
    expect(request!.body.messages.at(-1).content).toEqual([
      { type: "text", text: "One." },
      { type: "text", text: "Two." },
      { type: "image_url", image_url: { url: `data:image/png;base64,${base64(0)}` } },
      { type: "text", text: "Three." },
    ]);
  });
});
