// What the in-process doubles of platforms' APIs share: routes, bodies, and a record of what the bot sent. Used by fixtures of the
// conformance kit. Shares no code with channels/.
import { createHash, createHmac } from "node:crypto";
import type { ChannelRequest } from "../../../core/channels/platform.ts";
import type { PlatformWorld, SaidFile, SentFile, SentMessage } from "./fixture.ts";

export interface ApiCall {
  url: URL;
  headers: Headers;
  bytes: Uint8Array;
  /** The parts of the path that the route names, decoded. */
  at: Record<string, string>;
  /** The JSON body. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a double reads what the platform documents; a wrong read fails its test
  json: any;
  /** A form, of either encoding. */
  form(): Promise<FormData>;
}

type Answer = Response | object | null;
/** By `METHOD /path/:name`, with or without the origin before the path. `null`: 204. */
export type Routes = Record<string, (call: ApiCall) => Promise<Answer> | Answer>;

/** `guard` answers before every route: it checks the token. */
export function serveRoutes(
  routes: Routes,
  guard: (call: ApiCall) => Response | null = () => null,
): PlatformWorld["serve"] {
  return async (address, { method, headers, body }) => {
    const url = new URL(address);
    for (const [route, answer] of Object.entries(routes)) {
      const [wanted, pattern = ""] = route.split(" ");
      const at =
        wanted === method
          ? matchPath(pattern, pattern.startsWith("/") ? url.pathname : url.origin + url.pathname)
          : null;
      if (!at) continue;
      const form = () => new Request(address, { method: "POST", headers, body: body as BodyInit }).formData();
      const call: ApiCall = { url, headers, bytes: body, at, json: tryJson(body), form };
      const answered = guard(call) ?? (await answer(call));
      if (answered instanceof Response) return answered;
      return answered === null ? new Response(null, { status: 204 }) : Response.json(answered);
    }
    throw new Error(`the platform has no ${method} ${url.origin}${url.pathname}`);
  };
}

/** What the bot sent, as the kit reads it. */
export function createRecord() {
  return {
    messages: [] as SentMessage[],
    files: [] as SentFile[],
    typingSigns: 0,
    answeredPresses: [] as string[],
    registered: null as string | null,
  };
}

/** Files that people sent, by the platform's ids of them. */
export function createShelf() {
  const files = new Map<string, SaidFile>();
  return {
    files,
    add(file: SaidFile): string {
      const id = `file-${files.size + 1}`;
      files.set(id, file);
      return id;
    },
    answer(id: string): Response {
      const file = files.get(id);
      if (!file) return new Response("no such file", { status: 404 });
      return new Response(file.bytes as BodyInit, { headers: { "content-type": file.mediaType } });
    },
  };
}

export async function bytesOf(part: File | string | null): Promise<{ name: string; bytes: Uint8Array }> {
  if (!(part instanceof File)) throw new Error("the form has no such file");
  return { name: part.name, bytes: new Uint8Array(await part.arrayBuffer()) };
}

export function postTo(url: string, body: string, headers: Record<string, string> = {}): ChannelRequest {
  return { method: "POST", url, headers: { "content-type": "application/json", ...headers }, body: Buffer.from(body) };
}

export function macOf(
  hash: string,
  key: string | Uint8Array,
  data: string | Uint8Array,
  form: "hex" | "base64",
): string {
  return createHmac(hash, key).update(data).digest(form);
}

export function hashOf(hash: string, data: string | Uint8Array): Buffer {
  return createHash(hash).update(data).digest();
}

function matchPath(pattern: string, path: string): Record<string, string> | null {
  const [wanted, given] = [pattern.split("/"), path.split("/")];
  if (wanted.length !== given.length) return null;
  const at: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    if (part.startsWith(":")) at[part.slice(1)] = decodeURIComponent(given[index]!);
    else if (part !== given[index]) return null;
  }
  return at;
}

function tryJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString());
  } catch {
    return undefined; // a form, or nothing
  }
}
