// The scripts of the model server, and how a test sends one. Plain JSON and fetch, so that tests inside workerd can script the
// server outside it. The server is model-server.ts; the wires are the other wire-*.ts files in this folder.
import type { Usage } from "../../../core/schemas/entry.ts";

/** One server-sent event. A string as `data` is sent unchanged; anything else is sent as JSON. */
export interface Frame {
  event?: string;
  data: unknown;
}

export interface ScriptedCall {
  id: string;
  name: string;
  /** The arguments as the model writes them, valid JSON or not. */
  arguments: string;
}

export interface ScriptedAnswer {
  reasoning?: string;
  text?: string;
  calls?: ScriptedCall[];
  /** Default: derived from the content. */
  stop?: "length" | "refusal";
  usage?: Usage;
}

/** How the bytes of a stream travel. */
export interface Delivery {
  /** Sent in pieces of this many bytes, which may fall inside a character. */
  chunkBytes?: number;
  /** After this many frames, `afterwards` happens. */
  frames?: number;
  /** `end`: the body ends normally. `reset`: the connection breaks. `hold`: nothing arrives until released. Frames: these are sent. */
  afterwards?: "end" | "reset" | "hold" | Frame[];
}

/** `when`: only for a request with this in its body. So several sessions may be answered by one script, whoever asks first. */
export type Reply = { when?: string } & (
  | ({ kind: "answer"; answer: ScriptedAnswer } & Delivery)
  | ({ kind: "frames"; stream: Frame[] } & Delivery)
  | { kind: "error"; status: number; headers?: Record<string, string>; body: unknown }
);

export interface RecordedRequest {
  path: string;
  headers: Record<string, string>;
  body: any;
}

export interface Script {
  /** The base URL for a provider's SDK. */
  baseUrl: string;
  requests(): Promise<RecordedRequest[]>;
  /** Resumes a held stream. */
  release(): Promise<void>;
  /** Resolves when the client has closed a stream before its end. */
  closed(): Promise<void>;
}

/** The server gives the replies in order, one per request: the first that is for it. */
export async function writeScript(server: string, replies: Reply[]): Promise<Script> {
  const response = await fetch(`${server}/scripts`, { method: "POST", body: JSON.stringify(replies) });
  const { id } = (await response.json()) as { id: string };
  const baseUrl = `${server}/s/${id}`;
  const call = async (name: string) => (await fetch(`${baseUrl}/${name}`)).json();
  return {
    baseUrl,
    requests: () => call("requests") as Promise<RecordedRequest[]>,
    release: async () => void (await call("release")),
    closed: async () => void (await call("closed")),
  };
}

/** Splits a text into pieces of whole code points, as providers stream it. */
export function toPieces(text: string, size: number): string[] {
  const points = [...text];
  return Array.from({ length: Math.ceil(points.length / size) }, (_, n) =>
    points.slice(n * size, n * size + size).join(""),
  );
}

/** The default usage of an answer. */
export const SCRIPTED_USAGE: Usage = { input: 20, output: 7, cacheRead: 100, cacheWrite: 3, reasoning: 2 };
