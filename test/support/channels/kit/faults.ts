// That a platform which answers with an error, with garbage or not at all is understood: every operation fails with the right code, and
// none throws.
import { expect } from "vitest";
import { type Result, err } from "../../../../core/errors.ts";
import type { SendFailure } from "../../../../core/channels/platform.ts";
import type { PlatformFixture, Refusal } from "../fixture.ts";
import type { Fault } from "../open-channel.ts";
import type { Check } from "./check.ts";
import { type OpenChat, openChat } from "./open-chat.ts";
import { GROUP, PICTURE, say } from "./said.ts";
import { isTried } from "../../thorough.ts";

const CODES = new Set<string>([
  "channel_rate_limited",
  "channel_unreachable",
  "channel_unavailable",
  "channel_auth_failed",
  "channel_refused",
  "channel_window_closed",
] satisfies SendFailure[]);

const GARBAGE = [
  "",
  "null",
  "[]",
  "{}",
  '"ok"',
  '{"ok":true}',
  '{"ok":true,"result":null}',
  '{"ok":true,"result":{"message_id":{}}}',
  '{"ok":false}',
  '{"errcode":0}',
  '{"code":0,"data":null}',
  '{"messages":[null]}',
  "<html><body>Bad Gateway",
  "\u0000\u0001",
  `${"[".repeat(20_000)}`,
];

export function checkFaults<Fields>(fixture: PlatformFixture<Fields>, check: Check): void {
  const { platform, lacks } = fixture;
  const { capabilities } = platform;
  const checkNetwork = check.if(!lacks.network);

  /** The second of two messages, so that tokens and keys were fetched before. */
  async function sendWith(fault: Fault): Promise<Result<unknown>> {
    const { client, to, setFault } = await openChat(fixture);
    expect(await client.send(to, { text: "First." }), "before").toMatchObject({ ok: true });
    setFault(fault);
    return client.send(to, { text: "Second." });
  }

  async function sendRefused(kind: Refusal, retryAfterS = 0): Promise<Result<unknown> | null> {
    const { world } = await openChat(fixture);
    const refusal = world.refusal(kind, retryAfterS);
    return refusal && sendWith(() => refusal.clone());
  }

  checkNetwork("a rate limit says how long to wait, and that nothing was sent", async () => {
    for (const seconds of [7, 300]) {
      const result = await sendRefused("rate_limited", seconds);
      if (result === null) return;
      expectFailure(result, "channel_rate_limited");
      expect(result.ok ? null : result.failure.facts).toEqual({ retryAfterMs: seconds * 1_000 });
    }
  });

  checkNetwork("a 429 without a time still says how long to wait", async () => {
    const result = await sendWith(() => new Response("slow down", { status: 429 }));
    expectFailure(result, "channel_rate_limited");
    expect(result.ok ? 0 : Number(result.failure.facts?.["retryAfterMs"])).toBeGreaterThan(0);
  });

  for (const [kind, code] of [
    ["auth_failed", "channel_auth_failed"],
    ["refused", "channel_refused"],
    ["window_closed", "channel_window_closed"],
  ] as const)
    checkNetwork(`what the platform refuses (${kind}) is \`${code}\`, and was not sent`, async () => {
      const result = await sendRefused(kind);
      if (result === null) return;
      expectFailure(result, code);
      expect(result.ok ? null : result.failure.facts?.["maybeSent"]).not.toBe(true);
    });

  checkNetwork("after a timeout, a lost connection or a server's error, the message may have arrived", async () => {
    const maybe = { maybeSent: true };
    expectFailure(await sendWith(() => err("timed_out", "Late.")), "channel_unreachable", maybe);
    expectFailure(await sendWith(() => err("unreachable", "No.")), "channel_unreachable", maybe);
    for (const status of [500, 502, 504])
      expectFailure(await sendWith(() => new Response("<html>Oops", { status })), "channel_unavailable", maybe);
    expectFailure(await sendWith(() => new Response("Later.", { status: 503 })), "channel_unavailable");
  });

  checkNetwork("a message that nothing was sent of is sent again as if it were the first", async () => {
    const { client, to, setFault, world } = await openChat(fixture);
    setFault(() => new Response("no", { status: 503 }));
    expect((await client.send(to, { text: "12 mm." })).ok).toBe(false);
    setFault(null);
    expect(await client.send(to, { text: "12 mm." })).toMatchObject({ ok: true });
    expect(world.messages).toHaveLength(1);
  });

  checkNetwork("a refused token does not stay in the cache", async () => {
    const { client, to, setFault, world } = await openChat(fixture);
    expect((await client.send(to, { text: "First." })).ok).toBe(true);
    const refusal = world.refusal("auth_failed", 0);
    if (refusal === null) return;
    setFault(() => refusal.clone());
    expectFailure(await client.send(to, { text: "Second." }), "channel_auth_failed");
    setFault(null);
    expect(await client.send(to, { text: "Third." })).toMatchObject({ ok: true });
  });

  checkNetwork("no operation throws, whatever the platform answers", async () => {
    for (const [row, operate] of operationsOf(fixture).entries()) {
      const faults: Fault[] = [
        ...["timed_out", "unreachable", "url_refused", "reply_too_large", "too_many_redirects"].map(
          (code): Fault =>
            () =>
              err(code, "No."),
        ),
        ...[200, 201, 204, 301, 400, 401, 403, 404, 409, 413, 418, 429, 500, 503].flatMap((status) =>
          (status === 204 ? [null] : status === 200 ? GARBAGE : GARBAGE.slice(0, 4)).map(
            (body): Fault =>
              () =>
                new Response(body, { status }),
          ),
        ),
      ];
      for (const [column, fault] of faults.entries()) {
        if (!isTried(row + column)) continue;
        const chat = await openChat(fixture);
        const run = await operate(chat);
        if (!run) continue;
        chat.setFault(fault);
        const result = await run();
        if (!result.ok) expect(CODES, JSON.stringify(result)).toContain(result.failure.code);
      }
    }
  });

  checkNetwork("no operation succeeds when the platform refuses", async () => {
    for (const operate of operationsOf(fixture)) {
      for (const status of [400, 401, 404, 500]) {
        const chat = await openChat(fixture);
        const run = await operate(chat);
        if (!run) continue;
        const before = chat.seen.length;
        chat.setFault(() => new Response("no", { status }));
        const result = await run();
        if (chat.seen.length > before) expect(result.ok, `${operate.name} after ${status}`).toBe(false);
      }
    }
  });

  check.if(capabilities.filesIn && !lacks.files && !lacks.network)(
    "a file that is larger than its platform allows is not fetched",
    async () => {
      const channel = await openChat(fixture);
      const files = [PICTURE];
      const received = await channel.receive(
        await channel.world.request(say(fixture, "e2", { files, text: lacks.fileText ? "" : "Look." })),
      );
      const event = received!.events[0]!;
      if (event.kind !== "message") throw new Error("not a message");
      channel.setFault(() => err("reply_too_large", "Too large."));
      const result = await channel.client.fetchFile!(event.files[0]!);
      if (channel.seen.length > 0 && !result.ok) expect(CODES).toContain(result.failure.code);
    },
  );
}

type Operation<Fields> = (chat: OpenChat<Fields>) => Promise<(() => Promise<Result<unknown>>) | null>;

/** Each prepares what it needs while the platform still answers; `null`: this platform has it not. */
function operationsOf<Fields>({ platform, lacks }: PlatformFixture<Fields>): Operation<Fields>[] {
  async function send({ client, to }: OpenChat<Fields>) {
    return () => client.send(to, { text: "12 mm." });
  }
  async function edit({ client, to }: OpenChat<Fields>) {
    if (!client.edit) return null;
    const sent = await client.send(to, { text: "First." });
    return () => client.edit!(to, sent.ok ? sent.value.id! : "", { text: "Second." });
  }
  async function type({ client, to }: OpenChat<Fields>) {
    return client.typing ? () => client.typing!(to) : null;
  }
  async function sendFile({ client, to }: OpenChat<Fields>) {
    return client.sendFile
      ? () => client.sendFile!(to, { name: "rain.png", mediaType: "image/png", bytes: PICTURE.bytes })
      : null;
  }
  async function fetchFile({ client, world, receive, fixture }: OpenChat<Fields>) {
    if (!client.fetchFile || lacks.files) return null;
    const said = say(fixture, "e2", { files: [PICTURE], text: lacks.fileText ? "" : "Look." });
    const event = (await receive(await world.request(said)))!.events[0]!;
    return event.kind === "message" ? () => client.fetchFile!(event.files[0]!) : null;
  }
  async function openThread({ client, to }: OpenChat<Fields>) {
    const where = platform.capabilities.groups ? { ...to, kind: GROUP.kind } : to;
    return client.openThread ? () => client.openThread!(where, "Rain") : null;
  }
  async function probe({ channel }: OpenChat<Fields>) {
    return lacks.probe ? null : () => platform.probe(channel);
  }
  async function register({ channel }: OpenChat<Fields>) {
    return platform.register ? () => platform.register!(channel, [{ name: "new", help: "Start." }]) : null;
  }
  async function poll({ channel }: OpenChat<Fields>) {
    return platform.poll ? () => platform.poll!(channel, null) : null;
  }
  return [send, edit, type, sendFile, fetchFile, openThread, probe, register, poll];
}

function expectFailure(result: Result<unknown>, code: SendFailure, facts?: Record<string, unknown>): void {
  expect(result).toMatchObject({ ok: false, failure: { code, ...(facts ? { facts } : {}) } });
}
