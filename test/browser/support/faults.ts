// Collects what must not happen on any page: errors in the console (which name each breach of the Content-Security-Policy), uncaught
// errors, failed requests, requests to other origins, and dialogs of the browser, which hostile texts would open. Used by page.ts.
import type { ConsoleMessage, Page } from "playwright-core";

export interface Faults {
  /** One line for each, in order. */
  list(): string[];
  /** Does not count faults that match, such as the answer to a request that a test has refused. */
  allow(...patterns: RegExp[]): void;
}

/** A page that is not signed in asks who it is. */
const EXPECTED = [/status of 401 .*\/v1\/sign-in$/];

export function collectFaults(page: Page, origin: string): Faults {
  const found: string[] = [];
  const allowed = [...EXPECTED];
  const add = (fault: string) => void found.push(fault);
  page.on("console", (message) => {
    if (message.type() === "error") add(`console: ${message.text()} at ${toPlace(message)}`);
  });
  page.on("pageerror", (error) => add(`uncaught: ${error.stack ?? error.message}`));
  page.on("crash", () => add("the page crashed"));
  page.on("dialog", (dialog) => {
    if (dialog.type() !== "beforeunload") add(`dialog: ${dialog.type()} ${dialog.message()}`);
    void dialog.accept().catch(() => {}); // the page has gone
  });
  page.on("popup", (popup) => add(`window opened: ${popup.url()}`));
  page.on("request", (request) => {
    const url = request.url();
    if (!/^(?:data|blob):/.test(url) && new URL(url).origin !== origin) add(`request to another origin: ${url}`);
  });
  page.on("websocket", (socket) => {
    if (new URL(socket.url()).host !== new URL(origin).host) add(`socket to another origin: ${socket.url()}`);
  });
  return {
    list: () => found.filter((fault) => !allowed.some((pattern) => pattern.test(fault))),
    allow: (...patterns) => void allowed.push(...patterns),
  };
}

function toPlace(message: ConsoleMessage): string {
  const { url, lineNumber } = message.location();
  return lineNumber ? `${url}:${lineNumber}` : url;
}
