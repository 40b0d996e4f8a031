// The tools browser_*: a real browser for pages that need scripts, forms or clicks. What a page shows is content. The browser is opened
// by the first navigation and closed with the turn.
import * as z from "zod";
import type { Effect, Tool, ToolResult } from "../../../agent/contract.ts";
import { succeed } from "../../../agent/tool-result.ts";
import { clip } from "../../../clip.ts";
import { type Result, ok } from "../../../errors.ts";
import { fromBase64 } from "../../../schemas/base64.ts";
import type { Clock } from "../../../ports.ts";
import type { Workspace } from "../../../workspace/workspace.ts";
import { takeStart } from "../../clip.ts";
import { toRefusal } from "../../refusal.ts";
import { type BrowserPort, type OpenPage, createBrowserPage } from "./browser-page.ts";

/** Of one snapshot, as characters of JSON. */
const MAX_SNAPSHOT_CHARS = 15_000;
const ENVELOPE_CHARS = 1_200;
const SCREENSHOT = "screenshots/page.png";

const ref = z.string().min(2).max(20).describe("An element of the last snapshot, such as @e12.");

interface BrowserOptions {
  port: BrowserPort;
  clock: Clock;
  workspace: Workspace;
  maxResultChars: number;
}

export function createBrowserTools({ port, clock, workspace, maxResultChars }: BrowserOptions): Tool[] {
  const browser = createBrowserPage(port, clock);
  const room = Math.max(500, Math.min(MAX_SNAPSHOT_CHARS, maxResultChars - ENVELOPE_CHARS));

  /** A tool that acts on the page, then shows it. */
  function act<Args>(options: {
    name: string;
    description: string;
    effect: Effect;
    parameters: z.ZodType<Args>;
    opens?: boolean;
    run(page: OpenPage, args: Args): Promise<Result<unknown>>;
  }): Tool<Args> {
    const { name, description, effect, parameters, opens = false } = options;
    return {
      ...{ name, description, effect, parameters, keepsResults: true, failsOften: true },
      async run(args, { signal }) {
        const shown = await browser.use(signal, opens, async (page) => {
          const done = await options.run(page, args);
          return done.ok ? page.snapshot(room) : done;
        });
        return shown.ok ? showPage(shown.value, room) : toRefusal(shown.failure);
      },
      end: async () => browser.close(),
    };
  }

  const click = async (page: OpenPage, target: string): Promise<Result<unknown>> => {
    const object = await resolve(page, target);
    if (!object.ok) return object;
    const clicked = await callOn(page, object.value, "function(){this.scrollIntoView({block:'center'});this.click()}");
    await page.settle();
    return clicked;
  };

  return [
    act({
      name: "browser_navigate",
      description:
        "Opens a page in a real browser and shows it as a snapshot: text, and elements with refs (@e1). For pages that web_extract cannot " +
        "read: scripts, forms, clicks. The browser has no logins and closes when the turn ends.",
      effect: "read",
      parameters: z.strictObject({ url: z.string().min(1).max(2_000).describe("An http or https address.") }),
      opens: true,
      run: (page, { url }) => page.navigate(url),
    }),
    act({
      name: "browser_snapshot",
      description: "Shows the open page again, with new refs.",
      effect: "read",
      parameters: z.strictObject({}),
      run: async () => ok(null),
    }),
    act({
      name: "browser_click",
      description: "Clicks an element, then shows the page.",
      effect: "unkeyed",
      parameters: z.strictObject({ ref }),
      run: (page, args) => click(page, args.ref),
    }),
    act({
      name: "browser_type",
      description: "Replaces the text of a field, then shows the page.",
      effect: "unkeyed",
      parameters: z.strictObject({
        ref,
        text: z.string().max(5_000).describe("The new text."),
        submit: z.boolean().optional().describe("true: presses Enter afterwards."),
      }),
      async run(page, { ref: target, text, submit }) {
        const object = await resolve(page, target);
        if (!object.ok) return object;
        const focused = await callOn(page, object.value, "function(){this.focus();if(this.select)this.select()}");
        if (!focused.ok) return focused;
        const typed = await page.send("Input.insertText", { text });
        if (!typed.ok || !submit) return typed;
        for (const type of ["keyDown", "keyUp"]) {
          const key = {
            type,
            key: "Enter",
            code: "Enter",
            windowsVirtualKeyCode: 13,
            text: type === "keyDown" ? "\r" : "",
          };
          const pressed = await page.send("Input.dispatchKeyEvent", key);
          if (!pressed.ok) return pressed;
        }
        await page.settle();
        return typed;
      },
    }),
    act({
      name: "browser_scroll",
      description: "Scrolls by about a screen, so that a page loads what is further down, then shows it.",
      effect: "read",
      parameters: z.strictObject({ direction: z.enum(["up", "down"]).describe("Where to.") }),
      async run(page, { direction }) {
        const by = direction === "down" ? "" : "-";
        const scrolled = await page.send("Runtime.evaluate", {
          expression: `window.scrollBy(0, ${by}innerHeight * 0.9)`,
        });
        await page.settle();
        return scrolled;
      },
    }),
    act({
      name: "browser_back",
      description: "Goes back one page, then shows it.",
      effect: "read",
      parameters: z.strictObject({}),
      async run(page) {
        const gone = await page.send("Runtime.evaluate", { expression: "history.back()" });
        await page.settle();
        return gone;
      },
    }),
    {
      name: "browser_screenshot",
      description: `Takes a picture of what the open page shows now and stores it as ${SCREENSHOT} in the workspace. Look at it with vision_analyze, if you have that.`,
      parameters: z.strictObject({}),
      effect: "keyed",
      async run(_args, { signal }) {
        const shot = await browser.use(signal, false, (page) => page.send("Page.captureScreenshot", { format: "png" }));
        if (!shot.ok) return toRefusal(shot.failure);
        const stored = workspace.putAsAgent(SCREENSHOT, fromBase64(String(shot.value.data)), "content");
        return stored.ok ? succeed({ path: stored.value.path, bytes: stored.value.size }) : toRefusal(stored.failure);
      },
      end: async () => browser.close(),
    },
  ];
}

function showPage(
  page: { text: string; url: string; title: string; isCut: boolean; refused: number },
  room: number,
): ToolResult {
  const text = takeStart(page.text, room);
  const isCut = page.isCut || text.length < page.text.length;
  const facts = { ...(isCut && { cut: true }), ...(page.refused > 0 && { requests_refused: page.refused }) };
  const content = { url: clip(page.url, 500), title: clip(page.title, 200), page: text };
  return succeed(facts, { content });
}

/** The element of a ref, as the protocol names it. */
async function resolve(page: OpenPage, target: string): Promise<Result<string>> {
  const node = page.find(target);
  if (!node.ok) return node;
  const resolved = await page.send("DOM.resolveNode", { backendNodeId: node.value });
  if (!resolved.ok) return resolved;
  return ok(String((resolved.value.object as { objectId?: unknown } | undefined)?.objectId));
}

function callOn(page: OpenPage, objectId: string, functionDeclaration: string): Promise<Result<unknown>> {
  return page.send("Runtime.callFunctionOn", { objectId, functionDeclaration });
}
