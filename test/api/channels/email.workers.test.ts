// E-mails from the Worker's handler to the profile's channel, and the socket's object beside it. Rules of senders: test/channels/email.test.ts.
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { err, ok } from "../../../core/errors.ts";
import type { ChannelState } from "../../../core/schemas/channels/channel.ts";
import type { DiscordSocket } from "../../../durable-objects/channels/discord-socket.ts";
import { receiveEmail } from "../../../workers/api/channels/email.ts";
import type { Env } from "../../../workers/api/env.ts";
import { START_MS, ask, createProfile, env } from "../api-calls.ts";

type Made = Awaited<ReturnType<typeof createProfile>>;
let ada: Made;
let eve: Made;
beforeAll(async () => {
  [ada, eve] = [await createProfile(), await createProfile()];
}, START_MS);

const put = ({ key }: Made, platform: string, body: object) => ask("PUT", `/v1/channels/${platform}`, { key, body });
const rows = (table: string, { profile }: Made) =>
  runInDurableObject(env.CHANNELS.getByName(profile), (_, state) =>
    state.storage.sql.exec(`SELECT * FROM ${table}`).toArray(),
  );

const FILE = "x".repeat(1_500_000);

/** What the sender's server is told; `null`: the message was taken. */
async function send(to: string, id: string, dmarc = "pass"): Promise<string | null> {
  const raw = [
    "Received: from mail.example.com by cloudflare-email.net",
    `Authentication-Results: mx.cloudflare.net; dmarc=${dmarc} header.from=example.com`,
    "From: Ada <ada@example.com>",
    `Message-ID: <${id}@example.com>`,
    'Content-Type: multipart/mixed; boundary="b"',
    "",
    "--b\r\nContent-Type: text/plain\r\n\r\nHow much rain fell?",
    `--b\r\nContent-Type: text/csv; name="rain.csv"\r\nContent-Disposition: attachment\r\n\r\n${FILE}`,
    "--b--",
  ].join("\r\n");
  let rejected: string | null = null;
  const message = {
    ...{ from: "ada@example.com", to, rawSize: raw.length, raw: new Blob([raw]).stream() },
    setReject: (reason: string) => void (rejected = reason),
  };
  await receiveEmail(message as unknown as ForwardableEmailMessage, env as unknown as Env);
  return rejected;
}

describe("e-mail", () => {
  it("finds the profile by the channel's address and by the profile in the address; everything else is told the same", async () => {
    const address = `garden-${ada.profile.slice(0, 6)}@talaria.test`;
    const [name, domain] = address.split("@");
    expect((await put(ada, "email", { address })).status).toBe(200);
    expect((await put(eve, "email", { address: `eve+${eve.profile}@talaria.test` })).status).toBe(200);
    expect(await send(address, "1")).toBeNull();
    expect(await send(`${name}+${ada.profile}@${domain}`, "2")).toBeNull();
    expect(await send(`eve+${eve.profile}@talaria.test`, "3")).toBeNull();
    const refusals = [
      await send(address, "4", "fail"),
      await send("nobody@talaria.test", "5"),
      await send(`${name}+${eve.profile}@${domain}`, "6"),
      await send(`x+${"z".repeat(26)}@talaria.test`, "7"),
      await send("", "8"),
    ];
    expect(new Set(refusals)).toEqual(new Set([expect.any(String)]));
    expect(await rows("channel_inbound", ada)).toHaveLength(2);
    expect(await rows("channel_inbound", eve)).toHaveLength(1);
    // A file of 1.5 MB in pieces that a row takes; a repeated message adds none.
    expect(await rows("channel_file", ada)).toHaveLength(4);
    expect(await send(address, "1")).toBeNull();
    expect(await rows("channel_file", ada)).toHaveLength(4);
  });

  it("gives an address to one profile until that removes it", async () => {
    const address = `shared-${ada.profile.slice(0, 6)}@talaria.test`;
    expect((await put(ada, "email", { address })).status).toBe(200);
    const taken = await put(eve, "email", { address });
    expect(taken.status).toBe(400);
    expect(JSON.stringify(taken.body)).toContain("address");
    expect((await put(eve, "email", { address: `x+${ada.profile}@talaria.test` })).status).toBe(400);
    expect((await ask("DELETE", "/v1/channels/email", { key: ada.key })).status).toBe(204);
    expect(await send(address, "9")).not.toBeNull();
    expect((await put(eve, "email", { address })).status).toBe(200);
    expect(await send(address, "9")).toBeNull();
  });

  it("takes the mails of what is saved when two addresses are saved at the same instant, or one beside a removal", async () => {
    const [first, second] = ["first", "second"].map((word) => `${word}-${ada.profile.slice(0, 6)}@talaria.test`);
    const read = () => ask("GET", "/v1/channels/email", { key: ada.key });
    await Promise.all([put(ada, "email", { address: first }), put(ada, "email", { address: second })]);
    const { address } = ((await read()).body as ChannelState).fields as { address: string };
    expect(await send(address, "10")).toBeNull();
    const other = address === first ? second! : first!;
    await Promise.all([ask("DELETE", "/v1/channels/email", { key: ada.key }), put(ada, "email", { address: other })]);
    expect((await send(other, "11")) === null).toBe((await read()).status === 200);
  });

  it("gives an address back that nobody can read any more: with another one, the channel or the profile", async () => {
    const [one, two, three] = ["one", "two", "three"].map((word) => `${word}-${ada.profile.slice(0, 6)}@talaria.test`);
    const spoil = (of: Made) =>
      runInDurableObject(env.CHANNELS.getByName(of.profile), (_, state) =>
        state.storage.sql.exec("UPDATE channel SET body = json_set(body, '$.fields', '1.aaaa.bbbb')"),
      );
    const leaver = await createProfile();
    for (const address of [one, two]) {
      expect((await put(leaver, "email", { address })).status).toBe(200);
      await spoil(leaver);
    }
    expect((await put(eve, "email", { address: one })).status).toBe(200);
    expect((await ask("DELETE", "/v1/channels/email", { key: leaver.key })).status).toBe(204);
    expect((await put(eve, "email", { address: two })).status).toBe(200);
    expect((await put(leaver, "email", { address: three })).status).toBe(200);
    await spoil(leaver);
    const gone = `/v1/profiles/${leaver.profile}?confirm=${leaver.profile}`;
    expect((await ask("DELETE", gone, { key: leaver.key })).status).toBeLessThan(300);
    await vi.waitUntil(async () => (await put(eve, "email", { address: three })).status === 200, 10_000);
    const { objects } = await env.SKILLS.list({ prefix: `p/${leaver.profile}/email/` });
    expect(objects).toEqual([]);
  });
});

describe("Discord's socket", () => {
  const fields = {
    applicationId: "700000000000000001",
    publicKey: "a".repeat(64),
    botToken: "discord.bot-token.for_tests",
  };

  it("is held only while the channel wants it, stores what it hears, and keeps no token", async () => {
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
      const { pathname } = new URL(input instanceof Request ? input.url : String(input));
      const limit = { remaining: 5, reset_after: 0 };
      return pathname.endsWith("/gateway/bot")
        ? Response.json({ url: "wss://gateway.discord.gg", session_start_limit: limit })
        : Response.json({ message: "no" }, { status: 404 });
    });
    const stub = env.DISCORD_SOCKET.getByName(ada.profile);
    const { promise: ended, resolve: end } = Promise.withResolvers<number>();
    const urls: string[] = [];
    let listen: (text: string) => void = () => {};
    await runInDurableObject(stub, (object: DiscordSocket) => {
      object.openSocket = async (url) => {
        urls.push(url);
        const socket = { closed: ended, send: () => {}, close: end, onText: (to: typeof listen) => void (listen = to) };
        return urls.length === 1 ? ok(socket) : err("unreachable", "No.");
      };
    });
    expect((await put(ada, "discord", { ...fields, gateway: false })).status).toBe(200);
    expect(await runDurableObjectAlarm(stub)).toBe(false);
    expect((await put(ada, "discord", { ...fields, gateway: true })).status).toBe(200);
    await runDurableObjectAlarm(stub);
    await vi.waitFor(() => expect(urls).toEqual(["wss://gateway.discord.gg/?v=10&encoding=json"]), 5_000);
    const user = { id: "700000000000000002" };
    const ready = { session_id: "s", resume_gateway_url: "wss://gateway.discord.gg", user };
    const message = {
      ...{ id: "700000000000000009", type: 0, channel_id: "700000000000000008", content: "How much?" },
      ...{ author: { id: "700000000000000007", username: "ada" }, mentions: [], attachments: [] },
    };
    await runInDurableObject(stub, () => {
      listen(JSON.stringify({ op: 0, s: 1, t: "READY", d: ready }));
      listen(JSON.stringify({ op: 0, s: 2, t: "MESSAGE_CREATE", d: message }));
    });
    const heard = async () =>
      (await rows("channel_inbound", ada)).filter(({ platform }) => platform === "discord").map(({ id }) => id);
    await vi.waitFor(async () => expect(await heard()).toEqual(["m700000000000000009"]), 5_000);
    const stored = await runInDurableObject(stub, (_, state) => JSON.stringify([...state.storage.kv.list()]));
    expect(stored).toContain('"session":"s"');
    expect(stored).not.toContain(fields.botToken);
    expect((await ask("DELETE", "/v1/channels/discord", { key: ada.key })).status).toBe(204);
    expect(await ended).toBe(1_000);
    await vi.waitFor(
      async () => expect(await runInDurableObject(stub, (_, state) => [...state.storage.kv.list()])).toEqual([]),
      5_000,
    );
    vi.restoreAllMocks();
  });
});
