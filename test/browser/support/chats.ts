// Conversations for tests of the chat page: sessions of a fresh profile, and what the page and the log say of them.
import type { Page } from "playwright-core";
import { type Owner, createOwner } from "./owner.ts";
import { type OpenedPage, type PageOptions, openPage } from "./page.ts";
import { PACED_MODEL } from "./paced-model.ts";

interface Entry {
  n: number;
  turn: number;
  kind: string;
  code?: string;
  parts: { text: string }[];
  images?: unknown[];
}

export interface OpenedChat extends OpenedPage {
  owner: Owner;
  session: string;
  entries(): Promise<Entry[]>;
  /** The text of the turn's last answer in the log. */
  answer(turn?: number): Promise<string>;
}

export interface ChatOptions extends Omit<PageOptions, "key" | "at"> {
  /** The model that takes its time. */
  isPaced?: boolean;
  backend?: "workspace" | "host";
  owner?: Owner;
  /** Messages that are answered before the page is opened. */
  before?: string[];
}

export async function openChat({
  isPaced = false,
  backend = "workspace",
  before = [],
  owner: given,
  ...page
}: ChatOptions = {}): Promise<OpenedChat> {
  const owner = given ?? (await createOwner());
  const { session } = await owner.call<{ session: string }>("POST", "/v1/sessions", { backend });
  const path = `/v1/sessions/${session}`;
  for (const text of before) await owner.call("POST", `${path}/messages`, { text, busy: "queue" });
  if (before.length > 0) await whenIdle(owner, session);
  if (isPaced) await owner.call("PATCH", path, { model: PACED_MODEL });
  const opened = await openPage({ ...page, key: owner.key, at: `#/chat/${session}` });
  const entries = async () => (await owner.call<{ entries: Entry[] }>("GET", `${path}/entries`)).entries;
  return {
    ...opened,
    owner,
    session,
    entries,
    async answer(turn = 1) {
      const last = (await entries()).findLast((entry) => entry.kind === "assistant" && entry.turn === turn);
      return (last?.parts ?? []).map(({ text }) => text).join("");
    },
  };
}

export async function whenIdle({ call }: Owner, session: string): Promise<void> {
  const path = `/v1/sessions/${session}`;
  while ((await call<{ state: string }>("GET", path)).state === "busy")
    await new Promise((done) => setTimeout(done, 50));
}

export async function say(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).fill(text);
  await page.getByRole("button", { name: "Send" }).click();
}

export const log = (page: Page) => page.getByRole("log");

/** The words of the answers on the page, without what Markdown made of the white space. */
export async function shownWords(page: Page): Promise<string> {
  return toWords((await page.locator(".answer-text").allInnerTexts()).join(" "));
}

export const toWords = (text: string) => text.split(/\s+/).filter(Boolean).join(" ");

export interface GivenFile {
  name: string;
  type: string;
  base64: string;
}

/** Gives the composer files as a person does who drops or pastes them. */
export async function giveFiles(page: Page, how: "drop" | "paste", files: GivenFile[]): Promise<void> {
  await page.evaluate(`(${GIVE})(${JSON.stringify({ how, files })})`);
}

/** Runs in the page. */
const GIVE = `({ how, files }) => {
  const area = document.querySelector(".composer textarea");
  const data = new DataTransfer();
  for (const { name, type, base64 } of files)
    data.items.add(new File([Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0))], name, { type }));
  const options = { bubbles: true, cancelable: true };
  if (how === "paste") area.dispatchEvent(new ClipboardEvent("paste", { ...options, clipboardData: data }));
  else for (const type of ["dragover", "drop"]) area.dispatchEvent(new DragEvent(type, { ...options, dataTransfer: data }));
}`;
