import { describe, expect, test } from "vitest";
import { mattermost } from "../../channels/mattermost.ts";
import type { ChannelRequest } from "../../core/channels/platform.ts";
import {
  type ApiCall,
  bytesOf,
  createRecord,
  createShelf,
  postTo,
  serveRoutes,
} from "../support/channels/api-double.ts";
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

const ADDRESS = "https://talaria.test/channels/mattermost/p1";
const fields = {
  serverUrl: "https://chat.test",
  botToken: "bot-token-of-mattermost",
  token: "outgoing-token",
  commandToken: "command-token",
};
const SAID: SaidMessage = {
  kind: "message",
  event: "e1",
  message: "m1",
  text: "hi",
  from: { word: "ada" },
  in: { word: "garden", kind: "group" },
  mentions: true,
};
const userOf = ({ word, isSelf }: Somebody) => (isSelf ? "uself" : `u${word}`);
const chatOf = ({ word, kind }: Somewhere) => `c-${kind}-${word}`;

function createWorld(clock: TestClock): PlatformWorld {
  const record = createRecord();
  const shelf = createShelf();
  const threads = new Map<string, string>();
  /** The posts of people, and the post that began the thread of each. */
  const roots = new Map<string, string>();
  const uploads: { name: string; bytes: Uint8Array }[] = [];
  /** What buttons carry, which people do not see, by their tokens. */
  const contexts = new Map<string, object>();
  let count = 0;

  /** In direct chats people use the slash command; in channels the outgoing webhook. */
  function toPosted(said: Said, forged = false): object {
    const user = userOf(said.from);
    const base = {
      team_id: "t1",
      team_domain: "team",
      channel_id: chatOf(said.in),
      user_id: user,
      user_name: said.from.word,
    };
    if (said.kind === "press") {
      const context = contexts.get(said.token) as { proof: string };
      return {
        ...base,
        post_id: said.of,
        trigger_id: `trigger-${said.event}`,
        type: "button",
        context: forged ? { ...context, proof: "0" } : context,
      };
    }
    if (said.in.kind === "direct") {
      return {
        ...base,
        token: forged ? "x" : fields.commandToken,
        channel_name: `${user}__uself`,
        command: "/talaria",
        text: said.text,
        trigger_id: `trigger-${said.event}`,
      };
    }
    roots.set(`post-${said.message}`, said.in.thread === undefined ? "" : `root-${said.in.thread}`);
    const text = said.mentions ? `@talaria ${said.text}` : said.text;
    const files = (said.files ?? []).map((file) => shelf.add(file)).join(",");
    return {
      ...base,
      token: forged ? "x" : fields.token,
      channel_name: said.in.word,
      timestamp: clock.now(),
      post_id: `post-${said.message}`,
      text,
      trigger_word: "",
      file_ids: files,
    };
  }

  function readActions({ json }: ApiCall) {
    const actions: { name: string; integration: { url: string; context: { token: string } } }[] =
      json.props?.attachments?.[0]?.actions ?? [];
    return actions.map(({ name, integration }) => {
      if (integration.url !== ADDRESS) throw new Error("the button calls another address");
      contexts.set(integration.context.token, integration.context);
      return { label: name, token: integration.context.token };
    });
  }

  const serve = serveRoutes(
    {
      "POST /api/v4/posts": (call) => {
        const { channel_id: chat, root_id: thread, message, file_ids: files = [] } = call.json;
        if ([...message].length > 16_383) return refusal("refused")!;
        const id = `out${++count}`;
        for (const file of files) record.files.push({ chat, thread, ...uploads[Number(file)]! });
        if (message) threads.set(id, message);
        if (message) record.messages.push({ id, chat, thread, text: message, buttons: readActions(call) });
        return Response.json({ id }, { status: 201 });
      },
      "GET /api/v4/posts/:id": ({ at }) =>
        roots.has(at["id"]!) ? { id: at["id"], root_id: roots.get(at["id"]!) } : refusal("refused")!,
      "PUT /api/v4/posts/:id/patch": (call) => {
        threads.set(call.at["id"]!, call.json.message);
        const at = record.messages.findIndex(({ id }) => id === call.at["id"]);
        if (at < 0) return refusal("refused")!;
        record.messages[at] = { ...record.messages[at]!, text: call.json.message, buttons: readActions(call) };
        return { id: call.at["id"] };
      },
      "POST /api/v4/users/uself/typing": () => {
        record.typingSigns += 1;
        return { status: "OK" };
      },
      async "POST /api/v4/files"(call) {
        uploads.push(await bytesOf((await call.form()).get("files")));
        return Response.json({ file_infos: [{ id: String(uploads.length - 1) }] }, { status: 201 });
      },
      "GET /api/v4/files/:id": ({ at }) => shelf.answer(at["id"]!),
      "GET /api/v4/files/:id/info": ({ at }) => {
        const file = shelf.files.get(at["id"]!);
        return file
          ? { id: at["id"], name: file.name, mime_type: file.mediaType, size: file.bytes.length }
          : new Response("no", { status: 404 });
      },
      "GET /api/v4/users/me": () => ({ id: "uself", username: "talaria" }),
    },
    ({ headers }) => (headers.get("authorization") === `Bearer ${fields.botToken}` ? null : refusal("auth_failed")),
  );
  return Object.assign(record, {
    request: (said: Said, { forged }: Signing = {}) => postTo(ADDRESS, JSON.stringify(toPosted(said, forged))),
    resign: (_: ChannelRequest, text: string) => postTo(ADDRESS, text),
    serve,
    threads,
    refusal,
  });
}

function refusal(kind: Refusal, retryAfterS = 0): Response | null {
  const fail = (status: number, id: string) =>
    Response.json(
      { id, message: "No", status_code: status },
      { status, headers: { "retry-after": String(retryAfterS) } },
    );
  if (kind === "rate_limited") return fail(429, "api.rate");
  if (kind === "auth_failed") return fail(401, "api.context.session_expired.app_error");
  return kind === "refused" ? fail(403, "api.context.permissions.app_error") : null;
}

const fixture: PlatformFixture<{ serverUrl: string; botToken: string; token: string; commandToken?: string }> = {
  platform: mattermost,
  fields,
  others: [{ ...fields, token: "other", commandToken: "another" }],
  self: { id: "uself", name: "talaria" },
  api: fields.serverUrl,
  proof: { kind: "secret", carriers: [], covers: [], toleranceMs: null },
  // Code calls nobody.
  callsEverybody: (body) =>
    body.startsWith("{") && /(?<!\w)@(?:all|channel|here)\b/i.test(body.replaceAll(/`[^`]*`/g, "")),
  lacks: {
    edits: "Outgoing webhooks do not tell of edits.",
    replies: "Outgoing webhooks do not say what a post answers.",
    bots: "Outgoing webhooks do not say who is a bot.",
    files: "Slash commands, which direct chats need, have no files.",
    messageIds: "Slash commands, which direct chats need, are no posts.",
  },
  createWorld,
};

describePlatform(fixture);

describe("Mattermost", () => {
  test("a form is read as JSON is, and only the first word is taken away that starts the webhook", async () => {
    const { receive } = openTestChannel(fixture);
    const form = {
      token: fields.token,
      team_id: "t1",
      channel_id: "c1",
      channel_name: "town-square",
      timestamp: "1480372220",
      user_id: "u1",
      user_name: "ada",
      post_id: "p1",
      text: "#build now #build",
      trigger_word: "#build",
    };
    const request = postTo(ADDRESS, new URLSearchParams(form).toString(), {
      "content-type": "application/x-www-form-urlencoded; charset=utf-8",
    });
    expect((await receive(request))?.events).toMatchObject([
      {
        id: "p1",
        text: "now #build",
        addressed: true,
        at: 1_480_372_220_000,
        chat: { id: "c1", kind: "group", title: "town-square" },
        from: { id: "u1", handle: "@ada" },
      },
    ]);
  });

  test("files of a post say what they are, and stay files where the server does not say it", async () => {
    const bytes = Uint8Array.of(1, 2, 3);
    const file = { kind: "image", name: "rain.png", mediaType: "image/png", bytes } as const;
    const { world, receive, client, setFault } = openTestChannel(fixture);
    const filesOf = async () => {
      const event = (await receive(await world.request({ ...SAID, files: [file] })))!.events[0]!;
      return event.kind === "message" ? event.files : [];
    };
    const [read] = await filesOf();
    expect(read).toMatchObject({ kind: "image", name: "rain.png", mediaType: "image/png", bytes: 3 });
    expect(await client.fetchFile!(read!)).toMatchObject({ ok: true, value: { bytes } });
    setFault(() => new Response("no", { status: 500 }));
    expect(await filesOf()).toEqual([{ kind: "file", ref: "file-2" }]);
  });

  test("a post of a thread is answered there, and one whose thread is not told in time in its channel", async () => {
    const { world, receive, client, setFault, seen } = openTestChannel(fixture);
    const inThread = { ...SAID, in: { ...SAID.in, thread: "t1" } };
    const threadOf = async () => (await receive(await world.request(inThread)))!.events[0]!.chat.thread;
    expect(await threadOf()).toBe("root-t1");
    const to = { id: "c1", kind: "group", thread: "root-t1" } as const;
    for (const [call, place] of [
      [() => client.send(to, { text: "Rain." }), { root_id: "root-t1" }],
      [() => client.typing!(to), { parent_id: "root-t1" }],
    ] as const) {
      expect(await call()).toMatchObject({ ok: true });
      expect(JSON.parse(new TextDecoder().decode(seen.at(-1)!.body))).toMatchObject({ channel_id: "c1", ...place });
    }
    setFault(() => new Response("no", { status: 500 }));
    expect(await threadOf()).toBeUndefined();
    seen.length = 0;
    await receive(await world.request({ ...SAID, in: { word: "ada", kind: "direct" } }));
    expect(seen).toEqual([]);
  });

  test("a thread is opened only where posts arrive, since a slash command names none", async () => {
    const { world, receive, client } = openTestChannel(fixture);
    const open = async (said: SaidMessage) => {
      const { chat, context } = (await receive(await world.request(said)))!.events[0]!;
      return client.openThread!({ ...chat, ...(context && { context }) }, "@all");
    };
    expect(await open(SAID)).toMatchObject({ ok: true });
    expect([...world.threads!.values()]).toEqual(["@\u200Ball"]);
    const direct = { ...SAID, in: { word: "ada", kind: "direct" } } as const;
    expect(await open(direct)).toMatchObject({ failure: { code: "channel_refused" } });
  });

  test("a button of a thread is pressed there, and its thread cannot be changed", async () => {
    const { world, client, channel, receive } = openTestChannel(fixture);
    const to = { id: "c1", kind: "group", thread: "root-t1" } as const;
    await client.send(to, { text: "Run it?", buttons: [{ label: "Yes", token: "yes.1" }] });
    const said = {
      kind: "press",
      event: "e2",
      token: "yes.1",
      of: "out1",
      from: { word: "ada" },
      in: SAID.in,
    } as const;
    const request = await world.request(said);
    expect((await receive(request))!.events).toMatchObject([{ kind: "press", chat: { thread: "root-t1" } }]);
    const changed = Buffer.from(request.body).toString().replace("root-t1", "root-t2");
    expect(await mattermost.verify(postTo(ADDRESS, changed), channel)).toBeNull();
  });

  test("a press is proved by what its button carries, which cannot be made for another button", async () => {
    const { world, client, channel } = openTestChannel(fixture);
    await client.send({ id: "c1", kind: "group" }, { text: "Run it?", buttons: [{ label: "Yes", token: "yes.1" }] });
    const press = {
      kind: "press",
      event: "e2",
      token: "yes.1",
      of: "out1",
      from: { word: "ada" },
      in: SAID.in,
    } as const;
    const request = await world.request(press);
    expect(await mattermost.verify(request, channel)).not.toBeNull();
    expect(await mattermost.verify(await world.request(press, { forged: true }), channel)).toBeNull();
    const changed = Buffer.from(request.body).toString().replace("yes.1", "yes.2");
    expect(await mattermost.verify(postTo(ADDRESS, changed), channel)).toBeNull();
  });
});
