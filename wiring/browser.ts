// Opens a browser through the Browser Rendering binding: plain DevTools Protocol over one WebSocket. Called by wiring/web.ts. Addresses:
// the ones that @cloudflare/puppeteer 1.4.0 uses; the host does not matter.
import { type Result, err, ok } from "../core/errors.ts";
import type { BrowserPort } from "../core/tools/web/browser/browser-page.ts";
import type { BrowserSocket } from "../core/tools/web/browser/cdp.ts";

const BASE = "https://browser.internal/v1/devtools/browser";
/** The platform closes a browser that was idle for this long, whatever became of this object. */
const KEEP_ALIVE_MS = 120_000;

export function openBrowser(binding: Pick<Fetcher, "fetch">, judge: BrowserPort["judge"]): BrowserPort {
  return {
    judge,
    async open(signal) {
      try {
        return await connect(binding, signal);
      } catch {
        return err("browser_unavailable", "No browser could be opened. Use web_extract, or try again later.");
      }
    },
  };
}

async function connect(binding: Pick<Fetcher, "fetch">, signal: AbortSignal): Promise<Result<BrowserSocket>> {
  const acquired = await binding.fetch(`${BASE}?keep_alive=${KEEP_ALIVE_MS}`, { method: "POST", signal });
  if (acquired.status === 429) {
    return err("browser_busy", "As many browsers as the account allows are open. Use web_extract, or try again later.");
  }
  const { sessionId } = await acquired.json<{ sessionId: string }>();
  const address = `${BASE}/${encodeURIComponent(sessionId)}`;
  const end = () => void binding.fetch(address, { method: "DELETE" }).catch(() => undefined); // it may have closed already
  const { webSocket: socket } = await binding.fetch(address, { headers: { Upgrade: "websocket" } });
  if (!socket) {
    end();
    throw new TypeError("no WebSocket");
  }
  socket.accept();
  let isClosed = false;
  return ok({
    send: (text) => socket.send(text),
    close() {
      if (isClosed) return;
      isClosed = true;
      socket.close();
      end();
    },
    listen({ message, close }) {
      socket.addEventListener("message", ({ data }) => {
        message(typeof data === "string" ? data : new TextDecoder().decode(data as ArrayBuffer));
      });
      socket.addEventListener("close", close);
      socket.addEventListener("error", close);
    },
  });
}
