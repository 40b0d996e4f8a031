// The tools browser_* on a real Chromium, where this machine has one: a local site, the URL policy for each request of a page, refs,
// fields, pictures, and the end of the browser. Without Chromium only the tests of the client run (cdp.test.ts, snapshot.test.ts).
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ok } from "../../../../core/errors.ts";
import { judgeUrl } from "../../../../core/outbound/judge-url.ts";
import { createBrowserTools } from "../../../../core/tools/web/browser/browser-tools.ts";
import { createWorkspace, migrateWorkspace } from "../../../../core/workspace/workspace.ts";
import { systemClock } from "../../../../stores/platform/system-clock.ts";
import { createNodeSql } from "../../../support/bindings/node-sql.ts";
import { findChromium } from "../../../../scripts/chromium.ts";
import { type LocalSite, startLocalSite } from "../../../support/web/local-site.ts";

const { path: CHROMIUM } = findChromium();

const html = (body: string) => ({ headers: { "content-type": "text/html" }, body });
const PAGE = `<title>Shop</title><h1>Shop</h1><p style="display:none">hidden order</p>
<a href="/next">Next page</a>
<form action="/found"><label>Name <input name="q"></label><button>Find</button></form>
<script>
  const note = document.createElement("p");
  document.body.append(note);
  fetch("INSIDE/secret").then(() => (note.textContent = "reached"), () => (note.textContent = "refused by the browser"));
</script>`;

/** Every way we know in which a page makes requests. */
const WAYS = `<title>Ways</title><iframe src="INSIDE/frame"></iframe><img src="INSIDE/image"><link rel="stylesheet" href="INSIDE/style">
<script>
  const code = (what) => URL.createObjectURL(new Blob([what], { type: "text/javascript" }));
  new Worker(code("fetch('INSIDE/worker', { mode: 'no-cors' })"));
  new SharedWorker(code("fetch('INSIDE/shared', { mode: 'no-cors' })"));
  const open = (Socket) => { try { new Socket("INSIDE/socket".replace("http", "ws")); } catch {} };
  open(window.WebSocket);
  const empty = document.documentElement.appendChild(document.createElement("iframe"));
  open(empty.contentWindow.WebSocket);
  new EventSource("INSIDE/events");
  navigator.sendBeacon("INSIDE/beacon", "x");
  window.open("INSIDE/window");
  const form = Object.assign(document.createElement("form"), { action: "INSIDE/form", target: "_blank" });
  document.documentElement.append(form);
  form.submit();
  const frame = document.createElement("iframe");
  frame.srcdoc = "<script>fetch('INSIDE/srcdoc', { mode: 'no-cors' })<\\/script>";
  document.documentElement.append(frame);
</script>`;

const WINDOWS = `<title>Windows</title><a href="INSIDE/blank" target="_blank">Open</a>
<input aria-label="Key" onkeydown="window.open('INSIDE/opened'); window.open('INSIDE/apart', '', 'noopener')">`;

let site: LocalSite;
let inside: LocalSite;
let chromium: ChildProcess;
let address = "";
let folder = "";

describe.skipIf(!CHROMIUM)("the browser tools on Chromium", () => {
  // One browser a test, as a deployment has one a turn.
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "chromium-"));
    inside = await startLocalSite(() => ({ headers: { "access-control-allow-origin": "*" }, body: "secret" }));
    site = await startLocalSite((path) => {
      if (path.startsWith("/found"))
        return html(`<title>Found</title><p>Found ${new URLSearchParams(path.slice(6)).get("q")}</p>`);
      if (path === "/next") return html("<title>Next</title><h1>Second</h1>");
      if (path === "/windows") return html(WINDOWS.replaceAll("INSIDE", inside.origin));
      if (path === "/ways") return html(WAYS.replaceAll("INSIDE", inside.origin));
      if (path === "/away") return { status: 302, headers: { location: `${inside.origin}/secret` } };
      return html(PAGE.replace("INSIDE", inside.origin));
    });
    const flags = [
      "--headless=new",
      "--no-sandbox",
      "--disable-dev-shm-usage",
      "--disable-gpu",
      "--remote-debugging-port=0",
    ];
    chromium = spawn(CHROMIUM!, [...flags, `--user-data-dir=${folder}`, "about:blank"], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    address = await new Promise((resolve) => {
      let text = "";
      chromium.stderr!.on("data", (piece: Buffer) => {
        text += piece.toString();
        const found = /DevTools listening on (ws:\S+)/.exec(text);
        if (found) resolve(found[1]!);
      });
    });
  }, 60_000);
  afterEach(async () => {
    chromium?.kill("SIGKILL");
    await Promise.all([site?.close(), inside?.close()]);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  function open() {
    const sql = createNodeSql();
    migrateWorkspace(sql);
    const workspace = createWorkspace({ sql, clock: systemClock, maxFileBytes: 10 << 20, maxBytes: 10 << 20 });
    let sockets = 0;
    const port = {
      judge: (url: string) => judgeUrl(url, { ports: [], allow: [site.origin] }),
      async open() {
        const socket = new WebSocket(address);
        await new Promise((resolve) => socket.addEventListener("open", resolve, { once: true }));
        sockets++;
        return ok({
          send: (text: string) => socket.send(text),
          close: () => socket.close(),
          listen({ message, close }: { message(text: string): void; close(): void }) {
            socket.addEventListener("message", ({ data }) => message(String(data)));
            socket.addEventListener("close", close);
          },
        });
      },
    };
    const tools = createBrowserTools({ port, clock: systemClock, workspace, maxResultChars: 100_000 });
    const stop = new AbortController();
    const call = async (name: string, args: Record<string, unknown> = {}) => {
      const tool = tools.find((each) => each.name === `browser_${name}`)!;
      const result = await tool.run(args, { op: "o", prepared: {}, signal: stop.signal });
      const fields = Object.assign({}, ...result.parts.map(({ text }) => JSON.parse(text) as object)) as Record<
        string,
        string
      >;
      return { failed: result.failed, ...fields, sources: result.parts.map(({ source }) => source) } as Record<
        string,
        unknown
      >;
    };
    return { call, stop, workspace, opened: () => sockets, end: () => Promise.all(tools.map((tool) => tool.end?.())) };
  }

  it("opens a page, clicks, types, goes back, and shows each page with refs", { timeout: 60_000 }, async () => {
    const { call, end, opened } = open();
    const first = await call("navigate", { url: `${site.origin}/` });
    expect(first).toMatchObject({
      failed: false,
      title: "Shop",
      url: `${site.origin}/`,
      sources: ["outcome", "content"],
    });
    expect(first.page).toMatch(
      /heading "Shop".*\n(.*\n)*.*link "Next page" @e1\n(.*\n)*.*textbox "Name" @e2\n(.*\n)*.*button "Find" @e3/,
    );
    expect(first.page).not.toContain("hidden order");
    expect(await call("click", { ref: "@e1" })).toMatchObject({
      title: "Next",
      page: expect.stringContaining("Second"),
    });
    expect(await call("back")).toMatchObject({ title: "Shop" });
    expect(await call("type", { ref: "e2", text: "blue hat", submit: true })).toMatchObject({
      ...{ title: "Found", page: expect.stringContaining("Found blue hat") },
    });
    expect(await call("click", { ref: "@e99" })).toMatchObject({ failed: true, code: "unknown_ref" });
    expect(await call("scroll", { direction: "down" })).toMatchObject({ failed: false });
    await end();
    expect(opened()).toBe(1);
    expect(await call("snapshot")).toMatchObject({ failed: true, code: "no_page" });
  });

  it("refuses what the page asks for inside, and where a redirect leads", { timeout: 60_000 }, async () => {
    const { call, end } = open();
    expect(await call("navigate", { url: `${site.origin}/` })).toMatchObject({ requests_refused: 1 });
    expect((await call("snapshot")).page).toContain("refused by the browser");
    expect(await call("navigate", { url: `${site.origin}/away` })).toMatchObject({
      failed: true,
      code: "page_unreachable",
    });
    for (const url of [
      `${inside.origin}/secret`,
      "file:///etc/passwd",
      "http://169.254.169.254/",
      "javascript:alert(1)",
    ]) {
      expect(await call("navigate", { url })).toMatchObject({ failed: true, code: "url_refused" });
    }
    expect(inside.requests).toEqual([]);
    await end();
  });

  it("closes windows that a click or a key opens, before they ask for anything", { timeout: 60_000 }, async () => {
    const { call, end } = open();
    await call("navigate", { url: `${site.origin}/windows` });
    for (const act of [
      () => call("click", { ref: "@e1" }),
      () => call("type", { ref: "@e2", text: "x", submit: true }),
    ]) {
      expect(await act()).toMatchObject({ failed: false, title: "Windows" });
      await call("snapshot");
    }
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(inside.requests.map(({ path }) => path)).toEqual([]);
    await end();
  });

  it("stores a picture of the page in the workspace, marked as content", { timeout: 60_000 }, async () => {
    const { call, end, workspace } = open();
    await call("navigate", { url: `${site.origin}/next` });
    expect(await call("screenshot")).toMatchObject({ failed: false, path: "screenshots/page.png" });
    expect([...workspace.read("screenshots/page.png")!.slice(0, 4)]).toEqual([0x89, 0x50, 0x4e, 0x47]);
    expect(workspace.labelOf("screenshots/page.png")).toBe("content");
    await end();
  });

  it("closes the browser when the turn is stopped", { timeout: 60_000 }, async () => {
    const { call, stop } = open();
    await call("navigate", { url: `${site.origin}/next` });
    const scrolling = call("scroll", { direction: "down" });
    stop.abort();
    expect(await scrolling).toMatchObject({ failed: true });
  });

  it("lets no frame, worker, socket, window or form of a page reach inside", { timeout: 60_000 }, async () => {
    const { call, end } = open();
    const page = await call("navigate", { url: `${site.origin}/ways` });
    expect(page).toMatchObject({ failed: false, title: "Ways" });
    expect(page.requests_refused).toBeGreaterThanOrEqual(1);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(inside.requests.map(({ path }) => path)).toEqual([]);
    await end();
  });
});
