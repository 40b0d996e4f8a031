// The client of an exec host when the host is away, slow, or answers what nobody can use. Over a double of the outbound policy.
import { describe, expect, test } from "vitest";
import { type Result, err, ok } from "../../../core/errors.ts";
import type { OutboundReply, OutboundRequest } from "../../../core/outbound/outbound.ts";
import { createExecClient } from "../../../core/tools/host/exec-client.ts";
import { waitForCommand } from "../../../core/tools/host/host-command.ts";
import { createTestClock } from "../../support/clock.ts";

const signal = new AbortController().signal;
const RUNNING = {
  ...{ op: "a", state: "running", background: false, command: "c", startedAt: 1, durationMs: 2 },
  ...{ exitCode: null, signal: null, reason: null, leftovers: 0, dropped: false },
  stdout: { bytes: 0, head: "", tail: "" },
  stderr: { bytes: 0, head: "", tail: "" },
};

function reply(status: number, body: string): Result<OutboundReply> {
  return ok({ url: "", status, headers: new Headers(), bytes: new TextEncoder().encode(body) });
}

function createClient(replies: Result<OutboundReply>[]) {
  const sent: { url: string; request: OutboundRequest }[] = [];
  const exec = createExecClient({
    baseUrl: "http://exec.example/",
    token: "secret-token",
    outbound: {
      async request(url, request) {
        sent.push({ url, request });
        return replies.length > 1 ? replies.shift()! : replies[0]!;
      },
    },
  });
  return { exec, sent };
}

describe("a reply that cannot be used", () => {
  test.each([
    ["no connection", err("unreachable", "x"), "host_unreachable"],
    ["a timeout", err("timed_out", "x"), "host_unreachable"],
    ["too much", err("reply_too_large", "x"), "host_unreachable"],
    ["text", reply(200, "<html>"), "host_garbled"],
    ["another object", reply(200, '{"state":"odd"}'), "host_garbled"],
    ["500 with a code", reply(500, '{"code":"internal","message":"x"}'), "host_failed"],
    ["502 of a proxy", reply(502, "Bad gateway"), "host_failed"],
    ["a redirect", reply(302, ""), "host_failed"],
    ["401", reply(401, '{"code":"unauthorized","message":"x"}'), "host_locked"],
    ["403 of a proxy", reply(403, "no"), "host_locked"],
    ["a refusal of the host", reply(404, '{"code":"command_unknown","message":"m"}'), "command_unknown"],
    ["a file that is denied", reply(403, '{"code":"denied","message":"m"}'), "denied"],
  ] as const)("%s is a failure with a code", async (_what, answered, code) => {
    const { exec } = createClient([answered as Result<OutboundReply>]);
    const got = await exec.command("a", 0, signal);
    expect(got).toMatchObject({ ok: false, failure: { code } });
    expect(JSON.stringify(got)).not.toMatch(/secret-token|exec\.example/);
  });
});

describe("a piece of a file", () => {
  test.each([
    ["is not base64", { base64: "%%%", length: 3 }],
    ["has fewer bytes than it says", { base64: "", length: 1 << 20 }],
    ["has more bytes than it says", { base64: "AAAAAAAA", length: 2 }],
    ["has a negative length", { base64: "", length: -1 }],
  ])("that %s is garbled", async (_what, piece) => {
    const { exec } = createClient([reply(200, JSON.stringify({ path: "a", size: 3, ...piece }))]);
    expect(await exec.readFile("a", 4 << 20, signal)).toMatchObject({ ok: false, failure: { code: "host_garbled" } });
  });
});

test("a request names the operator's address, follows no redirect, and waits longer than the host does", async () => {
  const { exec, sent } = createClient([reply(200, JSON.stringify(RUNNING))]);
  await exec.command("S-1:2", 25_000, signal);
  expect(sent[0]!.url).toBe("http://exec.example/v1/commands/S-1%3A2?waitMs=25000");
  expect(sent[0]!.request).toMatchObject({ configured: true, maxRedirects: 0, timeoutMs: 40_000 });
  expect(sent[0]!.request.headers!.authorization).toBe("Bearer secret-token");
});

describe("waiting for a command", () => {
  test("goes on through a restart of the host, and ends with what the host says then", async () => {
    const clock = createTestClock();
    const away = err("unreachable", "x");
    const { exec } = createClient([
      reply(200, JSON.stringify(RUNNING)),
      away,
      away,
      reply(404, '{"code":"command_unknown","message":"m"}'),
    ]);
    const waiting = waitForCommand({ exec, clock }, "a", 60_000, signal);
    for (let i = 0; i < 50; i++) {
      await Promise.resolve();
      if (i % 10 === 9) clock.advance(2_000);
    }
    expect(await waiting).toMatchObject({ ok: false, failure: { code: "command_unknown" } });
  });

  test("asks a host that does not wait once a second at most", async () => {
    const clock = createTestClock();
    const { exec, sent } = createClient([reply(200, JSON.stringify(RUNNING))]);
    const waiting = waitForCommand({ exec, clock }, "a", 10_000, signal);
    for (let i = 0; i < 400; i++) {
      await Promise.resolve();
      if (i % 20 === 19) clock.advance(1_000);
    }
    expect(await waiting).toMatchObject({ ok: true, value: { state: "running" } });
    expect(sent.length).toBeLessThan(15);
  });

  test("gives up a host that stays away", async () => {
    const clock = createTestClock();
    const { exec, sent } = createClient([err("unreachable", "x")]);
    const waiting = waitForCommand({ exec, clock }, "a", 60_000, signal);
    for (let i = 0; i < 200; i++) {
      await Promise.resolve();
      if (i % 10 === 9) clock.advance(10_000);
    }
    expect(await waiting).toMatchObject({ ok: false, failure: { code: "host_unreachable" } });
    expect(sent.length).toBe(6);
  });
});
