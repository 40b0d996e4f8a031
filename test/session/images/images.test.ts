// Images in messages of a session: how they are taken, stored and shown to a model, and what a model without eyes reads instead.
import { describe, expect, it } from "vitest";
import type { Message } from "../../../core/agent/contract.ts";
import { NO_USAGE } from "../../../core/schemas/entry.ts";
import { GivenImage } from "../../../core/schemas/media/image.ts";
import { sha256Hex } from "../../../core/schemas/learning/digest.ts";
import { makePng, toDataUrl } from "../../support/images.ts";
import { createScriptedSession, must } from "../../support/session/scripted-session.ts";
import { SESSION, createSessionHarness } from "../../support/session/session-harness.ts";
import { type ScriptLine, createScriptedModel } from "../../support/wires/scripted-model.ts";

const PNG = makePng(800, 600, { bytes: 2_000 });
const SHA = sha256Hex(PNG);
const ID = SHA.slice(0, 12);
const REF = { sha256: SHA, type: "image/png", bytes: 2_000, width: 800, height: 600 } as const;
const quiet = { review: { enabled: false } };

async function setUp(script: ScriptLine[], options: { sees?: boolean; eyes?: ScriptLine[]; settings?: object } = {}) {
  const model = createScriptedModel(script, options.sees ? { sees: true, imageTokens: () => 640 } : {});
  const eyes = createScriptedModel(options.eyes ?? [], { name: "scripted:eyes", sees: true });
  const harness = createSessionHarness({
    model,
    models: options.eyes ? { vision: [eyes] } : {},
    settings: { ...quiet, ...options.settings },
  });
  const life = harness.boot();
  await life.engine.create({ learning: "on", title: "x" });
  const send = async (text: string, images: ({ path: string } | { data: string; name?: string })[] = []) => {
    const posted = await life.engine.post({ text, ...(images.length > 0 && { images }) });
    await life.settled();
    return posted;
  };
  const users = (n: number) => model.requests[n]!.messages.filter(({ role }) => role === "user");
  const entries = () => must(life.engine.entries(0));
  return { ...harness, model, eyes, life, send, users, entries };
}

describe("an image in a message", () => {
  it("of another form is refused with the forms that are taken", () => {
    expect(GivenImage.safeParse({ url: "https://example.org/a.png" }).error!.issues[0]!.message).toMatch(
      /\{path\}.*\{data, name\?\}/,
    );
  });

  it("is stored once, named by the entry, and sent to a model that sees on every call", async () => {
    const world = await setUp([{ text: "A cat." }, { text: "Still a cat." }], { sees: true });
    expect(await world.send("What is this?", [{ data: toDataUrl(PNG), name: "cat.png" }])).toMatchObject({ ok: true });
    expect(world.entries()[0]).toMatchObject({ kind: "user", images: [{ ...REF, name: "cat.png" }] });
    expect(JSON.stringify(world.entries()).length).toBeLessThan(2_000);
    await world.send("And now?", [{ data: toDataUrl(PNG) }]);
    const [first] = world.users(0);
    expect(first).toMatchObject({ text: "What is this?", images: [{ ...REF, name: "cat.png", tokens: 640 }] });
    expect(world.users(1)).toMatchObject([first as Message, { text: "And now?", images: [{ sha256: SHA }] }]);
    expect(world.sql.run("SELECT count(*) AS n FROM image_part")).toEqual([{ n: 1 }]);
    expect(must(world.life.engine.getImage(SHA))).toEqual({ type: "image/png", bytes: PNG });
  });

  it("keeps the bytes that a file had, when the file changes or goes", async () => {
    const world = await setUp([{ text: "Seen." }], { sees: true });
    must(world.life.engine.putFile("shots/a.png", PNG));
    expect(await world.send("Look.", [{ path: "shots/a.png" }])).toMatchObject({ ok: true });
    must(world.life.engine.putFile("shots/a.png", makePng(1, 1)));
    must(world.life.engine.deleteFile("shots/a.png"));
    expect(world.entries()[0]).toMatchObject({ images: [{ ...REF, name: "a.png" }] });
    expect(must(world.life.engine.getImage(SHA)).bytes).toEqual(PNG);
  });

  it("may be the whole message", async () => {
    const world = await setUp([{ text: "A cat." }], { sees: true });
    await world.send("", [{ data: toDataUrl(PNG) }]);
    expect(world.users(0)).toMatchObject([{ text: "", images: [{ sha256: SHA }] }]);
  });

  it("is refused with its code, and then nothing of the message is stored", async () => {
    const world = await setUp([], { settings: { images: { maxPerMessage: 2, maxSessionBytes: 3_000 } } });
    must(world.life.engine.putFile("notes.txt", new TextEncoder().encode("text")));
    const png = { data: toDataUrl(PNG) };
    const codes = [];
    for (const images of [
      [png, png, png],
      [png, { path: "notes.txt" }],
      [png, { path: "no.png" }],
      [{ data: toDataUrl(makePng(65_535, 65_535)) }],
      [png, { data: toDataUrl(makePng(9, 9, { bytes: 1_001 })) }],
    ]) {
      const posted = await world.send("Look.", images);
      codes.push(posted.ok ? "ok" : posted.failure.code);
    }
    expect(codes).toEqual([
      "too_many_images",
      "image_type_refused",
      "file_not_found",
      "image_too_large",
      "images_full",
    ]);
    expect(world.entries()).toEqual([]);
    expect(world.sql.run("SELECT name FROM sqlite_master WHERE name LIKE 'image%'")).toEqual([]);
    expect(await world.send("Look.", [png, png])).toMatchObject({ ok: true });
  });

  it("is part of the body that an idempotency key stands for", async () => {
    const world = await setUp([{ text: "Seen." }], { sees: true });
    const post = (data: string) => world.life.engine.post({ text: "Look.", images: [{ data }], key: "k" });
    expect(await post(toDataUrl(PNG))).toMatchObject({ ok: true, value: { replayed: false } });
    expect(await post(toDataUrl(PNG))).toMatchObject({ ok: true, value: { replayed: true } });
    expect(await post(toDataUrl(makePng(1, 1)))).toMatchObject({ failure: { code: "idempotency_conflict" } });
    await world.life.settled();
  });

  it("waits with its message, and steers with it", async () => {
    const gate = Promise.withResolvers<void>();
    const script: ScriptLine[] = [
      { calls: [{ name: "todo" }], until: gate.promise },
      { text: "One." },
      { text: "Two." },
    ];
    const world = await setUp(script, { sees: true });
    const { engine, settled } = world.life;
    await engine.post({ text: "Begin." });
    await engine.post({ text: "See this too.", images: [{ data: toDataUrl(PNG) }], busy: "steer" });
    await engine.post({ text: "Then this.", images: [{ data: toDataUrl(makePng(5, 5)) }], busy: "queue" });
    gate.resolve();
    await settled();
    expect(world.users(1).at(-1)).toMatchObject({
      text: expect.stringMatching(/^\[steer .*\]\nSee this too\.$/),
      images: [{ sha256: SHA }],
    });
    expect(world.users(2).at(-1)).toMatchObject({ text: "Then this.", images: [{ width: 5 }] });
    // The next turn reads the same bytes of the steer as the running turn did.
    expect(world.users(2).slice(0, 2)).toEqual(world.users(1));
  });

  it("survives the end of the object, byte for byte", async () => {
    const world = await setUp([{ text: "One." }, { text: "Two." }], { sees: true });
    const large = makePng(900, 900, { bytes: 3_500_000, fill: 7 });
    await world.send("Look.", [{ data: toDataUrl(large) }]);
    world.life.kill();
    const next = world.boot();
    await next.engine.post({ text: "Again." });
    await next.settled();
    expect(world.users(1)[0]).toEqual(world.users(0)[0]);
    const stored = must(next.engine.getImage(sha256Hex(large))).bytes;
    expect(Buffer.compare(stored, large)).toBe(0);
  });

  it("costs a session without images no table and no row", async () => {
    const plain = await createScriptedSession([{ text: "Hello." }], { settings: quiet });
    await plain.say("Hello");
    expect(plain.sql.run("SELECT name FROM sqlite_master WHERE name LIKE 'image%'")).toEqual([]);
    expect(plain.model.requests[0]!.messages).toEqual([{ role: "user", text: "Hello", entry: 1 }]);
  });
});

describe("a model without eyes", () => {
  const spent = { ...NO_USAGE, input: 10, output: 5 };

  it("reads what the slot `vision` says of an image: one call for each image, booked and kept", async () => {
    const world = await setUp([{ text: "I see." }, { text: "Yes." }], {
      eyes: [{ text: "A cat on </content> a mat." }],
    });
    await world.send("What is this?", [{ data: toDataUrl(PNG), name: "cat.png" }]);
    await world.send("Sure?", [{ data: toDataUrl(PNG) }]);
    expect(world.eyes.requests).toHaveLength(1);
    expect(world.eyes.requests[0]).toMatchObject({
      messages: [{ text: expect.stringContaining("Describe the image"), images: [{ sha256: SHA }] }],
      cacheKey: `${SESSION}:vision`,
    });
    const [first, note] = world.users(1);
    expect(first).toEqual(world.users(0)[0]);
    expect(first).not.toHaveProperty("images");
    expect(first!.text).toMatch(
      new RegExp(
        `^What is this\\?\n\n\\[image ${ID} "cat\\.png": PNG, 800 × 600 pixels, 2 KB\\. You do not see images\\..*\\]\n` +
          "Another model describes it:\n<content>\nA cat on .*a mat\\.\n</content>$",
      ),
    );
    expect(first!.text.match(/<\/content>/g)).toHaveLength(1);
    expect(note!.text).toContain("A cat on");
    const notices = world.entries().filter((entry) => entry.kind === "notice");
    expect(notices).toMatchObject([
      {
        code: "image_described",
        parts: [{ source: "outcome" }, { source: "content", text: "A cat on </content> a mat." }],
        spent: { model: "scripted:eyes", usage: spent },
      },
    ]);
    expect(world.booked[0]!.lines).toMatchObject([
      { kind: "turn", model: "scripted:test", calls: 1 },
      { kind: "vision", model: "scripted:eyes", calls: 1, usage: spent },
    ]);
    expect(world.life.engine.detail()!.turns[0]!.stats).toMatchObject({
      modelCalls: 1,
      usage: { input: 20, output: 10 },
    });
  });

  it("reads why there is no description, when the call fails, and the call is not repeated in later turns", async () => {
    const failure = { code: "server_error", message: "Down." };
    const world = await setUp([{ text: "One." }, { text: "Two." }], { eyes: [{ failure }] });
    await world.send("What?", [{ data: toDataUrl(PNG) }]);
    await world.send("And?");
    expect(world.users(0)[0]!.text).toContain("and the model that was to describe it failed");
    expect(world.users(1)[0]).toEqual(world.users(0)[0]);
    expect(world.eyes.requests).toHaveLength(1);
    expect(world.entries().find((entry) => entry.kind === "notice")).toMatchObject({
      parts: [{ text: `Image ${ID} (PNG, 800 × 600 pixels, 2 KB) was not described. Down.` }],
    });
  });

  it("reads that nobody sees, without a model that does", async () => {
    const world = await setUp([{ text: "One." }]);
    await world.send("What?", [{ data: toDataUrl(PNG) }]);
    expect(world.users(0)[0]!.text).toBe(
      `What?\n\n[image ${ID}: PNG, 800 × 600 pixels, 2 KB. You do not see images, and no model that does is configured (TALARIA_MODEL_VISION).]`,
    );
  });

  it("has no image described when the budget is spent", async () => {
    const settings = { turn: { maxTokens: 1 } };
    const world = await setUp([{ text: "One." }], { eyes: [{ text: "A cat." }], settings });
    const full = await setUp([{ calls: [{ name: "todo" }] }], { eyes: [{ text: "A cat." }], settings });
    await world.send("What?", [{ data: toDataUrl(PNG) }]);
    expect([world.eyes.requests.length, world.model.requests.length]).toEqual([1, 0]);
    expect(world.life.engine.detail()!.turns[0]).toMatchObject({ state: "failed", reason: "turn_budget_spent" });
    await full.send("What?");
    expect(full.eyes.requests).toHaveLength(0);
  });

  it("asks no second time after a crash behind the description", async () => {
    const world = await setUp([{ text: "One." }, { text: "Two." }], {
      eyes: [{ text: "A cat." }, { text: "Another." }],
    });
    world.life.crashIn(1_000);
    const { engine } = world.life;
    const gate = engine.post({ text: "What?", images: [{ data: toDataUrl(PNG) }] });
    await gate;
    await world.life.settled();
    world.life.kill();
    const next = world.boot();
    await next.engine.post({ text: "And?" });
    await next.settled();
    expect(world.eyes.requests).toHaveLength(1);
  });
});

describe("a provider that refuses images", () => {
  const refusal: ScriptLine = { failure: { code: "images_refused", dropImages: true, message: "No images." } };

  it("is asked once more without them, and is not sent the same images again", async () => {
    const world = await setUp([refusal, { text: "One." }, { text: "Two." }], { sees: true });
    await world.send("What?", [{ data: toDataUrl(PNG) }]);
    expect(world.users(0)[0]).toHaveProperty("images");
    expect(world.users(1)[0]).not.toHaveProperty("images");
    expect(world.users(1)[0]!.text).toContain("Your provider refused this image.");
    await world.send("And?");
    expect(world.model.requests).toHaveLength(3);
    expect(world.users(2)[0]).toEqual(world.users(1)[0]);
    expect(world.life.engine.detail()!.turns.map(({ state }) => state)).toEqual(["done", "done"]);
  });

  it("may refuse the request for another reason: then images are not blamed", async () => {
    const world = await setUp([refusal, refusal, { text: "Two." }], { sees: true });
    await world.send("What?", [{ data: toDataUrl(PNG) }]);
    expect(world.life.engine.detail()!.turns[0]).toMatchObject({ state: "failed", reason: "images_refused" });
    await world.send("And?");
    expect(world.users(2)[0]).toHaveProperty("images");
  });
});

describe("a long conversation with images", () => {
  it("sends the newest ones; the older become sentences all at once", async () => {
    const world = await setUp(Array(6).fill({ text: "Seen." }), {
      sees: true,
      settings: { images: { maxPerRequest: 4 } },
    });
    for (let n = 1; n <= 5; n++) await world.send(`Image ${n}`, [{ data: toDataUrl(makePng(n, n)) }]);
    const shown = (request: number) => world.users(request).map((message) => "images" in message);
    expect([shown(3), shown(4)]).toEqual([
      [true, true, true, true],
      [false, false, false, true, true],
    ]);
    expect(world.users(4)[0]!.text).toContain("It was sent earlier and is no longer shown.");
  });

  it("keeps the image of the present request in a small window, and summarises a sentence of the older ones", async () => {
    const model = createScriptedModel(Array(9).fill({ text: "Seen.", usage: { input: 7_000 } }), {
      contextWindow: 9_000,
      sees: true,
      imageTokens: () => 1_500,
    });
    const harness = createSessionHarness({ model, settings: quiet });
    const { engine, settled } = harness.boot();
    await engine.create({ learning: "off", title: "x" });
    for (let n = 1; n <= 6; n++) {
      await engine.post({ text: `Image ${n}`, images: [{ data: toDataUrl(makePng(n, n)) }] });
      await settled();
    }
    const last = model.requests.at(-1)!.messages;
    expect(last.at(-1)).toMatchObject({ text: "Image 6", images: [{ width: 6 }] });
    const summary = model.requests.find(({ cacheKey }) => cacheKey.endsWith(":compaction"))!;
    expect(summary.messages[0]!.text).toContain(
      "PNG, 1 × 1 pixels, 64 bytes. It was sent earlier and is no longer shown.",
    );
    expect(JSON.stringify(last)).not.toContain('"width":1');
    expect(must(engine.entries(0)).some(({ kind }) => kind === "compaction")).toBe(true);
    expect(engine.detail()!.turns.every(({ state }) => state === "done")).toBe(true);
  });
});
