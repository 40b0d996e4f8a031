// The way out, with a scripted fetch: what is sent, where redirects lead, and the limits of a reply.
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { type OutboundRequest, OutboundError, createOutbound } from "../../core/outbound/outbound.ts";
import { PROXY_FAILURE } from "../../core/outbound/redirects.ts";
import type { Fetch } from "../../core/ports.ts";
import { createTestClock } from "../support/clock.ts";

interface Sent {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: unknown;
  redirect: string | undefined;
}

const POLICY = { ports: [], allow: ["http://localhost:8888"], configured: ["http://10.0.0.5:9000"] };
const KEYS = { authorization: "Bearer key", cookie: "a=b", "x-api-key": "key", "x-subscription-token": "key" };

function createScripted(replies: Record<string, (() => Response | Promise<Response>) | Response>) {
  const sent: Sent[] = [];
  const clock = createTestClock();
  const fetch: Fetch = async (input, init = {}) => {
    const { method = "GET", headers, body, redirect } = init;
    sent.push({ url: String(input), method, headers: Object.fromEntries(new Headers(headers)), body, redirect });
    const reply = replies[String(input)] ?? new Response("nothing here", { status: 404 });
    return typeof reply === "function" ? reply() : reply;
  };
  const outbound = createOutbound({ fetch, clock, policy: POLICY });
  const request = (url: string, options: Partial<OutboundRequest> = {}) =>
    outbound.request(url, { signal: new AbortController().signal, timeoutMs: 20_000, maxBytes: 1_000, ...options });
  return { sent, clock, outbound, request, urls: () => sent.map(({ url }) => url) };
}

const redirectTo = (location: string, status = 302) => new Response(null, { status, headers: { location } });
const codeOf = async (result: Promise<{ ok: boolean; failure?: { code: string } }>) => (await result).failure?.code;

describe("a request", () => {
  it("returns the whole reply, whatever its status", async () => {
    const { request, sent } = createScripted({ "https://a.example.com/": new Response("hello", { status: 418 }) });
    const reply = await request("https://a.example.com", { method: "post", headers: { "x-a": "b" }, body: "body" });
    expect(reply).toMatchObject({ ok: true, value: { url: "https://a.example.com/", status: 418 } });
    expect(reply.ok && new TextDecoder().decode(reply.value.bytes)).toBe("hello");
    const [first] = sent;
    expect(first).toEqual({
      url: "https://a.example.com/",
      method: "POST",
      headers: { "x-a": "b" },
      body: "body",
      redirect: "manual",
    });
  });

  it.each(["http://127.0.0.1/", "http://10.0.0.5:9000/", "http://user@a.example.com/", "not a url"])(
    "to %s is refused before anything leaves",
    async (url) => {
      const { request, sent } = createScripted({});
      expect(await codeOf(request(url))).toBe("url_refused");
      expect(sent).toEqual([]);
    },
  );

  it("reaches an excepted origin, and a configured one if the URL is configuration", async () => {
    const { request, urls } = createScripted({});
    expect(await request("http://localhost:8888/search")).toMatchObject({ ok: true, value: { status: 404 } });
    expect(await request("http://10.0.0.5:9000/v1", { configured: true })).toMatchObject({ ok: true });
    expect(urls()).toEqual(["http://localhost:8888/search", "http://10.0.0.5:9000/v1"]);
  });
});

describe("a redirect", () => {
  it("is followed, relative and absolute, and the reply names the last address", async () => {
    const { request, urls } = createScripted({
      "http://a.example.com/": redirectTo("/b", 301),
      "http://a.example.com/b": redirectTo("https://b.example.com/c", 308),
      "https://b.example.com/c": new Response("c"),
    });
    expect(await request("http://a.example.com/")).toMatchObject({
      ok: true,
      value: { url: "https://b.example.com/c" },
    });
    expect(urls()).toEqual(["http://a.example.com/", "http://a.example.com/b", "https://b.example.com/c"]);
  });

  it.each([
    "http://127.0.0.1/",
    "http://[::ffff:a9fe:a9fe]/latest",
    "//2130706433/",
    "http://a.example.com:22/",
    "http://user:word@b.example.com/",
    "file:///etc/passwd",
    "http://10.0.0.5:9000/v1",
    "http://",
  ])("to %s is refused before anything is sent there", async (location) => {
    const { request, outbound, urls } = createScripted({ "http://a.example.com/": () => redirectTo(location) });
    expect(await codeOf(request("http://a.example.com/"))).toBe("url_refused");
    expect(await codeOf(request("http://a.example.com/", { configured: true }))).toBe("url_refused");
    await expect(outbound.fetch("http://a.example.com/")).rejects.toMatchObject({ code: "url_refused" });
    expect(urls()).toEqual(Array.from({ length: 3 }, () => "http://a.example.com/"));
  });

  it("from https to http is refused, also to an excepted origin", async () => {
    for (const location of ["http://a.example.com/", "http://localhost:8888/"]) {
      const { request, urls } = createScripted({ "https://a.example.com/": redirectTo(location) });
      const refused = await request("https://a.example.com/");
      expect(refused).toMatchObject({ ok: false, failure: { code: "url_refused", facts: { reason: "downgrade" } } });
      expect(urls()).toEqual(["https://a.example.com/"]);
    }
  });

  it("within a configured origin is followed", async () => {
    const { request } = createScripted({
      "http://10.0.0.5:9000/v1": redirectTo("/v1/"),
      "http://10.0.0.5:9000/v1/": new Response("ok"),
    });
    expect(await request("http://10.0.0.5:9000/v1", { configured: true })).toMatchObject({ ok: true });
  });

  it("takes no credential to another origin, another port included, nor back again", async () => {
    const headers = { ...KEYS, accept: "text/html" };
    const { request, sent } = createScripted({
      "https://a.example.com/": redirectTo("/same"),
      "https://a.example.com/same": redirectTo("https://a.example.com:8443/"),
      "https://a.example.com:8443/": redirectTo("https://a.example.com/back"),
    });
    await request("https://a.example.com/", { headers });
    const only = { accept: "text/html" };
    expect(sent.map(({ headers: seen }) => seen)).toEqual([headers, headers, only, only]);
  });

  it("is followed five times by default, or as often as the caller says", async () => {
    const loop = { "http://a.example.com/": () => redirectTo("http://a.example.com/") };
    const { request, sent } = createScripted(loop);
    expect(await codeOf(request("http://a.example.com/"))).toBe("too_many_redirects");
    expect(sent).toHaveLength(6);
    expect(await codeOf(request("http://a.example.com/", { maxRedirects: 1 }))).toBe("too_many_redirects");
    expect(sent).toHaveLength(8);
    expect(await request("http://a.example.com/", { maxRedirects: 0 })).toMatchObject({ value: { status: 302 } });
  });

  it("of a POST is the reply of a request", async () => {
    const { request, sent } = createScripted({ "http://a.example.com/": redirectTo("http://127.0.0.1/", 307) });
    expect(await request("http://a.example.com/", { method: "POST", body: "b" })).toMatchObject({
      value: { status: 307 },
    });
    expect(sent).toHaveLength(1);
  });
});

describe("a reply's limits", () => {
  const URL_A = "https://a.example.com/";
  /** A body that never ends, and counts what was read of it. */
  function toEndless() {
    const seen = { pulls: 0, isCancelled: false };
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => (seen.pulls++, controller.enqueue(new Uint8Array(100))),
      cancel: () => void (seen.isCancelled = true),
    });
    return { seen, body };
  }

  it("end a body that is too large, and close it", async () => {
    const { seen, body } = toEndless();
    const { request } = createScripted({ [URL_A]: new Response(body) });
    expect(await codeOf(request(URL_A))).toBe("reply_too_large");
    expect(seen.isCancelled).toBe(true);
    expect(seen.pulls).toBeLessThan(14);
  });

  it("refuse an announced size without reading, and allow exactly the limit", async () => {
    const { seen, body } = toEndless();
    const headers = { "content-length": "1001" };
    const { request } = createScripted({
      [URL_A]: new Response(body, { headers }),
      "https://b.example.com/": new Response(new Uint8Array(1_000)),
    });
    expect(await codeOf(request(URL_A))).toBe("reply_too_large");
    expect(seen.pulls).toBeLessThan(2);
    expect(await request("https://b.example.com/")).toMatchObject({ value: { bytes: new Uint8Array(1_000) } });
  });

  it("keep nothing of a piece but its bytes: many platforms hand out a small piece of a large buffer", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const buffers: WeakRef<ArrayBuffer>[] = [];
    let held = Infinity;
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const buffer = new ArrayBuffer(64 << 10);
        buffers.push(new WeakRef(buffer));
        controller.enqueue(new Uint8Array(buffer, 0, 1).fill(7));
        if (buffers.length < 300) return;
        await setImmediate();
        collect();
        held = buffers.filter((ref) => ref.deref()).length;
        controller.close();
      },
    });
    const { request } = createScripted({ [URL_A]: new Response(body) });
    expect(await request(URL_A)).toMatchObject({ value: { bytes: new Uint8Array(300).fill(7) } });
    expect(held).toBeLessThan(10);
  });

  it("compare content types without parameters, only of a good reply", async () => {
    const typed =
      (type: string, status = 200) =>
      () =>
        new Response("x", { status, headers: type ? { "content-type": type } : {} });
    const { request } = createScripted({
      "https://a.example.com/html": typed("Text/HTML; charset=utf-8"),
      "https://a.example.com/png": typed("image/png"),
      "https://a.example.com/zip": typed("application/zip"),
      "https://a.example.com/imagex": typed("imagex/png"),
      "https://a.example.com/none": () => new Response(new Uint8Array(1)),
      "https://a.example.com/lost": typed("text/plain", 404),
    });
    const ask = (path: string) => request(`https://a.example.com/${path}`, { contentTypes: ["text/html", "image/*"] });
    expect([(await ask("html")).ok, (await ask("png")).ok, (await ask("lost")).ok]).toEqual([true, true, true]);
    for (const path of ["zip", "imagex", "none"]) expect(await codeOf(ask(path))).toBe("content_type_refused");
  });

  it("end a request that takes too long, before the reply and within its body, even if fetch ignores the signal", async () => {
    const held = toEndlessSilence();
    for (const reply of [() => new Promise<Response>(() => undefined), () => new Response(held)]) {
      const { request, clock } = createScripted({ [URL_A]: reply });
      const asked = request(URL_A);
      await settle();
      clock.advance(20_000);
      expect(await codeOf(asked)).toBe("timed_out");
    }
  });

  it("end at once when the caller aborts, before and during the request", async () => {
    const { request, sent } = createScripted({ [URL_A]: () => new Promise<Response>(() => undefined) });
    expect(await codeOf(request(URL_A, { signal: AbortSignal.abort() }))).toBe("aborted");
    const stop = new AbortController();
    const asked = request(URL_A, { signal: stop.signal });
    await settle();
    stop.abort();
    expect(await codeOf(asked)).toBe("aborted");
    expect(sent.length).toBeLessThan(3);
  });

  it("name a failed connection without what the platform said", async () => {
    const { request } = createScripted({
      [URL_A]: () => Promise.reject(new Error(`connect failed ${URL_A}?key=secret`)),
    });
    const reply = await request(URL_A);
    expect(reply).toMatchObject({ failure: { code: "unreachable" } });
    expect(JSON.stringify(reply)).not.toContain("secret");
  });
});

describe("the local stack's proxy", () => {
  it("says that a name resolves to an address inside, or not at all", async () => {
    const failing = (code: string) => new Response("", { status: 502, headers: { [PROXY_FAILURE]: code } });
    const { request, outbound } = createScripted({
      "http://a.example.com/": () => failing("url_refused"),
      "http://b.example.com/": failing("unreachable"),
    });
    expect(await codeOf(request("http://a.example.com/"))).toBe("url_refused");
    expect(await codeOf(request("http://b.example.com/"))).toBe("unreachable");
    await expect(outbound.fetch("http://a.example.com/")).rejects.toBeInstanceOf(OutboundError);
  });
});

describe("the fetch for configured addresses", () => {
  it("passes request and reply through, the body unread", async () => {
    const body = toEndlessSilence();
    const response = new Response(body);
    const { outbound, sent } = createScripted({ "http://10.0.0.5:9000/v1": response });
    const init = { method: "POST", headers: KEYS, body: "{}" };
    expect(await outbound.fetch("http://10.0.0.5:9000/v1", init)).toBe(response);
    expect(await outbound.fetch(new Request("http://10.0.0.5:9000/other", { headers: KEYS }))).toMatchObject({
      status: 404,
    });
    expect(sent.map(({ method, headers, body: seen }) => ({ method, headers, body: seen ?? null }))).toEqual([
      { method: "POST", headers: KEYS, body: "{}" },
      { method: "GET", headers: KEYS, body: null },
    ]);
  });

  it("refuses a private address that the operator did not configure", async () => {
    const { outbound, sent } = createScripted({});
    await expect(outbound.fetch("http://10.0.0.6:9000/v1", { method: "POST" })).rejects.toThrow(OutboundError);
    expect(sent).toEqual([]);
  });

  it("repeats a POST after 307 without its key at another origin, and turns it into a GET after 303", async () => {
    const { outbound, sent } = createScripted({
      "https://a.example.com/1": redirectTo("https://b.example.com/2", 307),
      "https://b.example.com/2": redirectTo("/3", 303),
    });
    const headers = { ...KEYS, "content-type": "application/json" };
    await outbound.fetch("https://a.example.com/1", { method: "POST", headers, body: "{}" });
    expect(sent.map(({ url, method, headers: seen, body }) => [url, method, seen, body])).toEqual([
      ["https://a.example.com/1", "POST", headers, "{}"],
      ["https://b.example.com/2", "POST", { "content-type": "application/json" }, "{}"],
      ["https://b.example.com/3", "GET", {}, undefined],
    ]);
  });

  it("follows no redirect if it is told so", async () => {
    const { outbound, sent } = createScripted({ "https://a.example.com/": redirectTo("/b") });
    expect(await outbound.fetch("https://a.example.com/", { redirect: "manual" })).toMatchObject({ status: 302 });
    expect(sent).toHaveLength(1);
  });
});

function toEndlessSilence(): ReadableStream<Uint8Array> {
  return new ReadableStream({ pull: () => new Promise(() => undefined) });
}

async function settle(): Promise<void> {
  for (let i = 0; i < 10; i++) await Promise.resolve();
}
