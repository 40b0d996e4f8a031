// What a model server is told to reply, and how a test hands it over. Plain JSON and fetch, so that tests inside workerd
// can script the server that runs outside of it. The server is model-server.ts; the wires are wire-*.ts beside this file.
import type { Usage } from "../../../core/schemas/entry.ts";

/** One server-sent event. `data` is JSON unless it is a string, which is sent as it is. */
export interface Frame {
  event?: string;
  data: unknown;
}

export interface ScriptedCall {
  id: string;
  name: string;
  /** What the model writes, JSON or not. */
  arguments: string;
}

export interface ScriptedAnswer {
  reasoning?: string;
  text?: string;
  calls?: ScriptedCall[];
  /** Default: what the content says. */
  stop?: "length" | "refusal";
  usage?: Usage;
}

/** How the bytes of a stream travel. */
export interface Delivery {
  /** Sent in pieces of this many bytes, which may fall inside a character. */
  chunkBytes?: number;
  /** After this many frames, `afterwards` happens. */
  frames?: number;
  /** `end`: the body ends well. `reset`: the connection breaks. `hold`: nothing comes until released. Else these instead. */
  afterwards?: "end" | "reset" | "hold" | Frame[];
}

export type Reply =
  | ({ kind: "answer"; answer: ScriptedAnswer } & Delivery)
  | ({ kind: "frames"; stream: Frame[] } & Delivery)
  | { kind: "error"; status: number; headers?: Record<string, string>; body: unknown };

export interface RecordedRequest {
  path: string;
  headers: Record<string, string>;
  body: any;
}

export interface Script {
  /** What an SDK is given as the address of the provider. */
  baseUrl: string;
  requests(): Promise<RecordedRequest[]>;
  /** Lets a held stream go on. */
  release(): Promise<void>;
  /** Resolves when the client has closed a stream before its end. */
  closed(): Promise<void>;
}

/** Replies are given in order, one a request. */
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

/** Pieces of a few characters each, never half of one: providers stream whole code points. */
export function toPieces(text: string, size: number): string[] {
  const points = [...text];
  return Array.from({ length: Math.ceil(points.length / size) }, (_, n) =>
    points.slice(n * size, n * size + size).join(""),
  );
}

/** The usage of an answer that says none. */
export const SCRIPTED_USAGE: Usage = { input: 20, output: 7, cacheRead: 100, cacheWrite: 3, reasoning: 2 };
