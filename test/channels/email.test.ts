import { describe, expect, test } from "vitest";
import { email } from "../../channels/email.ts";
import { EMAIL_METHOD } from "../../channels/email/envelope.ts";
import type { ChannelRequest, OutgoingEmail } from "../../core/channels/platform.ts";
import { err, ok } from "../../core/errors.ts";
import { createRecord } from "../support/channels/api-double.ts";
import type { PlatformFixture, PlatformWorld, Said, SaidMessage, Signing } from "../support/channels/fixture.ts";
import { describePlatform, openTestChannel } from "../support/channels/kit.ts";
import type { TestClock } from "../support/clock.ts";

const PROFILE = "0123456789abcdefghjkmnpqrs";
const ADDRESS = "agent@talaria.test";
const fields = { address: ADDRESS, replySecret: "a-long-random-text", authServer: "mx.cloudflare.net" };

interface Mail {
  from?: string;
  to?: string;
  envelopeFrom?: string;
  results?: string;
  /** More headers, above the message's own. */
  above?: string[];
  headers?: string[];
  text?: string;
  /** Instead of text/plain. */
  parts?: string;
}

/** A message as Cloudflare's servers hand it to a Worker. */
function toMail({
  from = "ada@example.com",
  to = ADDRESS,
  envelopeFrom,
  results,
  above,
  headers = [],
  text = "",
  parts,
}: Mail): ChannelRequest {
  const domain = from.slice(from.lastIndexOf("@") + 1).replace(">", "");
  const lines = [
    "Received: from mail.example.com (192.0.2.1) by cloudflare-email.net (cloudflare) id x for <agent@talaria.test>",
    ...(above ?? [
      `Authentication-Results: mx.cloudflare.net; ${results ?? `dkim=pass header.d=${domain} header.s=s; dmarc=pass header.from=${domain} policy.dmarc=none; spf=none`}`,
    ]),
    "Received: by mail.example.com; Fri, 27 Nov 2026 12:00:00 +0000",
    `From: ${from}`,
    `To: <${ADDRESS}>`,
    "MIME-Version: 1.0",
    ...headers,
    ...(parts ? [] : ["Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: base64"]),
  ];
  const body =
    parts ??
    `\r\n${Buffer.from(text)
      .toString("base64")
      .replace(/(.{76})/g, "$1\r\n")}`;
  return {
    method: EMAIL_METHOD,
    url: "https://email.invalid/channels/email/p1",
    headers: { "x-envelope-to": to, "x-envelope-from": envelopeFrom ?? from },
    body: Buffer.from(`${lines.join("\r\n")}\r\n${body}`),
  };
}

function toSaid(said: SaidMessage, at: number, forged = false): ChannelRequest {
  const { word, isSelf } = said.from;
  const from = isSelf ? ADDRESS : `"${word}" <${word.slice(0, 60)}@example.com>`;
  const headers = [
    `Message-ID: <${said.event}@example.com>`,
    // A conversation is a thread of messages.
    `References: <first.${said.in.word}.${said.in.thread ?? ""}@example.com>`,
    `Date: ${new Date(at).toUTCString()}`,
    ...(said.from.isBot ? ["Auto-Submitted: auto-generated"] : []),
  ];
  const results = forged
    ? { results: "dkim=fail header.d=example.com; dmarc=fail header.from=example.com; spf=softfail" }
    : {};
  const [file] = said.files ?? [];
  if (!file) return toMail({ from, headers, text: said.text, ...results });
  const parts = [
    'Content-Type: multipart/mixed; boundary="b"',
    "",
    "--b",
    "Content-Type: text/plain; charset=utf-8",
    "",
    said.text,
    "--b",
    `Content-Type: ${file.mediaType}; name="${file.name}"`,
    `Content-Disposition: attachment; filename="${file.name}"`,
    "Content-Transfer-Encoding: base64",
    "",
    Buffer.from(file.bytes).toString("base64"),
    "--b--",
    "",
  ].join("\r\n");
  return toMail({ from, headers, parts, ...results });
}

function createWorld(clock: TestClock): PlatformWorld & { sent: OutgoingEmail[] } {
  const record = createRecord();
  const sent: OutgoingEmail[] = [];
  return Object.assign(record, {
    sent,
    request: (said: Said, { at = clock.now(), forged }: Signing = {}) => toSaid(said as SaidMessage, at, forged),
    resign: (request: ChannelRequest, text: string) => ({ ...request, body: Buffer.from(text, "latin1") }),
    serve: () => {
      throw new Error("e-mail sends no request");
    },
    async sendEmail(mail: OutgoingEmail) {
      sent.push(mail);
      const id = `<out${sent.length}@talaria.test>`;
      const [file] = mail.files;
      if (file) record.files.push({ chat: mail.to, name: file.name, bytes: file.bytes });
      else
        record.messages.push({ id, chat: mail.to, text: mail.html, buttons: [], replyTo: mail.headers["In-Reply-To"] });
      return ok({ id });
    },
    refusal: () => null,
  });
}

const fixture = {
  platform: email,
  fields,
  others: [
    { ...fields, address: "other@talaria.test" },
    { ...fields, authServer: "mx.other.test" },
  ],
  self: { id: ADDRESS, name: "Talaria" },
  api: "https://email.invalid",
  proof: { kind: "sender-rules", carriers: [], covers: [], toleranceMs: null },
  callsEverybody: "An e-mail has the receivers of its head alone.",
  lacks: {
    edits: "A message that was sent stays as it is.",
    apiBase: "Messages leave by a binding of the Worker.",
    network: "Messages leave by a binding of the Worker.",
  },
  createWorld,
} satisfies PlatformFixture<ReturnType<typeof email.fields.parse>>;

describePlatform(fixture);

describe("e-mail", () => {
  const open = () => openTestChannel(fixture, { profile: PROFILE });
  const isTaken = async (mail: Mail) => (await email.verify(toMail(mail), open().channel)) !== null;
  const eventsOf = async (mail: Mail, channel = open()) => (await channel.receive(toMail(mail)))?.events ?? null;

  test("a request over HTTP is never an e-mail", async () => {
    const { channel } = open();
    for (const method of ["POST", "EMAIL", "email", "E-MAIL"]) {
      expect(await email.verify({ ...toMail({ text: "x" }), method }, channel), method).toBeNull();
    }
    expect(() => new Request("https://x.test", { method: EMAIL_METHOD })).toThrow();
  });

  test("DMARC decides where the domain has it; else a signature or the sending server of the author's domain", async () => {
    const good = [
      "dmarc=pass header.from=example.com; dkim=fail; spf=fail",
      "dkim=pass header.d=example.com; dmarc=none header.from=example.com",
      "dkim=pass header.i=@example.com; spf=none",
      "dkim=fail header.d=example.com; dkim=pass (good (2048 bits)) header.d=example.com",
      "spf=pass (mx.cloudflare.net: domain of ada@example.com designates 192.0.2.1) smtp.mailfrom=ada@example.com",
    ];
    for (const results of good) expect(await isTaken({ results }), results).toBe(true);
    const bad = [
      "none",
      "",
      "dmarc=fail header.from=example.com; dkim=pass header.d=example.com; spf=pass smtp.mailfrom=ada@example.com",
      "dmarc=pass header.from=evil.test",
      "dmarc=pass",
      "dmarc=temperror header.from=example.com; dkim=pass header.d=example.com",
      "dkim=pass header.d=evil.test; spf=pass smtp.mailfrom=evil.test",
      "dkim=pass header.d=com",
      "dkim=pass header.d=sub.example.com",
      "spf=softfail smtp.mailfrom=ada@example.com",
      'spf=pass smtp.mailfrom="a; dmarc=pass header.from=example.com"@evil.test',
      "spf=pass (x; dmarc=pass header.from=example.com) smtp.mailfrom=evil.test",
      "spf=fail smtp.mailfrom=evil.test reason=(dmarc=pass header.from=example.com",
    ];
    for (const results of bad) expect(await isTaken({ results }), results).toBe(false);
  });

  test("only the receiving server's own findings count", async () => {
    const forged = "Authentication-Results: mx.cloudflare.net; dmarc=pass header.from=example.com";
    const real = "Authentication-Results: mx.cloudflare.net; dmarc=fail header.from=example.com";
    expect(await isTaken({ above: [real, forged] })).toBe(false);
    expect(await isTaken({ above: [real], headers: [forged] })).toBe(false);
    expect(await isTaken({ above: [], headers: [forged] }), "written by an earlier server").toBe(false);
    expect(
      await isTaken({ above: ["Authentication-Results: evil.test; dmarc=pass header.from=example.com", forged] }),
    ).toBe(false);
    expect(
      await isTaken({
        above: ["Authentication-Results: mx.cloudflare.net.evil.test; dmarc=pass header.from=example.com"],
      }),
    ).toBe(false);
    expect(
      await isTaken({ above: ["X-Authentication-Results: mx.cloudflare.net; dmarc=pass header.from=example.com"] }),
    ).toBe(false);
    expect(await isTaken({ above: [forged] })).toBe(true);
  });

  test("an author whom two programs could read differently is refused", async () => {
    const authors = [
      "ada@example.com, eve@evil.test",
      "eve@evil.test <ada@example.com>",
      "<ada@example.com> <eve@evil.test>",
      "ada@example.com@evil.test",
      '"a" <ada@example.com>, b@evil.test',
      "Group: ada@example.com;",
      "<>",
      "ada",
      // A letter in UTF-8, and the Kelvin sign.
      "Ada <ad\u00e4@example.com>",
      "Ada <\u212a@example.com>",
    ];
    for (const from of authors)
      expect(await isTaken({ from, results: "dmarc=pass header.from=example.com" }), from).toBe(false);
    const twice = { results: "dmarc=pass header.from=example.com", headers: ["From: ada@example.com"] };
    expect(await isTaken(twice)).toBe(false);
    expect(await isTaken({ headers: ["Subject: a\rFrom: eve@evil.test"] })).toBe(false);
    expect(await isTaken({ from: '"eve@evil.test" <ada@example.com>' })).toBe(true);
    expect(await isTaken({ from: "Ada L. <Ada@Example.com>", results: "dmarc=pass header.from=example.com" })).toBe(
      true,
    );
  });

  test("machines, lists, bounces, itself and another Talaria are taken without an event", async () => {
    const machines: Mail[] = [
      { headers: ["Auto-Submitted: auto-replied"] },
      { headers: ["Auto-Submitted: auto-generated (vacation)"] },
      { headers: ["Precedence: bulk"] },
      { headers: ["List-Id: <garden.example.com>"] },
      { headers: ["X-Talaria-Channel: 1"] },
      { from: "mailer-daemon@example.com" },
      { from: "no-reply@example.com" },
      { envelopeFrom: "" },
      { from: ADDRESS },
      { from: `agent+x@talaria.test`.replace("+x", `+${PROFILE}`) },
    ];
    for (const mail of machines) expect(await eventsOf({ text: "x", ...mail }), JSON.stringify(mail)).toEqual([]);
    expect(await eventsOf({ text: "x", headers: ["Auto-Submitted: no"] })).toHaveLength(1);
  });

  test("a message to another address or another profile is refused", async () => {
    const other = "zzzzzzzzzzzzzzzzzzzzzzzzzz";
    for (const to of [
      "eve@talaria.test",
      "agent@evil.test",
      `agent+${other}@talaria.test`,
      "agent+x@talaria.test",
      "",
      "agent",
    ]) {
      expect(await isTaken({ to }), to).toBe(false);
    }
    for (const to of [ADDRESS, "Agent@Talaria.TEST", `agent+${PROFILE}@talaria.test`])
      expect(await isTaken({ to }), to).toBe(true);
  });

  test("an answer continues the thread, by a reply address that only this correspondent can use", async () => {
    const channel = open();
    const first = (await eventsOf(
      { text: "Hi", headers: ["Message-ID: <1@example.com>", "Subject: Rain"] },
      channel,
    ))![0]!;
    expect(first).toMatchObject({
      kind: "message",
      text: "Rain\n\nHi",
      chat: { id: "ada@example.com", title: "Rain" },
    });
    await channel.client.send({ ...first.chat, context: first.context }, { text: "<p>12 mm &amp; more</p>" });
    const [sent] = (channel.world as ReturnType<typeof createWorld>).sent;
    expect(sent).toMatchObject({
      from: { email: ADDRESS, name: "Talaria" },
      to: "ada@example.com",
      subject: "Re: Rain",
      text: "12 mm & more",
      headers: { "In-Reply-To": "<1@example.com>", References: "<1@example.com>", "Auto-Submitted": "auto-replied" },
    });
    const to = sent!.replyTo!;
    expect(to).toMatch(/^agent\+[0-9a-z]{22}@talaria\.test$/);
    // A program that drops References still answers in the thread.
    const second = (await eventsOf({ to, text: "Thanks", headers: ["Message-ID: <2@example.com>"] }, channel))![0]!;
    expect(second.chat.thread).toBe(first.chat.thread);
    const byReferences = {
      text: "x",
      headers: ["Message-ID: <3@example.com>", "References: <1@example.com> <9@talaria.test>"],
    };
    expect((await eventsOf(byReferences, channel))![0]!.chat.thread).toBe(first.chat.thread);
    expect(await isTaken({ to, from: "eve@example.com" })).toBe(false);
    expect(await isTaken({ to: to.replace(/.(?=@)/, (last) => (last === "0" ? "1" : "0")) })).toBe(false);
  });

  test("the words are the author's: quotations, signatures and HTML are taken off", async () => {
    const textOf = async (text: string) => {
      const [event] = (await eventsOf({ text }))!;
      return event?.kind === "message" ? event.text : null;
    };
    expect(await textOf("Yes.\n\nOn Fri, 27 Nov 2026, Talaria <agent@talaria.test> wrote:\n> 12 mm\n> more")).toBe(
      "Yes.",
    );
    expect(await textOf("Yes.\n\nOn Fri, 27 Nov 2026,\nTalaria <agent@talaria.test> wrote:\n\n> 12 mm")).toBe("Yes.");
    expect(await textOf("> 12 mm?\n\nYes, 12.")).toBe("> 12 mm?\n\nYes, 12.");
    expect(await textOf("Yes.\n-- \nAda")).toBe("Yes.");
    const parts =
      "Content-Type: text/html; charset=utf-8\r\n\r\n<style>p{}</style><p>Yes &amp; no</p><div>More<br>now</div>";
    expect(await eventsOf({ parts })).toMatchObject([{ text: "Yes & no\nMore\nnow" }]);
  });

  test("the signature of a message is none of its files", async () => {
    const toPart = (type: string, name: string) =>
      `--b\r\nContent-Type: ${type}; name=${name}\r\nContent-Disposition: attachment; filename=${name}\r\n\r\nx\r\n`;
    const parts = [
      'Content-Type: multipart/signed; boundary="b"\r\n\r\n',
      "--b\r\nContent-Type: text/plain\r\n\r\nHello\r\n",
      toPart("application/pkcs7-signature", "smime.p7s"),
      toPart("application/pgp-signature", "signature.asc"),
      toPart("text/csv", "rain.csv"),
      "--b--\r\n",
    ].join("");
    expect(await eventsOf({ parts })).toMatchObject([{ text: "Hello", files: [{ name: "rain.csv" }] }]);
  });

  test("the same message is one event, and another author cannot take its id", async () => {
    const headers = ["Message-ID: <1@example.com>"];
    const idOf = async (from: string) => (await eventsOf({ from, text: "x", headers }))![0]!.id;
    expect(await idOf("ada@example.com")).toBe(await idOf("ada@example.com"));
    expect(await idOf("eve@example.com")).not.toBe(await idOf("ada@example.com"));
  });

  test("without the binding it hears, and says that no answer can leave", async () => {
    const { channel } = open();
    const deps = { ...channel.deps, sendEmail: undefined };
    expect(await email.probe({ ...channel, deps })).toMatchObject({ failure: { code: "channel_unreachable" } });
    const client = email.open({ ...channel, deps });
    expect(await client.send({ id: "ada@example.com", kind: "direct" }, { text: "x" })).toMatchObject({ ok: false });
    const failing = { ...channel.deps, sendEmail: async () => err("channel_refused", "No.") };
    expect(
      await email.open({ ...channel, deps: failing }).send({ id: "ada@example.com", kind: "direct" }, { text: "x" }),
    ).toMatchObject({
      failure: { code: "channel_refused" },
    });
  });
});
