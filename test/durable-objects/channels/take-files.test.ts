// Files that a person sends: each ends as an image, a text, a file of the workspace or a sentence. Nothing is dropped silently.
import { describe, expect, it } from "vitest";
import type { PlatformClient } from "../../../core/channels/platform.ts";
import { type Result, err, ok } from "../../../core/errors.ts";
import { DEFAULTS } from "../../../core/limits.ts";
import { type Recording, createTranscriber } from "../../../core/models/transcriber.ts";
import type { OutboundRequest } from "../../../core/outbound/outbound.ts";
import { NO_USAGE } from "../../../core/schemas/entry.ts";
import type { InboundFile, InboundMessage } from "../../../core/schemas/channels/inbound.ts";
import { type FileTaker, takeFiles } from "../../../durable-objects/channels/take-files.ts";
import { fromBase64 } from "../../../core/schemas/base64.ts";

/** One pixel. */
const PNG = fromBase64(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
);
const TEXT = new TextEncoder().encode("words");

function take(file: InboundFile, more: Partial<FileTaker> & { fetched?: Result<{ bytes: Uint8Array }> } = {}) {
  const { fetched = ok({ bytes: file.kind === "image" ? PNG : TEXT }), ...given } = more;
  const stored = new Map<string, string>();
  const message = { id: "event-1", files: [file] } as unknown as InboundMessage;
  const taken = takeFiles(message, {
    client: { fetchFile: async () => fetched } as unknown as PlatformClient,
    limits: { fileBytes: 1_000 },
    settings: DEFAULTS,
    session: {
      async putFile(path: string, bytes: Uint8Array) {
        stored.set(path, new TextDecoder().decode(bytes));
        return ok({ path, size: bytes.length });
      },
    },
    transcriber: err("voice_unavailable", "no provider is set."),
    tries: 0,
    book: async () => {},
    ...given,
  });
  return taken.then((result) => ({ ...result, stored: [...stored] }));
}

const NOTHING = { images: [], spoken: [], notes: [], refusals: [], stored: [] };

describe("a file that a person sends", () => {
  it("is an image of the message if it is one that providers take", async () => {
    const { images, ...rest } = await take({ kind: "image", ref: "1", name: "a.png" });
    expect(images).toEqual([{ data: expect.stringMatching(/^data:image\/png;base64,iVBOR/), name: "a.png" }]);
    expect(rest).toEqual({ ...NOTHING, images: undefined });
  });

  it("is otherwise stored under a plain name in a folder of its message, the same at a repetition", async () => {
    const file: InboundFile = { kind: "file", ref: "1", name: "../../etc/pass wd\u202e.txt", mediaType: "text/plain" };
    const [once, again] = [await take(file), await take(file)];
    expect(once).toEqual(again);
    const [path] = once.stored[0]!;
    expect(path).toMatch(/^inbox\/[0-9a-f]{8}\/_.._etc_pass wd_\.txt$/);
    expect(once.notes).toEqual([`[The person sent a file: ${path} (text/plain, 5 bytes)]`]);
    expect((await take({ kind: "image", ref: "1" }, { fetched: ok({ bytes: TEXT }) })).stored).toHaveLength(1);
  });

  it("that is too large, or cannot be had, is said to the person and to the agent", async () => {
    const large = await take({ kind: "file", ref: "1", name: "big.zip", bytes: 1_001 });
    expect([large.refusals.length, large.notes.length, large.stored]).toEqual([1, 1, []]);
    expect(large.refusals[0]).toContain("1001 bytes");
    const more = await take({ kind: "file", ref: "1" }, { fetched: ok({ bytes: new Uint8Array(1_001) }) });
    expect(more.refusals).toHaveLength(1);
    const gone = await take({ kind: "file", ref: "1" }, { fetched: err("channel_refused", "It has expired.") });
    expect(gone.notes[0]).toContain("It has expired.");
  });

  it("is tried again while the platform does not answer, three times; then the message goes without it", async () => {
    const fetched = err("channel_unavailable", "Bad gateway.");
    await expect(take({ kind: "file", ref: "1" }, { fetched, tries: 2 })).rejects.toThrow("Bad gateway");
    expect((await take({ kind: "file", ref: "1" }, { fetched, tries: 3 })).refusals).toHaveLength(1);
  });

  it("with speech becomes text, or a sentence why not beside the stored recording", async () => {
    const voice: InboundFile = { kind: "voice", ref: "1", name: "v.ogg", mediaType: "audio/ogg" };
    const spent = { model: "openai:whisper-1", usage: NO_USAGE };
    const heard = { transcribe: async ({ name }: Recording) => ok({ text: `heard ${name}`, spent }) };
    const booked: unknown[] = [];
    const book = async (...booking: unknown[]) => void booked.push(booking);
    expect((await take(voice, { transcriber: ok(heard), book, tries: 1 })).spoken).toEqual(["heard v.ogg"]);
    const silent = ok({ transcribe: async () => ok({ text: "", spent }) });
    const nothing = await take(voice, { transcriber: silent, book });
    expect(nothing.refusals[0]).toContain("no words were recognised");
    expect(nothing.stored).toHaveLength(1);
    expect(booked).toEqual([
      ["0.1", spent],
      ["0.0", spent],
    ]);
    const unheard = await take(voice);
    expect(unheard.refusals).toEqual(["Your voice message could not be turned into text: no provider is set."]);
    expect(unheard.stored).toHaveLength(1);
  });
});

describe("a transcription", () => {
  const ask = async (status: number, body: string, model = "whisper") => {
    const sent: { url: string; options: OutboundRequest }[] = [];
    const transcriber = createTranscriber(
      { name: `openai:${model}`, model, baseUrl: "https://api.example.com/v1", key: "sk-secret-key" },
      {
        outbound: {
          async request(url, options) {
            sent.push({ url, options });
            return ok({ url, status, headers: new Headers(), bytes: new TextEncoder().encode(body) });
          },
        },
        settings: DEFAULTS,
        boundary: () => "b0undary",
      },
    );
    const text = await transcriber.transcribe({ bytes: TEXT, name: 'a"\r\nb.ogg', mediaType: "audio/ogg" });
    return { text, ...sent[0]! };
  };

  it("is one form with the model and the recording", async () => {
    const { text, url, options } = await ask(200, '{"text":" Hello. "}');
    expect([text, url]).toMatchObject([
      { ok: true, value: { text: "Hello." } },
      "https://api.example.com/v1/audio/transcriptions",
    ]);
    const form = await new Response(options.body as Uint8Array<ArrayBuffer>, { headers: options.headers! }).formData();
    expect(form.get("model")).toBe("whisper");
    expect(await (form.get("file") as File).text()).toBe("words");
    expect((form.get("file") as File).name).toBe("a___b.ogg");
  });

  it.each([
    ["gpt-4o-mini-transcribe", '{"input_tokens":1000,"output_tokens":20}', { input: 1_000, output: 20 }, 1_350],
    ["whisper-1", '{"type":"duration","seconds":30}', {}, 3_000],
    ["whisper-2", '{"type":"duration","seconds":30}', {}, undefined],
    ["gpt-4o-mini-transcribe", "null", {}, undefined],
  ])("by %s that counts %s costs what its price list says", async (model, usage, tokens, usdMicros) => {
    const { text } = await ask(200, `{"text":"","usage":${usage}}`, model);
    const cost = usdMicros === undefined ? {} : { cost: { usdMicros, source: "catalog" } };
    const spent = { model: `openai:${model}`, usage: { ...NO_USAGE, ...tokens }, ...cost };
    expect(text).toEqual(ok({ text: "", spent }));
  });

  it.each([
    [401, '{"error":{"message":"Wrong key sk-secret-key"}}'],
    [500, "<html>"],
    [200, "no json"],
  ])("that fails with %s %s says why, without the key", async (status, body) => {
    const { text } = await ask(status, body);
    expect(text).toMatchObject({ ok: false, failure: { code: "voice_failed" } });
    expect(JSON.stringify(text)).not.toContain("secret-key");
  });
});
