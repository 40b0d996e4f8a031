import { expect, test } from "vitest";
import { callApi, describe as sentence, refused } from "../../../channels/support/call.ts";
import { toBytes } from "../../../channels/support/crypto.ts";
import type { PlatformDeps, PlatformRequest } from "../../../core/channels/platform.ts";
import { type Result, err, ok } from "../../../core/errors.ts";

function depsThatAnswer(status: number, body = "", headers: Record<string, string> = {}) {
  const asked: { url: string; options: PlatformRequest }[] = [];
  const request: PlatformDeps["request"] = async (url, options = {}) => {
    asked.push({ url, options });
    return ok({ status, headers: new Headers(headers), bytes: toBytes(body) });
  };
  return { asked, deps: { request } as PlatformDeps };
}

async function codeOf(sent: Promise<Result<unknown>>): Promise<unknown[]> {
  const result = await sent;
  return result.ok ? ["ok"] : [result.failure.code, result.failure.facts];
}

test("JSON and forms are sent as such, and JSON is read", async () => {
  const { asked, deps } = depsThatAnswer(200, '{"a":1}');
  const reply = await callApi(deps, "https://p.test/x", { json: { b: 2 }, headers: { authorization: "t" } });
  expect(reply.ok && reply.value.json).toEqual({ a: 1 });
  await callApi(deps, "https://p.test/y", { form: { "a b": "ü" } });
  expect(asked.map(({ options }) => options)).toEqual([
    { method: "POST", headers: { "content-type": "application/json", authorization: "t" }, body: '{"b":2}' },
    { method: "POST", headers: { "content-type": "application/x-www-form-urlencoded" }, body: "a+b=%C3%BC" },
  ]);
});

test.each([
  [429, { "retry-after": "7" }, "channel_rate_limited", { retryAfterMs: 7_000 }],
  [429, {}, "channel_rate_limited", { retryAfterMs: 5_000 }],
  [401, {}, "channel_auth_failed", undefined],
  [403, {}, "channel_refused", undefined],
  [302, {}, "channel_refused", undefined],
  [500, {}, "channel_unavailable", { maybeSent: true }],
  [503, {}, "channel_unavailable", undefined],
])("status %i is a failure", async (status, headers, code, facts) => {
  expect(
    await codeOf(callApi(depsThatAnswer(status, "", headers as Record<string, string>).deps, "https://p.test")),
  ).toEqual([code, facts]);
});

test("the platform's own codes come before the status", async () => {
  const { deps } = depsThatAnswer(200, '{"code":9}');
  expect(await codeOf(callApi(deps, "https://p.test", {}, () => refused("9.")))).toEqual([
    "channel_refused",
    undefined,
  ]);
});

test.each([
  ["timed_out", { maybeSent: true }],
  ["unreachable", { maybeSent: true }],
  ["url_refused", undefined],
])("a request that fails as %s says whether it may have arrived", async (code, facts) => {
  const deps = { request: async () => err(code, "secret address") } as unknown as PlatformDeps;
  const sent = await callApi(deps, "https://p.test");
  expect(sent).toMatchObject({ ok: false, failure: { code: "channel_unreachable" } });
  expect(await codeOf(Promise.resolve(sent))).toEqual(["channel_unreachable", facts]);
  expect(JSON.stringify(sent)).not.toContain("secret");
});

test("a reply is described in one short line", () => {
  expect(sentence({ status: 400, bytes: toBytes("bad\n thing.") })).toBe("400, bad thing.");
  expect(sentence({ status: 400, bytes: toBytes("x".repeat(5_000)) }).length).toBeLessThan(210);
  expect(sentence({ status: 400, bytes: toBytes("") })).toBe("400.");
});

test("a sentence about a reply has no token of it", () => {
  const reply = (body: string) => ({ status: 200, bytes: toBytes(body) });
  for (const name of ["access_token", "accessToken", "tenant_access_token", "refresh-token", "client_secret"]) {
    const text = sentence(reply(`{"ok":true,"${name}" : "s3cr3t-${"x".repeat(2_000)}`));
    expect(text).not.toContain("s3cr3t");
    expect(text).toContain(name);
  }
  expect(sentence(reply('{"error":"invalid token"}'))).toBe('200, {"error":"invalid token"}.');
});
