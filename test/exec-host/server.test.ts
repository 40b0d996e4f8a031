// Who may speak to the exec host, and what it answers to requests that are wrong. Against its real process.
import { connect } from "node:net";
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EXEC_TOKEN, type RunningHost, startExecHost } from "../support/exec-host.ts";

let host: RunningHost;
beforeAll(async () => {
  host = await startExecHost();
});
afterAll(() => host.end());

/** Fetch sets Host itself, so this asks by hand. */
function ask(headers: Record<string, string>): Promise<{ status: number; text: string }> {
  return new Promise((done, fail) => {
    const outgoing = request(`${host.url}/v1/health`, { headers }, (reply) => {
      let text = "";
      reply.on("data", (piece) => (text += piece));
      reply.once("end", () => done({ status: reply.statusCode!, text }));
    });
    outgoing.once("error", fail);
    outgoing.end();
  });
}
const authorization = `Bearer ${EXEC_TOKEN}`;

describe("access", () => {
  test("is given by the token alone", async () => {
    expect((await ask({ authorization })).status).toBe(200);
    for (const wrong of [
      {},
      { authorization: "" },
      { authorization: "Bearer " },
      { authorization: `${authorization}x` },
      { authorization: EXEC_TOKEN },
    ]) {
      const { status, text } = await ask(wrong as Record<string, string>);
      expect([status, JSON.parse(text).code]).toEqual([401, "unauthorized"]);
    }
  });

  test.each(["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "10.0.0.1"])(
    "is refused under the name '%s', as after DNS rebinding",
    async (name) => {
      const { status, text } = await ask({ authorization, host: name });
      expect([status, JSON.parse(text).code]).toEqual([403, "host_refused"]);
    },
  );

  test("is refused to pages, with no header that would allow them", async () => {
    const reply = await fetch(`${host.url}/v1/health`, { headers: { authorization, origin: "http://127.0.0.1" } });
    expect([reply.status, ((await reply.json()) as { code: string }).code]).toEqual([403, "origin_refused"]);
    expect([...reply.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
    const preflight = await fetch(`${host.url}/v1/health`, { method: "OPTIONS" });
    expect(preflight.status).toBe(401);
  });
});

describe("a wrong request", () => {
  const cases: [string, string, unknown, number, string][] = [
    ["an unknown route", "GET /v1/nothing", undefined, 404, "route_unknown"],
    ["another method", "GET /v1/files/read", undefined, 405, "method_not_allowed"],
    ["a list for a body", "POST /v1/commands", [], 400, "request_malformed"],
    ["an unknown field", "POST /v1/files/read", { path: "a", mode: 1 }, 400, "request_malformed"],
    ["a missing field", "POST /v1/commands", { op: "a" }, 400, "request_malformed"],
    ["a number as text", "POST /v1/files/read", { path: 7 }, 400, "request_malformed"],
    ["a negative offset", "POST /v1/files/read", { path: "a", offset: -1 }, 400, "request_malformed"],
    ["an op with a slash", "POST /v1/commands", { op: "a/b", command: "true" }, 400, "request_malformed"],
    ["an op that is not encoded right", "GET /v1/commands/%E0%A4%A", undefined, 400, "request_malformed"],
    [
      "a time beyond the limit",
      "POST /v1/commands",
      { op: "t", command: "true", timeoutMs: 600_001 },
      400,
      "request_malformed",
    ],
    [
      "input that is not base64",
      "POST /v1/commands",
      { op: "b", command: "cat", stdin: "***" },
      400,
      "request_malformed",
    ],
    ["a command with NUL", "POST /v1/commands", { op: "n", command: "a\0b" }, 400, "request_malformed"],
    [
      "a prototype for a field",
      "POST /v1/files/read",
      JSON.parse('{"__proto__":{"path":"a"}}'),
      400,
      "request_malformed",
    ],
  ];
  test.each(cases)("with %s is answered by a code", async (_what, route, body, status, code) => {
    const reply = await host.call(route, body as object | undefined);
    expect(reply).toMatchObject({ status, body: { code } });
    expect(JSON.stringify(reply.body)).not.toMatch(/\bat .*:\d+:\d+|\.ts\b/);
  });

  test("with a body over the limit is refused before it is read whole", async () => {
    const reply = await fetch(`${host.url}/v1/files/write`, {
      method: "POST",
      headers: { authorization },
      body: "x".repeat((12 << 20) + 1),
    });
    expect([reply.status, ((await reply.json()) as { code: string }).code]).toEqual([413, "body_too_large"]);
  });

  test("that is not HTTP ends the connection and nothing else", async () => {
    const text = await new Promise<string>((done, fail) => {
      const socket = connect(Number(new URL(host.url).port), "127.0.0.1", () =>
        socket.write("\x16\x03\x01 nonsense\r\n\r\n"),
      );
      let got = "";
      socket.on("data", (piece) => (got += piece));
      socket.once("close", () => done(got));
      socket.once("error", fail);
    });
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect((await host.call("GET /v1/health")).status).toBe(200);
  });
});
