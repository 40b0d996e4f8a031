// Images through the API and a real Session object in workerd: taken, stored, sent to a scripted provider, read back and deleted.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { DEFAULTS, FIXED } from "../../../core/limits.ts";
import { sha256Hex } from "../../../core/schemas/learning/digest.ts";
import type { SessionEnv } from "../../../durable-objects/session/host.ts";
import { Session } from "../../../durable-objects/session/session.ts";
import { START_MS, ask, createProfile, createSession, env, expectProblem, fetchApi } from "../../api/api-calls.ts";
import { reply } from "../../conformance/model.ts";
import { makeGif, makePng, toDataUrl } from "../../support/images.ts";
import { must } from "../../support/session/scripted-session.ts";
import { type Reply, writeScript } from "../../support/wires/wire-script.ts";

const PNG = makePng(800, 600, { bytes: 5_000, fill: 9 });
const SHA = sha256Hex(PNG);
let profile: string;
let key: string;

beforeAll(async () => void ({ profile, key } = await createProfile()), START_MS);

const post = (session: string, body: object, headers = {}) =>
  ask("POST", `/v1/sessions/${session}/messages`, { key, body, headers });

async function finish(session: string): Promise<string> {
  const response = await fetchApi("GET", `/v1/sessions/${session}/events`, { key });
  return response.text();
}

describe("an image through the API", () => {
  it("is taken with a message, answered, read back byte for byte, and gone with the session", async () => {
    const session = await createSession(key);
    const put = await fetchApi("PUT", `/v1/sessions/${session}/files/b.gif`, { key, body: makeGif(4, 3) });
    expect(put.status).toBe(201);
    const images = [{ data: toDataUrl(PNG, "text/html"), name: "a.png" }, { path: "b.gif" }];
    expect((await post(session, { text: "What are these?", images })).status).toBe(202);
    expect(await finish(session)).toContain("I was sent 2 images");
    const { body } = await ask("GET", `/v1/sessions/${session}/entries`, { key });
    expect((body as any).entries[0]).toMatchObject({
      kind: "user",
      images: [
        { sha256: SHA, type: "image/png", bytes: 5_000, width: 800, height: 600, name: "a.png" },
        { type: "image/gif", width: 4, height: 3, name: "b.gif" },
      ],
    });
    const read = await fetchApi("GET", `/v1/sessions/${session}/images/${SHA}`, { key });
    expect([read.headers.get("content-type"), read.headers.get("x-content-type-options")]).toEqual([
      "image/png",
      "nosniff",
    ]);
    expect(new Uint8Array(await read.arrayBuffer())).toEqual(PNG);
    const other = await createSession(key);
    expectProblem(
      await ask("GET", `/v1/sessions/${other}/images/${SHA}`, { key }),
      404,
      "image_not_found",
      "No such image",
    );

    expect((await ask("DELETE", `/v1/sessions/${session}`, { key })).status).toBeLessThan(300);
    const stub = env.SESSION.getByName(`${profile}/${session}`);
    const tables = await runInDurableObject(stub, (_, state) =>
      state.storage.sql.exec("SELECT name FROM sqlite_master WHERE name LIKE 'image%'").toArray(),
    );
    expect(tables).toEqual([]);
  });

  it("streams its turn too", async () => {
    const session = await createSession(key);
    const body = { text: "", images: [{ data: toDataUrl(PNG) }] };
    const headers = { accept: "text/event-stream" };
    const response = await fetchApi("POST", `/v1/sessions/${session}/messages`, { key, body, headers });
    expect(await response.text()).toContain("800 × 600");
  });

  it("is refused with a code and a status of its own", async () => {
    const session = await createSession(key);
    const svg = new TextEncoder().encode("<svg/>");
    const send = (...images: object[]) => post(session, { text: "Look.", images });
    expectProblem(await send({ data: toDataUrl(svg) }), 415, "image_type_refused", "Not an accepted image");
    const bomb = makePng(65_535, 65_535);
    const facts = { facts: { width: 65_535, height: 65_535 } };
    expectProblem(await send({ data: toDataUrl(bomb) }), 413, "image_too_large", "Image too large", facts);
    const many = Array.from({ length: 11 }, () => ({ data: toDataUrl(PNG) }));
    expectProblem(await send(...many), 422, "too_many_images", "Too many images");
    expectProblem(await send({ path: "no.png" }), 404, "file_not_found", "No such file");
    expectProblem(await send({ url: "https://example.com/a.png" }), 400, "body_invalid", "Invalid body", {
      errors: expect.anything(),
    });
    const large = toDataUrl(makePng(9, 9, { bytes: FIXED.messageBytes }));
    expectProblem(await send({ data: large }), 413, "body_too_large", "Body too large");
    expectProblem(
      await ask("GET", `/v1/sessions/${session}/images/nope`, { key }),
      400,
      "bad_image_id",
      "Invalid image id",
      {
        errors: expect.anything(),
      },
    );
    expect((await ask("GET", `/v1/sessions/${session}/entries`, { key })).body).toEqual({ entries: [] });
  });
});

describe("a provider behind a session in workerd", () => {
  /** The object with another environment: its model is the scripted server. */
  async function withProvider<T>(
    replies: Reply[],
    work: (session: Session) => Promise<T>,
    { settings = {}, ...more }: Partial<SessionEnv> & { settings?: object } = {},
  ) {
    const script = await writeScript(inject("modelServer"), replies);
    const session = await createSession(key);
    const stub = env.SESSION.getByName(`${profile}/${session}`);
    const variables = {
      TALARIA_MODEL: "anthropic:claude-sonnet-5-5",
      ANTHROPIC_API_KEY: "sk-ant-a-test-key",
      ANTHROPIC_BASE_URL: script.baseUrl,
      TALARIA_SETTINGS: JSON.stringify({ turn: { titles: false }, ...settings }),
      ...more,
    };
    const result = await runInDurableObject(stub, (_, state) =>
      work(new Session(state, { ...(env as unknown as SessionEnv), ...variables })),
    );
    return { result, stub, requests: await script.requests() };
  }
  const say = async (session: Session, text: string, images: ({ data: string } | { path: string })[] = []) => {
    must(await session.post({ text, ...(images.length > 0 && { images }) }));
    // An event stream cannot be read inside the object that writes it.
    while ((await session.detail())!.state === "busy") await scheduler.wait(10);
  };
  const imagesOf = (body: any): any[] =>
    body.messages.flatMap(({ content }: any) => content.filter(({ type }: any) => type === "image"));

  it("receives the image in each call of a conversation, and the same bytes each time", async () => {
    const data = toDataUrl(PNG);
    const { requests } = await withProvider([reply({ text: "A cat." }), reply({ text: "Yes." })], async (session) => {
      await say(session, "What is this?", [{ data }]);
      await say(session, "Sure?");
    });
    const sent = { type: "base64", media_type: "image/png", data: Buffer.from(PNG).toString("base64") };
    expect(requests.map(({ body }) => imagesOf(body).map(({ source }) => source))).toEqual([[sent], [sent]]);
  });

  it("that refuses it gets the sentence instead, once, also after an eviction", async () => {
    const message =
      "messages.0.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size";
    const error: Reply = {
      kind: "error",
      status: 400,
      body: { type: "error", error: { type: "invalid_request_error", message } },
    };
    const { requests, stub, result } = await withProvider(
      [error, reply({ text: "I cannot see it." }), reply({ text: "Still not." })],
      async (session) => {
        await say(session, "What is this?", [{ data: toDataUrl(PNG) }]);
        await say(session, "And now?");
        return session.detail();
      },
    );
    expect(requests.map(({ body }) => imagesOf(body).length)).toEqual([1, 0, 0]);
    expect(JSON.stringify(requests[2]!.body)).toContain("Your provider refused this image.");
    expect(result!.turns.map(({ state }) => state)).toEqual(["done", "done"]);
    await evictDurableObject(stub);
  });

  it("without eyes gets a description from the slot `vision`, which is asked once", async () => {
    const { requests } = await withProvider(
      [reply({ text: "A red fox." }), reply({ text: "A fox." }), reply({ text: "Red." })],
      async (session) => {
        await say(session, "What is this?", [{ data: toDataUrl(PNG) }]);
        await say(session, "Which colour?");
      },
      {
        settings: { models: { vision: { "anthropic:claude-haiku-5-5": false } } },
        TALARIA_MODEL: "anthropic:claude-haiku-5-5",
        TALARIA_MODEL_VISION: "anthropic:claude-sonnet-5-5",
      },
    );
    expect(requests.map(({ body }) => [body.model, imagesOf(body).length])).toEqual([
      ["claude-sonnet-5-5", 1],
      ["claude-haiku-5-5", 0],
      ["claude-haiku-5-5", 0],
    ]);
    expect(JSON.stringify(requests[2]!.body)).toContain("<content>\\nA red fox.\\n</content>");
  });

  it("gets the newest images of the largest size that one request may hold", { timeout: 120_000 }, async () => {
    const { maxBytes, maxPerMessage, maxRequestBytes } = DEFAULTS.images;
    const { requests, result } = await withProvider([reply({ text: "Seen." })], async (session) => {
      const images = [];
      for (let n = 0; n < maxPerMessage; n++) {
        const path = `${n}.png`;
        must(await session.putFile(path, makePng(4_000, 4_000, { bytes: maxBytes, fill: n })));
        images.push({ path });
      }
      await say(session, "Look.", images);
      return session.detail();
    });
    expect(result!.turns.map(({ state }) => state)).toEqual(["done"]);
    const sizes = imagesOf(requests[0]!.body).map(({ source }) => source.data.length as number);
    expect(sizes.length).toBeGreaterThan(0);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual((maxRequestBytes * 4) / 3);
    expect(JSON.stringify(requests[0]!.body).match(/no longer shown/g)).toHaveLength(maxPerMessage - sizes.length);
  });
});
