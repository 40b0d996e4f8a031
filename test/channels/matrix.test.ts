import { describe, expect, test } from "vitest";
import { matrix } from "../../channels/matrix.ts";
import type { ChannelRequest } from "../../core/channels/platform.ts";
import { type ApiCall, createRecord, createShelf, postTo, serveRoutes } from "../support/channels/api-double.ts";
import type {
  PlatformFixture,
  PlatformWorld,
  Refusal,
  Said,
  SaidMessage,
  Signing,
  Somebody,
  Somewhere,
} from "../support/channels/fixture.ts";
import { describePlatform, openTestChannel } from "../support/channels/kit.ts";
import type { TestClock } from "../support/clock.ts";

const ADDRESS = "https://talaria.test/channels/matrix/p1";
const SELF = "@talaria:example.org";
const fields = {
  homeserver: "https://matrix.test",
  userId: SELF,
  asToken: "as-token-of-matrix",
  hsToken: "hs-token-of-matrix",
};
const SAID: SaidMessage = {
  kind: "message",
  event: "e1",
  message: "m1",
  text: "hi",
  from: { word: "ada" },
  in: { word: "garden", kind: "group" },
};
const userOf = ({ word, isSelf }: Somebody) => (isSelf ? SELF : `@${word}:example.org`);
const roomOf = ({ word, kind }: Somewhere) => `!${kind}-${word}:example.org`;

interface MatrixWorld extends PlatformWorld {
  joined: string[];
}

function createWorld(clock: TestClock): MatrixWorld {
  const record = createRecord();
  const shelf = createShelf();
  const uploads: Uint8Array[] = [];
  const threads = new Map<string, string>();
  const joined: string[] = [];
  const replied = new Map<string, object>();

  function sign(body: string, { forged }: Signing = {}): ChannelRequest {
    const request = postTo(`${ADDRESS}/_matrix/app/v1/transactions/35`, body, {
      authorization: `Bearer ${forged ? "other" : fields.hsToken}`,
    });
    return { ...request, method: "PUT" };
  }

  function toEvent(said: Said): object {
    if (said.kind === "press") throw new Error("there are no buttons");
    const [file] = said.files ?? [];
    const url = file && `mxc://example.org/${shelf.add(file)}`;
    const text = said.mentions ? `talaria: ${said.text}` : said.text;
    const message = {
      msgtype: file ? (file.kind === "image" ? "m.image" : "m.file") : said.from.isBot ? "m.notice" : "m.text",
      body: file && !said.text ? file.name : text,
      ...(file ? { url, filename: file.name, info: { mimetype: file.mediaType, size: file.bytes.length } } : {}),
      "m.mentions": said.mentions ? { user_ids: [SELF] } : {},
    };
    const relation = said.edited
      ? { rel_type: "m.replace", event_id: `$${said.message}` }
      : said.in.thread
        ? {
            rel_type: "m.thread",
            event_id: `$${said.in.thread}`,
            is_falling_back: true,
            "m.in_reply_to": { event_id: "$last" },
          }
        : undefined;
    const reply = said.repliesTo && { "m.in_reply_to": { event_id: `$replied-${said.event}` } };
    if (said.repliesTo) {
      const sender = said.repliesTo.ofBot ? SELF : "@bob:example.org";
      replied.set(`$replied-${said.event}`, {
        type: "m.room.message",
        event_id: "$r",
        room_id: roomOf(said.in),
        sender,
        content: { msgtype: "m.text", body: said.repliesTo.text },
      });
    }
    const content = said.edited ? { msgtype: "m.text", body: `* ${text}`, "m.new_content": message } : message;
    return {
      type: "m.room.message",
      event_id: said.edited ? `$edit-${said.event}` : `$${said.message}`,
      room_id: roomOf(said.in),
      sender: userOf(said.from),
      origin_server_ts: clock.now(),
      content: { ...content, ...(relation || reply ? { "m.relates_to": relation ?? reply } : {}) },
    };
  }

  function receiveMessage({ at, json }: ApiCall) {
    const relation = json["m.relates_to"];
    const id = `$out${record.messages.length + record.files.length}`;
    const chat = at["room"]!;
    if (JSON.stringify(json).length > 65_000)
      return Response.json({ errcode: "M_TOO_LARGE", error: "too large" }, { status: 413 });
    if (relation?.rel_type === "m.replace") {
      const index = record.messages.findIndex((message) => message.id === relation.event_id);
      record.messages[index] = { ...record.messages[index]!, text: json["m.new_content"].formatted_body };
      return { event_id: `${id}-edit` };
    }
    const thread = relation?.rel_type === "m.thread" ? relation.event_id : undefined;
    if (json.url)
      record.files.push({ chat, thread, name: json.filename, bytes: uploads[Number(json.url.split("/").at(-1))]! });
    else {
      record.messages.push({
        id,
        chat,
        thread,
        text: json.formatted_body,
        buttons: [],
        replyTo: relation?.["m.in_reply_to"]?.event_id,
      });
      threads.set(id, json.body);
    }
    return { event_id: id };
  }

  const rooms = "/_matrix/client/v3/rooms/:room";
  const serve = serveRoutes(
    {
      [`PUT ${rooms}/send/m.room.message/:txn`]: receiveMessage,
      [`PUT ${rooms}/typing/:user`]: ({ at, json }) => {
        if (at["user"] !== SELF || json.typing !== true) return refusal("refused")!;
        record.typingSigns += 1;
        return {};
      },
      [`GET ${rooms}/joined_members`]: ({ at }) => {
        const others = at["room"]!.startsWith("!direct")
          ? ["@ada:example.org"]
          : ["@ada:example.org", "@bob:example.org"];
        return { joined: Object.fromEntries([SELF, ...others].map((user) => [user, {}])) };
      },
      [`GET ${rooms}/event/:event`]: ({ at }) => replied.get(at["event"]!) ?? refusal("refused")!,
      "POST /_matrix/client/v3/join/:room": ({ at }) => {
        joined.push(at["room"]!);
        return { room_id: at["room"] };
      },
      "POST /_matrix/media/v3/upload": ({ bytes }) => {
        uploads.push(bytes);
        return { content_uri: `mxc://example.org/${uploads.length - 1}` };
      },
      "GET /_matrix/client/v1/media/download/:server/:media": ({ at }) => shelf.answer(at["media"]!),
      "GET /_matrix/client/v3/account/whoami": () => ({ user_id: SELF }),
    },
    ({ headers }) => (headers.get("authorization") === `Bearer ${fields.asToken}` ? null : refusal("auth_failed")),
  );
  return Object.assign(record, {
    threads,
    joined,
    request: (said: Said, signing?: Signing) => sign(JSON.stringify({ events: [toEvent(said)] }), signing),
    resign: (_: ChannelRequest, text: string, signing?: Signing) => sign(text, signing),
    serve,
    refusal,
  });
}

function refusal(kind: Refusal, retryAfterS = 0): Response | null {
  if (kind === "rate_limited")
    return Response.json(
      { errcode: "M_LIMIT_EXCEEDED", error: "Slow", retry_after_ms: retryAfterS * 1_000 },
      { status: 429 },
    );
  if (kind === "auth_failed") return Response.json({ errcode: "M_UNKNOWN_TOKEN", error: "Unknown" }, { status: 401 });
  return kind === "refused"
    ? Response.json({ errcode: "M_FORBIDDEN", error: "Not in the room" }, { status: 403 })
    : null;
}

const fixture: PlatformFixture<typeof fields> = {
  platform: matrix,
  fields,
  others: [{ ...fields, hsToken: "other" }],
  self: { id: SELF, name: "talaria" },
  api: fields.homeserver,
  proof: { kind: "secret", carriers: ["authorization"], covers: [], toleranceMs: null },
  callsEverybody: (body) => body.includes("@room") && !/"m\.mentions":\{\}/.test(body),
  lacks: {},
  createWorld,
};

describePlatform(fixture);

describe("Matrix", () => {
  test("a repeated transaction has the same events", async () => {
    const { world, receive } = openTestChannel(fixture);
    const request = await world.request(SAID);
    const again = { ...request, url: request.url.replace("/35", "/36") };
    expect((await receive(again))?.events).toEqual((await receive(request))?.events);
  });

  test("the token in the query, of older homeservers, is taken", async () => {
    const { world, channel } = openTestChannel(fixture);
    const request = await world.request(SAID);
    const old = (token: string) => ({ ...request, headers: {}, url: `${request.url}?access_token=${token}` });
    expect(await matrix.verify(old(fields.hsToken), channel)).not.toBeNull();
    expect(await matrix.verify(old("other"), channel)).toBeNull();
  });

  test("no user or room of a namespace exists, since the bot has none", async () => {
    const { world, receive } = openTestChannel(fixture);
    const request = await world.request(SAID);
    for (const place of ["users/%40a%3Aex.org", "rooms/%23a%3Aex.org"]) {
      const url = request.url.replace(/\/_matrix.*/, `/_matrix/app/v1/${place}`);
      const received = await receive({ ...request, method: "GET", url, body: new Uint8Array() });
      expect(received).toMatchObject({
        reply: { status: 404, body: expect.stringContaining("M_NOT_FOUND") as string },
      });
    }
  });

  test("an invitation is accepted; a ping is answered; an encrypted message is not read", async () => {
    const { world, receive, channel } = openTestChannel(fixture);
    const base = { event_id: "$1", room_id: "!r:example.org", sender: "@ada:example.org" };
    const invite = { ...base, type: "m.room.member", state_key: SELF, content: { membership: "invite" } };
    const secret = {
      ...base,
      type: "m.room.encrypted",
      content: { algorithm: "m.megolm.v1.aes-sha2", ciphertext: "x" },
    };
    const request = await world.request(SAID);
    const received = await receive(await world.resign(request, JSON.stringify({ events: [invite, secret] })));
    expect(received).toEqual({
      events: [],
      reply: { status: 200, headers: { "content-type": "application/json" }, body: "{}" },
    });
    expect((world as MatrixWorld).joined).toEqual(["!r:example.org"]);
    expect(await receive(await world.resign(request, '{"transaction_id":"t"}'))).toMatchObject({
      events: [],
      reply: { body: "{}" },
    });
    expect(channel.self?.id).toBe(SELF);
  });

  test("a room is a group where the homeserver does not say who is in it", async () => {
    const { world, receive, setFault } = openTestChannel(fixture);
    setFault(() => new Response("no", { status: 500 }));
    expect(
      (await receive(await world.request({ ...SAID, in: { word: "ada", kind: "direct" } })))?.events,
    ).toMatchObject([{ chat: { kind: "group" }, addressed: false }]);
  });

  test("the quote that older clients put before a reply is left out, and a longer name is no mention", async () => {
    const { world, receive } = openTestChannel(fixture);
    const read = async (body: string, repliesTo?: { text: string; ofBot: boolean }) => {
      const event = (await receive(await world.request({ ...SAID, text: body, repliesTo })))!.events[0]!;
      return event.kind === "message" ? [event.text, event.addressed] : [];
    };
    expect(await read("> <@bob:example.org> 12 mm\n> of rain\n\nsnow", { text: "12 mm", ofBot: false })).toEqual([
      "snow",
      false,
    ]);
    expect(await read("talariatic")).toEqual(["talariatic", false]);
    expect(await read("@talaria, rain?")).toEqual(["rain?", true]);
  });

  test("the plain text beside the HTML has no marks", async () => {
    const { client, seen } = openTestChannel(fixture);
    await client.send({ id: "!r:x", kind: "group" }, { text: "<p><b>1 &lt; 2</b><br>&amp;amp;</p>" });
    expect(JSON.parse(Buffer.from(seen[0]!.body).toString())).toMatchObject({
      body: "1 < 2\n&amp;",
      format: "org.matrix.custom.html",
    });
  });
});
