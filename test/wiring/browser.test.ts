// The browser binding: how a browser is opened and closed, and what a refusal becomes.
import { expect, test } from "vitest";
import { ok } from "../../core/errors.ts";
import { openBrowser } from "../../wiring/browser.ts";

type Answer = (method: string, path: string) => Response;

function open(answer: Answer) {
  const seen: string[] = [];
  const binding = {
    async fetch(url: string, init: RequestInit = {}) {
      const { pathname, search } = new URL(url);
      seen.push(`${init.method ?? "GET"} ${pathname}${search}`);
      return answer(init.method ?? "GET", pathname);
    },
  } as unknown as Pick<Fetcher, "fetch">;
  return { seen, port: openBrowser(binding, () => ok(null)) };
}

const signal = new AbortController().signal;

test("a browser is acquired, connected, and closed once", async () => {
  const calls: string[] = [];
  const webSocket = {
    accept: () => calls.push("accept"),
    send: (text: string) => calls.push(text),
    close: () => calls.push("close"),
    addEventListener: () => undefined,
  };
  const { port, seen } = open((method) =>
    method === "POST"
      ? Response.json({ sessionId: "s 1" })
      : (Object.assign(new Response(null), { webSocket }) as Response),
  );
  const socket = await port.open(signal);
  if (!socket.ok) throw new Error(socket.failure.code);
  socket.value.send("hello");
  socket.value.close();
  socket.value.close();
  expect(calls).toEqual(["accept", "hello", "close"]);
  expect(seen).toEqual([
    "POST /v1/devtools/browser?keep_alive=120000",
    "GET /v1/devtools/browser/s%201",
    "DELETE /v1/devtools/browser/s%201",
  ]);
});

test.each<[string, Answer, string]>([
  ["too many browsers are open", () => new Response("limit", { status: 429 }), "browser_busy"],
  ["the service is broken", () => new Response("oops", { status: 500 }), "browser_unavailable"],
  [
    "there is no WebSocket",
    (method) => (method === "POST" ? Response.json({ sessionId: "s" }) : new Response("no", { status: 400 })),
    "browser_unavailable",
  ],
])("the tool says so if %s", async (_what, answer, code) => {
  expect(await open(answer).port.open(signal)).toMatchObject({ ok: false, failure: { code } });
});
