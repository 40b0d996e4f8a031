import { createCipheriv } from "node:crypto";
import { describe, expect, test } from "vitest";
import { readElements } from "../../channels/support/xml.ts";
import { wecom } from "../../channels/wecom.ts";
import type { ChannelRequest } from "../../core/channels/platform.ts";
import { bytesOf, createRecord, createShelf, hashOf, postTo, serveRoutes } from "../support/channels/api-double.ts";
import type { PlatformFixture, PlatformWorld, Refusal, Said, Signing } from "../support/channels/fixture.ts";
import { describePlatform, openTestChannel } from "../support/channels/kit.ts";
import { type TestClock, createTestClock } from "../support/clock.ts";

const ADDRESS = "https://talaria.test/channels/wecom/p1";
const AES_KEY = "jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C";
const CORP = "wx5823bf96d3bd56c7";
const fields = {
  corpId: CORP,
  agentId: "218",
  secret: "app-secret-of-wecom",
  token: "QDG6eK",
  encodingAESKey: AES_KEY,
};

function encrypt(text: string, corp = CORP): string {
  const message = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(message.length);
  const plain = Buffer.concat([Buffer.from("0123456789abcdef"), length, message, Buffer.from(corp)]);
  const count = 32 - (plain.length % 32);
  const key = Buffer.from(`${AES_KEY}=`, "base64");
  const cipher = createCipheriv("aes-256-cbc", key, key.subarray(0, 16)).setAutoPadding(false);
  return Buffer.concat([cipher.update(Buffer.concat([plain, Buffer.alloc(count, count)])), cipher.final()]).toString(
    "base64",
  );
}

function signUrl(encrypted: string, atMs: number, token: string, more: Record<string, string> = {}): string {
  const [timestamp, nonce] = [String(Math.floor(atMs / 1_000)), "1372623149"];
  const signature = hashOf("sha1", [token, timestamp, nonce, encrypted].toSorted().join("")).toString("hex");
  return `${ADDRESS}?${new URLSearchParams({ msg_signature: signature, timestamp, nonce, ...more })}`;
}

function createWorld(clock: TestClock): PlatformWorld {
  const record = createRecord();
  const shelf = createShelf();
  const uploads: { name: string; bytes: Uint8Array }[] = [];

  function sign(text: string, { at = clock.now(), forged }: Signing = {}): ChannelRequest {
    const encrypted = encrypt(text);
    const url = signUrl(encrypted, at, forged ? "other" : fields.token);
    const body = `<xml><ToUserName><![CDATA[${CORP}]]></ToUserName><AgentID><![CDATA[218]]></AgentID><Encrypt><![CDATA[${encrypted}]]></Encrypt></xml>`;
    return postTo(url, body, { "content-type": "text/xml" });
  }

  function toXml(said: Said): string {
    if (said.kind === "press") throw new Error("there are no buttons");
    const [file] = said.files ?? [];
    const content = file
      ? `<MsgType><![CDATA[${file.kind}]]></MsgType><MediaId><![CDATA[${shelf.add(file)}]]></MediaId><FileName><![CDATA[${file.name}]]></FileName>`
      : `<MsgType><![CDATA[text]]></MsgType><Content><![CDATA[${said.text}]]></Content>`;
    return `<xml><ToUserName><![CDATA[${CORP}]]></ToUserName><FromUserName><![CDATA[${said.from.word}]]></FromUserName><CreateTime>${Math.floor(clock.now() / 1_000)}</CreateTime>${content}<MsgId>${hashOf("md5", said.event).readUInt32BE(0)}</MsgId><AgentID>218</AgentID></xml>`;
  }

  const isOurs = ({ url }: { url: URL }) => url.searchParams.get("access_token") === "wecom-token";
  const serve = serveRoutes(
    {
      "GET /cgi-bin/gettoken": ({ url }) =>
        url.searchParams.get("corpsecret") === fields.secret
          ? { errcode: 0, access_token: "wecom-token", expires_in: 7_200 }
          : refusal("auth_failed"),
      "GET /cgi-bin/agent/get": () => ({ errcode: 0, agentid: 218, name: "Talaria" }),
      "POST /cgi-bin/message/send": ({ json }) => {
        if (json.agentid !== 218) return refusal("refused");
        if (json.touser === "invisible") return { errcode: 0, invaliduser: json.touser };
        const msgid = `m${record.messages.length}`;
        const media = json.file ?? json.image;
        if (media) record.files.push({ chat: json.touser, ...uploads[Number(media.media_id)]! });
        else if (Buffer.byteLength(json.markdown.content) > 2_048) return { errcode: 40058, errmsg: "too long" };
        else record.messages.push({ id: msgid, chat: json.touser, text: json.markdown.content, buttons: [] });
        return { errcode: 0, errmsg: "ok", msgid };
      },
      async "POST /cgi-bin/media/upload"(call) {
        uploads.push(await bytesOf((await call.form()).get("media")));
        return { errcode: 0, media_id: String(uploads.length - 1) };
      },
      "GET /cgi-bin/media/get": ({ url }) => shelf.answer(url.searchParams.get("media_id")!),
    },
    (call) => (call.url.pathname.endsWith("gettoken") || isOurs(call) ? null : refusal("auth_failed")),
  );

  return Object.assign(record, {
    request: (said: Said, signing?: Signing) => sign(toXml(said), signing),
    resign: (_: ChannelRequest, text: string, signing?: Signing) => sign(text, signing),
    challenge({ at = clock.now(), forged }: Signing = {}) {
      const echostr = encrypt("1616140317555161061");
      const url = signUrl(echostr, at, forged ? "other" : fields.token, { echostr });
      return {
        request: { method: "GET", url, headers: {}, body: new Uint8Array() },
        reply: { status: 200, body: "1616140317555161061" },
      };
    },
    serve,
    refusal: (kind: Refusal, retryAfterS: number) => refusal(kind, retryAfterS),
  });
}

function refusal(kind: Refusal, retryAfterS = 0): Response | null {
  const fail = (errcode: number, headers = {}) => Response.json({ errcode, errmsg: "no" }, { headers });
  if (kind === "rate_limited") return fail(45009, { "retry-after": String(retryAfterS) });
  return kind === "window_closed" ? null : fail(kind === "auth_failed" ? 42001 : 81013);
}

const fixture: PlatformFixture<typeof fields> = {
  platform: wecom,
  fields,
  others: [
    { ...fields, token: "other" },
    { ...fields, corpId: "wx0" },
    { ...fields, agentId: "219" },
    { ...fields, encodingAESKey: `A${AES_KEY.slice(1)}` },
  ],
  self: { id: "218", name: "Talaria" },
  api: "https://qyapi.weixin.qq.com",
  proof: {
    kind: "hmac",
    carriers: ["?msg_signature", "?timestamp", "?nonce"],
    covers: [],
    toleranceMs: { past: 300_000, future: 300_000 },
  },
  callsEverybody: "The app writes to one person.",
  lacks: {
    edits: "WeCom does not tell apps of edits.",
    bots: "Apps do not write to each other.",
    own: "The app's own messages do not arrive.",
    fileText: "A message is a file or a text.",
  },
  createWorld,
};

describePlatform(fixture);

describe("WeCom", () => {
  test("the address is proved by the sample of WeCom's own libraries", async () => {
    const echostr = "P9nAzCzyDtyTWESHep1vC5X9xho/qYX3Zpb4yKa9SKld1DsH3Iyt3tP3zNdtp+4RPcs8TgAE7OaBO+FZXvnaqQ==";
    const query = {
      msg_signature: "5c45ff5e21c57e6ad56bac8758b79b1d9ac89fd3",
      timestamp: "1409659589",
      nonce: "263014780",
      echostr,
    };
    const request = {
      method: "GET",
      url: `${ADDRESS}?${new URLSearchParams(query)}`,
      headers: {},
      body: new Uint8Array(),
    };
    const { channel, receive, clock } = openTestChannel(fixture, { clock: createTestClock(1_409_659_589_000) });
    expect((await receive(request))?.reply).toMatchObject({ status: 200, body: "1616140317555161061" });
    clock.advance(301_000);
    expect(await wecom.verify(request, channel)).toBeNull();
  });

  test("what is encrypted for another company is refused, and so is changed padding", async () => {
    const { channel, clock } = openTestChannel(fixture);
    const encrypted = encrypt("<xml></xml>", "wx-other");
    const body = `<xml><Encrypt><![CDATA[${encrypted}]]></Encrypt></xml>`;
    expect(await wecom.verify(postTo(signUrl(encrypted, clock.now(), fields.token), body), channel)).toBeNull();
    const cut = Buffer.from(encrypt("<xml></xml>"), "base64").subarray(0, 32).toString("base64");
    const cutBody = `<xml><Encrypt><![CDATA[${cut}]]></Encrypt></xml>`;
    expect(await wecom.verify(postTo(signUrl(cut, clock.now(), fields.token), cutBody), channel)).toBeNull();
  });

  test("what a person writes is never taken for an element", () => {
    const xml =
      "<xml><Content><![CDATA[</Content><AgentID>9</AgentID>]]></Content><AgentID>218</AgentID><A>1 &lt; 2 &amp;amp;</A></xml>";
    expect(Object.fromEntries(readElements(xml))).toEqual({
      xml: "",
      Content: "</Content><AgentID>9</AgentID>",
      AgentID: "218",
      A: "1 < 2 &amp;",
    });
  });

  test("a message that reaches nobody was not sent", async () => {
    const { client } = openTestChannel(fixture);
    expect(await client.send({ id: "invisible", kind: "direct" }, { text: "x" })).toMatchObject({
      ok: false,
      failure: { code: "channel_refused" },
    });
  });
});
