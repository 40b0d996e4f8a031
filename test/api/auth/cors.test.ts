// CORS: what a page of a listed origin may do, and that every other page gets nothing.
import { Hono } from "hono";
import { expect, test } from "vitest";
import { allowOrigins } from "../../../workers/api/auth/browsers/cors.ts";
import type { ApiEnv } from "../../../workers/api/auth/principal.ts";
import type { Env } from "../../../workers/api/env.ts";
import { AppError, answerError } from "../../../workers/api/problems.ts";

const PAGE = "https://chat.example";

function createApp(origins: string[] = [`${PAGE}/`]) {
  const app = new Hono<ApiEnv>();
  app.onError(answerError);
  app.use(allowOrigins);
  app.get("/v1/x", (c) => c.json({ ok: true }, 200, { "set-cookie": "a=b", vary: "Accept" }));
  app.get("/v1/stream", () => Object.freeze(new Response("data: 1\n\n", { headers: { "talaria-turn": "t" } })));
  app.get("/v1/busy", () => {
    throw new AppError("platform_busy", "Try again.");
  });
  const env = { TALARIA_SETTINGS: JSON.stringify({ browsers: { origins } }) } as Env;
  return (path: string, headers: Record<string, string> = {}, method = "GET") =>
    app.request(`https://talaria.test${path}`, { method, headers }, env);
}

const corsOf = (response: Response) =>
  Object.fromEntries([...response.headers].filter(([name]) => name.startsWith("access-control-")));

test.each(["/v1/x", "/v1/stream", "/v1/busy", "/v1/none"])("a listed page reads %s, with credentials", async (path) => {
  const response = await createApp()(path, { origin: PAGE });
  expect(corsOf(response)).toMatchObject({
    "access-control-allow-origin": PAGE,
    "access-control-allow-credentials": "true",
    "access-control-expose-headers": expect.stringContaining("Retry-After"),
  });
  expect(response.headers.get("vary")).toMatch(/(^|, )Origin$/);
});

test("the response is otherwise the same", async () => {
  const response = await createApp()("/v1/x", { origin: PAGE });
  expect([response.status, await response.json(), response.headers.get("set-cookie")]).toEqual([
    200,
    { ok: true },
    "a=b",
  ]);
  expect(response.headers.get("vary")).toBe("Accept, Origin");
});

test.each([
  "https://evil.example",
  "null",
  "",
  "*",
  "http://chat.example",
  "https://chat.example:8443",
  "https://chat.example.evil.example",
  "https://evilchat.example",
  "https://chat.example/",
  "HTTPS://CHAT.EXAMPLE",
  `${PAGE}, https://evil.example`,
])("a page of the origin %j gets no CORS header, and its preflight is refused", async (origin) => {
  const send = createApp();
  const response = await send("/v1/x", { origin });
  expect([corsOf(response), response.headers.get("vary")]).toEqual([{}, "Accept, Origin"]);
  const preflight = await send("/v1/x", { origin, "access-control-request-method": "PUT" }, "OPTIONS");
  expect([preflight.status, corsOf(preflight)]).toEqual([403, {}]);
});

test("a listed page's preflight is answered before any credential is asked for", async () => {
  const asked = {
    "access-control-request-method": "PATCH",
    "access-control-request-headers": "authorization,x-csrf-token,x-stainless-os",
  };
  const response = await createApp()("/v1/x", { origin: PAGE, ...asked }, "OPTIONS");
  expect(response.status).toBe(204);
  expect(corsOf(response)).toEqual({
    "access-control-allow-origin": PAGE,
    "access-control-allow-credentials": "true",
    "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
    "access-control-allow-headers": "authorization,x-csrf-token,x-stainless-os",
    "access-control-max-age": "600",
  });
  expect(response.headers.get("vary")).toBe("Origin, Access-Control-Request-Headers");
});

test("a request without an origin says that the answer depends on it, for caches", async () => {
  expect((await createApp()("/v1/x")).headers.get("vary")).toBe("Accept, Origin");
});

test("without a list nothing is added", async () => {
  const send = createApp([]);
  const response = await send("/v1/x", { origin: PAGE });
  expect([corsOf(response), response.headers.get("vary")]).toEqual([{}, "Accept"]);
  expect((await send("/v1/x", { origin: PAGE, "access-control-request-method": "PUT" }, "OPTIONS")).status).toBe(404);
});
