// Stands beside `signal-cli daemon --http`: posts what signal-cli receives to a channel of Talaria, and takes the few JSON-RPC calls that the
// channel makes. signal-cli asks nobody who they are, so it must never be reachable itself. One file without dependencies, to copy to the
// machine where signal-cli runs: node signal-forwarder.ts (Node 24). See docs/CHANNELS.md.
import { createHash, timingSafeEqual } from "node:crypto";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export interface ForwarderOptions {
  /** Where signal-cli listens. */
  signalCli: string;
  /** The channel's address, https://…/channels/signal/<profile>. */
  channel: string;
  secret: string;
  /** Where calls are taken; 0: any free one. */
  port: number;
  log(line: string): void;
  /** The first pause after a failure; it doubles up to a minute. */
  pauseMs?: number;
}

export interface Forwarder {
  port: number;
  close(): Promise<void>;
}

/** What the channel calls. Everything else, such as `unregister`, is refused. */
const METHODS = new Set(["send", "sendTyping", "getAttachment", "getUserStatus"]);
/** [own] A file of 8 MB as Base64 in JSON. */
const MAX_BODY_BYTES = 16_000_000;
const MAX_PAUSE_MS = 60_000;
/** [own] An event that the channel does not take for so long is given up. */
const MAX_TRIES = 30;

/** Listens and forwards until `close`. */
export async function startForwarder(options: ForwarderOptions): Promise<Forwarder> {
  const stop = new AbortController();
  const server = createServer((request, response) => {
    answerCall(options, request, response).catch((error: unknown) => {
      options.log(`a call failed: ${messageOf(error)}`);
      if (!response.headersSent) response.writeHead(502);
      response.end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, "127.0.0.1", resolve);
  });
  const forwarding = forwardForever(options, stop.signal);
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      stop.abort();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await forwarding;
    },
  };
}

async function forwardForever(options: ForwarderOptions, signal: AbortSignal): Promise<void> {
  const first = options.pauseMs ?? 1_000;
  let pause = first;
  while (!signal.aborted) {
    try {
      const response = await fetch(`${options.signalCli}/api/v1/events`, {
        signal,
        headers: { accept: "text/event-stream" },
      });
      if (!response.ok || !response.body) throw new Error(`signal-cli answered ${response.status}`);
      pause = first;
      for await (const data of readEvents(response.body)) await postEvent(options, data, signal);
      options.log("signal-cli ended the stream of events; connecting again");
    } catch (error) {
      if (signal.aborted) return;
      options.log(`no events: ${messageOf(error)}; connecting again`);
    }
    await rest(pause, signal);
    pause = Math.min(pause * 2, MAX_PAUSE_MS);
  }
}

/** The `data` of each event of an event stream. */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  let data: string[] = [];
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines.map((one) => one.replace(/\r$/, ""))) {
      if (line.startsWith("data:")) data.push(line.slice("data:".length).trimStart());
      if (line !== "" || data.length === 0) continue;
      yield data.join("\n");
      data = [];
    }
  }
}

/** In order: the next event waits until this one was taken. The channel knows a repeated one, so a lost answer does no harm. */
async function postEvent(options: ForwarderOptions, data: string, signal: AbortSignal): Promise<void> {
  const headers = { "content-type": "application/json", authorization: `Bearer ${options.secret}` };
  let pause = options.pauseMs ?? 1_000;
  for (let attempt = 1; attempt <= MAX_TRIES && !signal.aborted; attempt += 1) {
    const status = await fetch(options.channel, { method: "POST", headers, body: data, signal }).then(
      (response) => response.status,
      (error: unknown) => messageOf(error),
    );
    if (typeof status === "number" && status < 300) return;
    options.log(`the channel did not take an event: ${status}`);
    await rest(pause, signal);
    pause = Math.min(pause * 2, MAX_PAUSE_MS);
  }
  if (!signal.aborted) options.log("an event was given up");
}

async function answerCall(
  options: ForwarderOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const refuse = (status: number) => void response.writeHead(status).end();
  if (!isSame(request.headers.authorization ?? "", `Bearer ${options.secret}`)) return refuse(401);
  if (request.method !== "POST" || request.url !== "/api/v1/rpc") return refuse(404);
  const body = await readBody(request);
  if (body === null) return refuse(413);
  if (!METHODS.has(methodOf(body))) return refuse(403);
  const headers = { "content-type": "application/json" };
  const reply = await fetch(`${options.signalCli}/api/v1/rpc`, { method: "POST", headers, body });
  response.writeHead(reply.status, headers);
  response.end(Buffer.from(await reply.arrayBuffer()));
}

async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** "" for anything but one call: a batch could hide another method. */
function methodOf(body: string): string {
  try {
    const call: unknown = JSON.parse(body);
    return call !== null && typeof call === "object" && "method" in call ? String(call.method) : "";
  } catch {
    return ""; // not JSON
  }
}

/** In constant time: the hashes have one length. */
function isSame(a: string, b: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(a), hash(b));
}

async function rest(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {}); // stopped
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

if (import.meta.filename === process.argv[1]) {
  const { SIGNAL_CLI = "http://127.0.0.1:8080", SIGNAL_CHANNEL, SIGNAL_SECRET, SIGNAL_PORT = "8090" } = process.env;
  if (!SIGNAL_CHANNEL || !SIGNAL_SECRET) {
    process.stderr.write("Set SIGNAL_CHANNEL to the channel's address and SIGNAL_SECRET to its secret.\n");
    process.exit(1);
  }
  const log = (line: string) => void process.stdout.write(`${line}\n`);
  const settings = {
    signalCli: SIGNAL_CLI,
    channel: SIGNAL_CHANNEL,
    secret: SIGNAL_SECRET,
    port: Number(SIGNAL_PORT),
    log,
  };
  const { port } = await startForwarder(settings);
  log(`forwards from ${SIGNAL_CLI}; takes calls on 127.0.0.1:${port}`);
}
