// That no request, however malformed, makes a platform throw, or give an event of nonsense. The requests are genuinely signed, so that the
// parser meets what they say.
import { expect } from "vitest";
import { InboundEvent } from "../../../../core/schemas/channels/inbound.ts";
import type { PlatformFixture } from "../fixture.ts";
import { openTestChannel } from "../open-channel.ts";
import type { Check } from "./check.ts";
import { isTried } from "../../thorough.ts";
import { GROUP, PICTURE, say } from "./said.ts";

const deepArray = "[".repeat(50_000) + "]".repeat(50_000);
const deepObject = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;

/** Whole bodies. */
const BODIES = [
  "",
  " ",
  "null",
  "true",
  "0",
  "-1",
  "1e999",
  '"text"',
  "[]",
  "{}",
  "[null]",
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  "{",
  "\uFEFF{}",
  "\u0000",
  "payload=%7B%7D",
  "payload=%",
  "=&=&&&;",
  "<xml>",
  "<xml><!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a></xml>",
  deepArray,
  deepObject,
  "x".repeat(200_000),
];

/** In place of one value of a genuine body. */
const VALUES: unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  "",
  " ",
  "NaN",
  "__proto__",
  "\u0000\u202e\ud800",
  "x".repeat(30_000),
  [],
  [[]],
  [null, 1, "a"],
  {},
  { toString: 1, length: -1 },
  Array.from({ length: 200 }, () => ({})),
];

export function checkHostile<Fields>(fixture: PlatformFixture<Fields>, check: Check): void {
  const { lacks, platform } = fixture;

  const said = [
    say(fixture, "e1"),
    ...(platform.capabilities.groups && !lacks.replies
      ? [say(fixture, "e2", { in: GROUP, mentions: true, repliesTo: { text: "12 mm.", ofBot: true } })]
      : []),
    ...(platform.capabilities.filesIn && !lacks.files
      ? [say(fixture, "e3", { files: [PICTURE], text: lacks.fileText ? "" : "Look." })]
      : []),
  ];

  async function takes(text: string, event = say(fixture, "e1")): Promise<InboundEvent[]> {
    const channel = openTestChannel(fixture);
    const request = await channel.world.request(event);
    const received = await channel.receive(await channel.world.resign(request, text));
    for (const one of received?.events ?? []) assertSound(one, text);
    return received?.events ?? [];
  }

  check("a signed body that is not an event makes none, and nothing throws", async () => {
    for (const body of BODIES) expect(await takes(body), body.slice(0, 60)).toEqual([]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  check("a signed body with any value replaced or left out never throws or makes nonsense", async () => {
    let count = 0;
    for (const event of said) {
      const { world, channel } = openTestChannel(fixture);
      const request = await world.request(event);
      const verified = await platform.verify(request, channel);
      const body = unpack(verified!.text);
      if (!body) continue;
      for (const [row, path] of pathsOf(body.json).entries()) {
        for (const [column, value] of [undefined, ...VALUES].entries()) {
          if (!isTried(row + column)) continue;
          count += 1;
          await takes(body.pack(replaceAt(body.json, path, value)), event);
        }
      }
    }
    if (isJson(fixture)) expect(count, "bodies tried").toBeGreaterThan(25);
  });

  check("a signed body that is cut off never throws or makes nonsense", async () => {
    for (const event of said) {
      const { world, channel } = openTestChannel(fixture);
      const verified = await platform.verify(await world.request(event), channel);
      const { text } = verified!;
      for (let part = 0; part < 20; part += 1) await takes(text.slice(0, Math.floor((text.length * part) / 20)), event);
    }
  });

  check("a body of bytes that are not text never throws", async () => {
    const { world, channel, receive } = openTestChannel(fixture);
    const request = await world.request(say(fixture, "e1"));
    for (const body of [Uint8Array.of(0xff, 0xfe, 0), Uint8Array.of(0xc3, 0x28), new Uint8Array(10_000)]) {
      await platform.verify({ ...request, body }, channel);
      const resigned = await world.resign(request, new TextDecoder().decode(body));
      for (const event of (await receive(resigned))?.events ?? []) assertSound(event, "bytes");
    }
  });

  check("a signed event leads no credential to a server that it names", async () => {
    for (const event of said) {
      const { world, channel } = openTestChannel(fixture);
      const request = await world.request(event);
      const body = unpack((await platform.verify(request, channel))!.text);
      for (const path of body ? pathsOf(body.json) : []) {
        const value = readAt(body!.json, path);
        if (typeof value !== "string" || !/^https?:/.test(value)) continue;
        await followTo(
          "https://evil.example/x",
          body!.pack(replaceAt(body!.json, path, "https://evil.example/x")),
          event,
        );
      }
    }
  });

  /** Answers the event and fetches its files, and looks at what reaches the other server. */
  async function followTo(evil: string, text: string, event: (typeof said)[number]): Promise<void> {
    const chat = openTestChannel(fixture);
    const { origin } = new URL(evil);
    chat.setFault(({ url }) => (url.startsWith(origin) ? new Response("{}", { status: 200 }) : null));
    const received = await chat.receive(await chat.world.resign(await chat.world.request(event), text));
    for (const one of received?.events ?? []) {
      await chat.client.send({ ...one.chat, context: one.context }, { text: "12 mm." });
      if (one.kind === "message") for (const file of one.files) await chat.client.fetchFile?.(file);
    }
    for (const { url, headers, body } of chat.seen.filter((seen) => seen.url.startsWith(origin))) {
      const names = [...headers.keys()].filter((name) => /authorization|token|cookie|secret|api-?key/.test(name));
      expect(names, `headers to ${origin} of ${text.slice(0, 300)}`).toEqual([]);
      const sent = url + [...headers.values()].join() + new TextDecoder().decode(body);
      for (const secret of secretsOf()) expect(sent).not.toContain(secret);
    }
  }

  function secretsOf(): string[] {
    const names = platform.form.filter(({ secret }) => secret).map(({ name }) => name);
    return names
      .map((name) => fixture.fields[name])
      .filter((value) => typeof value === "string" && value.length >= 6) as string[];
  }

  function isJson({ platform: { name } }: PlatformFixture<Fields>): boolean {
    return !["twilio", "wecom", "email"].includes(name);
  }
}

function assertSound(event: InboundEvent, text: string): void {
  const parsed = InboundEvent.safeParse(event);
  expect(parsed.success, `${parsed.error?.message} of ${text.slice(0, 300)}`).toBe(true);
  expect(event.id.length, text.slice(0, 300)).toBeGreaterThan(0);
  expect(Number.isSafeInteger(event.at) && event.at > 0, `at ${event.at} of ${text.slice(0, 300)}`).toBe(true);
  for (const id of [event.id, event.chat.id, event.from.id, event.chat.thread ?? "x", event.chat.scope ?? "x"])
    expect(
      /^(?:undefined|null|NaN|true|false|\[object Object\]|\s*)$/.test(id),
      `id "${id}" of ${text.slice(0, 300)}`,
    ).toBe(false);
}

interface Unpacked {
  json: unknown;
  pack(json: unknown): string;
}

/** A JSON body, or the JSON in a field of a form, as Slack's interactions have it. */
function unpack(text: string): Unpacked | null {
  const whole = tryJson(text);
  if (whole !== undefined) return { json: whole, pack: (json) => JSON.stringify(json) ?? "" };
  const form = new URLSearchParams(text);
  for (const [name, value] of form) {
    const json = tryJson(value);
    if (json === undefined || json === null || typeof json !== "object") continue;
    return {
      json,
      pack(changed) {
        form.set(name, JSON.stringify(changed) ?? "");
        return form.toString();
      },
    };
  }
  return null;
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // not JSON
  }
}

type Path = readonly (string | number)[];

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (value === null || typeof value !== "object") return [path];
  const keys = Array.isArray(value) ? value.map((_, index) => index) : Object.keys(value);
  return [path, ...keys.flatMap((key) => pathsOf((value as Record<string | number, unknown>)[key], [...path, key]))];
}

/** A copy. `undefined`: left out. */
function replaceAt(value: unknown, path: Path, replacement: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return replacement;
  const copy = Array.isArray(value) ? [...value] : { ...(value as object) };
  const holder = copy as Record<string | number, unknown>;
  const changed = replaceAt(holder[key], rest, replacement);
  if (changed === undefined && rest.length === 0) delete holder[key];
  else holder[key] = changed;
  return copy;
}

function readAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<string | number, unknown>)[key], value);
}
