// That no request, however malformed, makes a platform throw, or give an event of nonsense. The requests are genuinely signed, so that the
// parser meets what they say.
import { expect } from "vitest";
import { InboundEvent } from "../../../../core/schemas/channels/inbound.ts";
import type { PlatformFixture } from "../fixture.ts";
import { openTestChannel } from "../open-channel.ts";
import type { Check } from "./check.ts";
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
      for (const path of pathsOf(body.json)) {
        for (const value of [undefined, ...VALUES]) {
          count += 1;
          await takes(body.pack(replaceAt(body.json, path, value)), event);
        }
      }
    }
    if (isJson(fixture)) expect(count, "bodies tried").toBeGreaterThan(100);
  });

  check("a signed body that is cut off never throws or makes nonsense", async () => {
    for (const event of said) {
      const { world, channel } = openTestChannel(fixture);
      const verified = await platform.verify(await world.request(event), channel);
      const { text } = verified!;
      for (let part = 0; part < 20; part += 1) await takes(text.slice(0, Math.floor((text.length * part) / 20)), event);
    }
  });

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
