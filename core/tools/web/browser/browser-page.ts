// The one page of a session's browser: opens it, keeps every request of it within the URL policy, and carries out what the tools ask.
// One action at a time. Used by browser-tools.ts, for one turn.
import { type Result, err, ok } from "../../../errors.ts";
import type { Clock } from "../../../ports.ts";
import { toObject, type UnknownObject } from "../../../unknown-object.ts";
import { type BrowserSocket, type Cdp, createCdp } from "./cdp.ts";
import { type Snapshot, toSnapshot } from "./snapshot.ts";

/** A browser that a deployment has. Built by wiring/browser.ts. */
export interface BrowserPort {
  /** Failures: `browser_busy` (too many browsers are open), `browser_unavailable`. */
  open(signal: AbortSignal): Promise<Result<BrowserSocket>>;
  /** The URL policy, for the page's address and everything that the page loads. */
  judge(url: string): Result<unknown>;
}

export interface BrowserPage {
  /** Waits for earlier actions, then runs `action` on the page. `opens`: a page is opened if there is none. */
  use<T>(signal: AbortSignal, opens: boolean, action: (page: OpenPage) => Promise<Result<T>>): Promise<Result<T>>;
  /** Closes the browser. Idempotent. */
  close(): void;
}

export interface OpenPage {
  /** A command to the page. */
  send(method: string, params?: UnknownObject): Promise<Result<UnknownObject>>;
  /** Failures: `url_refused`, `page_unreachable`, those of Cdp. Returns when the page has loaded, or after some seconds. */
  navigate(url: string): Promise<Result<null>>;
  /** Waits until the page has loaded, if an action made it load another. */
  settle(): Promise<void>;
  snapshot(maxChars: number): Promise<Result<Snapshot & { url: string; title: string; refused: number }>>;
  /** The node of a ref of the last snapshot. Failure: `unknown_ref`. */
  find(ref: string): Result<number>;
}

/** From Hermes Agent: an idle browser is closed. */
const IDLE_MS = 120_000;
const LOAD_MS = 15_000;
/** A click needs this long to begin a navigation. */
const SETTLE_MS = 500;

/** Connections that are not among the requests that can be judged. Runs in each document before its own scripts. */
const NO_SOCKETS = {
  source:
    'for (const name of ["WebSocket", "WebSocketStream", "WebTransport", "RTCPeerConnection", "webkitRTCPeerConnection"]) delete globalThis[name];',
  runImmediately: true,
};

/** What a page starts waits until it was admitted. */
const WAITING = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true };

export function createBrowserPage(port: BrowserPort, clock: Clock): BrowserPage {
  let current: { cdp: Cdp; page: OpenPage } | null = null;
  let queue: Promise<unknown> = Promise.resolve();
  let idle = new AbortController();

  function close(): void {
    idle.abort();
    current?.cdp.close();
    current = null;
  }

  function closeWhenIdle(): void {
    idle = new AbortController();
    const { signal } = idle;
    void clock.sleep(IDLE_MS, signal).then(() => signal.aborted || close());
  }

  async function ensure(signal: AbortSignal, opens: boolean): Promise<Result<OpenPage>> {
    if (current?.cdp.isOpen()) return ok(current.page);
    if (!opens) return err("no_page", "No page is open. Open one with browser_navigate.");
    const socket = await port.open(signal);
    if (!socket.ok) return socket;
    const cdp = createCdp(socket.value, clock);
    const page = await openPage(cdp, port, clock);
    if (!page.ok) cdp.close();
    else current = { cdp, page: page.value };
    return page;
  }

  return {
    use(signal, opens, action) {
      const running = queue.then(async () => {
        if (signal.aborted) return err("aborted", "The call was cancelled.");
        idle.abort();
        const onAbort = () => close();
        signal.addEventListener("abort", onAbort, { once: true });
        try {
          const page = await ensure(signal, opens);
          return page.ok ? await action(page.value) : page;
        } finally {
          signal.removeEventListener("abort", onAbort);
          if (current) closeWhenIdle();
        }
      });
      queue = running.catch(() => undefined); // the caller gets the error
      return running;
    },
    close,
  };
}

async function openPage(cdp: Cdp, port: BrowserPort, clock: Clock): Promise<Result<OpenPage>> {
  const target = await cdp.send("Target.createTarget", { url: "about:blank" });
  if (!target.ok) return target;
  const { targetId } = target.value;
  const attached = await cdp.send("Target.attachToTarget", { targetId, flatten: true });
  if (!attached.ok) return attached;
  const session = String(attached.value.sessionId);
  const send = (method: string, params?: UnknownObject) => cdp.send(method, params, session);
  let [loads, refused] = [0, 0];
  let loaded = Promise.withResolvers<void>();
  let refs = new Map<string, number>();

  cdp.onEvent((method, params, from) => {
    if (method === "Fetch.requestPaused") {
      const isAllowed = isHarmless(String(toObject(params.request).url), port);
      if (!isAllowed) refused++;
      const { requestId } = params;
      void (isAllowed
        ? cdp.send("Fetch.continueRequest", { requestId }, from)
        : cdp.send("Fetch.failRequest", { requestId, errorReason: "BlockedByClient" }, from));
    }
    if (method === "Target.attachedToTarget") void admit(cdp, params, targetId);
    if (method === "Page.javascriptDialogOpening") void send("Page.handleJavaScriptDialog", { accept: false });
    if (from !== session) return;
    if (method === "Page.frameStartedLoading" || method === "Page.frameStartedNavigating") loads++;
    if (method === "Page.loadEventFired") loaded.resolve();
  });
  const rules: [string, UnknownObject?][] = [
    ["Fetch.enable", { patterns: [{ urlPattern: "*" }] }],
    ["Network.enable"],
    ["Network.setBypassServiceWorker", { bypass: true }],
    ["Page.addScriptToEvaluateOnNewDocument", NO_SOCKETS],
    ["Target.setAutoAttach", WAITING],
    ["Page.enable"],
    ["Accessibility.enable"],
  ];
  for (const [method, params] of rules) {
    const done = await send(method, params);
    if (!done.ok) return done;
  }

  // Windows that the page opens are not below it, so the browser itself must hold them.
  const held = await cdp.send("Target.setAutoAttach", WAITING);
  if (!held.ok) return held;

  const awaitLoad = async () => {
    const timer = new AbortController();
    await Promise.race([loaded.promise, clock.sleep(LOAD_MS, timer.signal)]);
    timer.abort();
  };

  return ok({
    send,
    async navigate(url) {
      const judged = port.judge(url);
      if (!judged.ok) return judged;
      loaded = Promise.withResolvers();
      const gone = await send("Page.navigate", { url });
      if (!gone.ok) return gone;
      const error = gone.value.errorText;
      if (typeof error === "string" && error !== "") {
        return err("page_unreachable", `The page could not be opened (${error.slice(0, 100)}). Try another address.`);
      }
      await awaitLoad();
      return ok(null);
    },
    async settle() {
      const before = loads;
      loaded = Promise.withResolvers();
      await clock.sleep(SETTLE_MS);
      if (loads > before) await awaitLoad();
    },
    async snapshot(maxChars) {
      const tree = await send("Accessibility.getFullAXTree");
      if (!tree.ok) return tree;
      const info = await cdp.send("Target.getTargetInfo", { targetId });
      if (!info.ok) return info;
      const { url, title } = toObject(info.value.targetInfo);
      const { nodes } = tree.value;
      const snapshot = toSnapshot(Array.isArray(nodes) ? nodes : [], maxChars);
      refs = snapshot.refs;
      return ok({ ...snapshot, url: String(url), title: String(title), refused });
    },
    find(ref) {
      const node = refs.get(ref.replace(/^@/, ""));
      return node === undefined
        ? err(
            "unknown_ref",
            `There is no ${ref.slice(0, 20)} in the last snapshot. Take a new one with browser_snapshot.`,
          )
        : ok(node);
    },
  });
}

/** Frames of other sites get the same rules as the page. Windows are closed; workers wait for ever, since their requests are not judged. */
async function admit(cdp: Cdp, params: UnknownObject, ownTarget: unknown): Promise<void> {
  const { type, targetId } = toObject(params.targetInfo);
  const session = String(params.sessionId);
  if (targetId === ownTarget) return;
  if (type !== "page" && type !== "iframe") return;
  // Sent together: a window that waits stops the page that opened it, so nothing of that page answers before.
  const rules = [
    cdp.send("Fetch.enable", { patterns: [{ urlPattern: "*" }] }, session),
    cdp.send("Network.enable", {}, session),
    cdp.send("Page.addScriptToEvaluateOnNewDocument", NO_SOCKETS, session),
    cdp.send("Runtime.runIfWaitingForDebugger", {}, session),
  ];
  if (type === "page") rules.push(cdp.send("Target.closeTarget", { targetId }));
  await Promise.all(rules);
}

/** `data:` and `blob:` hold what the page already has. */
function isHarmless(url: string, port: BrowserPort): boolean {
  return /^(?:data|blob|about):/i.test(url) || port.judge(url).ok;
}
